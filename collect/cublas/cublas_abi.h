/* cublas_abi.h - constants and types of cuBLAS and cuBLASLt 11 to 13, so that the build needs none
 * of NVIDIA's headers.
 *
 * Sources: cublas_api.h, cublasLt.h and library_types.h of CUDA 11.8, 12.9 and 13.x, which agree in
 * everything that is here; cublas_abi_check.c compares. The libraries give each of their functions
 * the version name "libcublas.so.13" or "libcublasLt.so.13", the number being CUDA's.
 */
#ifndef PROF_CUBLAS_ABI_H
#define PROF_CUBLAS_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int cublas_status; /* cublasStatus_t */
#define CUBLAS_ABI_SUCCESS 0
#define CUBLAS_ABI_NOT_INITIALIZED 1

/* cudaDataType_t. X(number, CUDA's name, bits of one element, factor of its multiplications, name):
 * a multiplication and addition of complex numbers are four of real ones. */
#define CUBLAS_ABI_TYPES(X)                   \
    X(0, CUDA_R_32F, 32, 1, "float32")        \
    X(1, CUDA_R_64F, 64, 1, "float64")        \
    X(2, CUDA_R_16F, 16, 1, "float16")        \
    X(3, CUDA_R_8I, 8, 1, "int8")             \
    X(4, CUDA_C_32F, 64, 4, "complex64")      \
    X(5, CUDA_C_64F, 128, 4, "complex128")    \
    X(6, CUDA_C_16F, 32, 4, "complex32")      \
    X(7, CUDA_C_8I, 16, 4, "complex_int8")    \
    X(8, CUDA_R_8U, 8, 1, "uint8")            \
    X(9, CUDA_C_8U, 16, 4, "complex_uint8")   \
    X(10, CUDA_R_32I, 32, 1, "int32")         \
    X(12, CUDA_R_32U, 32, 1, "uint32")        \
    X(14, CUDA_R_16BF, 16, 1, "bfloat16")     \
    X(15, CUDA_C_16BF, 32, 4, "complex_bf16") \
    X(16, CUDA_R_4I, 4, 1, "int4")            \
    X(18, CUDA_R_4U, 4, 1, "uint4")           \
    X(20, CUDA_R_16I, 16, 1, "int16")         \
    X(22, CUDA_R_16U, 16, 1, "uint16")        \
    X(28, CUDA_R_8F_E4M3, 8, 1, "float8")     \
    X(29, CUDA_R_8F_E5M2, 8, 1, "float8")     \
    X(31, CUDA_R_6F_E2M3, 6, 1, "float6")     \
    X(32, CUDA_R_6F_E3M2, 6, 1, "float6")     \
    X(33, CUDA_R_4F_E2M1, 4, 1, "float4")
#define CUBLAS_ABI_TYPE_MAX 33

#define CUBLAS_ABI_R_32F 0
#define CUBLAS_ABI_R_64F 1
#define CUBLAS_ABI_R_16F 2
#define CUBLAS_ABI_C_32F 4
#define CUBLAS_ABI_C_64F 5

/* cublasOperation_t: as it is, transposed, conjugated and transposed, conjugated. */
enum { CUBLAS_ABI_OP_N = 0, CUBLAS_ABI_OP_T = 1, CUBLAS_ABI_OP_C = 2, CUBLAS_ABI_OP_CONJG = 3 };
#define CUBLAS_ABI_OPS 4

/* cublasComputeType_t, of which these choose another unit than the inputs' type says. */
enum {
    CUBLAS_ABI_COMPUTE_32F = 68,
    CUBLAS_ABI_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_ABI_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_ABI_COMPUTE_32F_FAST_TF32 = 77,
};

/* cublasMath_t: a handle's choice for what leaves it open, and bits above it. */
#define CUBLAS_ABI_MATH_MASK 15
enum { CUBLAS_ABI_TENSOR_OP_MATH = 1, CUBLAS_ABI_TF32_TENSOR_OP_MATH = 3 };

/* cublasLtMatrixLayoutAttribute_t and the sizes of what is requested: u32, u64, u64, i32, i64,
 * u32. */
enum {
    CUBLAS_ABI_LAYOUT_TYPE = 0,
    CUBLAS_ABI_LAYOUT_ROWS = 2,
    CUBLAS_ABI_LAYOUT_COLS = 3,
    CUBLAS_ABI_LAYOUT_BATCH_COUNT = 5,
    CUBLAS_ABI_LAYOUT_STRIDED_BATCH_OFFSET = 6,
    CUBLAS_ABI_LAYOUT_BATCH_MODE = 8, /* since CUDA 12.9 */
};
enum { CUBLAS_ABI_BATCH_MODE_STRIDED = 0, CUBLAS_ABI_BATCH_MODE_GROUPED = 2 };

/* cublasLtMatmulDescAttributes_t; i32 each. */
enum { CUBLAS_ABI_DESC_COMPUTE_TYPE = 0, CUBLAS_ABI_DESC_TRANSA = 3, CUBLAS_ABI_DESC_TRANSB = 4 };

/* Functions that answer questions about what a call was given. */
typedef cublas_status (*cublas_get_math_mode)(void *handle, int *mode);
typedef cublas_status (*cublas_get_attribute)(const void *of, int attribute, void *value,
                                              size_t value_bytes, size_t *written);

/* ---- functions of one form ----
 *
 * Parameters and arguments; I: int, or int64_t where the name ends in _64. */

#define CUBLAS_ABI_GEMM(I)                                                                         \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a, I lda, \
     const void *b, I ldb, const void *beta, void *c, I ldc)
#define CUBLAS_ABI_GEMM_ARGUMENTS \
    (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)

#define CUBLAS_ABI_TYPED(I)                                                                      \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a,      \
     int type_a, I lda, const void *b, int type_b, I ldb, const void *beta, void *c, int type_c, \
     I ldc)
#define CUBLAS_ABI_TYPED_ARGUMENTS \
    (handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc)

#define CUBLAS_ABI_EX(I)                                                                         \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a,      \
     int type_a, I lda, const void *b, int type_b, I ldb, const void *beta, void *c, int type_c, \
     I ldc, int compute, int algorithm)
#define CUBLAS_ABI_EX_ARGUMENTS                                                                    \
    (handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, \
     compute, algorithm)

#define CUBLAS_ABI_BATCHED(I)                                                                      \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a, I lda, \
     const void *b, I ldb, const void *beta, void *c, I ldc, I batch)
#define CUBLAS_ABI_BATCHED_ARGUMENTS \
    (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch)

#define CUBLAS_ABI_BATCHED_EX(I)                                                                 \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a,      \
     int type_a, I lda, const void *b, int type_b, I ldb, const void *beta, void *c, int type_c, \
     I ldc, I batch, int compute, int algorithm)
#define CUBLAS_ABI_BATCHED_EX_ARGUMENTS                                                            \
    (handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, \
     batch, compute, algorithm)

#define CUBLAS_ABI_STRIDED(I)                                                                      \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a, I lda, \
     long long stride_a, const void *b, I ldb, long long stride_b, const void *beta, void *c,      \
     I ldc, long long stride_c, I batch)
#define CUBLAS_ABI_STRIDED_ARGUMENTS                                                           \
    (handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, \
     stride_c, batch)

#define CUBLAS_ABI_STRIDED_EX(I)                                                                  \
    (void *handle, int transa, int transb, I m, I n, I k, const void *alpha, const void *a,       \
     int type_a, I lda, long long stride_a, const void *b, int type_b, I ldb, long long stride_b, \
     const void *beta, void *c, int type_c, I ldc, long long stride_c, I batch, int compute,      \
     int algorithm)
#define CUBLAS_ABI_STRIDED_EX_ARGUMENTS                                                          \
    (handle, transa, transb, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b, \
     beta, c, type_c, ldc, stride_c, batch, compute, algorithm)

/* All arrays but those of matrices are in host memory, an element for each group. */
#define CUBLAS_ABI_GROUPED(I)                                                                  \
    (void *handle, const void *transa, const void *transb, const I *m, const I *n, const I *k, \
     const void *alpha, const void *a, const I *lda, const void *b, const I *ldb,              \
     const void *beta, const void *c, const I *ldc, I groups, const I *sizes)
#define CUBLAS_ABI_GROUPED_ARGUMENTS \
    (handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, sizes)

#define CUBLAS_ABI_GROUPED_EX(I)                                                               \
    (void *handle, const void *transa, const void *transb, const I *m, const I *n, const I *k, \
     const void *alpha, const void *a, int type_a, const I *lda, const void *b, int type_b,    \
     const I *ldb, const void *beta, const void *c, int type_c, const I *ldc, I groups,        \
     const I *sizes, int compute)
#define CUBLAS_ABI_GROUPED_EX_ARGUMENTS                                                            \
    (handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, \
     groups, sizes, compute)

#define CUBLAS_ABI_LT_MATMUL                                                                     \
    (void *handle, const void *desc, const void *alpha, const void *a, const void *layout_a,     \
     const void *b, const void *layout_b, const void *beta, const void *c, const void *layout_c, \
     void *d, const void *layout_d, const void *algorithm, void *workspace,                      \
     size_t workspace_bytes, void *stream)
#define CUBLAS_ABI_LT_MATMUL_ARGUMENTS                                                         \
    (handle, desc, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d, algorithm, \
     workspace, workspace_bytes, stream)

/* ---- the functions ----
 *
 * X(name, form, type of the matrices), of libcublas; each has a twin of 64 bits since CUDA 12. */
#define CUBLAS_ABI_FUNCTIONS(X)                               \
    X(cublasHgemm, GEMM, CUBLAS_ABI_R_16F)                    \
    X(cublasSgemm_v2, GEMM, CUBLAS_ABI_R_32F)                 \
    X(cublasDgemm_v2, GEMM, CUBLAS_ABI_R_64F)                 \
    X(cublasCgemm_v2, GEMM, CUBLAS_ABI_C_32F)                 \
    X(cublasZgemm_v2, GEMM, CUBLAS_ABI_C_64F)                 \
    X(cublasCgemm3m, GEMM, CUBLAS_ABI_C_32F)                  \
    X(cublasZgemm3m, GEMM, CUBLAS_ABI_C_64F)                  \
    X(cublasSgemmEx, TYPED, type_a)                           \
    X(cublasCgemmEx, TYPED, type_a)                           \
    X(cublasCgemm3mEx, TYPED, type_a)                         \
    X(cublasGemmEx, EX, type_a)                               \
    X(cublasHgemmBatched, BATCHED, CUBLAS_ABI_R_16F)          \
    X(cublasSgemmBatched, BATCHED, CUBLAS_ABI_R_32F)          \
    X(cublasDgemmBatched, BATCHED, CUBLAS_ABI_R_64F)          \
    X(cublasCgemmBatched, BATCHED, CUBLAS_ABI_C_32F)          \
    X(cublasZgemmBatched, BATCHED, CUBLAS_ABI_C_64F)          \
    X(cublasCgemm3mBatched, BATCHED, CUBLAS_ABI_C_32F)        \
    X(cublasGemmBatchedEx, BATCHED_EX, type_a)                \
    X(cublasHgemmStridedBatched, STRIDED, CUBLAS_ABI_R_16F)   \
    X(cublasSgemmStridedBatched, STRIDED, CUBLAS_ABI_R_32F)   \
    X(cublasDgemmStridedBatched, STRIDED, CUBLAS_ABI_R_64F)   \
    X(cublasCgemmStridedBatched, STRIDED, CUBLAS_ABI_C_32F)   \
    X(cublasZgemmStridedBatched, STRIDED, CUBLAS_ABI_C_64F)   \
    X(cublasCgemm3mStridedBatched, STRIDED, CUBLAS_ABI_C_32F) \
    X(cublasGemmStridedBatchedEx, STRIDED_EX, type_a)         \
    X(cublasSgemmGroupedBatched, GROUPED, CUBLAS_ABI_R_32F)   \
    X(cublasDgemmGroupedBatched, GROUPED, CUBLAS_ABI_R_64F)   \
    X(cublasGemmGroupedBatchedEx, GROUPED_EX, type_a)

#endif
