/* failed_calls.h - CUDA calls that failed, by call and error code.
 *
 * cudaErrorNotReady is an answer, not a failure. libprof's own calls are left out.
 */
#ifndef PROF_FAILED_CALLS_H
#define PROF_FAILED_CALLS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct failed_call {
    uint32_t name;   /* into names[] */
    uint32_t domain; /* enum prof_api_domain */
    int32_t result;
    uint64_t count;
    uint32_t first; /* slice of the first of them, by time */
};

struct failed_calls {
    struct failed_call *at; /* most frequent first; of equals, the earliest */
    uint32_t count, capacity;
    uint64_t total;
};

/* False: no memory; fini is not needed then. */
bool failed_calls_init(struct failed_calls *calls, const struct timeline *timeline);
void failed_calls_fini(struct failed_calls *calls);

/* Whether the slice is a call that failed. */
bool failed_calls_is(const struct timeline *timeline, const struct tl_slice *slice);

/* The ranges around the slice, outermost first, at most `most` of the innermost. Returns how many
 * there are in all. */
uint32_t failed_calls_ranges(const struct timeline *timeline, uint32_t slice, uint32_t *ranges,
                             uint32_t most);

/* "cudaErrorMemoryAllocation"; of the driver "CUDA_ERROR_OUT_OF_MEMORY". NULL: success, or a code
 * of a later CUDA. */
const char *cuda_error_name(enum prof_api_domain domain, int32_t code);

/* cudaErrorNotReady, the answer of cudaStreamQuery() and its like while there is work to do. */
#define CUDA_ERROR_IS_ANSWER 600

#ifdef __cplusplus
}
#endif
#endif
