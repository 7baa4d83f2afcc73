/* rank_recorder.h - records a rank with the recorder's own code, at times that the caller sets.
 *
 * make_job links the recorder. What it reads of the system is replaced (CMakeLists.txt wraps these functions): the clocks show
 * what rank_recorder_at() set, the process has the rank's number, and no writer thread begins, so the threads that record extend
 * the file themselves. Ranges and steps are recorded with prof.h; here is what the collectors do in a real program.
 *
 * The recorder's state is one per process: each rank is recorded by a forked process of its own.
 */
#ifndef RANK_RECORDER_H
#define RANK_RECORDER_H

#include "prof/format.h"

#include <stdbool.h>

struct rank_recorder_options {
    const char *path, *host;
    uint32_t pid;
    int32_t rank, local_rank, world_size;
    uint64_t start_realtime_ns;
    bool summary;           /* sum up at the end, as PROF_SUMMARY does */
    int64_t clock_error_ns; /* that the kernel states; 0: not synchronised; negative: unknown */
};

/* Makes the file; time 0. Ends the process where it cannot be made. */
void rank_recorder_begin(const struct rank_recorder_options *options);

/* What the clocks show from here on, in nanoseconds since the beginning. */
void rank_recorder_at(int64_t time_ns);

/* Runs the function on a thread of its own; `internal`: one of libprof's. */
void rank_recorder_thread(void (*run)(void *argument), void *argument, bool internal);

void rank_recorder_device(uint32_t device, const char *name, const uint32_t *streams,
                          unsigned stream_count);
void rank_recorder_api_name(uint32_t cbid, const char *name);
void rank_recorder_enter(struct prof_rec_api_enter call);
void rank_recorder_exit(uint32_t correlation);

/* A node of a CUDA graph; `original`: the one that it is a clone of, 0: it is captured by the call that is open. */
void rank_recorder_graph_node(uint64_t node, uint64_t original, uint32_t graph);
/* A graph of so many kernels was instantiated. */
void rank_recorder_graph(uint32_t graph, uint32_t source, uint32_t kernels);

/* A range of NVTX's domain "NCCL", with the attributes of NCCL's own. `peer`: of a send or receive, else -1. */
struct rank_recorder_nccl {
    const char *name;
    uint64_t communicator, bytes;
    int32_t peer;
    /* As NCCL's profiler has them: */
    uint64_t group; /* 0: a call alone */
    bool captured;
};
void rank_recorder_nccl_push(const struct rank_recorder_nccl *what);
/* The range in which NCCL launches the kernel of a group. */
void rank_recorder_nccl_push_launch(uint64_t group);
void rank_recorder_nccl_pop(void);

/* A kernel that a device ran from start_ns to end_ns; kernel.graph_node: 0 unless it is of a graph. */
void rank_recorder_kernel(struct prof_rec_kernel kernel, const char *name, uint32_t correlation,
                          int64_t start_ns, int64_t end_ns);

/* 16 MiB from the host. */
void rank_recorder_copy(uint16_t device, uint32_t stream, uint32_t correlation, int64_t start_ns,
                        int64_t end_ns);

/* Ends the recording now; `killed`: as SIGKILL would. */
void rank_recorder_end(bool killed);

#endif
