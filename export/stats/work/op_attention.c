/* op_attention.c - softmax(q k') v: two products forward, five backward.
 *
 *     forward   2 h q k d + 2 h q k v          h heads in all batches, q and k lengths, d and v widths
 *     backward  2 h q k (3 d + 2 v)            the scores again, and the gradients of scores, q, k, v
 *
 * A causal mask halves what is needed, and is left out here as everywhere else: kernels differ in what
 * they skip. The softmax is left out too. Fewer heads of k and v serve groups of q's. Where batches are
 * packed into one (cumulative lengths are given), lengths are not known.
 *
 * arg[]: q, which k and v follow; LAYOUT_; the cumulative lengths, -1 none; what tells that the sums of
 * the softmax are an output (an argument, ALWAYS or NEVER).
 */
#include "op_formula.h"

#include "op_text.h"

enum { LAYOUT_HEADS_FIRST, LAYOUT_LENGTH_FIRST }; /* [..., h, s, d]; [b, s, h, d] */
enum { NEVER = -1, ALWAYS = -2 };

struct attention {
    const struct op_tensor *q, *k, *v;
    double heads; /* of all batches */
    double q_length, k_length, q_width, v_width;
};

static int64_t size_at(const struct op_tensor *tensor, int from_end)
{
    return tensor->dims >= from_end ? tensor->sizes[tensor->dims - from_end] : 1;
}

static bool groups_fit(int64_t heads, int64_t of_groups)
{
    return heads == of_groups || (of_groups > 0 && heads % of_groups == 0);
}

/* Batches, before heads: k's and v's are q's, or 1. */
static bool batches_fit(const struct attention *attention)
{
    const struct op_tensor *q = attention->q, *k = attention->k, *v = attention->v;
    for (int i = 4; i <= q->dims || i <= k->dims || i <= v->dims; i++) {
        int64_t size = size_at(q, i);
        if ((size_at(k, i) != size && size_at(k, i) != 1) ||
            (size_at(v, i) != size && size_at(v, i) != 1))
            return false;
    }
    return true;
}

static bool measure(struct attention *attention, bool length_first)
{
    const struct op_tensor *q = attention->q, *k = attention->k, *v = attention->v;
    int length = length_first ? 3 : 2, heads = length_first ? 2 : 3;
    if (q->dims < 2 || k->dims < 2 || v->dims < 2 || (length_first && q->dims != 4))
        return false;
    attention->q_length = (double)size_at(q, length);
    attention->k_length = (double)size_at(k, length);
    attention->q_width = (double)size_at(q, 1);
    attention->v_width = (double)size_at(v, 1);
    double per_head = attention->q_length * attention->q_width;
    attention->heads = per_head > 0 ? op_elements(q) / per_head : 0;
    return size_at(k, 1) == size_at(q, 1) && size_at(v, length) == size_at(k, length) &&
           groups_fit(size_at(q, heads), size_at(k, heads)) &&
           groups_fit(size_at(q, heads), size_at(v, heads)) && batches_fit(attention);
}

static bool is_packed(const struct op_formula *formula, const struct op_inputs *inputs)
{
    const struct op_tensor *lengths = op_tensor_input(inputs, formula->arg[2]);
    return lengths && op_elements(lengths) > 0;
}

static enum op_known find_attention(const struct op_formula *formula,
                                    const struct op_inputs *inputs, struct attention *attention)
{
    attention->q = op_tensor_input(inputs, formula->arg[0]);
    attention->k = op_tensor_input(inputs, formula->arg[0] + 1);
    attention->v = op_tensor_input(inputs, formula->arg[0] + 2);
    if (!attention->q || !attention->k || !attention->v)
        return OP_NO_SHAPES;
    if (is_packed(formula, inputs))
        return OP_NO_VALUES;
    return measure(attention, formula->arg[1] == LAYOUT_LENGTH_FIRST) ? OP_KNOWN : OP_BAD_SHAPES;
}

/* Of four bytes, one for each row of scores. */
static void count_sums(const struct op_formula *formula, const struct op_inputs *inputs,
                       const struct attention *attention, struct op_count *count)
{
    bool wanted = formula->arg[3] == ALWAYS;
    if (formula->arg[3] >= 0 && !op_text_truth(op_value(inputs, formula->arg[3]), &wanted))
        count->bytes_known = OP_NO_VALUES;
    else if (wanted)
        op_count_moved(count, attention->heads * attention->q_length, OP_F32);
}

static enum op_known count_forward(const struct op_formula *formula, const struct op_inputs *inputs,
                                   struct op_count *count)
{
    struct attention attention;
    enum op_known known = find_attention(formula, inputs, &attention);
    if (known != OP_KNOWN)
        return known;
    double scores = attention.heads * attention.q_length * attention.k_length;
    count->flop = 2 * scores * (attention.q_width + attention.v_width);
    count->flop_known = OP_KNOWN;
    op_count_moved(count, attention.heads * attention.q_length * attention.v_width,
                   (enum op_type)attention.q->type);
    count_sums(formula, inputs, &attention, count);
    return OP_KNOWN;
}

/* Gradients of q, k and v are written. */
static enum op_known count_backward(const struct op_formula *formula,
                                    const struct op_inputs *inputs, struct op_count *count)
{
    struct attention attention;
    enum op_known known = find_attention(formula, inputs, &attention);
    if (known != OP_KNOWN)
        return known;
    double scores = attention.heads * attention.q_length * attention.k_length;
    count->flop = 2 * scores * (3 * attention.q_width + 2 * attention.v_width);
    count->flop_known = OP_KNOWN;
    op_count_moved(count, op_elements(attention.q), (enum op_type)attention.q->type);
    op_count_moved(count, op_elements(attention.k), (enum op_type)attention.k->type);
    op_count_moved(count, op_elements(attention.v), (enum op_type)attention.v->type);
    return OP_KNOWN;
}

/* What is read beside q, k and v: a mask or bias; backward, the gradient, output and sums. */
#define QKV UINT64_C(7)
#define WITH(number) (UINT64_C(1) << (number))
#define BACKWARD(output, sums) (UINT64_C(15) | WITH(output) | WITH(sums))

#define HEADS LAYOUT_HEADS_FIRST
#define LENGTH LAYOUT_LENGTH_FIRST
#define FORWARD_ROW(name, reads, layout, packed, sums)                         \
    {                                                                          \
        name, count_forward, reads, NULL, {0, layout, packed, sums}, OP_MATRIX \
    }
#define BACKWARD_ROW(name, reads, layout, packed)                                \
    {                                                                            \
        name, count_backward, reads, NULL, {1, layout, packed, NEVER}, OP_MATRIX \
    }

static const struct op_formula formulas[] = {
    BACKWARD_ROW("_efficient_attention_backward", BACKWARD(5, 10) | WITH(4), LENGTH, 6),
    FORWARD_ROW("_efficient_attention_forward", QKV | WITH(3), LENGTH, 4, 10),
    BACKWARD_ROW("_flash_attention_backward", BACKWARD(4, 5), LENGTH, 6),
    FORWARD_ROW("_flash_attention_forward", QKV, LENGTH, 3, ALWAYS),
    FORWARD_ROW("_scaled_dot_product_attention_math", QKV | WITH(3), HEADS, -1, NEVER),
    FORWARD_ROW("_scaled_dot_product_cudnn_attention", QKV | WITH(3), HEADS, -1, 4),
    BACKWARD_ROW("_scaled_dot_product_cudnn_attention_backward", BACKWARD(4, 5) | WITH(8), HEADS,
                 -1),
    FORWARD_ROW("_scaled_dot_product_efficient_attention", QKV | WITH(3), HEADS, -1, 4),
    BACKWARD_ROW("_scaled_dot_product_efficient_attention_backward", BACKWARD(5, 6) | WITH(4),
                 HEADS, -1),
    FORWARD_ROW("_scaled_dot_product_flash_attention", QKV, HEADS, -1, ALWAYS),
    BACKWARD_ROW("_scaled_dot_product_flash_attention_backward", BACKWARD(4, 5), HEADS, -1),
    FORWARD_ROW("_scaled_dot_product_flash_attention_for_cpu", QKV | WITH(5), HEADS, -1, ALWAYS),
    BACKWARD_ROW("_scaled_dot_product_flash_attention_for_cpu_backward", BACKWARD(4, 5) | WITH(8),
                 HEADS, -1),
    BACKWARD_ROW("flash_attn::_flash_attn_backward", BACKWARD(4, 5), LENGTH, -1),
    FORWARD_ROW("flash_attn::_flash_attn_forward", QKV, LENGTH, -1, ALWAYS),
    FORWARD_ROW("scaled_dot_product_attention", QKV | WITH(3), HEADS, -1, NEVER),
};

const struct op_formulas op_attention_formulas = {formulas, sizeof formulas / sizeof *formulas};
