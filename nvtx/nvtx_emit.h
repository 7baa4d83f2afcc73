/* nvtx_emit.h - NVTX out: prof.h's ranges become NVTX ranges of another tool, the one that
 * NVTX_INJECTION64_PATH names. libprof is an NVTX client here and loads the tool as NVTX does, at the
 * first range; never itself, nor a copy of itself.
 *
 * What is sent is what is recorded: a range whose push was not sent gets no pop, and ranges that a
 * stop of the recording ended are closed at the thread's next range.
 */
#ifndef PROF_NVTX_EMIT_H
#define PROF_NVTX_EMIT_H

#include "emitter.h"

extern const struct emitter nvtx_emitter;

#endif
