/* kernel_alias.h - what of a kernel's name stays when it is compiled anew, tuned anew or runs on
 * another device.
 *
 * A kernel that another run does not have may be there under another name. Each level gives up more
 * of a name; two kernels that look alike at a level may be one. At every level blanks beside
 * punctuation do not count, as demanglers do not agree on them ("> >").
 *
 *     SPACING   void f<float, 2>(int)                   -> void f<float,2>(int)
 *     NUMBERS   sm80_xmma_gemm_f16f16_tilesize128x64x32_stage4 ->
 *               sm#_xmma_gemm_f16f16_tilesize#_stage#
 *               triton_poi_fused_add_mul_3              -> triton_poi_fused_add_mul_#
 *               lambda(float)#2, _8f3a91bc              -> lambda(float)##, _#
 *     TYPES     elements' types and generations too: f16, half, BFloat16 -> T; ampere_sgemm ->
 *               G_sgemm
 *     BARE      without template arguments, parameters and what is returned:
 *               at::native::reduce_kernel
 */
#ifndef PROF_KERNEL_ALIAS_H
#define PROF_KERNEL_ALIAS_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum kernel_alias_level {
    KERNEL_ALIAS_SPACING,
    KERNEL_ALIAS_NUMBERS,
    KERNEL_ALIAS_TYPES,
    KERNEL_ALIAS_BARE,
    KERNEL_ALIAS_LEVELS
};

/* Room for kernel_alias_reduce(), which never makes a name longer. */
#define KERNEL_ALIAS_BYTES(name) ((name).size + 1)

/* Writes what is left of the name at this level, NUL-terminated, and returns its size. */
size_t kernel_alias_reduce(struct text name, enum kernel_alias_level level, char *to);

#ifdef __cplusplus
}
#endif
#endif
