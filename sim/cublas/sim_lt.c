/* sim_lt.c - libcublasLt: descriptors, and cublasLtMatmul(). */
#include "sim_lt.h"

#include <stdlib.h>
#include <string.h>

#include "sim_gemm.h"
#include "sim_shared.h"

enum { HANDLE_MAGIC = 0x4c544844, LAYOUT_MAGIC = 0x4c544c59, DESC_MAGIC = 0x4c544453 };

struct sim_lt_handle {
    uint32_t magic;
};

int cudaFree(void *memory);

SIM_EXPORT size_t cublasLtGetVersion(void);
SIM_EXPORT size_t cublasLtGetVersion(void)
{
    return 130000;
}

SIM_EXPORT int cublasLtCreate(void **handle)
{
    if (!handle)
        return GEMM_INVALID_VALUE;
    if (cudaFree(NULL) != 0)
        return GEMM_NOT_INITIALIZED;
    struct sim_lt_handle *made = malloc(sizeof *made);
    if (!made)
        return GEMM_ALLOC_FAILED;
    made->magic = HANDLE_MAGIC;
    *handle = made;
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasLtDestroy(void *handle)
{
    struct sim_lt_handle *of = handle;
    if (!of || of->magic != HANDLE_MAGIC)
        return GEMM_NOT_INITIALIZED;
    of->magic = 0;
    free(of);
    return GEMM_SUCCESS;
}

/* ---- attributes: number, place and size of each ---- */

struct attribute {
    int number;
    size_t offset, bytes;
};

#define OF_LAYOUT(number, field)                                                                \
    {                                                                                           \
        number, offsetof(struct sim_lt_layout, field), sizeof((struct sim_lt_layout *)0)->field \
    }
#define OF_DESC(number, field)                                                              \
    {                                                                                       \
        number, offsetof(struct sim_lt_desc, field), sizeof((struct sim_lt_desc *)0)->field \
    }

static const struct attribute layout_attributes[] = {
    OF_LAYOUT(0, type),  OF_LAYOUT(2, rows),   OF_LAYOUT(3, columns), OF_LAYOUT(4, ld),
    OF_LAYOUT(5, batch), OF_LAYOUT(6, stride), OF_LAYOUT(8, mode),    {-1, 0, 0},
};

static const struct attribute desc_attributes[] = {
    OF_DESC(0, compute), OF_DESC(1, scale_type), OF_DESC(3, transa), OF_DESC(4, transb), {-1, 0, 0},
};

static const struct attribute *find(const struct attribute *attributes, int number)
{
    for (; attributes->number >= 0; attributes++)
        if (attributes->number == number)
            return attributes;
    return NULL;
}

static int set(void *of, const struct attribute *attribute, const void *value, size_t bytes)
{
    if (!attribute || !value || bytes != attribute->bytes)
        return GEMM_INVALID_VALUE;
    memcpy((char *)of + attribute->offset, value, bytes);
    return GEMM_SUCCESS;
}

/* With no room it says how much it needs. */
static int get(const void *of, const struct attribute *attribute, void *value, size_t bytes,
               size_t *written)
{
    if (!attribute || (bytes && !value) || (!bytes && !written) ||
        (bytes && bytes < attribute->bytes))
        return GEMM_INVALID_VALUE;
    if (bytes)
        memcpy(value, (const char *)of + attribute->offset, attribute->bytes);
    if (written)
        *written = attribute->bytes;
    return GEMM_SUCCESS;
}

static bool is_layout(const struct sim_lt_layout *layout)
{
    return layout && layout->magic == LAYOUT_MAGIC;
}

static bool is_desc(const struct sim_lt_desc *desc)
{
    return desc && desc->magic == DESC_MAGIC;
}

/* ---- layouts ---- */

SIM_EXPORT int cublasLtMatrixLayoutInit_internal(struct sim_lt_layout *layout, size_t bytes,
                                                 int type, uint64_t rows, uint64_t columns,
                                                 int64_t ld)
{
    if (!layout || bytes < sizeof *layout)
        return GEMM_INVALID_VALUE;
    *layout = (struct sim_lt_layout){.rows = rows,
                                     .columns = columns,
                                     .ld = ld,
                                     .type = (uint32_t)type,
                                     .magic = LAYOUT_MAGIC,
                                     .batch = 1};
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasLtMatrixLayoutCreate(struct sim_lt_layout **layout, int type, uint64_t rows,
                                          uint64_t columns, int64_t ld);
SIM_EXPORT int cublasLtMatrixLayoutCreate(struct sim_lt_layout **layout, int type, uint64_t rows,
                                          uint64_t columns, int64_t ld)
{
    *layout = malloc(sizeof **layout);
    return *layout ? cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows,
                                                       columns, ld)
                   : GEMM_ALLOC_FAILED;
}

SIM_EXPORT int cublasLtMatrixLayoutDestroy(struct sim_lt_layout *layout);
SIM_EXPORT int cublasLtMatrixLayoutDestroy(struct sim_lt_layout *layout)
{
    free(layout);
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasLtMatrixLayoutSetAttribute(struct sim_lt_layout *layout, int attribute,
                                                const void *value, size_t bytes);
SIM_EXPORT int cublasLtMatrixLayoutSetAttribute(struct sim_lt_layout *layout, int attribute,
                                                const void *value, size_t bytes)
{
    return is_layout(layout) ? set(layout, find(layout_attributes, attribute), value, bytes)
                             : GEMM_INVALID_VALUE;
}

SIM_EXPORT int cublasLtMatrixLayoutGetAttribute(const struct sim_lt_layout *layout, int attribute,
                                                void *value, size_t bytes, size_t *written);
SIM_EXPORT int cublasLtMatrixLayoutGetAttribute(const struct sim_lt_layout *layout, int attribute,
                                                void *value, size_t bytes, size_t *written)
{
    return is_layout(layout)
               ? get(layout, find(layout_attributes, attribute), value, bytes, written)
               : GEMM_INVALID_VALUE;
}

/* ---- descriptors of products ---- */

SIM_EXPORT int cublasLtMatmulDescInit_internal(struct sim_lt_desc *desc, size_t bytes, int compute,
                                               int scale_type)
{
    if (!desc || bytes < sizeof *desc)
        return GEMM_INVALID_VALUE;
    *desc = (struct sim_lt_desc){.compute = compute, .scale_type = scale_type, .magic = DESC_MAGIC};
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasLtMatmulDescCreate(struct sim_lt_desc **desc, int compute, int scale_type);
SIM_EXPORT int cublasLtMatmulDescCreate(struct sim_lt_desc **desc, int compute, int scale_type)
{
    *desc = malloc(sizeof **desc);
    return *desc ? cublasLtMatmulDescInit_internal(*desc, sizeof **desc, compute, scale_type)
                 : GEMM_ALLOC_FAILED;
}

SIM_EXPORT int cublasLtMatmulDescDestroy(struct sim_lt_desc *desc);
SIM_EXPORT int cublasLtMatmulDescDestroy(struct sim_lt_desc *desc)
{
    free(desc);
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasLtMatmulDescSetAttribute(struct sim_lt_desc *desc, int attribute,
                                              const void *value, size_t bytes)
{
    return is_desc(desc) ? set(desc, find(desc_attributes, attribute), value, bytes)
                         : GEMM_INVALID_VALUE;
}

SIM_EXPORT int cublasLtMatmulDescGetAttribute(const struct sim_lt_desc *desc, int attribute,
                                              void *value, size_t bytes, size_t *written);
SIM_EXPORT int cublasLtMatmulDescGetAttribute(const struct sim_lt_desc *desc, int attribute,
                                              void *value, size_t bytes, size_t *written)
{
    return is_desc(desc) ? get(desc, find(desc_attributes, attribute), value, bytes, written)
                         : GEMM_INVALID_VALUE;
}

/* ---- the product ---- */

static int64_t k_of(const struct sim_lt_layout *layout, int trans, bool is_a)
{
    const bool columns = (trans == GEMM_OP_N) == is_a;
    return (int64_t)(columns ? layout->columns : layout->rows);
}

static bool agree(const struct sim_lt_desc *desc, const struct sim_lt_layout *a,
                  const struct sim_lt_layout *b, const struct sim_lt_layout *c,
                  const struct sim_lt_layout *d)
{
    return k_of(a, desc->transa, true) == k_of(b, desc->transb, false) &&
           k_of(a, desc->transa, false) == (int64_t)d->rows &&
           k_of(b, desc->transb, true) == (int64_t)d->columns && c->rows == d->rows &&
           c->columns == d->columns && a->batch == d->batch && b->batch == d->batch;
}

SIM_EXPORT int cublasLtMatmul(void *handle, struct sim_lt_desc *desc, const void *alpha,
                              const void *a, struct sim_lt_layout *layout_a, const void *b,
                              struct sim_lt_layout *layout_b, const void *beta, const void *c,
                              struct sim_lt_layout *layout_c, void *d,
                              struct sim_lt_layout *layout_d, const void *algorithm,
                              void *workspace, size_t workspace_bytes, void *stream)
{
    const struct sim_lt_handle *of = handle;
    if (!of || of->magic != HANDLE_MAGIC)
        return GEMM_NOT_INITIALIZED;
    if (!is_desc(desc) || !is_layout(layout_a) || !is_layout(layout_b) || !is_layout(layout_c) ||
        !is_layout(layout_d) || !agree(desc, layout_a, layout_b, layout_c, layout_d) || !c ||
        (workspace_bytes && !workspace))
        return GEMM_INVALID_VALUE;
    return sim_gemm_run(&(struct sim_gemm){
        .name = "cublasLtMatmul",
        .stream = stream,
        .transa = desc->transa,
        .transb = desc->transb,
        .type_a = (int)layout_a->type,
        .type_b = (int)layout_b->type,
        .type_c = (int)layout_d->type,
        .compute = desc->compute,
        .algorithm = algorithm != NULL,
        .m = (int64_t)layout_d->rows,
        .n = (int64_t)layout_d->columns,
        .k = k_of(layout_a, desc->transa, true),
        .lda = layout_a->ld,
        .ldb = layout_b->ld,
        .ldc = layout_d->ld,
        .batch = layout_d->batch,
        .stride_a = layout_a->stride,
        .stride_b = layout_b->stride,
        .stride_c = layout_d->stride,
        .alpha = alpha,
        .beta = beta,
        .a = a,
        .b = b,
        .c = d,
    });
}
