// test_op_attention.cc - attention, worked out by hand.
#include "op_maker.h"

namespace
{
const char halves[] = R"(["c10::Half", "c10::Half", "c10::Half"])";
} // namespace

TEST(OpAttention, IsTwoProductsForEachHead)
{
    // 2 * 3 heads, 5 by 7 scores, widths 8 and 16: 2 * 6 * 35 * (8 + 16)
    // 2 bytes * (6 * 5 * 8 + 6 * 7 * 8 + 6 * 7 * 16 + 6 * 5 * 16)
    Op op = {"[[2, 3, 5, 8], [2, 3, 7, 8], [2, 3, 7, 16], [], [], [], [], []]", halves, ""};
    expect_work(work_of("aten::scaled_dot_product_attention", op), 10080, 3456);
    op.dims = "[[2, 3, 5, 8], [2, 3, 7, 9], [2, 3, 7, 16], [], [], [], [], []]";
    expect_unknown(work_of("aten::scaled_dot_product_attention", op), OP_BAD_SHAPES);
    op.dims = "[[2, 3, 5, 8], [2, 3, 7, 8], [2, 3, 6, 16], [], [], [], [], []]";
    expect_unknown(work_of("aten::scaled_dot_product_attention", op), OP_BAD_SHAPES);
}

TEST(OpAttention, LengthsComeFirstInFlashsOwnOperators)
{
    const double flop = 2 * 6 * 35 * 16, sums = 4 * 6 * 5;
    const double bytes = 2 * (6 * 5 * 8 + 6 * 7 * 8 + 6 * 7 * 8 + 6 * 5 * 8) + sums;
    Op heads = {"[[2, 3, 5, 8], [2, 3, 7, 8], [2, 3, 7, 8], [], [], [], []]", halves, ""};
    expect_work(work_of("aten::_scaled_dot_product_flash_attention", heads), flop, bytes);
    Op lengths = {"[[2, 5, 3, 8], [2, 7, 3, 8], [2, 7, 3, 8], [], [], [], [], [], [], []]", halves,
                  ""};
    expect_work(work_of("aten::_flash_attention_forward", lengths), flop, bytes);
    expect_work(work_of("flash_attn::_flash_attn_forward", lengths), flop, bytes);
}

TEST(OpAttention, FewerHeadsServeGroups)
{
    Op op = {"[[2, 8, 5, 4], [2, 2, 7, 4], [2, 2, 7, 4], [], [], [], [], []]", halves, ""};
    EXPECT_EQ(work_of("aten::scaled_dot_product_attention", op).flop, 2 * 16 * 35 * 8);
    op.dims = "[[2, 8, 5, 4], [2, 3, 7, 4], [2, 3, 7, 4], [], [], [], [], []]";
    expect_unknown(work_of("aten::scaled_dot_product_attention", op), OP_BAD_SHAPES);
}

TEST(OpAttention, BackwardIsFiveProducts)
{
    // 2 * 6 * 35 * (3 * 8 + 2 * 16)
    const char *dims = "[[2, 3, 5, 16], [2, 3, 5, 8], [2, 3, 7, 8], [2, 3, 7, 16], [2, 3, 5, 16], "
                       "[2, 3, 5], [], [], [], [], [], [], [], []]";
    const char *types =
        R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half", "float"])";
    // read: gradient 480, q 240, k 336, v 672, output 480; 30 sums of 4 bytes; written: q, k, v
    expect_work(work_of("aten::_scaled_dot_product_flash_attention_backward", {dims, types, ""}),
                23520, 2.0 * (480 + 240 + 336 + 672 + 480 + 240 + 336 + 672) + 120);
}

TEST(OpAttention, PackedBatchesHaveNoKnownLengths)
{
    Op op = {"[[10, 3, 8], [14, 3, 8], [14, 3, 8], [3], [3], [], [], [], [], []]",
             R"(["c10::Half", "c10::Half", "c10::Half", "int", "int"])", ""};
    expect_unknown(work_of("aten::_flash_attention_forward", op), OP_NO_VALUES);
}

TEST(OpAttention, SumsOfTheSoftmaxAreAnOutputWhereWanted)
{
    Op op = {"[[1, 1, 5, 8], [1, 1, 7, 8], [1, 1, 7, 8], [], [], [], [], []]", halves,
             R"(["", "", "", "", "True", "0.", "False", ""])"};
    const char *name = "aten::_scaled_dot_product_efficient_attention";
    EXPECT_EQ(work_of(name, op).bytes, 2 * (40 + 56 + 56 + 40) + 20);
    op.values = R"(["", "", "", "", "False", "0.", "False", ""])";
    EXPECT_EQ(work_of(name, op).bytes, 2 * (40 + 56 + 56 + 40));
    op.values = "";
    EXPECT_EQ(work_of(name, op).bytes_known, OP_NO_VALUES);
    EXPECT_EQ(work_of(name, op).flop, 2 * 35 * 16);
}
