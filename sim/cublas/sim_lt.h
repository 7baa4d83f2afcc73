/* sim_lt.h - the parts of libcublasLt that the simulated libcublas calls. */
#ifndef SIM_LT_H
#define SIM_LT_H

#include <stddef.h>
#include <stdint.h>

/* As large as NVIDIA's, so that a program may have them where it likes. */
struct sim_lt_layout {
    uint64_t rows, columns;
    int64_t ld, stride;
    uint32_t type, magic, mode;
    int32_t batch;
    uint64_t reserved[2];
};

struct sim_lt_desc {
    int32_t compute, scale_type, transa, transb;
    uint32_t magic, reserved0;
    uint64_t reserved[29];
};

int cublasLtMatrixLayoutInit_internal(struct sim_lt_layout *layout, size_t bytes, int type,
                                      uint64_t rows, uint64_t columns, int64_t ld);
int cublasLtMatmulDescInit_internal(struct sim_lt_desc *desc, size_t bytes, int compute,
                                    int scale_type);
int cublasLtMatmulDescSetAttribute(struct sim_lt_desc *desc, int attribute, const void *value,
                                   size_t bytes);
int cublasLtMatmul(void *handle, struct sim_lt_desc *desc, const void *alpha, const void *a,
                   struct sim_lt_layout *layout_a, const void *b, struct sim_lt_layout *layout_b,
                   const void *beta, const void *c, struct sim_lt_layout *layout_c, void *d,
                   struct sim_lt_layout *layout_d, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream);
int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);

#endif
