/* cublas_by_hand.h - the functions of cuBLAS that the C test programs call, as NVIDIA's headers declare them but for the
 * types of pointers, enums and handles. EVERY(X) is X(form, function) for each product. */
#ifndef CUBLAS_BY_HAND_H
#define CUBLAS_BY_HAND_H

#include <stddef.h>
#include <stdint.h>

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetMathMode(void *handle, int mode);

int cublasLtCreate(void **handle);
int cublasLtMatmulDescCreate(void **desc, int compute, int scale_type);
int cublasLtMatmulDescSetAttribute(void *desc, int attribute, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns,
                               int64_t ld);
int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute, const void *value, size_t bytes);
int cublasLtMatmul(void *handle, void *desc, const void *alpha, const void *a, void *layout_a,
                   const void *b, void *layout_b, const void *beta, const void *c, void *layout_c,
                   void *d, void *layout_d, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream);

enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, C_32F = 4, R_32I = 10, R_16BF = 14 };
enum { OP_N = 0, OP_T = 1, OP_C = 2 };
enum { COMPUTE_32F = 68, COMPUTE_32I = 72, COMPUTE_FAST_TF32 = 77 };

typedef const void *in;

#define PLAIN(name, I)                                                                         \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, I lda, in b, \
             I ldb, in beta, void *c, I ldc);
#define TYPED(name, I)                                                                        \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, int type_a, \
             I lda, in b, int type_b, I ldb, in beta, void *c, int type_c, I ldc);
#define EX(name, I)                                                                            \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, int type_a,  \
             I lda, in b, int type_b, I ldb, in beta, void *c, int type_c, I ldc, int compute, \
             int algorithm);
#define BATCHED(name, I)                                                                       \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, I lda, in b, \
             I ldb, in beta, void *c, I ldc, I batch);
#define BATCHED_EX(name, I)                                                                   \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, int type_a, \
             I lda, in b, int type_b, I ldb, in beta, void *c, int type_c, I ldc, I batch,    \
             int compute, int algorithm);
#define STRIDED(name, I)                                                                   \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, I lda,   \
             long long stride_a, in b, I ldb, long long stride_b, in beta, void *c, I ldc, \
             long long stride_c, I batch);
#define STRIDED_EX(name, I)                                                                   \
    int name(void *handle, int transa, int transb, I m, I n, I k, in alpha, in a, int type_a, \
             I lda, long long stride_a, in b, int type_b, I ldb, long long stride_b, in beta, \
             void *c, int type_c, I ldc, long long stride_c, I batch, int compute, int algorithm);
#define GROUPED(name, I)                                                                     \
    int name(void *handle, const int *transa, const int *transb, const I *m, const I *n,     \
             const I *k, in alpha, in a, const I *lda, in b, const I *ldb, in beta, void *c, \
             const I *ldc, I groups, const I *sizes);
#define GROUPED_EX(name, I)                                                                        \
    int name(void *handle, const int *transa, const int *transb, const I *m, const I *n,           \
             const I *k, in alpha, in a, int type_a, const I *lda, in b, int type_b, const I *ldb, \
             in beta, void *c, int type_c, const I *ldc, I groups, const I *sizes, int compute);

#define EVERY(X)                              \
    X(PLAIN, cublasHgemm)                     \
    X(PLAIN, cublasSgemm_v2)                  \
    X(PLAIN, cublasDgemm_v2)                  \
    X(PLAIN, cublasCgemm_v2)                  \
    X(PLAIN, cublasZgemm_v2)                  \
    X(PLAIN, cublasCgemm3m)                   \
    X(PLAIN, cublasZgemm3m)                   \
    X(TYPED, cublasSgemmEx)                   \
    X(TYPED, cublasCgemmEx)                   \
    X(TYPED, cublasCgemm3mEx)                 \
    X(EX, cublasGemmEx)                       \
    X(BATCHED, cublasHgemmBatched)            \
    X(BATCHED, cublasSgemmBatched)            \
    X(BATCHED, cublasDgemmBatched)            \
    X(BATCHED, cublasCgemmBatched)            \
    X(BATCHED, cublasZgemmBatched)            \
    X(BATCHED, cublasCgemm3mBatched)          \
    X(BATCHED_EX, cublasGemmBatchedEx)        \
    X(STRIDED, cublasHgemmStridedBatched)     \
    X(STRIDED, cublasSgemmStridedBatched)     \
    X(STRIDED, cublasDgemmStridedBatched)     \
    X(STRIDED, cublasCgemmStridedBatched)     \
    X(STRIDED, cublasZgemmStridedBatched)     \
    X(STRIDED, cublasCgemm3mStridedBatched)   \
    X(STRIDED_EX, cublasGemmStridedBatchedEx) \
    X(GROUPED, cublasSgemmGroupedBatched)     \
    X(GROUPED, cublasDgemmGroupedBatched)     \
    X(GROUPED_EX, cublasGemmGroupedBatchedEx)

#define DECLARE(form, name) form(name, int) form(name##_64, int64_t)
EVERY(DECLARE)

#endif
