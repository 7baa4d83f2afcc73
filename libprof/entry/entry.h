/* entry.h - what CUDA calls in libprof.so. */
#ifndef PROF_ENTRY_H
#define PROF_ENTRY_H

/* Named by CUDA_INJECTION64_PATH's contract. May be called more than once. */
__attribute__((visibility("default"))) int InitializeInjection(void);

#endif
