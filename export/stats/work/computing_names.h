/* computing_names.h - which kernels compute a product, a convolution or attention, by their names. */
#ifndef PROF_COMPUTING_NAMES_H
#define PROF_COMPUTING_NAMES_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* False for those that only prepare or finish: layouts, offsets, sums of parts. */
bool kernel_name_computes(struct text name);

#ifdef __cplusplus
}
#endif
#endif
