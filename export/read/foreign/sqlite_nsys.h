/* sqlite_nsys.h - what the parts of the reader of nsys's databases share. */
#ifndef PROF_SQLITE_NSYS_H
#define PROF_SQLITE_NSYS_H

#include "sqlite_trace.h"

/* A serialized GlobalId: hardware and virtual machine, 24 bits of pid, 24 bits of tid. */
static inline uint32_t nsys_pid(int64_t global)
{
    return (uint32_t)(global >> 24 & 0xffffff);
}

/* The process and the thread of a globalTid; a new one when it was not seen yet. */
uint32_t nsys_process(struct sqlite_trace *trace, int64_t global);
uint32_t nsys_thread(struct sqlite_trace *trace, int64_t global);

/* NVTX_EVENTS. */
void nsys_read_nvtx(struct sqlite_trace *trace);

/* Allocated memory; libprof's tables of allocators and of overhead. */
void nsys_read_memory(struct sqlite_trace *trace);

/* Devices, contexts, streams and names of processes and threads; when all of these are known. Returns
 * when the session began, since the epoch; 0 unknown. */
uint64_t nsys_read_facts(struct sqlite_trace *trace);

#endif
