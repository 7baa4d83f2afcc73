/* cuda_errors.h - what the results of CUDA calls are called. */
#ifndef PROF_CUDA_ERRORS_H
#define PROF_CUDA_ERRORS_H

#include "prof/format.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "cudaErrorMemoryAllocation"; of the driver "CUDA_ERROR_OUT_OF_MEMORY". NULL: success, or a code of
 * a later CUDA. */
const char *cuda_error_name(enum prof_api_domain domain, int32_t code);

/* cudaErrorNotReady, the answer of cudaStreamQuery() and its like while there is work to do. */
#define CUDA_ERROR_IS_ANSWER 600

#ifdef __cplusplus
}
#endif
#endif
