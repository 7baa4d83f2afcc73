/* sim_gemm.h - matrix products of libcublas and libcublasLt: argument checks like those of the
 * real libraries, a line in the SIM_GEMMS file, one kernel launch.
 */
#ifndef SIM_GEMM_H
#define SIM_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cublasStatus_t, cudaDataType_t, cublasOperation_t and cublasComputeType_t, as far as it goes. */
enum sim_gemm_status {
    GEMM_SUCCESS = 0,
    GEMM_NOT_INITIALIZED = 1,
    GEMM_ALLOC_FAILED = 3,
    GEMM_INVALID_VALUE = 7,
    GEMM_EXECUTION_FAILED = 13,
    GEMM_NOT_SUPPORTED = 15,
};
enum {
    GEMM_R_32F = 0,
    GEMM_R_64F = 1,
    GEMM_R_16F = 2,
    GEMM_R_8I = 3,
    GEMM_C_32F = 4,
    GEMM_C_64F = 5,
    GEMM_R_32I = 10,
    GEMM_R_16BF = 14,
    GEMM_R_8F_E4M3 = 28,
};
enum { GEMM_OP_N = 0, GEMM_OP_T = 1, GEMM_OP_C = 2 };
#define GEMM_NO_COMPUTE (-1)

struct sim_gemm {
    const char *name; /* of the function */
    void *stream;
    int transa, transb, type_a, type_b, type_c, compute, algorithm;
    int64_t m, n, k, lda, ldb, ldc, batch;
    long long stride_a, stride_b, stride_c; /* of a batch; 0 otherwise */
    const void *alpha, *beta, *a, *b, *c;
};

/* Checks, logs and launches. Returns  a status. */
int sim_gemm_run(const struct sim_gemm *gemm);

/* Logs only: a group of a call that launches all of them at once. */
int sim_gemm_check(const struct sim_gemm *gemm);

/* Launches a kernel for so much work of that type. */
int sim_gemm_launch(const struct sim_gemm *like, double flops, double bytes);

double sim_gemm_flops(const struct sim_gemm *gemm);
double sim_gemm_bytes(const struct sim_gemm *gemm);

#endif
