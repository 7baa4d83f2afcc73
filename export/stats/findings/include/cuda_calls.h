/* cuda_calls.h - what CUDA calls do, by their names, and how long they took: for traces of any
 * origin.
 *
 * Each name is classified once. "_v2", "_v7000", "_ptsz" and "_ptds" at the end of a name are parts
 * of the interface, not of what it does.
 */
#ifndef PROF_CUDA_CALLS_H
#define PROF_CUDA_CALLS_H

#include "key_spread.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cuda_call {
    CUDA_CALL_NONE,           /* no CUDA call */
    CUDA_CALL_OTHER,          /* one of no kind below */
    CUDA_CALL_LAUNCH,         /* kernels, graphs, sets, copies that do not wait */
    CUDA_CALL_COPY,           /* copies that return when they are done */
    CUDA_CALL_COPY_ASYNC,     /* copies that may return at once: not where memory is pageable */
    CUDA_CALL_ALLOCATE,       /* cudaMalloc, cudaHostAlloc ... */
    CUDA_CALL_FREE,           /* cudaFree, cudaFreeHost: waits for the device */
    CUDA_CALL_ALLOCATE_ASYNC, /* from a pool, in order of a stream */
    CUDA_CALL_FREE_ASYNC,
    CUDA_CALL_SYNC_DEVICE, /* waits for everything on a device or in a context */
    CUDA_CALL_SYNC_STREAM,
    CUDA_CALL_SYNC_EVENT,
    CUDA_CALL_HOST_FUNCTION, /* has the host called from a stream */
    CUDA_CALL_MODULE,        /* loads, links or looks up code */
    CUDA_CALL_KINDS
};

struct cuda_calls {
    uint8_t *of_name; /* enum cuda_call by index into timeline.names */
    uint32_t name_count;
    uint32_t *listed; /* slices: the program's calls that allocate, wait, copy, or name a host
                         function; those that are part of another one are not here */
    uint32_t listed_count;
};

/* False: no memory; fini is not needed then. */
bool cuda_calls_init(struct cuda_calls *calls, const struct timeline *timeline);
void cuda_calls_fini(struct cuda_calls *calls);

/* What a call of this name does; CUDA_CALL_OTHER when it is not known. */
enum cuda_call cuda_call_of_name(struct text name);

static inline enum cuda_call cuda_call_of(const struct cuda_calls *calls,
                                          const struct tl_slice *slice)
{
    if (slice->kind != TL_API)
        return CUDA_CALL_NONE;
    return slice->name < calls->name_count ? (enum cuda_call)calls->of_name[slice->name]
                                           : CUDA_CALL_OTHER;
}

static inline bool cuda_call_waits(enum cuda_call call)
{
    return call >= CUDA_CALL_SYNC_DEVICE && call <= CUDA_CALL_SYNC_EVENT;
}

/* The call of the program that the slice is part of: calls of the runtime make calls of the
 * driver. */
uint32_t cuda_call_outermost(const struct timeline *timeline, uint32_t slice);

/* ---- durations ----
 *
 * How long CUDA calls took, by name, and those that took far longer than the others.
 *
 * Calls that are recorded only where they fail have no duration and are left out, as are libprof's
 * own.
 */

/* An outlier takes more than so many times the median of its name. */
#define CALL_OUTLIER_TIMES 20

struct call_stat {
    uint32_t name;    /* into names[] */
    uint32_t slowest; /* slice */
    uint64_t count;
    int64_t sum_ns, max_ns, median_ns;
    uint64_t outliers;
    int64_t outliers_ns; /* what they took beyond the median */
};

struct call_stats {
    struct call_stat *at; /* longest in all first */
    uint32_t count, capacity;
};

/* Whether it is such a call. */
bool call_is_timed(const struct timeline *timeline, const struct tl_slice *slice);

/* Linear. False: no memory; fini is not needed then. */
bool call_stats_init(struct call_stats *stats, const struct timeline *timeline);
void call_stats_fini(struct call_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
