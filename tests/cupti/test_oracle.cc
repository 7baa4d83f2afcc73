// Record sizes are asked of the library itself.
#include "record_maker.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <sstream>

namespace
{

Layout stepping; // what the pretended library emits

// As CUPTI steps: the first record when *record is NULL, else the one behind it.
int pretended_next(uint8_t *buffer, size_t valid, void **record)
{
    oracle sizes = layout_oracle(stepping);
    auto at = static_cast<uint8_t *>(*record);
    uint32_t kind = abi_kind_of(at ? at : buffer);
    if (!oracle_size(&sizes, kind))
        return ABI_INVALID_KIND;
    uint8_t *found = at ? at + sizes.size[kind] : buffer;
    if (found + sizes.size[kind] > buffer + valid)
        return ABI_MAX_LIMIT_REACHED;
    *record = found;
    return ABI_OK;
}

int always_fails(uint8_t *, size_t, void **)
{
    return ABI_UNKNOWN;
}
int never_moves(uint8_t *buffer, size_t, void **record)
{
    *record = buffer;
    return ABI_OK;
}

TEST(Oracle, FindsTheSizesOfEveryLayout)
{
    for (int i = 0; i < LAYOUTS; i++) {
        stepping = static_cast<Layout>(i);
        oracle expected = layout_oracle(stepping), asked{};
        EXPECT_TRUE(oracle_query(&asked, pretended_next));
        for (uint32_t kind = 0; kind < ABI_KIND_COUNT; kind++)
            EXPECT_EQ(asked.size[kind], expected.size[kind])
                << layout_name(stepping) << " " << kind;
    }
}

TEST(Oracle, RefusesALibraryThatKnowsNothing)
{
    oracle asked{};
    EXPECT_FALSE(oracle_query(&asked, always_fails));
    EXPECT_FALSE(oracle_query(&asked, never_moves));
}

oracle_next_record find_next(const std::string &path)
{
    void *library = dlopen(path.c_str(), RTLD_LOCAL | RTLD_NOW);
    void *found = library ? dlsym(library, "cuptiActivityGetNextRecord") : nullptr;
    return reinterpret_cast<oracle_next_record>(found);
}

TEST(Oracle, AsksTheRealLibraryWhereThereIsOne)
{
    std::istringstream directories(PROF_REAL_CUPTI_DIRS);
    oracle_next_record next = nullptr;
    for (std::string directory; !next && std::getline(directories, directory, ':');)
        next = find_next(directory + "/libcupti.so.13");
    if (!next)
        GTEST_SKIP() << "no libcupti.so.13 in " PROF_REAL_CUPTI_DIRS;
    oracle asked{}, expected = layout_oracle(CUDA_13_0);
    ASSERT_TRUE(oracle_query(&asked, next));
    for (uint32_t kind = 0; kind < ABI_KIND_COUNT; kind++) {
        if (expected.size[kind]) {
            // 13.1 and later only grow these.
            EXPECT_GE(asked.size[kind], expected.size[kind]) << "kind " << kind;
        }
    }
}

// Walking by the oracle's sizes gives the records that CUPTI's own walker gives.
TEST(Oracle, StepsAsTheRealLibraryDoes)
{
    std::istringstream directories(PROF_REAL_CUPTI_DIRS);
    oracle_next_record next = nullptr;
    for (std::string directory; !next && std::getline(directories, directory, ':');)
        next = find_next(directory + "/libcupti.so.13");
    if (!next)
        GTEST_SKIP() << "no libcupti.so.13 in " PROF_REAL_CUPTI_DIRS;
    RecordMaker maker(CUDA_13_0);
    oracle_query(&maker.sizes, next);
    for (int times = 0; times < 50; times++)
        for (uint32_t kind = 1; kind < ABI_KIND_COUNT; kind++)
            if (maker.sizes.size[kind])
                maker.add(kind);
    void *record = nullptr;
    size_t at = 0;
    while (next(maker.data(), maker.size(), &record) == ABI_OK) {
        ASSERT_EQ(static_cast<uint8_t *>(record), maker.data() + at);
        at += oracle_size(&maker.sizes, abi_kind_of(maker.data() + at));
    }
    EXPECT_EQ(at, maker.size());
}

} // namespace
