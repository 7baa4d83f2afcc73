/* cublas_work.h - FLOPs and bytes of a matrix product, from the arguments of the call.
 *
 * A multiplication and an addition are two operations; of complex numbers they are eight. Bytes are
 * A and B read once and C written once: the minimum for any implementation. C is read as well where
 * beta is not 0, but beta may be in the device's memory, where libprof must not read it.
 */
#ifndef PROF_CUBLAS_WORK_H
#define PROF_CUBLAS_WORK_H

#include "cublas_abi.h"

#include <stdbool.h>

#define CUBLAS_COMPUTE_OPEN (-1) /* the call has no compute type */

/* C = op(A) op(B), `batch` times. */
struct cublas_product {
    int64_t m, n, k, batch;
    int transa, transb;         /* cublasOperation_t */
    int type_a, type_b, type_c; /* cudaDataType_t */
    int compute;                /* cublasComputeType_t, or CUBLAS_COMPUTE_OPEN */
    int math_mode;     /* of the handle: cublasMath_t; counts where compute leaves it open */
    bool one_a, one_b; /* all of the batch use the same A or B: their distance is 0 */
};

#define CUBLAS_UNKNOWN UINT64_MAX

struct cublas_work {
    uint64_t m, n, k; /* CUBLAS_UNKNOWN in a group of different ones */
    uint64_t batch;   /* how many products */
    uint64_t flops;   /* CUBLAS_UNKNOWN: too many to count, or of an unknown type */
    uint64_t bytes;   /* the same */
    const char *type; /* what is multiplied: "float16", "tf32"; NULL unknown */
    const char *op;   /* "NT": A as it is, B transposed; NULL unknown */
};

/* False: no such product (a size is negative); the call will say so itself. */
bool cublas_work_of(const struct cublas_product *product, struct cublas_work *work);

/* Adds the products of a group to those before; `work` is one that cublas_work_of() filled. */
void cublas_work_add(struct cublas_work *work, const struct cublas_work *more);

#endif
