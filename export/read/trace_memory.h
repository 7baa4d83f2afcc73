/* trace_memory.h - records of memory: see trace_memory.c. Private to this folder. */
#ifndef PROF_TRACE_MEMORY_H
#define PROF_TRACE_MEMORY_H

#include "trace_walk.h"

/* MEMORY, MEMORY_POOL, UNIFIED_MEMORY. */
void walk_device_memory(struct walk *walk, const struct record *record);

/* ALLOC, FREE: what the thread did at `time_ns`. */
void walk_allocation(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record);

/* META ALLOCATOR. */
void walk_allocator(struct walk *walk, const struct record *record);

#endif
