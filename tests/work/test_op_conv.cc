// test_op_conv.cc - convolutions, worked out by hand.
#include "op_maker.h"

namespace
{
const char convolution_types[] =
    R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])";

// aten::convolution of an input and a weight, without a bias.
op_work convolution(const std::string &input, const std::string &weight, const std::string &stride,
                    const std::string &padding, const std::string &dilation,
                    const std::string &groups, const std::string &transposed = "False",
                    const std::string &output_padding = "[0, 0]")
{
    std::string dims = "[" + input + ", " + weight + ", [], [], [], [], [], [], []]";
    std::string values = R"(["", "", "", ")" + stride + R"(", ")" + padding + R"(", ")" + dilation +
                         R"(", ")" + transposed + R"(", ")" + output_padding + R"(", ")" + groups +
                         R"("])";
    return work_of("aten::convolution", {dims, convolution_types, values});
}
} // namespace

TEST(OpConv, PaddingIsPartOfTheOutput)
{
    // (224 + 2 * 3 - 7) / 2 + 1 = 112; 2 * 112 * 112 * 64 * 3 * 7 * 7 = 236027904
    // 4 bytes * (3 * 224 * 224 + 64 * 3 * 49 + 64 * 112 * 112)
    expect_work(convolution("[1, 3, 224, 224]", "[64, 3, 7, 7]", "[2, 2]", "[3, 3]", "[1, 1]", "1"),
                236027904, 4.0 * (150528 + 9408 + 802816));
}

TEST(OpConv, DilationSpreadsTheKernel)
{
    // (10 + 2 * 1 - 2 * (3 - 1) - 1) / 1 + 1 = 8 rows; (12 - 3 * 2 - 1) / 2 + 1 = 3 columns
    // 2 * 2 * 24 * (4 * 3 * 9 = 108) = 10368; 4 * (2 * 3 * 120 + 108 + 2 * 4 * 24)
    expect_work(convolution("[2, 3, 10, 12]", "[4, 3, 3, 3]", "[1, 2]", "[1, 0]", "[2, 3]", "1"),
                10368, 4080);
}

TEST(OpConv, GroupsAreInTheWeightsShape)
{
    // 5 - 3 + 1 = 3; 2 * 9 * (8 * 2 * 9 = 144) = 2592; 4 * (4 * 25 + 144 + 8 * 9)
    expect_work(convolution("[1, 4, 5, 5]", "[8, 2, 3, 3]", "[1, 1]", "[0, 0]", "[1, 1]", "2"),
                2592, 1264);
    expect_unknown(convolution("[1, 4, 5, 5]", "[8, 2, 3, 3]", "[1, 1]", "[0, 0]", "[1, 1]", "4"),
                   OP_BAD_SHAPES);
}

TEST(OpConv, TransposedMultipliesAtEveryPositionOfTheInput)
{
    // 2 * 16 * (4 * 6 * 9 = 216) = 6912; output 3 * 2 - 2 + 2 + 1 + 1 = 8, groups 2: 12 channels
    // 4 * (4 * 16 + 216 + 12 * 64)
    expect_work(convolution("[1, 4, 4, 4]", "[4, 6, 3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "2",
                            "True", "[1, 1]"),
                6912, 4192);
}

TEST(OpConv, WithoutTheStrideNothingIsGuessed)
{
    Op op = {"[[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]", convolution_types,
             ""};
    expect_unknown(work_of("aten::convolution", op), OP_NO_VALUES);
}

TEST(OpConv, PaddingMayBeAWord)
{
    Op op = {"[[1, 1, 5, 5], [1, 1, 3, 3], [], [], [], [], []]", "",
             R"(["", "", "", "[1, 1]", "same", "[2, 2]", "1"])"};
    EXPECT_EQ(work_of("aten::conv2d", op).flop, 2 * 25 * 9);
    op.values = R"(["", "", "", "[1, 1]", "\"valid\"", "[2, 2]", "1"])"; // 5 - 4 = 1
    EXPECT_EQ(work_of("aten::conv2d", op).flop, 2 * 1 * 9);
    op.values = R"(["", "", "", "[2, 2]", "same", "[1, 1]", "1"])";
    expect_unknown(work_of("aten::conv2d", op), OP_BAD_SHAPES);
}

TEST(OpConv, OneNumberIsForAllDimensions)
{
    // (7 + 2 - 3) / 2 + 1 = 4 each: 2 * 64 * 27
    Op op = {"[[1, 1, 7, 7, 7], [1, 1, 3, 3, 3], [], [], [], [], []]", "",
             R"(["", "", "", "[2]", "[1]", "[1]", "1"])"};
    EXPECT_EQ(work_of("aten::conv3d", op).flop, 2 * 64 * 27);
    EXPECT_EQ(work_of("aten::conv3d", op).bytes_known, OP_NO_TYPE);
}

TEST(OpConv, InputMayBeWithoutABatch)
{
    Op op = {"[[4, 10], [6, 4, 3], [6], [], [], [], []]",
             R"(["c10::Half", "c10::Half", "c10::Half"])",
             R"(["", "", "", "[1]", "[0]", "[1]", "1"])"};
    // 8 positions: 2 * 8 * 72; 2 bytes * (40 + 72 + 6 + 48)
    expect_work(work_of("aten::conv1d", op), 1152, 332);
}

TEST(OpConv, KernelThatDoesNotFitIsNoConvolution)
{
    expect_unknown(convolution("[1, 3, 4, 4]", "[8, 3, 5, 5]", "[1, 1]", "[0, 0]", "[1, 1]", "1"),
                   OP_BAD_SHAPES);
    expect_unknown(convolution("[1, 3, 4, 4]", "[8, 3, 3, 3]", "[0, 1]", "[0, 0]", "[1, 1]", "1"),
                   OP_BAD_SHAPES);
    expect_unknown(convolution("[1, 3, 4, 4]", "[8, 3, 3, 3]", "[1, 1]", "[-1, 0]", "[1, 1]", "1"),
                   OP_BAD_SHAPES);
    expect_unknown(
        convolution("[1, 3, 4, 4]", "[8, 3, 3, 3]", "[1, 1, 1]", "[0, 0]", "[1, 1]", "1"),
        OP_BAD_SHAPES);
    expect_unknown(convolution("[1, 3, 4, 4]", "[8, 3, 3, 3]", "[1, 1]", "[0, 0]", "", "1"),
                   OP_NO_VALUES);
    expect_unknown(convolution("[1, 3, 4, 4]", "[8, 3, 3, 3]", "[1, 1]", "[0, 0]", "[1, 1]", "0"),
                   OP_BAD_SHAPES);
}

TEST(OpConv, LibrariesHaveTheirArgumentsInOtherPlaces)
{
    // All: 4 x 4 by 3 x 3, padding 1, stride 2 is 2 x 2: 2 * 4 * 9 = 72
    auto flop = [](const char *name, const std::string &dims, const std::string &values) {
        return work_of(name, {dims, "", values}).flop;
    };
    const std::string both = "[[1, 1, 4, 4], [1, 1, 3, 3], ";
    EXPECT_EQ(flop("aten::cudnn_convolution", both + "[], [], [], [], [], [], []]",
                   R"(["", "", "[1, 1]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"])"),
              72);
    EXPECT_EQ(flop("aten::miopen_convolution", both + "[], [], [], [], [], [], []]",
                   R"(["", "", "", "[1, 1]", "[2, 2]", "[1, 1]", "1", "False", "False"])"),
              72);
    EXPECT_EQ(flop("aten::cudnn_convolution_add_relu",
                   both + "[1, 1, 2, 2], [], [1], [], [], [], []]",
                   R"(["", "", "", "1", "", "[2, 2]", "[1, 1]", "[1, 1]", "1"])"),
              72);
    EXPECT_EQ(flop("aten::_slow_conv2d_forward", both + "[], [1], [], []]",
                   R"(["", "", "[3, 3]", "", "[2, 2]", "[1, 1]"])"),
              72);
    // transposed: every one of 16: 2 * 16 * 9
    EXPECT_EQ(
        flop("aten::cudnn_convolution_transpose", both + "[], [], [], [], [], [], [], []]",
             R"(["", "", "[1, 1]", "[0, 0]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"])"),
        288);
    EXPECT_EQ(flop("aten::conv_transpose2d", both + "[], [], [], [], [], []]",
                   R"(["", "", "", "[2, 2]", "[1, 1]", "[0, 0]", "1", "[1, 1]"])"),
              288);
    // a kernel for each of 3 channels, two outputs each: 2 * 4 * 6 * 9
    EXPECT_EQ(flop("aten::_conv_depthwise2d", "[[1, 3, 4, 4], [6, 1, 3, 3], [], [], [], [], []]",
                   R"(["", "", "[3, 3]", "", "[2, 2]", "[1, 1]", "[1, 1]"])"),
              432);
}

namespace
{
// aten::convolution_backward of 2 x [3, 6, 6] by [4, 3, 3, 3], stride 1, no padding: 4 x 4.
op_work gradients(const std::string &mask, const std::string &transposed = "False")
{
    return work_of("aten::convolution_backward",
                   {"[[2, 4, 4, 4], [2, 3, 6, 6], [4, 3, 3, 3], [], [], [], [], [], [], [], []]",
                    R"(["float", "float", "float"])",
                    R"(["", "", "", "[4]", "[1, 1]", "[0, 0]", "[1, 1]", ")" + transposed +
                        R"(", "[0, 0]", "1", ")" + mask + R"("])"});
}
} // namespace

TEST(OpConv, EachGradientThatIsWantedCostsTheConvolution)
{
    const double one = 2 * 2 * 16 * 108; // 2 batches * 16 positions * 4 * 3 * 9
    const double output = 128, input = 216, weight = 108;
    expect_work(gradients("[True, True, False]"), 2 * one, 4 * (output + 2 * (input + weight)));
    expect_work(gradients("[False, True, True]"), one, 4 * (output + input + weight + 4));
    expect_work(gradients("[True, False, False]"), one, 4 * (output + input + weight));
    expect_work(gradients("[False, False, True]"), 0, 4 * (output + 4));
    expect_unknown(gradients(""), OP_NO_VALUES);
    expect_unknown(gradients("[True, perhaps]"), OP_BAD_SHAPES);
    expect_unknown(gradients("[True, True, False]", "True"), OP_BAD_SHAPES);
}

TEST(OpConv, GradientOfTheInputIsKnownWithoutValues)
{
    // as traces of 2021 have it: 2 * 32 * 49 positions * 2048 * 512
    Op op = {
        "[[], [32, 2048, 7, 7], [2048, 512, 1, 1], [], [], [], [], [], [], []]",
        R"(["GenericList", "float", "float", "GenericList", "GenericList", "GenericList", "Int",
                 "Bool", "Bool", "Bool"])",
        ""};
    op_work work = work_of("aten::cudnn_convolution_backward_input", op);
    EXPECT_EQ(work.flop, 2.0 * 32 * 49 * 2048 * 512);
    EXPECT_EQ(work.bytes_known, OP_NO_VALUES) << "the input's size is a value";
    expect_unknown(work_of("aten::cudnn_convolution_backward_weight", op), OP_NO_VALUES);
    op.values = R"(["[32, 512, 7, 7]"])";
    EXPECT_EQ(work_of("aten::cudnn_convolution_backward_input", op).bytes,
              4.0 * (32 * 2048 * 49 + 2048 * 512 + 32 * 512 * 49));
}
