/* nvtx_emit.h - forwards prof.h's ranges to the NVTX tool that NVTX_INJECTION64_PATH names.
 *
 * libprof is an NVTX client here and loads the tool as NVTX does, at the first range. It never loads
 * itself or a copy of itself.
 *
 * Forwards exactly what is recorded: a range whose push was not forwarded gets no pop, and ranges
 * that ended because recording stopped are closed at the thread's next range.
 */
#ifndef PROF_NVTX_EMIT_H
#define PROF_NVTX_EMIT_H

#include "emitter.h"

extern const struct emitter nvtx_emitter;

#endif
