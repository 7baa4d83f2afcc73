/* sim_cublas.c - libcublas: handles and matrix products. Like some of the real functions, products
 * of int8 call cublasLtMatmul.
 */
#include <stdlib.h>

#include "sim_gemm.h"
#include "sim_lt.h"
#include "sim_shared.h"

enum { MAGIC = 0x43424c53, COMPUTE_32I = 72 };

struct sim_cublas {
    uint32_t magic;
    int math_mode, pointer_mode;
    void *stream, *lt;
};

int cudaFree(void *memory);

static bool is_handle(const struct sim_cublas *handle)
{
    return handle && handle->magic == MAGIC;
}

/* ---- handles ---- */

SIM_EXPORT int cublasCreate_v2(struct sim_cublas **handle);
SIM_EXPORT int cublasCreate_v2(struct sim_cublas **handle)
{
    if (!handle)
        return GEMM_INVALID_VALUE;
    if (cudaFree(NULL) != 0)
        return GEMM_NOT_INITIALIZED;
    struct sim_cublas *made = calloc(1, sizeof *made);
    if (!made || cublasLtCreate(&made->lt) != GEMM_SUCCESS) {
        free(made);
        return GEMM_ALLOC_FAILED;
    }
    made->magic = MAGIC;
    *handle = made;
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasDestroy_v2(struct sim_cublas *handle);
SIM_EXPORT int cublasDestroy_v2(struct sim_cublas *handle)
{
    if (!is_handle(handle))
        return GEMM_NOT_INITIALIZED;
    cublasLtDestroy(handle->lt);
    handle->magic = 0;
    free(handle);
    return GEMM_SUCCESS;
}

SIM_EXPORT int cublasGetVersion_v2(struct sim_cublas *handle, int *version);
SIM_EXPORT int cublasGetVersion_v2(struct sim_cublas *handle, int *version)
{
    (void)handle;
    if (!version)
        return GEMM_INVALID_VALUE;
    *version = 130000;
    return GEMM_SUCCESS;
}

#define SETTING(set, get, type, field)                          \
    SIM_EXPORT int set(struct sim_cublas *handle, type value);  \
    SIM_EXPORT int set(struct sim_cublas *handle, type value)   \
    {                                                           \
        if (!is_handle(handle))                                 \
            return GEMM_NOT_INITIALIZED;                        \
        handle->field = value;                                  \
        return GEMM_SUCCESS;                                    \
    }                                                           \
    SIM_EXPORT int get(struct sim_cublas *handle, type *value); \
    SIM_EXPORT int get(struct sim_cublas *handle, type *value)  \
    {                                                           \
        if (!is_handle(handle))                                 \
            return GEMM_NOT_INITIALIZED;                        \
        if (!value)                                             \
            return GEMM_INVALID_VALUE;                          \
        *value = handle->field;                                 \
        return GEMM_SUCCESS;                                    \
    }

SETTING(cublasSetStream_v2, cublasGetStream_v2, void *, stream)
SETTING(cublasSetMathMode, cublasGetMathMode, int, math_mode)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, pointer_mode)

SIM_EXPORT int cublasSetWorkspace_v2(struct sim_cublas *handle, void *workspace, size_t bytes);
SIM_EXPORT int cublasSetWorkspace_v2(struct sim_cublas *handle, void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes;
    return is_handle(handle) ? GEMM_SUCCESS : GEMM_NOT_INITIALIZED;
}

/* ---- products ---- */

static int run(const struct sim_cublas *handle, struct sim_gemm gemm)
{
    if (!is_handle(handle))
        return GEMM_NOT_INITIALIZED;
    gemm.stream = handle->stream;
    return sim_gemm_run(&gemm);
}

static int run_by_lt(const struct sim_cublas *handle, const struct sim_gemm *gemm)
{
    struct sim_lt_desc desc;
    struct sim_lt_layout a, b, c;
    const bool n = gemm->transa == GEMM_OP_N, other_n = gemm->transb == GEMM_OP_N;
    if (!is_handle(handle))
        return GEMM_NOT_INITIALIZED;
    if (gemm->m < 0 || gemm->n < 0 || gemm->k < 0)
        return GEMM_INVALID_VALUE;
    const uint64_t rows = (uint64_t)gemm->m, columns = (uint64_t)gemm->n, k = (uint64_t)gemm->k;
    cublasLtMatmulDescInit_internal(&desc, sizeof desc, gemm->compute, GEMM_R_32I);
    cublasLtMatmulDescSetAttribute(&desc, 3, &gemm->transa, sizeof gemm->transa);
    cublasLtMatmulDescSetAttribute(&desc, 4, &gemm->transb, sizeof gemm->transb);
    cublasLtMatrixLayoutInit_internal(&a, sizeof a, gemm->type_a, n ? rows : k, n ? k : rows,
                                      gemm->lda);
    cublasLtMatrixLayoutInit_internal(&b, sizeof b, gemm->type_b, other_n ? k : columns,
                                      other_n ? columns : k, gemm->ldb);
    cublasLtMatrixLayoutInit_internal(&c, sizeof c, gemm->type_c, rows, columns, gemm->ldc);
    return cublasLtMatmul(handle->lt, &desc, gemm->alpha, gemm->a, &a, gemm->b, &b, gemm->beta,
                          gemm->c, &c, (void *)(uintptr_t)gemm->c, &c, NULL, NULL, 0,
                          handle->stream);
}

static int run_ex(const struct sim_cublas *handle, struct sim_gemm gemm)
{
    return gemm.type_a == GEMM_R_8I && gemm.batch == 1 && !gemm.stride_a ? run_by_lt(handle, &gemm)
                                                                         : run(handle, gemm);
}

#define FUNCTION(name, parameters, body) \
    SIM_EXPORT int name parameters;      \
    SIM_EXPORT int name parameters       \
    {                                    \
        return body;                     \
    }

#define FIRST(I) struct sim_cublas *handle, int transa, int transb, I m, I n, I k, const void *alpha
#define A(I) const void *a, I lda
#define B(I) const void *b, I ldb
#define C(I) const void *beta, void *c, I ldc
#define TYPED_A(I) const void *a, int type_a, I lda
#define TYPED_B(I) const void *b, int type_b, I ldb
#define TYPED_C(I) const void *beta, void *c, int type_c, I ldc
#define LAST int compute, int algorithm

#define ALL(id)                                                                              \
    .name = #id, .transa = transa, .transb = transb, .m = m, .n = n, .k = k, .alpha = alpha, \
    .a = a, .b = b, .beta = beta, .c = c, .lda = lda, .ldb = ldb, .ldc = ldc
#define ONE .batch = 1
#define MANY .batch = batch
#define ALL_ARE(type) \
    .type_a = (type), .type_b = (type), .type_c = (type), .compute = GEMM_NO_COMPUTE
#define AS_SAID .type_a = type_a, .type_b = type_b, .type_c = type_c
#define NOT_SAID .compute = GEMM_NO_COMPUTE
#define HOW .compute = compute, .algorithm = algorithm
#define APART .stride_a = stride_a, .stride_b = stride_b, .stride_c = stride_c
#define GEMM(...) ((struct sim_gemm){__VA_ARGS__})

#define PLAIN(name, I, type) \
    FUNCTION(name, (FIRST(I), A(I), B(I), C(I)), run(handle, GEMM(ALL(name), ONE, ALL_ARE(type))))
#define TYPED(name, I, type)                                       \
    FUNCTION(name, (FIRST(I), TYPED_A(I), TYPED_B(I), TYPED_C(I)), \
             run(handle, GEMM(ALL(name), ONE, AS_SAID, NOT_SAID)))
#define EX(name, I, type)                                                \
    FUNCTION(name, (FIRST(I), TYPED_A(I), TYPED_B(I), TYPED_C(I), LAST), \
             run_ex(handle, GEMM(ALL(name), ONE, AS_SAID, HOW)))
#define BATCHED(name, I, type)                            \
    FUNCTION(name, (FIRST(I), A(I), B(I), C(I), I batch), \
             run(handle, GEMM(ALL(name), MANY, ALL_ARE(type))))
#define BATCHED_EX(name, I, type)                                                 \
    FUNCTION(name, (FIRST(I), TYPED_A(I), TYPED_B(I), TYPED_C(I), I batch, LAST), \
             run_ex(handle, GEMM(ALL(name), MANY, AS_SAID, HOW)))
#define STRIDED(name, I, type)                                                    \
    FUNCTION(name,                                                                \
             (FIRST(I), A(I), long long stride_a, B(I), long long stride_b, C(I), \
              long long stride_c, I batch),                                       \
             run(handle, GEMM(ALL(name), MANY, ALL_ARE(type), APART)))
#define STRIDED_EX(name, I, type)                                                       \
    FUNCTION(name,                                                                      \
             (FIRST(I), TYPED_A(I), long long stride_a, TYPED_B(I), long long stride_b, \
              TYPED_C(I), long long stride_c, I batch, LAST),                           \
             run_ex(handle, GEMM(ALL(name), MANY, AS_SAID, HOW, APART)))

#define BOTH(form, name, type) form(name, int, type) form(name##_64, int64_t, type)
#define FIVE(form, before, after)            \
    BOTH(form, before##H##after, GEMM_R_16F) \
    BOTH(form, before##S##after, GEMM_R_32F) \
    BOTH(form, before##D##after, GEMM_R_64F) \
    BOTH(form, before##C##after, GEMM_C_32F) \
    BOTH(form, before##Z##after, GEMM_C_64F)

BOTH(PLAIN, cublasHgemm, GEMM_R_16F)
PLAIN(cublasSgemm_v2, int, GEMM_R_32F)
PLAIN(cublasDgemm_v2, int, GEMM_R_64F)
PLAIN(cublasCgemm_v2, int, GEMM_C_32F)
PLAIN(cublasZgemm_v2, int, GEMM_C_64F)
PLAIN(cublasSgemm_v2_64, int64_t, GEMM_R_32F)
PLAIN(cublasDgemm_v2_64, int64_t, GEMM_R_64F)
PLAIN(cublasCgemm_v2_64, int64_t, GEMM_C_32F)
PLAIN(cublasZgemm_v2_64, int64_t, GEMM_C_64F)
BOTH(PLAIN, cublasCgemm3m, GEMM_C_32F)
BOTH(PLAIN, cublasZgemm3m, GEMM_C_64F)
BOTH(TYPED, cublasSgemmEx, 0)
BOTH(TYPED, cublasCgemmEx, 0)
BOTH(TYPED, cublasCgemm3mEx, 0)
BOTH(EX, cublasGemmEx, 0)
FIVE(BATCHED, cublas, gemmBatched)
BOTH(BATCHED, cublasCgemm3mBatched, GEMM_C_32F)
BOTH(BATCHED_EX, cublasGemmBatchedEx, 0)
FIVE(STRIDED, cublas, gemmStridedBatched)
BOTH(STRIDED, cublasCgemm3mStridedBatched, GEMM_C_32F)
BOTH(STRIDED_EX, cublasGemmStridedBatchedEx, 0)

/* ---- groups: one kernel for all of them ---- */

struct groups {
    const char *name;
    const int *transa, *transb;
    const void *m, *n, *k, *lda, *ldb, *ldc, *sizes;
    const void *alpha, *beta, *a, *b, *c;
    int64_t count;
    int type_a, type_b, type_c, compute;
    bool wide;
};

static int64_t at(const void *array, int64_t i, bool wide)
{
    return wide ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

static struct sim_gemm group_at(const struct sim_cublas *handle, const struct groups *of, int64_t i)
{
    const bool wide = of->wide;
    return (struct sim_gemm){
        .name = of->name,
        .stream = handle->stream,
        .transa = of->transa[i],
        .transb = of->transb[i],
        .type_a = of->type_a,
        .type_b = of->type_b,
        .type_c = of->type_c,
        .compute = of->compute,
        .m = at(of->m, i, wide),
        .n = at(of->n, i, wide),
        .k = at(of->k, i, wide),
        .lda = at(of->lda, i, wide),
        .ldb = at(of->ldb, i, wide),
        .ldc = at(of->ldc, i, wide),
        .batch = at(of->sizes, i, wide),
        .alpha = of->alpha,
        .beta = of->beta,
        .a = of->a,
        .b = of->b,
        .c = of->c,
    };
}

static int run_groups(const struct sim_cublas *handle, struct groups of)
{
    double flops = 0, bytes = 0;
    struct sim_gemm gemm = {0};
    if (!is_handle(handle))
        return GEMM_NOT_INITIALIZED;
    if (of.count < 0)
        return GEMM_INVALID_VALUE;
    for (int64_t i = 0; i < of.count; i++) {
        gemm = group_at(handle, &of, i);
        const int status = sim_gemm_check(&gemm);
        if (status != GEMM_SUCCESS)
            return status;
        flops += sim_gemm_flops(&gemm);
        bytes += sim_gemm_bytes(&gemm);
    }
    return of.count ? sim_gemm_launch(&gemm, flops, bytes) : GEMM_SUCCESS;
}

#define GROUP_FIRST(I)                                                                       \
    struct sim_cublas *handle, const int *transa, const int *transb, const I *m, const I *n, \
        const I *k, const void *alpha
#define GROUP_ALL(id, I)                                                                       \
    .name = #id, .transa = transa, .transb = transb, .m = m, .n = n, .k = k, .alpha = alpha,   \
    .a = a, .b = b, .beta = beta, .c = c, .lda = lda, .ldb = ldb, .ldc = ldc, .count = groups, \
    .sizes = sizes, .wide = sizeof(I) == sizeof(int64_t)

#define GROUPED(id, I, type)                                                            \
    FUNCTION(id,                                                                        \
             (GROUP_FIRST(I), const void *a, const I *lda, const void *b, const I *ldb, \
              const void *beta, const void *c, const I *ldc, I groups, const I *sizes), \
             run_groups(handle, (struct groups){GROUP_ALL(id, I), ALL_ARE(type)}))
#define GROUPED_EX(id, I, type)                                                                   \
    FUNCTION(id,                                                                                  \
             (GROUP_FIRST(I), const void *a, int type_a, const I *lda, const void *b, int type_b, \
              const I *ldb, const void *beta, const void *c, int type_c, const I *ldc, I groups,  \
              const I *sizes, int compute),                                                       \
             run_groups(handle, (struct groups){GROUP_ALL(id, I), AS_SAID, .compute = compute}))

BOTH(GROUPED, cublasSgemmGroupedBatched, GEMM_R_32F)
BOTH(GROUPED, cublasDgemmGroupedBatched, GEMM_R_64F)
BOTH(GROUPED_EX, cublasGemmGroupedBatchedEx, 0)
