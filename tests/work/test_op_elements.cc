// test_op_elements.cc - element by element, sums, normalisations, pooling.
#include "op_maker.h"

namespace
{
void expect_bytes(const op_work &work, double bytes)
{
    EXPECT_EQ(work.flop_known, OP_NO_FORMULA);
    EXPECT_EQ(work.bytes_known, OP_KNOWN) << op_known_text(work.bytes_known);
    EXPECT_EQ(work.bytes, bytes);
}
} // namespace

TEST(OpElements, OutputIsWhatInputsAreBroadcastTo)
{
    // [2, 3, 4] and [3, 1]: 24 outputs; 4 * (24 + 3 + 24)
    expect_work(
        work_of("aten::add", {"[[2, 3, 4], [3, 1], []]", R"(["float", "float", "Scalar"])", ""}),
        24, 204);
    expect_work(work_of("aten::mul_", {"[[6], []]", R"(["float", "double"])", ""}), 6, 24 + 8 + 24);
    expect_unknown(work_of("aten::add", {"[[2, 3], [4]]", R"(["float", "float"])", ""}),
                   OP_BAD_SHAPES);
    EXPECT_EQ(work_of("aten::add", {"[[0, 3], [3]]", R"(["float", "float"])", ""}).flop, 0);
}

TEST(OpElements, WiderTypesWin)
{
    // 2 and 4 bytes read, 4 written; bool written by comparisons
    expect_work(work_of("aten::mul", {"[[10], [10]]", R"(["c10::Half", "float"])", ""}), 10, 100);
    expect_work(work_of("aten::mul", {"[[10], [10]]", R"(["c10::Half", "c10::BFloat16"])", ""}), 10,
                80);
    expect_work(work_of("aten::mul", {"[[10], [10]]", R"(["c10::Half", "long int"])", ""}), 10,
                120);
    expect_work(work_of("aten::div", {"[[10], []]", R"(["unsigned char", "long int"])", ""}), 10,
                10 + 8 + 40);
    expect_bytes(work_of("aten::eq", {"[[10], [10]]", R"(["float", "float"])", ""}), 90);
}

TEST(OpElements, WhatNobodyCountsAlikeHasBytesAlone)
{
    expect_bytes(work_of("aten::tanh", {"[[10]]", R"(["float"])", ""}), 80);
    expect_bytes(work_of("aten::relu_", {"[[10]]", R"(["float"])", ""}), 80);
    expect_bytes(work_of("aten::where", {"[[10], [10], []]", R"(["bool", "float", "float"])", ""}),
                 10 + 40 + 4 + 40);
    EXPECT_EQ(op_class_of(text_of("aten::tanh")), OP_ARITHMETIC);
}

TEST(OpElements, MovingIsNoArithmetic)
{
    // read [5] of 8 bytes, write [4, 5] of 4
    expect_work(
        work_of("aten::copy_", {"[[4, 5], [5], []]", R"(["float", "long int", "Scalar"])", ""}), 0,
        120);
    expect_work(work_of("aten::fill_", {"[[4, 5], []]", R"(["float", "Scalar"])", ""}), 0, 80);
    expect_work(work_of("aten::zero_", {"[[4, 5]]", R"(["bool"])", ""}), 0, 20);
    // 6 rows of 10: 48 bytes of indices, 4 * 60 read, 4 * 60 written
    expect_work(
        work_of("aten::embedding", {"[[1000, 10], [2, 3], [], [], []]",
                                    R"(["float", "long int", "Scalar", "Scalar", "Scalar"])", ""}),
        0, 528);
    Op select = {"[[4, 5, 6], [], [3]]", R"(["float", "Scalar", "long int"])", R"(["", "-2", ""])"};
    expect_work(work_of("aten::index_select", select), 0, 24 + 2 * 4 * 72);
    select.values = "";
    expect_unknown(work_of("aten::index_select", select), OP_NO_VALUES);
    EXPECT_EQ(op_class_of(text_of("aten::copy_")), OP_MOVE);
}

TEST(OpElements, ListsAreTensorsOneBesideTheOther)
{
    // as a trace has it, without the types of the tensors
    Op op = {"[[[128, 128], [128]], [[128, 128], [128]], []]",
             R"(["TensorList", "TensorList", "Scalar"])", R"(["", "", "-0.001"])"};
    op_work work = work_of("aten::_foreach_add_", op);
    EXPECT_EQ(work.flop, 128 * 128 + 128);
    EXPECT_EQ(work.bytes_known, OP_NO_TYPE);
    op.types = R"([["float", "float"], ["float", "float"], "Scalar"])";
    expect_work(work_of("aten::_foreach_add_", op), 16512, 3 * 4 * 16512);
}

TEST(OpElements, ComplexElementsAreNotCounted)
{
    expect_bytes(work_of("aten::mul", {"[[10], [10]]",
                                       R"(["c10::complex<double>", "c10::complex<double>"])", ""}),
                 480);
}

TEST(OpLayers, SumsAddAllButOne)
{
    const char *types = R"(["float", "ScalarList", "Scalar", ""])";
    // [5, 128] over the first: 128 outputs of 4 additions
    expect_work(
        work_of("aten::sum", {"[[5, 128], [], [], []]", types, R"(["", "[0]", "True", ""])"}), 512,
        4 * (640 + 128));
    expect_work(
        work_of("aten::mean", {"[[5, 128], [], [], []]", types, R"(["", "[-1]", "True", ""])"}),
        640, 4 * (640 + 5));
    expect_work(
        work_of("aten::sum", {"[[5, 128], [], [], []]", types, R"(["", "[]", "True", ""])"}), 639,
        4 * 641);
    expect_work(work_of("aten::sum", {"[[5, 128], []]", R"(["float", ""])", R"(["", ""])"}), 639,
                4 * 641);
    expect_unknown(work_of("aten::sum", {"[[5, 128], [], [], []]", types, ""}), OP_NO_VALUES);
    expect_unknown(work_of("aten::sum", {"[[5], [], [], []]", types, R"(["", "[1]", "True", ""])"}),
                   OP_BAD_SHAPES);
}

TEST(OpLayers, NormalisationsWriteWhatTheyKeepForBackward)
{
    // rows of 8: 4 means and deviations; 4 * (32 + 8 + 8 + 32) + 4 * 8
    expect_bytes(
        work_of("aten::native_layer_norm",
                {"[[4, 8], [], [8], [8], []]", R"(["float", "ScalarList", "float", "float"])", ""}),
        352);
    // statistics of 3 channels, and kept ones
    Op batch = {"[[2, 3, 4], [3], [3], [3], [3], [], [], []]",
                R"(["float", "float", "float", "float", "float", "Scalar", "Scalar", "Scalar"])",
                R"(["", "", "", "", "", "True", "0.1", "1e-05"])"};
    expect_bytes(work_of("aten::cudnn_batch_norm", batch), 4 * (24 + 12 + 24 + 12));
    batch.values = R"(["", "", "", "", "", "False", "0.1", "1e-05"])";
    expect_bytes(work_of("aten::cudnn_batch_norm", batch), 4 * (24 + 12 + 24));
    batch.values = "";
    EXPECT_EQ(work_of("aten::cudnn_batch_norm", batch).bytes_known, OP_NO_VALUES);
}

TEST(OpLayers, SoftmaxOfHalvesMayWriteFloats)
{
    Op op = {"[[10], [], []]", R"(["c10::Half", "Scalar", "Scalar"])", R"(["", "-1", "True"])"};
    expect_bytes(work_of("aten::_softmax", op), 20 + 40);
    op.values = R"(["", "-1", "False"])";
    expect_bytes(work_of("aten::_softmax", op), 20 + 20);
    op.values = "";
    expect_unknown(work_of("aten::_softmax", op), OP_NO_VALUES);
    op.types = R"(["float", "Scalar", "Scalar"])";
    expect_bytes(work_of("aten::_softmax", op), 80);
}

TEST(OpLayers, PoolsRoundAsTheyAreTold)
{
    // (7 - 2) / 2 + 1 = 3, rounded up 4; the last window begins at 6, inside
    Op op = {"[[1, 1, 7, 7], [], [], [], [], []]", R"(["float"])",
             R"(["", "[2, 2]", "[]", "[0, 0]", "False", "True", ""])"};
    expect_work(work_of("aten::avg_pool2d", op), 9 * 4, 4 * (49 + 9));
    op.values = R"(["", "[2, 2]", "[]", "[0, 0]", "True", "True", ""])";
    expect_work(work_of("aten::avg_pool2d", op), 16 * 4, 4 * (49 + 16));
    op.values = R"(["", "[2, 2]", "[2, 2]", "[0, 0]", "[1, 1]", "False"])";
    expect_bytes(work_of("aten::max_pool2d_with_indices", op), 4 * (49 + 9) + 8 * 9);
    op.values = "";
    expect_unknown(work_of("aten::max_pool2d_with_indices", op), OP_NO_VALUES);
}
