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
