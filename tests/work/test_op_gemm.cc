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
