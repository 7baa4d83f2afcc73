/* nvtx_emit.h - forwards prof.h's ranges to the NVTX tool that NVTX_INJECTION64_PATH names.
 *
 * libprof is an NVTX client here and loads the tool as NVTX does, at the first range. It never
 * loads itself or a copy of itself.
 *
 * Forwards exactly what is recorded: a range whose push was not forwarded gets no pop, and ranges
 * that ended because recording stopped are closed at the thread's next range.
 */
#ifndef PROF_NVTX_EMIT_H
#define PROF_NVTX_EMIT_H

#include "annotate.h"

#include <stdint.h>

extern const struct emitter nvtx_emitter;

/* ---- nvtx_tool.c: loads the tool and gets its functions ---- */

/* NULL members: the tool does not want to know. */
struct nvtx_tool {
    int (*push)(const char *name);
    int (*pop)(void);
    uint64_t (*start)(const char *name);
    void (*end)(uint64_t id);
    void (*mark)(const char *name);
};

/* The tool, loaded by the first call. NULL: there is none (said once), or it is being loaded. Keeps
 * errno. */
const struct nvtx_tool *nvtx_tool_get(void);

#endif
