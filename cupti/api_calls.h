/* api_calls.h - what a CUDA call does: looks it up in the table of abi_calls.h and reads its
 * arguments.
 */
#ifndef PROF_API_CALLS_H
#define PROF_API_CALLS_H

#include "abi.h"
#include "abi_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum api_what {
    API_NOT_FOLLOWED = 0,
    API_KERNEL,
    API_KERNEL_CONFIG,
    API_KERNELS,
    API_GRAPH,
    API_COPY,
    API_COPY_BY_KIND,
    API_COPY_ANY,
    API_SET,
    API_SET_ANY,
    API_SYNC,
    API_ALLOC,
    API_FREE,
    API_BEGIN_CAPTURE,
    API_END_CAPTURE,
    API_INSTANTIATE,
    API_UPDATE,
    API_SWITCH_NODE,
    API_TEARDOWN,
    API_OTHER,
};

/* One followed call. Offsets are stored plus one; 0 = the call has no such argument. */
struct api_call {
    uint8_t what; /* enum api_what */
    uint8_t stream_at;
    uint8_t bytes_at;
    uint8_t bytes_shift;
    uint8_t kind_at;
    uint8_t per_thread; /* 1: stream 0 is the calling thread's own */
};

/* What one call does, judging by its arguments. */
struct api_effect {
    uint64_t stream;     /* the program's handle */
    uint64_t bytes;      /* 0 unknown */
    uint32_t operations; /* exactly that many on a device; 0 unknown or none */
    bool is_graph;
};

/* By cbid. */
extern const struct api_call api_calls_runtime[ABI_CBID_COUNT]
    __attribute__((visibility("hidden")));
extern const struct api_call api_calls_driver[ABI_CBID_COUNT] __attribute__((visibility("hidden")));

/* NULL when the call is not followed. `domain` is ABI_DOMAIN_DRIVER or _RUNTIME. */
static inline const struct api_call *api_calls_find(uint32_t domain, uint32_t cbid)
{
    const struct api_call *calls =
        domain == ABI_DOMAIN_RUNTIME ? api_calls_runtime : api_calls_driver;
    return cbid < ABI_CBID_COUNT && calls[cbid].what != API_NOT_FOLLOWED ? &calls[cbid] : NULL;
}

/* Reads the arguments. `parameters` may be NULL. */
struct api_effect api_calls_effect(const struct api_call *call, const void *parameters);

/* Whether a call of the table may put operations on a device. */
static inline bool api_calls_launches(const struct api_call *call)
{
    return call->what <= API_SET_ANY;
}

/* Whether a call stack is taken at it: it puts operations on a device, or allocates. */
static inline bool api_calls_has_stack(const struct api_call *call)
{
    return api_calls_launches(call) || call->what == API_ALLOC;
}

/* ---- calls that are looked at only for whether they fail ----
 *
 * There are three ways to find the calls that fail. Activity records of the RUNTIME and DRIVER
 * kinds are 40 bytes for each call and for each call within it, to find the few that failed.
 * cudaGetLastError() forgets the driver's errors, and asking clears what the program wants to see.
 * Callbacks cost two invocations per call, whether it fails or not; but libprof's part in the usual
 * case is to look at one word. So callbacks are enabled for all calls but
 *
 *     - those that are followed anyway: their result is in the log;
 *     - queries that libraries make for every operation, or that return errors as answers (is this
 *       a CUDA pointer? is there a context?): they change nothing, and their possible failures show
 *       in other calls, too;
 *     - cudaGetLastError() and its like, which repeat what an earlier call has said.
 *
 * Where calls are left out to keep a budget (PROF_BUDGET), these are not looked at either.
 */

/* Asks libcupti for the names of all calls; where it does not tell, none is watched. */
void api_calls_watch(void);

bool api_calls_is_watched(uint32_t domain, uint32_t cbid);

/* Whether the result is a failure: neither success nor an answer. */
bool api_calls_is_failure(uint32_t result);

/* Whether a call of that name is one of those left out. */
bool api_calls_leaves_out(const char *name);

/* ---- PROF_START=cuda: the program's calls to its profilers switch recording ---- */

/* Enables their callbacks. */
void api_calls_enable_profiler(void *subscriber);

/* A callback; of any other call: nothing. Recording begins when the start returns and ends when the
 * stop is called. */
void api_calls_switch(uint32_t domain, uint32_t cbid, uint32_t site);

#endif
