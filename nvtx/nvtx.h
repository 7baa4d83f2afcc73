/* nvtx.h - NVTX in: the collector that records what a program annotates, and what entry calls when
 * NVTX looks for a tool. NVTX out is nvtx_emit.h.
 */
#ifndef PROF_NVTX_H
#define PROF_NVTX_H

#include "nvtx_attach.h"
#include "recorder.h"

extern const struct collector nvtx_collector;

/* Once, before nvtx_attach() and before recording begins. */
void nvtx_init(void);

#endif
