/* api_calls.h - what a CUDA call is about: the table of abi_calls.h, and how to read a call's
 * arguments. */
#ifndef PROF_API_CALLS_H
#define PROF_API_CALLS_H

#include "abi.h"
#include "abi_calls.h"

#include <stdbool.h>

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

/* What one call does, as far as its arguments tell. */
struct api_effect {
    uint64_t stream;     /* the program's handle */
    uint64_t bytes;      /* 0 unknown */
    uint32_t operations; /* exactly that many on a device; 0 unknown or none */
    bool is_graph;
};

/* NULL when the call is not followed. `domain` is ABI_DOMAIN_DRIVER or _RUNTIME. */
const struct api_call *api_calls_find(uint32_t domain, uint32_t cbid);

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

#endif
