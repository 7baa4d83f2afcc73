/* entry.h - the functions of libprof.so that CUDA, NVTX and ITT call. */
#ifndef PROF_ENTRY_H
#define PROF_ENTRY_H

#include "attach_request.h"
#include "itt.h"
#include "nvtx_attach.h"

/* Named by CUDA_INJECTION64_PATH's contract. May be called more than once. */
__attribute__((visibility("default"))) int InitializeInjection(void);

/* Named by NVTX_INJECTION64_PATH's contract: for clients of version 3 (and late ones of version 2),
 * of version 2, and for extensions of NVTX. Called once per shared object that uses NVTX, from any
 * thread, also before our constructor. Return 1: attached, 0: the object's NVTX calls shall do
 * nothing. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_get_export_table get);
__attribute__((visibility("default"))) int InitializeInjectionNvtx(nvtx_get_export_table get);
__attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(const struct nvtx_extension *extension);

/* Called by `profrun --attach` on a thread of its own, once libprof.so is loaded: starts or resumes
 * recording as the request says. Answers in it, and releases its memory where it says so. */
__attribute__((visibility("default"))) void libprof_attach(struct attach_request *request);

/* Named by INTEL_LIBITTNOTIFY64's contract: once per shared object that uses ITT, from any thread,
 * with the object's lock on its calls held, also before our constructor. */
__attribute__((visibility("default"))) void __itt_api_init(struct itt_global *global,
                                                           int32_t groups);

#endif
