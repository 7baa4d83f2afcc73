/* kineto_gpu.h - what devices did, from events to records. */
#ifndef PROF_KINETO_GPU_H
#define PROF_KINETO_GPU_H

#include "kineto_event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills all of `gpu` but its times; `name` is the event's, as the sink's number; `text` is it. The
 * event's category is one for which kineto_is_device(). */
void kineto_gpu_read(const struct kineto_event *event, struct text text, uint32_t name,
                     struct read_gpu *gpu);

/* Whether an event that claims to be a kernel has any kernel args, or is on a device's row: other tools trace
 * kernels of operating systems, on the rows of processes. */
bool kineto_gpu_is_kernel(const struct kineto_event *event);

uint32_t kineto_gpu_device(const struct kineto_event *event);
uint32_t kineto_gpu_context(const struct kineto_event *event);

/* The id of the operation that is the origin; 0 none. */
uint32_t kineto_external_id(const struct kineto_args *args);

#ifdef __cplusplus
}
#endif
#endif
