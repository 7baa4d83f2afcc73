/* call_names.h - what a call of CUDA's or HIP's API does, by its name. Only names tell in other
 * profilers' files. */
#ifndef PROF_CALL_NAMES_H
#define PROF_CALL_NAMES_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum call_kind {
    CALL_OTHER,
    CALL_LAUNCH,      /* of a kernel: a device record belongs to it */
    CALL_COPY,        /* or a set: one of no bytes, or from host to host, may have no record */
    CALL_GRAPH,       /* a launch of a graph */
    CALL_CAPTURE,     /* begins to capture a stream */
    CALL_CAPTURE_END, /* ends that */
    CALL_ALLOCATE,
    CALL_FREE,
};

enum call_kind call_name_kind(struct text name);

#ifdef __cplusplus
}
#endif
#endif
