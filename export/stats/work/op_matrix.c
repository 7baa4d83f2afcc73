/* op_matrix.c - products of matrices and attention. */
#include "op_formula.h"
#include "op_inputs.h"

/* ---- products ----
 *
 * Products of matrices and vectors: a batch of b (m x k) by (k x n) needs 2 b m n k.
 *
 * What is added to a product (addmm's self, linear's bias) is counted as bytes alone, as everyone
 * does. arg[]: the two factors; how many dimensions they must have, together as 10 * first +
 * second, 0 any; the argument that the added one is multiplied by (beta), -1 none.
 */

struct product {
    const struct op_tensor *a, *b;
    double batch, m, n, k;
};

static bool find_factors(const struct op_formula *formula, const struct op_inputs *inputs,
                         struct product *product)
{
    product->a = op_tensor_input(inputs, formula->arg[0]);
    product->b = op_tensor_input(inputs, formula->arg[1]);
    return product->a && product->b;
}

/* The size of what both become, from the last dimension on but two on. */
static bool broadcast_batch(struct product *product)
{
    int a = product->a->dims - 2, b = product->b->dims - 2;
    for (product->batch = 1; a > 0 || b > 0; a--, b--) {
        int64_t left = a > 0 ? product->a->sizes[a - 1] : 1;
        int64_t right = b > 0 ? product->b->sizes[b - 1] : 1;
        if (left != right && left != 1 && right != 1)
            return false;
        product->batch *= (double)(left == 1 ? right : left);
    }
    return true;
}

/* As numpy.matmul has it: a vector is a row on the left, a column on the right. */
static bool multiply(struct product *product)
{
    const struct op_tensor *a = product->a, *b = product->b;
    if (a->dims == 0 || b->dims == 0)
        return false;
    int64_t k = b->sizes[b->dims == 1 ? 0 : b->dims - 2];
    product->m = a->dims == 1 ? 1 : (double)a->sizes[a->dims - 2];
    product->n = b->dims == 1 ? 1 : (double)b->sizes[b->dims - 1];
    product->k = (double)k;
    return a->sizes[a->dims - 1] == k && broadcast_batch(product);
}

static bool has_rank(const struct op_formula *formula, const struct product *product)
{
    int rank = product->a->dims * 10 + product->b->dims;
    if (formula->arg[2] == 33 && product->a->dims == 3 &&
        product->a->sizes[0] != product->b->sizes[0])
        return false;
    return formula->arg[2] == 0 || formula->arg[2] == rank;
}

/* beta 0: what would be added is not read. */
static void drop_unread(const struct op_formula *formula, const struct op_inputs *inputs,
                        struct op_count *count)
{
    int64_t beta;
    if (formula->arg[3] >= 0 && op_text_integer(op_value(inputs, formula->arg[3]), &beta) &&
        beta == 0)
        count->reads &= ~UINT64_C(1);
}

static void set_product_flop(struct op_count *count, const struct product *product)
{
    count->flop = 2 * product->batch * product->m * product->n * product->k;
    count->flop_known = OP_KNOWN;
}

static enum op_known find_product(const struct op_formula *formula, const struct op_inputs *inputs,
                                  struct op_count *count, struct product *product)
{
    if (!find_factors(formula, inputs, product))
        return OP_NO_SHAPES;
    if (!has_rank(formula, product) || !multiply(product))
        return OP_BAD_SHAPES;
    drop_unread(formula, inputs, count);
    set_product_flop(count, product);
    return OP_KNOWN;
}

static enum op_known count_product(const struct op_formula *formula, const struct op_inputs *inputs,
                                   struct op_count *count)
{
    struct product product;
    enum op_known known = find_product(formula, inputs, count, &product);
    if (known == OP_KNOWN)
        op_count_moved(count, product.batch * product.m * product.n, (enum op_type)product.a->type);
    return known;
}

/* The products of a batch are added up. */
static enum op_known count_summed(const struct op_formula *formula, const struct op_inputs *inputs,
                                  struct op_count *count)
{
    struct product product;
    enum op_known known = find_product(formula, inputs, count, &product);
    if (known == OP_KNOWN)
        op_count_moved(count, product.m * product.n, (enum op_type)product.a->type);
    return known;
}

/* Numbers of 8 bits, summed in 32. */
static enum op_known count_integers(const struct op_formula *formula,
                                    const struct op_inputs *inputs, struct op_count *count)
{
    struct product product;
    enum op_known known = find_product(formula, inputs, count, &product);
    if (known == OP_KNOWN)
        op_count_moved(count, product.m * product.n, OP_I32);
    return known;
}

/* input [..., k] by weight [n, k], or [k]. */
static enum op_known count_linear(const struct op_formula *formula, const struct op_inputs *inputs,
                                  struct op_count *count)
{
    struct product product;
    if (!find_factors(formula, inputs, &product))
        return OP_NO_SHAPES;
    const struct op_tensor *input = product.a, *weight = product.b;
    if (input->dims == 0 || weight->dims == 0 || weight->dims > 2 ||
        input->sizes[input->dims - 1] != weight->sizes[weight->dims - 1])
        return OP_BAD_SHAPES;
    double rows = 1;
    for (int i = 0; i + 1 < input->dims; i++)
        rows *= (double)input->sizes[i];
    product.batch = 1;
    product.m = rows;
    product.n = weight->dims == 2 ? (double)weight->sizes[0] : 1;
    product.k = (double)input->sizes[input->dims - 1];
    set_product_flop(count, &product);
    op_count_moved(count, product.m * product.n, (enum op_type)input->type);
    return OP_KNOWN;
}

/* Of two vectors, every element by every other: no sum, so one operation each. */
static enum op_known count_outer(const struct op_formula *formula, const struct op_inputs *inputs,
                                 struct op_count *count)
{
    struct product product;
    if (!find_factors(formula, inputs, &product))
        return OP_NO_SHAPES;
    if (product.a->dims != 1 || product.b->dims != 1)
        return OP_BAD_SHAPES;
    double elements = op_elements(product.a) * op_elements(product.b);
    bool is_added = formula->arg[0] > 0;
    drop_unread(formula, inputs, count);
    count->flop = is_added ? 2 * elements : elements;
    count->flop_known = OP_KNOWN;
    op_count_moved(count, elements, (enum op_type)product.a->type);
    return OP_KNOWN;
}

/* The type of the output is an argument: the fourth at first, since PyTorch 2.5 the seventh, after
 * two scales that are always there. "" is that of the factors. */
static enum op_type scaled_type(const struct op_inputs *inputs, const struct op_tensor *a)
{
    bool is_new = op_tensor_input(inputs, 2) && op_tensor_input(inputs, 3);
    struct text value = op_value(inputs, is_new ? 6 : 3);
    int64_t number;
    if (!inputs->has_values)
        return OP_TYPE_UNKNOWN;
    if (value.size == 0)
        return (enum op_type)a->type;
    return op_text_integer(value, &number) ? op_type_of_scalar_type(number) : OP_TYPE_UNKNOWN;
}

static enum op_known count_scaled(const struct op_formula *formula, const struct op_inputs *inputs,
                                  struct op_count *count)
{
    struct product product;
    enum op_known known = find_product(formula, inputs, count, &product);
    if (known != OP_KNOWN)
        return known;
    if (product.a->pairs)
        count->flop *= 2;
    op_count_moved(count, product.m * product.n, scaled_type(inputs, product.a));
    return OP_KNOWN;
}

/* A product for each group. Where a factor has two dimensions, groups share one of its dimensions
 * out among them, all of it: the last of the offsets, which is not known, is taken to be its
 * end. */
static enum op_known count_grouped(const struct op_formula *formula, const struct op_inputs *inputs,
                                   struct op_count *count)
{
    struct product product;
    const struct op_tensor *offsets = op_tensor_input(inputs, 2);
    if (!find_factors(formula, inputs, &product))
        return OP_NO_SHAPES;
    int a = product.a->dims, b = product.b->dims;
    if (a < 2 || a > 3 || b < 2 || b > 3 || product.a->sizes[a - 1] != product.b->sizes[b - 2] ||
        (a + b == 6 && product.a->sizes[0] != product.b->sizes[0]))
        return OP_BAD_SHAPES;
    if (a + b == 4 && (!offsets || offsets->dims != 1))
        return OP_NO_SHAPES;
    product.m = (double)product.a->sizes[a - 2];
    product.n = (double)product.b->sizes[b - 1];
    product.k = (double)product.a->sizes[a - 1];
    product.batch = a + b == 6 ? (double)product.a->sizes[0] : 1;
    set_product_flop(count, &product);
    double outputs = a + b == 4 ? op_elements(offsets) : product.batch;
    op_count_moved(count, outputs * product.m * product.n, (enum op_type)product.a->type);
    return OP_KNOWN;
}

#define READS_2 UINT64_C(3)
#define READS_3 UINT64_C(7)

/* name, function, what is read, factors, rank, beta */
#define GEMM(name, function, reads, a, b, rank, beta)              \
    {                                                              \
        name, function, reads, NULL, {a, b, rank, beta}, OP_MATRIX \
    }

static const struct op_formula gemm_rows[] = {
    GEMM("_addmm_activation", count_product, READS_3, 1, 2, 22, 3),
    GEMM("_grouped_mm", count_grouped, READS_3, 0, 1, 0, -1),
    GEMM("_int_mm", count_integers, READS_2, 0, 1, 22, -1),
    GEMM("_scaled_mm", count_scaled, UINT64_C(63), 0, 1, 22, -1),
    GEMM("addbmm", count_summed, READS_3, 1, 2, 33, 3),
    GEMM("addmm", count_product, READS_3, 1, 2, 22, 3),
    GEMM("addmv", count_product, READS_3, 1, 2, 21, 3),
    GEMM("addr", count_outer, READS_3, 1, 2, 11, 3),
    GEMM("baddbmm", count_product, READS_3, 1, 2, 33, 3),
    GEMM("bmm", count_product, READS_2, 0, 1, 33, -1),
    GEMM("dot", count_product, READS_2, 0, 1, 11, -1),
    GEMM("ger", count_outer, READS_2, 0, 1, 11, -1),
    GEMM("linear", count_linear, READS_3, 0, 1, 0, -1),
    GEMM("matmul", count_product, READS_2, 0, 1, 0, -1),
    GEMM("mkldnn_linear", count_linear, READS_3, 0, 1, 0, -1),
    GEMM("mm", count_product, READS_2, 0, 1, 22, -1),
    GEMM("mv", count_product, READS_2, 0, 1, 21, -1),
    GEMM("outer", count_outer, READS_2, 0, 1, 11, -1),
    GEMM("vdot", count_product, READS_2, 0, 1, 11, -1),
};

const struct op_formulas op_gemm_formulas = {gemm_rows, sizeof gemm_rows / sizeof *gemm_rows};

/* ---- attention ----
 *
 * softmax(q k') v: two products forward, five backward.
 *
 *     forward   2 h q k d + 2 h q k v      h heads in all batches, q and k lengths, d and v widths
 *     backward  2 h q k (3 d + 2 v)        the scores again, and the gradients of scores, q, k, v
 *
 * A causal mask halves what is needed, and is left out here as everywhere else: kernels differ in
 * what they skip. The softmax is left out too. Fewer heads of k and v serve groups of q's. Where
 * batches are packed into one (cumulative lengths are given), lengths are not known.
 *
 * arg[]: q, which k and v follow; LAYOUT_; the cumulative lengths, -1 none; what tells that the
 * sums of the softmax are an output (an argument, ALWAYS or NEVER).
 */

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

static bool heads_fit(int64_t heads, int64_t of_groups)
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

static bool measure_attention(struct attention *attention, bool length_first)
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
           heads_fit(size_at(q, heads), size_at(k, heads)) &&
           heads_fit(size_at(q, heads), size_at(v, heads)) && batches_fit(attention);
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
    return measure_attention(attention, formula->arg[1] == LAYOUT_LENGTH_FIRST) ? OP_KNOWN
                                                                                : OP_BAD_SHAPES;
}

/* Of four bytes, one for each row of scores. */
static void count_softmax_sums(const struct op_formula *formula, const struct op_inputs *inputs,
                               const struct attention *attention, struct op_count *count)
{
    bool wanted = formula->arg[3] == ALWAYS;
    if (formula->arg[3] >= 0 && !op_text_truth(op_value(inputs, formula->arg[3]), &wanted))
        count->bytes_known = OP_NO_VALUES;
    else if (wanted)
        op_count_moved(count, attention->heads * attention->q_length, OP_F32);
}

static enum op_known count_attention(const struct op_formula *formula,
                                     const struct op_inputs *inputs, struct op_count *count)
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
    count_softmax_sums(formula, inputs, &attention, count);
    return OP_KNOWN;
}

/* Gradients of q, k and v are written. */
static enum op_known count_attention_gradients(const struct op_formula *formula,
                                               const struct op_inputs *inputs,
                                               struct op_count *count)
{
    struct attention attention;
    enum op_known known = find_attention(formula, inputs, &attention);
    if (known != OP_KNOWN)
        return known;
    double scores = attention.heads * attention.q_length * attention.k_length;
    count->flop = 2 * scores * (3 * attention.q_width + 2 * attention.v_width);
    count->flop_known = OP_KNOWN;
    op_count_tensor(count, attention.q);
    op_count_tensor(count, attention.k);
    op_count_tensor(count, attention.v);
    return OP_KNOWN;
}

/* What is read beside q, k and v: a mask or bias; backward, the gradient, output and sums. */
#define QKV UINT64_C(7)
#define WITH(number) (UINT64_C(1) << (number))
#define BACKWARD(output, sums) (UINT64_C(15) | WITH(output) | WITH(sums))

#define HEADS LAYOUT_HEADS_FIRST
#define LENGTH LAYOUT_LENGTH_FIRST
#define FORWARD_ROW(name, reads, layout, packed, sums)                           \
    {                                                                            \
        name, count_attention, reads, NULL, {0, layout, packed, sums}, OP_MATRIX \
    }
#define BACKWARD_ROW(name, reads, layout, packed)                                           \
    {                                                                                       \
        name, count_attention_gradients, reads, NULL, {1, layout, packed, NEVER}, OP_MATRIX \
    }

static const struct op_formula attention_rows[] = {
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

const struct op_formulas op_attention_formulas = {attention_rows,
                                                  sizeof attention_rows / sizeof *attention_rows};
