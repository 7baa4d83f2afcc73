/* cublas_lt.h - reads the descriptors of cublasLtMatmul() through the library itself. */
#ifndef PROF_CUBLAS_LT_H
#define PROF_CUBLAS_LT_H

#include "cublas_work.h"

/* cublasLtMatrixLayoutGetAttribute() and cublasLtMatmulDescGetAttribute(). */
struct cublas_lt {
    cublas_get_attribute layout, desc;
    bool has_modes; /* it may know CUBLAS_ABI_LAYOUT_BATCH_MODE */
};

/* D = op(A) op(B). False: a descriptor is missing or does not say (groups of products say it in the
 * device's memory). */
bool cublas_lt_product(const struct cublas_lt *lt, const void *desc, const void *layout_a,
                       const void *layout_b, const void *layout_d, struct cublas_product *product);

#endif
