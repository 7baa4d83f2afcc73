/* kernel_type.h - the type that a kernel computes in, as far as its name tells.
 *
 *     ampere_fp16_s16816gemm_fp16_128x128_...              float16
 *     cutlass_80_tensorop_s1688gemm_128x256_16x3_nt        tfloat32
 *     void gemm_kernel<__nv_bfloat16, float>(...)          bfloat16: the narrower one is what is multiplied
 *     Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_...               float16 (AMD's Tensile)
 *     volta_sgemm_128x64_nn                                float32
 */
#ifndef PROF_KERNEL_TYPE_H
#define PROF_KERNEL_TYPE_H

#include "op_inputs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* OP_TYPE_UNKNOWN: nothing in it tells. */
enum op_type kernel_type_of_name(struct text name);

#ifdef __cplusplus
}
#endif
#endif
