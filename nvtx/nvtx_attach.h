/* nvtx_attach.h - installs libprof's functions in a program's NVTX slots, and forwards to another
 * tool. */
#ifndef PROF_NVTX_ATTACH_H
#define PROF_NVTX_ATTACH_H

#include "annotate.h"
#include "nvtx_abi.h"
#include "nvtx_abi_payload.h"

#include <stdbool.h>
#include <stdint.h>

/* Fills the slots that the tables give out, as far as they reach. False: there are no tables, or
 * none of a module that ranges need. Any thread, any number of times. */
bool nvtx_attach(nvtx_get_export_table get);

/* The same for an extension of NVTX. False: none that is known. */
bool nvtx_attach_extension(const struct nvtx_extension *extension);

/* An object of PyTorch's class ProfilerStubs, through which PyTorch annotates operators. In builds
 * with CUDA, PyTorch's own object calls NVTX; this one calls libprof. In the C++ ABI it is a
 * pointer to a table of functions, in the order in which the class declares them.
 * _torch_operators.py checks that order before it passes this object to PyTorch. */
__attribute__((visibility("default"))) const void *libprof_torch_stubs(void);

/* ---- nvtx_emit.c: out, prof.h's ranges to another tool ---- */

/* Forwards prof.h's ranges to the NVTX tool that NVTX_INJECTION64_PATH names.
 *
 * libprof is an NVTX client here and loads the tool as NVTX does, at the first range. It never
 * loads itself or a copy of itself.
 *
 * Forwards exactly what is recorded: a range whose push was not forwarded gets no pop, and ranges
 * that ended because recording stopped are closed at the thread's next range.
 */

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
