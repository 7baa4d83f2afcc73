// pprof profiles: read back strictly, and the sums are those of the timeline.
#include "formats_support.h"

namespace
{

class Pprof : public Formats
{
protected:
    // A line per sample; see check_pprof.py. Skips where this build cannot compress.
    std::string write(TimelineMaker &m)
    {
        write_error error;
        std::string path = scratch.path("t.pb.gz");
        if (!write_pprof(m.done(), nullptr, path.c_str(), &error)) {
            EXPECT_EQ(error.code, ENOTSUP) << error.message;
            return "";
        }
        return check("check_pprof.py", path);
    }
};

TEST_F(Pprof, TakesAnEmptyTimeline)
{
    TimelineMaker m;
    EXPECT_EQ(write(m), "");
}

TEST_F(Pprof, GivesEveryNanosecondToOneStack)
{
    TimelineMaker m;
    for (int i = 0; i < 2; i++) {
        m.push("outer", i * 1000);
        m.range("inner", i * 1000 + 100, i * 1000 + 300);
        uint32_t call = m.launch("cudaLaunchKernel", i * 1000 + 400, i * 1000 + 450);
        m.pop(i * 1000 + 900);
        m.kernel("gemm", call, i * 1000 + 500, i * 1000 + 800);
    }
    m.kernel("orphan", TL_NONE, 5000, 5010);
    std::string said = write(m);
    if (!said.empty()) {
        EXPECT_EQ(said, "cpu=1300 device=0 calls=2 outer [pid=100 thread=main tid=101]\n"
                        "cpu=400 device=0 calls=2 inner < outer [pid=100 thread=main tid=101]\n"
                        "cpu=100 device=0 calls=2 cudaLaunchKernel < outer [pid=100 thread=main "
                        "tid=101]\n"
                        "cpu=0 device=600 calls=2 gemm < cudaLaunchKernel < outer [device=0 "
                        "pid=100 stream=7]\n"
                        "cpu=0 device=10 calls=1 orphan [device=0 pid=100 stream=7]\n");
    }
}

// Without symbols there are no functions to name.
TEST_F(Pprof, LeavesOutSamplesWithoutFunctions)
{
    TimelineMaker m;
    m.range("outer", 0, 1000);
    tl_sample sample = {500, 1000, 0, 0, 101, 0, TL_NONE, false};
    m.made.samples.at = &sample;
    m.made.samples.count = 1;
    std::string said = write(m);
    if (!said.empty()) {
        EXPECT_EQ(said, "cpu=1000 device=0 calls=1 outer [pid=100 thread=main tid=101]\n");
    }
}

// As in tables: the hottest function of a loop is not one of its steps.
TEST_F(Pprof, AddsUpTheStepsOfALoop)
{
    TimelineMaker m;
    for (int i = 0; i < 3; i++)
        m.range("ProfilerStep#" + std::to_string(i), i * 1000, i * 1000 + 100);
    std::string said = write(m);
    if (!said.empty()) {
        EXPECT_EQ(said, "cpu=300 device=0 calls=3 ProfilerStep* [pid=100 thread=main tid=101]\n");
    }
}

TEST_F(Pprof, ListsTheInnermostOfVeryDeepRanges)
{
    const int depth = 2000;
    TimelineMaker m;
    for (int i = 0; i < depth; i++)
        m.push("r" + std::to_string(i), i);
    for (int i = 0; i < depth; i++)
        m.pop(2 * depth + i);
    std::string said = write(m);
    if (said.empty())
        GTEST_SKIP() << "this build cannot compress";
    size_t arrows = 0, longest = 0;
    for (char c : said) {
        arrows = c == '\n' ? 0 : arrows + (c == '<');
        longest = arrows > longest ? arrows : longest;
    }
    EXPECT_EQ(longest, 513u) << "the range, 512 around it and a word about the rest";
    EXPECT_NE(said.find("< r1487 < (further ranges left out) ["), std::string::npos);
}

TEST_F(Pprof, CountsAContinuedRangeOnce)
{
    TimelineMaker m;
    m.range("a", 0, 10);
    m.push("a", 10, TL_RANGE, TL_CONTINUED);
    m.pop(30);
    std::string said = write(m);
    if (!said.empty()) {
        EXPECT_EQ(said, "cpu=30 device=0 calls=1 a [pid=100 thread=main tid=101]\n");
    }
}

TEST_F(Pprof, LetsAnyNameThrough)
{
    TimelineMaker m;
    int64_t at = 0;
    for (const std::string &name : nasty_names())
        m.range(name, at, at + 5), at += 10;
    std::string said = write(m);
    if (!said.empty()) {
        EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), (long)nasty_names().size());
    }
}

} // namespace
