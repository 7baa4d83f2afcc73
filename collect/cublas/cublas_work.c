/* cublas_work.c - FLOPs and bytes of a matrix product: see cublas_record.h. */
#include "cublas_record.h"

static const struct {
    const char *name; /* NULL: no such type */
    uint8_t bits, factor;
} cublas_types[CUBLAS_ABI_TYPE_MAX + 1] = {
#define CUBLAS_TYPE(number, symbol, bits, factor, name) [number] = {name, bits, factor},
    CUBLAS_ABI_TYPES(CUBLAS_TYPE)
#undef CUBLAS_TYPE
};

static const char *const cublas_ops[CUBLAS_ABI_OPS][CUBLAS_ABI_OPS] = {
    {"NN", "NT", "NC", "NJ"},
    {"TN", "TT", "TC", "TJ"},
    {"CN", "CT", "CC", "CJ"},
    {"JN", "JT", "JC", "JJ"},
};

static bool cublas_type_is_known(int type)
{
    return type >= 0 && type <= CUBLAS_ABI_TYPE_MAX && cublas_types[type].name;
}

/* What the handle says of products of float32 that leave it open. */
static int cublas_compute_of_mode(int math_mode)
{
    switch (math_mode & CUBLAS_ABI_MATH_MASK) {
    case CUBLAS_ABI_TF32_TENSOR_OP_MATH:
        return CUBLAS_ABI_COMPUTE_32F_FAST_TF32;
    case CUBLAS_ABI_TENSOR_OP_MATH:
        return CUBLAS_ABI_COMPUTE_32F_FAST_16F;
    default:
        return CUBLAS_ABI_COMPUTE_32F;
    }
}

/* float32 may be multiplied as something shorter: that decides how fast a device can be. */
static const char *cublas_type_of(const struct cublas_product *product)
{
    int compute = product->compute;
    if (!cublas_type_is_known(product->type_a))
        return NULL;
    if (product->type_a != CUBLAS_ABI_R_32F)
        return cublas_types[product->type_a].name;
    if (compute == CUBLAS_COMPUTE_OPEN || compute == CUBLAS_ABI_COMPUTE_32F)
        compute = cublas_compute_of_mode(product->math_mode);
    switch (compute) {
    case CUBLAS_ABI_COMPUTE_32F_FAST_16F:
        return "float16";
    case CUBLAS_ABI_COMPUTE_32F_FAST_16BF:
        return "bfloat16";
    case CUBLAS_ABI_COMPUTE_32F_FAST_TF32:
        return "tf32";
    default:
        return "float32";
    }
}

static const char *cublas_op_of(const struct cublas_product *product)
{
    unsigned a = (unsigned)product->transa, b = (unsigned)product->transb;
    return a < CUBLAS_ABI_OPS && b < CUBLAS_ABI_OPS ? cublas_ops[a][b] : NULL;
}

/* Products and sums that do not fit are CUBLAS_UNKNOWN, and so is what is made of them. */
static uint64_t cublas_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    if (a == CUBLAS_UNKNOWN || b == CUBLAS_UNKNOWN || __builtin_mul_overflow(a, b, &product))
        return CUBLAS_UNKNOWN;
    return product;
}

static uint64_t cublas_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    if (a == CUBLAS_UNKNOWN || b == CUBLAS_UNKNOWN || __builtin_add_overflow(a, b, &sum))
        return CUBLAS_UNKNOWN;
    return sum;
}

static uint64_t cublas_matrix_bytes(uint64_t rows, uint64_t columns, uint64_t count, int type)
{
    uint64_t elements = cublas_times(rows, columns);
    if (!cublas_type_is_known(type))
        return CUBLAS_UNKNOWN;
    uint64_t bits = cublas_times(elements, cublas_types[type].bits);
    return cublas_times(bits == CUBLAS_UNKNOWN ? bits : bits / 8 + (bits % 8 != 0), count);
}

static uint64_t cublas_flops_of(const struct cublas_product *product,
                                const struct cublas_work *work)
{
    if (!cublas_type_is_known(product->type_a))
        return CUBLAS_UNKNOWN;
    uint64_t each = 2u * cublas_types[product->type_a].factor;
    return cublas_times(
        cublas_times(cublas_times(work->m, work->n), cublas_times(work->k, work->batch)), each);
}

static uint64_t cublas_bytes_of(const struct cublas_product *product,
                                const struct cublas_work *work)
{
    uint64_t many_a = product->one_a ? 1 : work->batch, many_b = product->one_b ? 1 : work->batch;
    uint64_t inputs = cublas_plus(cublas_matrix_bytes(work->m, work->k, many_a, product->type_a),
                                  cublas_matrix_bytes(work->k, work->n, many_b, product->type_b));
    return cublas_plus(inputs, cublas_matrix_bytes(work->m, work->n, work->batch, product->type_c));
}

bool cublas_work_of(const struct cublas_product *product, struct cublas_work *work)
{
    if (product->m < 0 || product->n < 0 || product->k < 0 || product->batch < 0)
        return false;
    *work = (struct cublas_work){
        .m = (uint64_t)product->m,
        .n = (uint64_t)product->n,
        .k = (uint64_t)product->k,
        .batch = (uint64_t)product->batch,
        .type = cublas_type_of(product),
        .op = cublas_op_of(product),
    };
    work->flops = cublas_flops_of(product, work);
    work->bytes = cublas_bytes_of(product, work);
    return true;
}

static uint64_t cublas_same_or_unknown(uint64_t a, uint64_t b)
{
    return a == b ? a : CUBLAS_UNKNOWN;
}

void cublas_work_add(struct cublas_work *work, const struct cublas_work *more)
{
    work->m = cublas_same_or_unknown(work->m, more->m);
    work->n = cublas_same_or_unknown(work->n, more->n);
    work->k = cublas_same_or_unknown(work->k, more->k);
    work->batch = cublas_plus(work->batch, more->batch);
    work->flops = cublas_plus(work->flops, more->flops);
    work->bytes = cublas_plus(work->bytes, more->bytes);
    if (work->op != more->op)
        work->op = NULL;
}

/* ---- the descriptors of cublasLtMatmul() ---- */

struct cublas_layout {
    uint32_t type;
    uint64_t rows, columns;
    int32_t batch;
    int64_t stride; /* elements */
};

static bool lt_query(cublas_get_attribute get, const void *of, int attribute, void *value,
                     size_t value_bytes)
{
    size_t written = 0;
    return get(of, attribute, value, value_bytes, &written) == CUBLAS_ABI_SUCCESS &&
           written == value_bytes;
}

static uint32_t lt_batch_mode(const struct cublas_lt *lt, const void *of)
{
    uint32_t mode = CUBLAS_ABI_BATCH_MODE_STRIDED;
    if (lt->has_modes)
        lt_query(lt->layout, of, CUBLAS_ABI_LAYOUT_BATCH_MODE, &mode, sizeof mode);
    return mode;
}

static bool lt_layout(cublas_get_attribute get, const void *of, struct cublas_layout *layout)
{
    return of && lt_query(get, of, CUBLAS_ABI_LAYOUT_TYPE, &layout->type, sizeof layout->type) &&
           lt_query(get, of, CUBLAS_ABI_LAYOUT_ROWS, &layout->rows, sizeof layout->rows) &&
           lt_query(get, of, CUBLAS_ABI_LAYOUT_COLS, &layout->columns, sizeof layout->columns) &&
           lt_query(get, of, CUBLAS_ABI_LAYOUT_BATCH_COUNT, &layout->batch, sizeof layout->batch) &&
           lt_query(get, of, CUBLAS_ABI_LAYOUT_STRIDED_BATCH_OFFSET, &layout->stride,
                    sizeof layout->stride);
}

static bool lt_desc(cublas_get_attribute get, const void *desc, struct cublas_product *product)
{
    return desc &&
           lt_query(get, desc, CUBLAS_ABI_DESC_TRANSA, &product->transa, sizeof product->transa) &&
           lt_query(get, desc, CUBLAS_ABI_DESC_TRANSB, &product->transb, sizeof product->transb) &&
           lt_query(get, desc, CUBLAS_ABI_DESC_COMPUTE_TYPE, &product->compute,
                    sizeof product->compute);
}

bool cublas_lt_product(const struct cublas_lt *lt, const void *desc, const void *layout_a,
                       const void *layout_b, const void *layout_d, struct cublas_product *product)
{
    struct cublas_layout a, b, d;
    *product = (struct cublas_product){0};
    if (!lt->layout || !lt->desc || !lt_desc(lt->desc, desc, product) ||
        !lt_layout(lt->layout, layout_a, &a) || !lt_layout(lt->layout, layout_b, &b) ||
        !lt_layout(lt->layout, layout_d, &d))
        return false;
    uint32_t mode = d.batch > 1 || d.rows == 0 ? lt_batch_mode(lt, layout_d) : 0;
    if (mode == CUBLAS_ABI_BATCH_MODE_GROUPED)
        return false;
    bool strided = d.batch > 1 && mode == CUBLAS_ABI_BATCH_MODE_STRIDED;
    product->m = (int64_t)d.rows;
    product->n = (int64_t)d.columns;
    product->k = (int64_t)(product->transa == CUBLAS_ABI_OP_N ? a.columns : a.rows);
    product->batch = d.batch;
    product->type_a = (int)a.type;
    product->type_b = (int)b.type;
    product->type_c = (int)d.type;
    product->one_a = strided && a.stride == 0;
    product->one_b = strided && b.stride == 0;
    return true;
}
