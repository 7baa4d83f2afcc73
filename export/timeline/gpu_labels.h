/* gpu_labels.h - what CUPTI's numbers are called in traces: the words that Kineto uses. */
#ifndef PROF_GPU_LABELS_H
#define PROF_GPU_LABELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every function returns a constant string, also for numbers it does not know. */
const char *gpu_label_copy_kind(uint8_t copy_kind);     /* "HtoD" */
const char *gpu_label_memory_kind(uint8_t memory_kind); /* "Pageable" */
const char *gpu_label_sync(uint32_t type);              /* "Stream Synchronize" */
const char *gpu_label_overhead(uint32_t kind);          /* "Buffer Flush" */

#ifdef __cplusplus
}
#endif
#endif
