/* test_hot_paths.cc - how many instructions the recorder takes for what programs do most.
 *
 * Unlike times, they do not depend on the machine or on what else it does. The process traps itself
 * after each instruction. Limits are a fifth above what gcc 12 makes, for other compilers and
 * other variants of libc's functions. Lower a limit when a path gets shorter. */
#include "../cupti/record_maker.h"
#include "../recorder/recorder_support.h"
#include "hot_paths.h"

#include <algorithm>
#include <csignal>
#include <cstdint>

namespace
{

constexpr unsigned KERNELS = 8;

volatile uint64_t steps;

void step(int)
{
    steps = steps + 1;
}

#if defined __x86_64__ && defined HOT_PATHS_ARE_OPTIMIZED
constexpr bool COUNTS = true;
#else
constexpr bool COUNTS = false;
#endif

// Instructions of one call, with those that switch the trap on and off.
uint64_t steps_of(void (*path)())
{
    steps = 0;
#ifdef __x86_64__
    __asm__ volatile("pushfq\n\t"
                     "orq $0x100, (%%rsp)\n\t" // the trap flag
                     "popfq" ::
                         : "memory", "cc");
    path();
    __asm__ volatile("pushfq\n\t"
                     "andq $~0x100, (%%rsp)\n\t"
                     "popfq" ::
                         : "memory", "cc");
#else
    path();
#endif
    return steps;
}

// The least of many calls: some enter a new chunk of the file.
uint64_t least(void (*path)())
{
    uint64_t found = UINT64_MAX;
    for (int i = 0; i < 50; i++)
        found = std::min(found, steps_of(path));
    return found;
}

struct HotPath {
    const char *name;
    void (*path)();
    unsigned calls; // that one call stands for
    uint64_t limit;
};

RecordMaker kernels()
{
    RecordMaker maker(CUDA_13_0);
    for (unsigned i = 0; i < KERNELS; i++)
        maker.add(ABI_KIND_CONCURRENT_KERNEL)
            .SET(KERNEL_START, 1700000000000000000u + i * 5000u)
            .SET(KERNEL_END, 1700000000000000000u + i * 5000u + 3000u)
            .SET(KERNEL_CORRELATION, i + 1)
            .SET(KERNEL_GRID_X, 128)
            .SET(KERNEL_BLOCK_X, 256)
            .SET(KERNEL_STREAM, 7)
            .text(ABI_KERNEL_NAME, "volta_sgemm_128x64_nn");
    return maker;
}

class HotPaths : public testing::TestWithParam<HotPath>
{
};

TEST_P(HotPaths, TakeNoMoreInstructions)
{
    if (!COUNTS)
        GTEST_SKIP() << "counted on x86-64, in optimized builds without sanitizers";
    TemporaryDirectory directory;
    const std::string path = directory / "hot.prof";
    RecordMaker maker = kernels();
    IN_A_PROCESS_OF_ITS_OWN({
        const HotPath &hot = GetParam();
        if (!hot_begin(path.c_str())) {
            printf("not counted: the processor's counter is not the clock\n");
            return;
        }
        hot_take_kernels(&maker.sizes, maker.data(), maker.size());
        for (int i = 0; i < 1000; i++)
            hot.path();
        signal(SIGTRAP, step);
        const uint64_t nothing = least(hot_nothing), all = least(hot.path);
        ASSERT_GT(nothing, 0u);
        ASSERT_GT(all, nothing + 10 * hot.calls) << "the path does nothing";
        const uint64_t count = (all - nothing) / hot.calls;
        printf("%s: %llu instructions\n", hot.name, (unsigned long long)count);
        EXPECT_LE(count, hot.limit);
        hot_end();
    });
}

INSTANTIATE_TEST_SUITE_P(All, HotPaths,
                         testing::Values(HotPath{"Literal", hot_literal, 1, 85},
                                         HotPath{"Content", hot_content, 1, 145},
                                         HotPath{"Nvtx", hot_nvtx, 1, 150},
                                         HotPath{"NvtxNumber", hot_nvtx_number, 1, 455},
                                         HotPath{"Launch", hot_launch, 1, 805},
                                         HotPath{"Kernel", hot_kernels, KERNELS, 380}),
                         [](const auto &path) { return path.param.name; });

} // namespace
