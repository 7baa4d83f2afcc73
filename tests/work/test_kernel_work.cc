// test_kernel_work.cc - whose work a kernel did, and that nothing is counted twice.
#include "../stats/timeline_maker.h"

extern "C" {
#include "kernel_names.h"
#include "kernel_work.h"
}

#include <cmath>
#include <gtest/gtest.h>

namespace
{
class Works
{
public:
    explicit Works(TimelineMaker &maker) : made(maker.done())
    {
        EXPECT_TRUE(kernel_works_init(&works, made));
    }
    ~Works() { kernel_works_fini(&works); }

    // Of the kernel that starts at a time.
    const kernel_work &at(int64_t start_ns) const
    {
        for (uint32_t i = 0; i < works.count; i++)
            if (made->gpus.at[i].start_ns == start_ns)
                return works.at[i];
        ADD_FAILURE() << "nothing starts at " << start_ns;
        return works.at[0];
    }

    double flop() const
    {
        double sum = 0;
        for (uint32_t i = 0; i < works.count; i++)
            sum += works.at[i].flop_known == OP_KNOWN ? works.at[i].flop : 0;
        return sum;
    }

    timeline *const made;
    kernel_works works{};
};

void say_shapes(TimelineMaker &maker, uint32_t range, const std::string &dims)
{
    maker.attr(range, "Input Dims", dims);
    maker.attr(range, "Input type", std::string(R"(["float", "float", "float"])"));
}

// A range with sizes and a launch in it that ends with it.
struct Launched {
    uint32_t range, call;
};

Launched op(TimelineMaker &maker, const std::string &name, const std::string &dims,
            int64_t start_ns)
{
    uint32_t range = maker.push(name, start_ns);
    uint32_t call = maker.launch("cudaLaunchKernel", start_ns + 1, start_ns + 2);
    maker.pop(start_ns + 5);
    if (!dims.empty())
        say_shapes(maker, range, dims);
    return {range, call};
}

const char mm_dims[] = "[[3, 4], [4, 5]]"; // 120 FLOPs, 188 bytes
} // namespace

TEST(KernelWork, IsItsRangesWork)
{
    TimelineMaker m;
    auto mm = op(m, "aten::mm", mm_dims, 0);
    m.kernel("sgemm", mm.call, 10, 20);
    Works works(m);
    EXPECT_EQ(works.at(10).flop, 120);
    EXPECT_EQ(works.at(10).bytes, 188);
    EXPECT_EQ(works.at(10).slice, mm.range);
    EXPECT_EQ(works.at(10).source, WORK_FORMULA);
    EXPECT_EQ(works.at(10).type, OP_F32);
}
