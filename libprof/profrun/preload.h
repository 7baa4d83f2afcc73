/* preload.h - the environment that gets libprof.so (and the simulated CUDA) into the program. */
#ifndef PROFRUN_PRELOAD_H
#define PROFRUN_PRELOAD_H

#include <stdbool.h>

struct preload {
    char *library; /* libprof.so, absolute; owned */
    char *sim; /* absolute path of the simulated CUDA's directory, or NULL without --sim; owned */
};

/* Finds the files beside profrun itself (or where PROF_LIBRARY says). Returns 0, or the status to
 * exit with, having said why: not found, or a path that LD_PRELOAD cannot express. preload_fini()
 * accepts what a failed call left. */
int preload_init(struct preload *preload, bool want_sim);
void preload_fini(struct preload *preload);

/* Changes this process' environment, which the program inherits. Existing LD_PRELOAD entries are
 * kept before ours, LD_LIBRARY_PATH entries behind, CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH
 * and INTEL_LIBITTNOTIFY64 as they are. False: out of memory. preload_set_sim() comes first: its
 * libraries stand before libprof's. */
bool preload_set_library(const struct preload *preload);
bool preload_set_sim(const struct preload *preload, const char *layout);

#endif
