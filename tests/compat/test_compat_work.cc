// What pytorch_work.h promises: PyTorch's arithmetic, mistakes included. Numbers are that program's own.
extern "C" {
#include "pytorch_work.h"
}

#include <gtest/gtest.h>
#include <string>

namespace
{

struct Event {
    std::string name, dims, types = "[]", values = "[]";
};

text text_of(const std::string &from)
{
    return {from.data(), from.size()};
}

pytorch_event event_of(const Event &event)
{
    return {text_of(event.name), text_of(event.dims), text_of(event.types), text_of(event.values)};
}

int64_t flop_of(const Event &event)
{
    int64_t flop = -1;
    pytorch_error error{};
    pytorch_event given = event_of(event);
    EXPECT_TRUE(pytorch_flop(&given, &flop, &error)) << error.message;
    return flop;
}

std::string flop_error(const Event &event)
{
    int64_t flop;
    pytorch_error error{};
    pytorch_event given = event_of(event);
    EXPECT_FALSE(pytorch_flop(&given, &flop, &error));
    return error.message;
}

double gigabytes_of(const Event &event)
{
    double gigabytes = -1;
    bool whole;
    pytorch_error error{};
    pytorch_event given = event_of(event);
    EXPECT_TRUE(pytorch_gigabytes(&given, &gigabytes, &whole, &error)) << error.message;
    return gigabytes;
}

const Event convolution = {
    "aten::convolution", "[[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]",
    R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
    R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"])"};

} // namespace

TEST(CompatFlop, OfProductsIsTwiceTheirSizes)
{
    EXPECT_EQ(flop_of({"aten::mm", "[[2, 3], [3, 4]]"}), 48);
    EXPECT_EQ(flop_of({"aten::addmm", "[[1000], [1, 2048], [2048, 1000], [], []]"}), 4096000);
    EXPECT_EQ(flop_of({"aten::bmm", "[[5, 2, 3], [5, 3, 4]]"}), 240);
    EXPECT_EQ(flop_of({"aten::baddbmm", "[[5, 2, 4], [5, 2, 3], [5, 3, 4]]"}), 240);
    EXPECT_EQ(flop_of({"aten::add", "[[2, 3], [2, 3]]"}), 0);
}

TEST(CompatFlop, OfConvolutionsKnowsNoPadding)
{
    EXPECT_EQ(flop_of(convolution), 223552896);
    Event slow = convolution;
    slow.name = "aten::_slow_conv2d_forward";
    slow.dims = "[[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], []]";
    slow.values = R"(["", "", "[7, 7]", "", "[2, 2]", "[3, 3]"])";
    EXPECT_EQ(flop_of(slow), 223552896);
}

TEST(CompatFlop, OfATransposedConvolutionIsThatOfAPlainOne)
{
    Event transposed = convolution;
    transposed.values = R"(["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "True", "[0, 0]", "1"])";
    EXPECT_EQ(flop_of(transposed), 223552896);
}

TEST(CompatFlop, OfAttentionIsThatOfItsProducts)
{
    EXPECT_EQ(flop_of({"aten::_scaled_dot_product_flash_attention",
                       "[[2, 4, 8, 16], [2, 4, 8, 16], [2, 4, 8, 32]]"}),
              2 * 4 * (2 * 8 * 16 * 8 + 2 * 8 * 8 * 32));
}

TEST(CompatFlop, FindsOperatorsInNamesOfKernels)
{
    EXPECT_EQ(flop_of({"void cutlass_addmm", "[[4], [2, 3], [3, 4]]"}), 48);
    EXPECT_EQ(flop_of({"triton_tem_fused_mm", "[[2, 3], [3, 4]]"}), 48);
    /* "baddbmm" holds "bmm" */
    EXPECT_EQ(flop_of({"my_baddbmm", "[[5, 2, 3], [5, 3, 4]]"}), 240);
    /* and "convert" "conv"; a wrong number of inputs counts as nothing */
    EXPECT_EQ(flop_of({"convert", "[[2, 3], [2, 3], [], [], []]"}), 0);
    EXPECT_EQ(flop_of({"sum", "[[2, 3], [3, 4]]"}), 0);
}

TEST(CompatFlop, WithoutSizesOrValuesIsNothing)
{
    pytorch_event event = {{"aten::mm", 8}, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}};
    pytorch_error error{};
    int64_t flop = -1;
    EXPECT_TRUE(pytorch_flop(&event, &flop, &error));
    EXPECT_EQ(flop, 0);
}

TEST(CompatFlop, StopsWhereTheOriginalDoes)
{
    EXPECT_EQ(
        flop_error({"aten::mm", "[[2, 3], [4, 5]]"}),
        "aten::mm: AssertionError: matmul: inner dimensions must match (k == k2), got 3 and 4");
    EXPECT_EQ(flop_error({"aten::mm", "[[2], [4, 5]]"}),
              "aten::mm: ValueError: not enough values to unpack (expected 2, got 1)");
    EXPECT_EQ(flop_error({"aten::bmm", "[[2, 3, 4, 5], [1, 2, 3]]"}),
              "aten::bmm: ValueError: too many values to unpack (expected 3)");
    EXPECT_EQ(flop_error({"aten::mm", "[[2, 3]]"}),
              "aten::mm: IndexError: list index out of range");
    EXPECT_EQ(flop_error({"aten::convolution_backward", "[[2, 3], [2, 3], []]"}),
              "aten::convolution_backward: IndexError: list index out of range");
    Event standing = convolution;
    standing.values = R"(["", "", "", "[0, 0]", "", "", "False", "", "1"])";
    EXPECT_EQ(flop_error(standing),
              "aten::convolution: ZeroDivisionError: integer division or modulo by zero");
}

TEST(CompatFlop, SaysWhenItCannotCountOn)
{
    EXPECT_EQ(flop_error({"aten::mm", "[[4000000000, 4000000000], [4000000000, 4000000000]]"}),
              "aten::mm: more than 63 bits");
}

TEST(CompatGigabytes, OfMmAreTwiceWhatItMoves)
{
    EXPECT_EQ(gigabytes_of({"aten::mm", "[[2, 3], [3, 4]]", R"(["float", "float"])"}),
              2 * (2 * 4 + 3 * 4 + 2 * 3) * 4 / 1e9);
}

TEST(CompatGigabytes, OfBmmHaveItsFirstInputTwice)
{
    EXPECT_EQ(gigabytes_of({"aten::bmm", "[[5, 2, 3], [5, 3, 4]]", R"(["float", "float"])"}),
              (5 * 2 * (2 * 4 + 3 * 4 + 2 * 3) * 4 + 30 * 4) / 1e9);
}

TEST(CompatGigabytes, OfConvolutionsAreElementsWithoutOutput)
{
    int64_t reads = INT64_C(64) * 109 * 109 * 3 * 7 * 7, weights = 64 * 3 * 7 * 7;
    EXPECT_EQ(gigabytes_of(convolution), (double)(reads + weights) / 1e9);
}

TEST(CompatGigabytes, TakeTypesThatTorchHasNoNameForAsOneByte)
{
    EXPECT_EQ(
        gigabytes_of({"aten::add", "[[10], [10], []]", R"(["float", "c10::Half", "Scalar"])"}),
        (40 + 10 + 1) / 1e9);
    EXPECT_EQ(gigabytes_of({"aten::cat", "[[[2, 3], [4, 5]], []]", R"(["TensorList", "Scalar"])"}),
              (120 + 1) / 1e9);
}

TEST(CompatGigabytes, AreAWholeZeroWithoutTypes)
{
    pytorch_event event = {{"aten::mm", 8}, {"[[2, 3]]", 8}, {nullptr, 0}, {nullptr, 0}};
    pytorch_error error{};
    double gigabytes = -1;
    bool whole = false;
    EXPECT_TRUE(pytorch_gigabytes(&event, &gigabytes, &whole, &error));
    EXPECT_EQ(gigabytes, 0);
    EXPECT_TRUE(whole);
}

TEST(CompatGigabytes, StopWhereAListOfInputsIsNone)
{
    pytorch_event event = {{"aten::add", 9}, {"7", 1}, {"[]", 2}, {nullptr, 0}};
    pytorch_error error{};
    double gigabytes;
    bool whole;
    EXPECT_FALSE(pytorch_gigabytes(&event, &gigabytes, &whole, &error));
}
