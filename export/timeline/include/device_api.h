/* device_api.h - the interface of devices that a program used, which decides the words of reports.
 *
 * Columns and sentences are written for CUDA. Those of a trace of AMD's devices say HIP; those of
 * another maker's devices say GPU, since nothing else is known.
 */
#ifndef PROF_DEVICE_API_H
#define PROF_DEVICE_API_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* That of all processes with device operations, else of all; of processes that differ
 * TL_API_OTHER. */
enum tl_device_api device_api_of(const struct timeline *timeline);

/* "CUDA", "HIP", "GPU" */
const char *device_api_name(enum tl_device_api api);

/* Replaces CUDA, and names of its functions, by those of the interface: "CUDA total" becomes "HIP
 * total", and "cudaMallocAsync" "hipMallocAsync". CUDA_CACHE_PATH, torch.cuda and CUDAGraph keep
 * their names. What does not fit into `to` is cut off. Returns `to`; of CUDA, `text`. */
const char *device_api_words(enum tl_device_api api, const char *text, char *to, size_t to_bytes);

#ifdef __cplusplus
}
#endif
#endif
