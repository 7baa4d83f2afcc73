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

text m_text(const char *from)
{
    return {from, std::strlen(from)};
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

TEST(KernelWork, InnermostOperatorCountsAndNoneTwice)
{
    TimelineMaker m;
    // linear 2 * 3 * 5 * 4 = 120 as well
    uint32_t linear = m.push("aten::linear", 0);
    uint32_t addmm = m.push("aten::addmm", 1);
    uint32_t call = m.launch("cudaLaunchKernel", 2, 3);
    m.pop(4);
    uint32_t after = m.launch("cudaLaunchKernel", 5, 6);
    m.pop(7);
    say_shapes(m, linear, "[[3, 4], [5, 4], [5]]");
    say_shapes(m, addmm, "[[5], [3, 4], [4, 5]]");
    m.kernel("sgemm", call, 10, 20);
    m.kernel("something", after, 30, 40);
    Works works(m);
    EXPECT_EQ(works.at(10).slice, addmm);
    EXPECT_EQ(works.at(10).flop, 120);
    EXPECT_EQ(works.at(30).source, WORK_NONE) << "linear's work is addmm's";
    EXPECT_EQ(works.at(30).flop_known, OP_NO_FORMULA);
    EXPECT_EQ(works.flop(), 120);
}

TEST(KernelWork, ConvolutionKeepsItsWorkAroundTheSumOfItsBias)
{
    TimelineMaker m;
    uint32_t conv = m.push("aten::conv2d", 0);
    uint32_t call = m.launch("cudaLaunchKernel", 1, 2);
    uint32_t add = m.push("aten::add_", 3);
    uint32_t second = m.launch("cudaLaunchKernel", 4, 5);
    m.pop(6);
    m.pop(7);
    say_shapes(m, conv, "[[1, 1, 3, 3], [1, 1, 3, 3], [], [], [], [], []]");
    m.attr(conv, "Concrete Inputs",
           std::string(R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "1"])"));
    say_shapes(m, add, "[[7], [7]]");
    m.kernel("implicit_convolve_sgemm", call, 10, 20);
    m.kernel("vectorized_elementwise_kernel", second, 30, 40);
    Works works(m);
    EXPECT_EQ(works.at(10).flop, 18) << "one output of nine products";
    EXPECT_EQ(works.at(10).slice, conv);
    EXPECT_EQ(works.at(30).flop, 7);
    EXPECT_EQ(works.at(30).slice, add);
    EXPECT_EQ(works.at(30).bytes, 4 * 21) << "both are read, one is written";
}

TEST(KernelWork, IsSharedByDurationAmongThoseThatCompute)
{
    TimelineMaker m;
    auto mm = op(m, "aten::mm", mm_dims, 0);
    m.kernel("ampere_sgemm_64x64", mm.call, 10, 20);
    m.kernel("ampere_sgemm_32x32", mm.call, 20, 50);
    m.kernel("splitKreduce_kernel", mm.call, 50, 90);
    Works works(m);
    EXPECT_DOUBLE_EQ(works.at(10).flop, 30);
    EXPECT_DOUBLE_EQ(works.at(20).flop, 90);
    EXPECT_DOUBLE_EQ(works.at(20).bytes, 141);
    EXPECT_EQ(works.at(50).flop_known, OP_NO_FORMULA) << "it sums what others computed";
}

TEST(KernelWork, IsSharedByAllWhereNoNameTells)
{
    TimelineMaker m;
    auto mm = op(m, "aten::mm", mm_dims, 0);
    m.kernel("k1", mm.call, 10, 20);
    m.kernel("k2", mm.call, 20, 50);
    auto none = op(m, "aten::mm", mm_dims, 100);
    m.kernel("k1", none.call, 110, 110);
    m.kernel("k2", none.call, 111, 111);
    Works works(m);
    EXPECT_DOUBLE_EQ(works.at(10).flop, 30);
    EXPECT_DOUBLE_EQ(works.at(20).flop, 90);
    EXPECT_DOUBLE_EQ(works.at(110).flop, 60) << "no durations: equal parts";
    EXPECT_DOUBLE_EQ(works.at(111).flop, 60);
    EXPECT_DOUBLE_EQ(works.flop(), 240) << "equal shapes, two calls";
}

TEST(KernelWork, IsWhatTheProgramSays)
{
    TimelineMaker m;
    auto mine = op(m, "my kernel", "", 0);
    m.attr(mine.range, "flops", static_cast<int64_t>(1000));
    m.attr(mine.range, "bytes", 2.5e3);
    m.kernel("k", mine.call, 10, 20);
    auto mm = op(m, "aten::mm", mm_dims, 100);
    m.attr(mm.range, "flops", static_cast<int64_t>(77));
    m.kernel("k", mm.call, 110, 120);
    auto zero = op(m, "aten::mm", mm_dims, 200);
    m.attr(zero.range, "kernel_flop", 0.0);
    m.attr(zero.range, "kernel_num_gb", 3e-6);
    m.kernel("k", zero.call, 210, 220);
    Works works(m);
    EXPECT_EQ(works.at(10).flop, 1000);
    EXPECT_EQ(works.at(10).bytes, 2500);
    EXPECT_EQ(works.at(10).source, WORK_USER);
    EXPECT_EQ(works.at(110).flop, 77) << "over the formula";
    EXPECT_EQ(works.at(110).bytes, 188) << "of which nothing was said";
    EXPECT_EQ(works.at(210).flop, 120) << "0 was not known";
    EXPECT_DOUBLE_EQ(works.at(210).bytes, 3000);
}

TEST(KernelWork, NonsenseOfTheProgramWasNotSaid)
{
    TimelineMaker m;
    auto negative = op(m, "mine", "", 0);
    m.attr(negative.range, "flops", static_cast<int64_t>(-5));
    m.kernel("k", negative.call, 10, 20);
    auto nan = op(m, "mine", "", 100);
    m.attr(nan.range, "flops", std::nan(""));
    m.attr(nan.range, "bytes", std::string("many"));
    m.kernel("k", nan.call, 110, 120);
    Works works(m);
    for (int64_t at : {10, 110}) {
        EXPECT_EQ(works.at(at).flop_known, OP_NO_FORMULA);
        EXPECT_TRUE(std::isnan(works.at(at).flop));
        EXPECT_TRUE(std::isnan(works.at(at).bytes));
        EXPECT_EQ(works.at(at).source, WORK_NONE);
    }
}

// A range that a program gave a total, and in it an operator of a kind.
struct Totalled {
    explicit Totalled(const char *inner, const char *dims)
    {
        uint32_t total = m.push("layer", 0);
        inside = op(m, inner, dims, 1);
        rest = m.launch("cudaLaunchKernel", 8, 9);
        m.pop(10);
        m.attr(total, "flops", static_cast<int64_t>(1000));
        m.kernel("k", inside.call, 20, 50);
        m.kernel("k", rest, 60, 70);
    }
    TimelineMaker m;
    Launched inside{};
    uint32_t rest = 0;
};

TEST(KernelWork, ProgramsTotalCoversWhatIsElementByElement)
{
    Totalled adding("aten::add", "[[5], [5]]");
    Works works(adding.m);
    EXPECT_DOUBLE_EQ(works.at(20).flop, 750);
    EXPECT_DOUBLE_EQ(works.at(60).flop, 250);
}

TEST(KernelWork, ProgramsTotalGivesWayToProductsInside)
{
    Totalled multiplying("aten::mm", mm_dims);
    Works works(multiplying.m);
    EXPECT_EQ(works.at(20).flop, 120);
    EXPECT_EQ(works.at(60).source, WORK_NONE);
    EXPECT_EQ(works.flop(), 120);
}

TEST(KernelWork, CallOfCublasCountsInsteadOfItsOperator)
{
    TimelineMaker m;
    uint32_t mm = m.push("aten::mm", 0);
    auto call = op(m, "cublasGemmEx", "", 1);
    m.pop(9);
    say_shapes(m, mm, mm_dims);
    for (auto [key, value] : {std::pair("m", 3), {"n", 5}, {"k", 4}, {"batch", 2}})
        m.attr(call.range, key, static_cast<int64_t>(value));
    m.attr(call.range, "type", std::string("float16"));
    m.kernel("gemm", call.call, 20, 30);
    Works works(m);
    EXPECT_EQ(works.at(20).source, WORK_GEMM_CALL);
    EXPECT_EQ(works.at(20).slice, call.range);
    EXPECT_EQ(works.at(20).flop, 2 * 2 * 3 * 5 * 4);
    EXPECT_EQ(works.at(20).bytes_known, OP_NO_FORMULA);
    EXPECT_EQ(works.at(20).type, OP_F16);
    EXPECT_EQ(works.flop(), 240);
}

TEST(KernelWork, WithoutWorkSaysWhy)
{
    TimelineMaker m;
    auto unrecorded = op(m, "aten::mm", "", 0);
    auto valueless = op(m, "aten::conv2d", "[[1, 1, 3, 3], [1, 1, 3, 3], [], [], [], [], []]", 100);
    auto misshapen = op(m, "aten::mm", "[[3, 4], [5, 5]]", 200);
    auto unheard = op(m, "my::op", "[[3, 4]]", 300);
    m.kernel("k", unrecorded.call, 10, 20);
    m.kernel("k", valueless.call, 110, 120);
    m.kernel("k", misshapen.call, 210, 220);
    m.kernel("k", unheard.call, 310, 320);
    m.kernel("k", TL_NONE, 410, 420);
    Works works(m);
    EXPECT_EQ(works.at(10).flop_known, OP_NO_SHAPES);
    EXPECT_EQ(works.at(110).flop_known, OP_NO_VALUES);
    EXPECT_EQ(works.at(210).bytes_known, OP_BAD_SHAPES);
    EXPECT_EQ(works.at(310).flop_known, OP_NO_FORMULA);
    EXPECT_EQ(works.at(410).flop_known, OP_NO_FORMULA) << "an orphan";
    EXPECT_EQ(works.flop(), 0);
}

TEST(KernelWork, CopiesAndSetsHaveNone)
{
    TimelineMaker m;
    auto mm = op(m, "aten::mm", mm_dims, 0);
    m.copy(mm.call, 10, 20, 64);
    m.kernel("gemm", mm.call, 30, 40);
    Works works(m);
    EXPECT_EQ(works.at(10).source, WORK_NONE);
    EXPECT_EQ(works.at(30).flop, 120);
}

// A graph that captured two products, launched twice.
TEST(KernelWork, EveryReplayOfAGraphDoesTheCapturedWork)
{
    TimelineMaker m;
    auto mm = op(m, "aten::mm", mm_dims, 0);
    uint32_t step = m.push("replay", 100);
    uint32_t first = m.launch("cudaGraphLaunch", 101, 102, TL_LAUNCHES | TL_GRAPH);
    uint32_t second = m.launch("cudaGraphLaunch", 103, 104, TL_LAUNCHES | TL_GRAPH);
    m.pop(110);
    m.attr(step, "flops", static_cast<int64_t>(5000));
    for (int64_t at : {200, 300}) {
        uint32_t launch = at == 200 ? first : second;
        m.kernel("gemm_a", launch, at, at + 10);
        m.kernel("gemm_b", launch, at + 10, at + 40);
        m.kernel("uncaptured", launch, at + 50, at + 60);
    }
    timeline *made = m.done();
    std::vector<tl_captured> captured;
    for (uint32_t i = 0; i < made->gpus.count; i++) {
        bool by_mm = made->gpus.at[i].start_ns % 100 < 50;
        captured.push_back(
            {i, by_mm ? mm.range : TL_NONE, TL_NONE,
             static_cast<uint8_t>(by_mm ? TL_CAPTURED_RECORDED : TL_CAPTURED_EARLIER)});
    }
    made->captured.at = captured.data();
    made->captured.count = static_cast<uint32_t>(captured.size());
    Works works(m);
    for (int64_t at : {200, 300}) {
        EXPECT_DOUBLE_EQ(works.at(at).flop, 30);
        EXPECT_DOUBLE_EQ(works.at(at + 10).flop, 90);
        EXPECT_EQ(works.at(at).slice, mm.range);
        EXPECT_EQ(works.at(at + 50).source, WORK_NONE) << "the program's total gives way";
    }
    EXPECT_DOUBLE_EQ(works.flop(), 240);
}

TEST(KernelWork, GraphWithoutKnownWorkDoesThatOfItsLaunch)
{
    TimelineMaker m;
    auto mine = op(m, "replay", "", 0);
    m.attr(mine.range, "flops", static_cast<int64_t>(500));
    m.kernel("k", mine.call, 10, 20);
    timeline *made = m.done();
    tl_captured captured = {0, TL_NONE, TL_NONE, TL_CAPTURED_RECORDED};
    made->captured.at = &captured;
    made->captured.count = 1;
    Works works(m);
    EXPECT_EQ(works.at(10).flop, 500);
}

TEST(KernelWork, PiecesOfARangeShareOneWork)
{
    TimelineMaker m;
    auto first = op(m, "aten::mm", mm_dims, 0);
    uint32_t second = m.push("aten::mm", 50, TL_RANGE, TL_CONTINUED);
    uint32_t call = m.launch("cudaLaunchKernel", 51, 52);
    m.pop(60);
    m.kernel("gemm", first.call, 100, 110);
    m.kernel("gemm", call, 110, 120);
    tl_segment segment = {second, first.range, first.range};
    timeline *made = m.done();
    made->segments.at = &segment;
    made->segments.count = 1;
    Works works(m);
    EXPECT_DOUBLE_EQ(works.at(100).flop, 60);
    EXPECT_DOUBLE_EQ(works.at(110).flop, 60);
    EXPECT_EQ(works.at(110).slice, first.range);
}

TEST(KernelWork, OfNothingIsNothing)
{
    TimelineMaker m;
    Works works(m);
    EXPECT_EQ(works.works.count, 0u);
}

TEST(ComputingNames, TellWhoComputes)
{
    for (const char *name :
         {"ampere_sgemm_128x64_tn", "sm80_xmma_fprop_implicit_gemm_f16f16",
          "void cutlass::Kernel<cutlass_80_tensorop_bf16>",
          "volta_scudnn_128x64_relu_interior_nn_v1", "Cijk_Ailk_Bljk_SB_MT64x64",
          "nvjet_hsh_128x256_64x4", "flash_fwd_kernel<Flash_fwd_traits>",
          "fmha_cutlassF_f16_aligned_64x64_rf_sm80", "void conv2d_grouped_direct_kernel<float>"})
        EXPECT_TRUE(kernel_name_computes(m_text(name))) << name;
    for (const char *name :
         {"void cudnn::ops::nchwToNhwcKernel<float>", "splitKreduce_kernel",
          "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>", "",
          "convert_kernel", "GammaBetaBackwardKernel", "void cudnn::cnn::reduce_wgrad_nchw_helper"})
        EXPECT_FALSE(kernel_name_computes(m_text(name))) << name;
}
