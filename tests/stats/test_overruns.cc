// Operations that still run when a later one of their stream begins.
#include "timeline_maker.h"

extern "C" {
#include "overruns.h"
}

namespace
{

overruns find(const timeline *made)
{
    overruns found;
    overruns_find(made, &found);
    return found;
}

constexpr int64_t US = 1000, MS = 1000 * US;

TEST(Overruns, AreOfCopiesAndWhateverComesAfterThem)
{
    TimelineMaker m;
    for (int i = 0; i < 100; i++)
        m.copy(TL_NONE, i * 50 * US, i * 50 * US + (i % 40 == 7 ? 3150 * MS : 40 * US), 10);
    const auto *made = m.done();
    overruns found = find(made);
    EXPECT_EQ(found.count, 3u);
    EXPECT_EQ(found.operations, 100u);
    EXPECT_EQ(found.sum_ns, 3 * 3150 * MS);
    EXPECT_EQ(found.all_ns, 3 * 3150 * MS + 97 * 40 * US);
    EXPECT_EQ(found.longest_ns, 3150 * MS - 50 * US);
    char text[OVERRUNS_TEXT_BYTES];
    overruns_text(made, &found, text);
    EXPECT_NE(std::string(text).find("3 of 100 operations"), std::string::npos) << text;
    EXPECT_NE(std::string(text).find("99.96% of the device's time"), std::string::npos) << text;
}

TEST(Overruns, AreOfKernelsOnlyBeyondDependentLaunches)
{
    for (int after : {4, 5}) {
        TimelineMaker m;
        m.kernel("k", TL_NONE, 0, 1 * MS);
        for (int i = 1; i <= after; i++)
            m.kernel("k", TL_NONE, i * 50 * US, i * 50 * US + 40 * US);
        EXPECT_EQ(find(m.done()).count, after == 5 ? 1u : 0u);
    }
}

TEST(Overruns, AreOfAKernelThatACopyDoesNotWaitFor)
{
    TimelineMaker m;
    m.kernel("k", TL_NONE, 0, 1 * MS);
    m.copy(TL_NONE, 10 * US, 20 * US, 10);
    EXPECT_EQ(find(m.done()).count, 1u);
}

TEST(Overruns, AreNotOfRoundingStreamsAndGraphs)
{
    TimelineMaker m;
    m.range("run", 0, 10 * MS);
    const uint32_t first = m.stream(7), other = m.stream(8), third = m.stream(9);
    const uint32_t graph = m.launch("cudaGraphLaunch", 0, 10);
    m.copy(TL_NONE, 0, 50 * US + 1000, 10, first);
    m.copy(TL_NONE, 50 * US, 90 * US, 10, first);
    m.copy(TL_NONE, 0, 5 * MS, 10, other);
    m.copy(graph, 6 * MS, 8 * MS, 10, third);
    m.copy(graph, 7 * MS, 8 * MS, 10, third);
    EXPECT_EQ(find(m.done()).count, 0u);
}

} // namespace
