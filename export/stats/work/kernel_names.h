/* kernel_names.h - what a kernel's name reveals: the type it computes in, and whether it computes
 * at all.
 *
 *     ampere_fp16_s16816gemm_fp16_128x128_...              float16
 *     cutlass_80_tensorop_s1688gemm_128x256_16x3_nt        tfloat32
 *     void gemm_kernel<__nv_bfloat16, float>(...)          bfloat16: the narrower one is multiplied
 *     Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_...               float16 (AMD's Tensile)
 *     volta_sgemm_128x64_nn                                float32
 */
#ifndef PROF_KERNEL_NAMES_H
#define PROF_KERNEL_NAMES_H

#include "op_inputs.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* OP_TYPE_UNKNOWN: the name does not reveal it. */
enum op_type kernel_type_of_name(struct text name);

/* Whether it computes a product, a convolution or attention. False for kernels that only prepare or
 * finish: layouts, offsets, sums of parts. */
bool kernel_name_computes(struct text name);

#ifdef __cplusplus
}
#endif
#endif
