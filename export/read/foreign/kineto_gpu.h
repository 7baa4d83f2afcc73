/* kineto_gpu.h - what devices did and what memory was allocated, from events to records. */
#ifndef PROF_KINETO_GPU_H
#define PROF_KINETO_GPU_H

#include "array.h"
#include "kineto_event.h"
#include "unordered.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends what a device did. `text` is the event's name. `op` has its times, its row, and the id of
 * its name; the rest is filled. The event's category is one for which kineto_is_device(). */
void kineto_gpu_append(struct unordered *events, const struct kineto_event *event, struct text text,
                       struct unordered_op *op);

/* Whether an event that claims to be a kernel has any kernel args, or is on a device's row: other
 * tools trace kernels of operating systems, on the rows of processes. */
bool kineto_gpu_is_kernel(const struct kineto_event *event);

uint32_t kineto_gpu_device(const struct kineto_event *event);

/* The id of the operation that is the origin; 0 none. */
uint32_t kineto_external_id(const struct kineto_args *args);

/* ---- "[memory]" events: what PyTorch's allocators handed out and took back ----
 *
 * Traces begin in the midst of a program. What is released without having been allocated was
 * allocated before, and so was what a device's "Total Allocated" has beyond that. Files of 2021 do
 * not say addresses: there a release is of the latest allocation of its size.
 */

struct kineto_memory_op {
    int64_t time_ns;
    int64_t bytes;    /* negative: released */
    int64_t total;    /* allocated on the device behind it; -1 unknown */
    uint64_t address; /* 0 unknown */
    uint32_t thread;
    uint32_t next; /* of allocations without an address: the one before of that size, 1 + index */
    uint32_t allocator; /* the name of the program's own; 0 CUDA's memory, or PyTorch's */
    uint16_t device;
    bool is_host;
    uint8_t kind; /* as memory_op.kind */
};

struct kineto_memory {
    struct kineto_memory_op *at;
    uint32_t count, capacity;
};

/* Zeroed is empty. */
void kineto_memory_fini(struct kineto_memory *memory);

bool kineto_memory_is(const struct kineto_event *event);
/* False: no memory. */
bool kineto_memory_add(struct kineto_memory *memory, const struct kineto_event *event,
                       int64_t time_ns, uint32_t thread, struct unordered *events);
/* When threads are in their processes: appends all. False: no memory. */
bool kineto_memory_finish(struct kineto_memory *memory, struct unordered *events);

#ifdef __cplusplus
}
#endif
#endif
