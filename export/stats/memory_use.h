/* memory_use.h - how much memory was in use, heap by heap, and who owned it at a moment. */
#ifndef PROF_MEMORY_USE_H
#define PROF_MEMORY_USE_H

#include "timeline.h"

/* One heap over the whole trace. allocated_bytes = freed_bytes + live_bytes, always. */
struct memory_heap_use {
    uint64_t allocations, frees;
    uint64_t allocated_bytes, freed_bytes;
    uint64_t live, live_bytes; /* at the end of the trace */
    uint64_t peak_bytes;
    int64_t peak_ns;
    uint32_t peak_event; /* into memory_events[]: the allocation that made the peak; TL_NONE */
};

struct memory_use {
    struct memory_heap_use *heaps; /* parallel to timeline.heaps */
};

/* One pass over the events. False: no memory. */
bool memory_use_init(struct memory_use *use, const struct timeline *timeline);
void memory_use_fini(struct memory_use *use);

/* Whether memory of the heap is on a device ("CUDA Mem") or not ("CPU Mem"): pinned memory and that
 * of the program's own allocators, of which nobody says where it lies. */
bool memory_is_cuda(const struct tl_heap *heap);

/* Allocations that were made by the same code: the same heap, and the same names from the outermost
 * range down to the CUDA call. */
struct memory_site {
    uint32_t heap;
    uint32_t path; /* into memory_sites.paths; TL_NONE: outside of every range */
    uint64_t count, bytes;
    uint32_t memory; /* the earliest of them, into memories[] */
};

struct memory_path {
    uint32_t parent; /* TL_NONE: outermost */
    uint32_t name;   /* into timeline.names */
    uint32_t slice;  /* one that is called so */
};

struct memory_sites {
    TL_ARRAY(struct memory_site) sites; /* most bytes first */
    TL_ARRAY(struct memory_path) paths;
    uint64_t count, bytes; /* of all sites */
};

/* What is live right after event `event` (TL_NONE: at the end), of one heap or, with TL_NONE, of
 * all. Memory of which only the size is known is not among what is live at the end: nobody was
 * going to free it. False: no memory. */
bool memory_sites_init(struct memory_sites *sites, const struct timeline *timeline, uint32_t event,
                       uint32_t heap);
void memory_sites_fini(struct memory_sites *sites);

#endif
