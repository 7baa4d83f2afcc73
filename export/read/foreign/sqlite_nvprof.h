/* sqlite_nvprof.h - what the parts of the reader of nvprof's databases share. */
#ifndef PROF_SQLITE_NVPROF_H
#define PROF_SQLITE_NVPROF_H

#include "sqlite_trace.h"

/* CUpti_ActivityObjectKind */
enum { NVPROF_PROCESS = 1, NVPROF_THREAD = 2 };

/* An objectId: pid and tid, or device, context and stream. */
void nvprof_object(struct sqlite_rows *rows, int column, uint32_t object[3]);

/* A thread's id in the whole file. */
int64_t nvprof_thread_id(uint32_t pid, uint32_t tid);

/* Ranges and marks of NVTX. */
void nvprof_read_markers(struct sqlite_trace *trace);

/* Devices, contexts, streams and names; when all processes are known. */
void nvprof_read_facts(struct sqlite_trace *trace);

#endif
