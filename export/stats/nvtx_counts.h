/* nvtx_counts.h - how much came through NVTX: by domain, and by category. */
#ifndef PROF_NVTX_COUNTS_H
#define PROF_NVTX_COUNTS_H

#include "timeline.h"

struct nvtx_count {
    uint64_t ranges;     /* push/pop; one that goes on in pieces is one */
    uint64_t marks;      /* those with a label: see tl_async.label */
    uint64_t begin_ends; /* likewise */
};

struct nvtx_counts {
    struct nvtx_count *domains;    /* by domains[] */
    struct nvtx_count *categories; /* by categories[] */
    struct nvtx_count all;
};

/* Returns false when memory is short; fini is not needed then. */
bool nvtx_counts_init(struct nvtx_counts *counts, const struct timeline *timeline);
void nvtx_counts_fini(struct nvtx_counts *counts);

#endif
