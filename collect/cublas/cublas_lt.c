#include "cublas_lt.h"

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
