// test_op_gemm.cc - products of matrices, worked out by hand.
#include "op_maker.h"
namespace
{
const char two_floats[] = R"(["float", "float"])";
const char three_floats[] = R"(["float", "float", "float"])";
} // namespace

TEST(OpGemm, MmIsTwoForEachOfMNK)
{
    // 2 * 3 * 5 * 4 = 120; 4 bytes * (3 * 4 + 4 * 5 + 3 * 5) = 4 * 47
    expect_work(work_of("aten::mm", {"[[3, 4], [4, 5]]", two_floats, ""}), 120, 188);
}

TEST(OpGemm, BatchesOfBmmAreProductsEach)
{
    // 2 * 7 * 3 * 5 * 4 = 840; 2 bytes * 7 * 47 = 658
    const char *halves = R"(["c10::Half", "c10::Half"])";
    expect_work(work_of("aten::bmm", {"[[7, 3, 4], [7, 4, 5]]", halves, ""}), 840, 658);
    expect_unknown(work_of("aten::bmm", {"[[7, 3, 4], [1, 4, 5]]", halves, ""}), OP_BAD_SHAPES);
}

TEST(OpGemm, AddmmReadsWhatIsAddedAndNotItsOutput)
{
    // 2 * 1 * 2048 * 1000; 4 bytes * (1000 + 2048 + 2048 * 1000 + 1000)
    Op op = {"[[1000], [1, 2048], [2048, 1000], [], [], [1, 1000]]",
             R"(["float", "float", "float", "Scalar", "Scalar", "float"])",
             R"(["", "", "", "1", "1", ""])"};
    expect_work(work_of("aten::addmm", op), 4096000, 4.0 * (1000 + 2048 + 2048000 + 1000));
    op.values = R"(["", "", "", "0", "1", ""])"; // beta 0
    expect_work(work_of("aten::addmm", op), 4096000, 4.0 * (2048 + 2048000 + 1000));
}

TEST(OpGemm, BaddbmmIsBmmAndWhatIsAdded)
{
    // 2 * 2 * 3 * 5 * 4 = 240; 4 bytes * (30 + 24 + 40 + 30)
    Op op = {"[[2, 3, 5], [2, 3, 4], [2, 4, 5], [], []]",
             R"(["float", "float", "float", "Scalar", "Scalar"])", ""};
    expect_work(work_of("aten::baddbmm", op), 240, 496);
    expect_work(work_of("aten::baddbmm_", op), 240, 496);
}

TEST(OpGemm, MatmulTakesRanksAsNumpyDoes)
{
    // vector by vector: 2 * 4; 4 bytes * (4 + 4 + 1)
    expect_work(work_of("aten::matmul", {"[[4], [4]]", two_floats, ""}), 8, 36);
    // matrix by vector: 2 * 3 * 4; 4 * (12 + 4 + 3)
    expect_work(work_of("aten::matmul", {"[[3, 4], [4]]", two_floats, ""}), 24, 76);
    // vector by matrix: 2 * 4 * 5; 4 * (4 + 20 + 5)
    expect_work(work_of("aten::matmul", {"[[4], [4, 5]]", two_floats, ""}), 40, 116);
    // [2, 1, 3, 4] by [6, 4, 5] is [2, 6, 3, 5]: 2 * 12 * 60; 4 * (24 + 120 + 180)
    expect_work(work_of("aten::matmul", {"[[2, 1, 3, 4], [6, 4, 5]]", two_floats, ""}), 1440, 1296);
    // [6, 3, 4] by [4] is [6, 3]: 2 * 6 * 3 * 4; 4 * (72 + 4 + 18)
    expect_work(work_of("aten::matmul", {"[[6, 3, 4], [4]]", two_floats, ""}), 144, 376);
    expect_unknown(work_of("aten::matmul", {"[[2, 3, 4], [3, 4, 5]]", two_floats, ""}),
                   OP_BAD_SHAPES);
    expect_unknown(work_of("aten::matmul", {"[[3, 4], [5, 4]]", two_floats, ""}), OP_BAD_SHAPES);
}

TEST(OpGemm, LinearHasItsWeightTransposed)
{
    // [2, 3, 4] by [5, 4]: 2 * 6 * 5 * 4 = 240; 4 * (24 + 20 + 5 + 30)
    expect_work(work_of("aten::linear", {"[[2, 3, 4], [5, 4], [5]]", three_floats, ""}), 240, 316);
    expect_unknown(work_of("aten::linear", {"[[2, 3, 4], [4, 5], [5]]", three_floats, ""}),
                   OP_BAD_SHAPES);
}

TEST(OpGemm, VectorsAndSumsOfProducts)
{
    EXPECT_EQ(work_of("aten::dot", {"[[7], [7]]", two_floats, ""}).flop, 14);
    EXPECT_EQ(work_of("aten::vdot", {"[[7], [7]]", two_floats, ""}).flop, 14);
    EXPECT_EQ(work_of("aten::mv", {"[[3, 4], [4]]", two_floats, ""}).flop, 24);
    // 2 * 3 * 4; 4 * (3 + 12 + 4 + 3)
    expect_work(work_of("aten::addmv", {"[[3], [3, 4], [4], [], []]", three_floats, ""}), 24, 88);
    // ten products summed to one: 2 * 10 * 3 * 5 * 4; 4 * (15 + 120 + 200 + 15)
    expect_work(
        work_of("aten::addbmm", {"[[3, 5], [10, 3, 4], [10, 4, 5], [], []]", three_floats, ""}),
        1200, 1400);
    EXPECT_EQ(work_of("aten::outer", {"[[3], [5]]", two_floats, ""}).flop, 15);
    EXPECT_EQ(work_of("aten::addr", {"[[3, 5], [3], [5]]", three_floats, ""}).flop, 30);
    expect_unknown(work_of("aten::mv", {"[[3, 4], [4, 1]]", two_floats, ""}), OP_BAD_SHAPES);
}

TEST(OpGemm, NarrowTypesHaveWiderResults)
{
    // 2 * 16 * 32 * 64; 16 * 64 + 64 * 32 bytes read, 4 * 512 written
    expect_work(
        work_of("aten::_int_mm", {"[[16, 64], [64, 32]]", R"(["signed char", "signed char"])", ""}),
        65536, 1024 + 2048 + 2048);
    // two scales of 4 bytes; 512 outputs as bfloat16, PyTorch's type 15
    Op op = {"[[16, 64], [64, 32], [], [], [], [], [], []]",
             R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar",
                 "Scalar"])",
             R"(["", "", "", "", "", "", "15", "False"])"};
    expect_work(work_of("aten::_scaled_mm", op), 65536, 1024 + 2048 + 8 + 1024);
    op.values = "";
    EXPECT_EQ(work_of("aten::_scaled_mm", op).flop, 65536);
    EXPECT_EQ(work_of("aten::_scaled_mm", op).bytes_known, OP_NO_TYPE);
    // an element is two numbers: k is 128; 16 * 64 and 64 * 32 bytes
    op.types = R"(["c10::Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2", "c10::Float8_e4m3fn",
                   "c10::Float8_e4m3fn", "", "", "Scalar", "Scalar"])";
    op.values = R"(["", "", "", "", "", "", "15", "False"])";
    expect_work(work_of("aten::_scaled_mm", op), 131072, 1024 + 2048 + 2 + 1024);
    EXPECT_EQ(work_of("aten::_scaled_mm", op).type, OP_F4);
}

TEST(OpGemm, GroupsShareADimension)
{
    auto flop = [](const char *dims) {
        return work_of("aten::_grouped_mm",
                       {dims, R"(["c10::BFloat16", "c10::BFloat16", "int"])", ""})
            .flop;
    };
    EXPECT_EQ(flop("[[100, 8], [4, 8, 16], [4], [], []]"), 2 * 100 * 8 * 16);
    EXPECT_EQ(flop("[[4, 10, 8], [4, 8, 16], [], [], []]"), 4 * 2 * 10 * 8 * 16);
    EXPECT_EQ(flop("[[10, 80], [80, 16], [4], [], []]"), 2 * 10 * 80 * 16);
    EXPECT_TRUE(std::isnan(flop("[[10, 80], [80, 16], [], [], []]"))) << "how many outputs?";
}

TEST(OpGemm, ComplexNumbersAreFourProductsEach)
{
    expect_work(work_of("aten::mm", {"[[3, 4], [4, 5]]",
                                     R"(["c10::complex<float>", "c10::complex<float>"])", ""}),
                480, 8 * 47);
}

TEST(OpGemm, NamesMayBeWithoutSpaceAndWithOverload)
{
    Op op = {"[[3, 4], [4, 5]]", two_floats, ""};
    EXPECT_EQ(work_of("mm", op).flop, 120);
    EXPECT_EQ(work_of("aten::mm.out", op).flop, 120);
    for (const char *name : {"", "aten::", "aten::m", "aten::mmm", "MmBackward0", "_", "aten::.mm"})
        expect_unknown(work_of(name, op), OP_NO_FORMULA);
}

TEST(OpGemm, WithoutSizesNothingIsKnown)
{
    for (const char *dims : {"", "[]", "[[3, 4]]", "[[3, 4], [4, 5]", "3", "[3, 4]"})
        expect_unknown(work_of("aten::mm", {dims, two_floats, ""}), OP_NO_SHAPES);
    op_work work = work_of("aten::mm", {"[[3, 4], [4, 5]]", "", ""});
    EXPECT_EQ(work.flop, 120);
    EXPECT_EQ(work.bytes_known, OP_NO_TYPE);
    EXPECT_EQ(work.type, OP_TYPE_UNKNOWN);
}

TEST(OpGemm, BiggestInputTellsTheType)
{
    EXPECT_EQ(work_of("aten::mm", {"[[3, 4], [4, 500]]", R"(["float", "c10::Half"])", ""}).type,
              OP_F16);
    EXPECT_EQ(work_of("aten::mm", {"[[3, 4], [4, 2]]", R"(["float", "c10::Half"])", ""}).type,
              OP_F32);
}
