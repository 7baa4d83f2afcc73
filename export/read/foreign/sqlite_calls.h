/* sqlite_calls.h - CUDA calls by what nvprof and nsys say of them. */
#ifndef PROF_SQLITE_CALLS_H
#define PROF_SQLITE_CALLS_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a callback id, without a version, as in "cudaLaunchKernel"; NULL: not known. */
const char *sqlite_call_name(bool driver, int64_t cbid);

/* READ_SLICE_* of a call of this name. */
uint8_t sqlite_call_flags(struct text name);

/* The name without the version that CUPTI appends: "cudaLaunchKernel_v7000" is "cudaLaunchKernel";
 * "cuMemAlloc_v2" is a name. */
struct text sqlite_call_trim(struct text name);

#ifdef __cplusplus
}
#endif
#endif
