/* bench_calls.h - the calls of a range, and the device operations of each.
 *
 * A call is one instance of a push/pop range, on any thread of any process. Of nested instances the
 * outermost is the call. An instance that did not end is no call.
 *
 * An operation belongs to the call within which it was launched. Launches of other threads of the
 * process, as those of PyTorch's backward pass, belong to the call that is open at that moment. If
 * calls of one process overlap in time, launches of other threads cannot be attributed and belong
 * to none.
 *
 * The operations of a call are in the order of their launches, those of one graph in the order of
 * their nodes. Calls with the same operations in that order have the same sequence. Operations are
 * the same if kind, name, device, grid, block, shared memory and size are.
 */
#ifndef PROF_BENCH_CALLS_H
#define PROF_BENCH_CALLS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bench_call {
    int64_t start_ns, end_ns; /* of the range, on the host */
    uint32_t slice;           /* its first segment */
    uint32_t process;
    uint32_t first, count; /* into operations[] */
    uint32_t unrecorded;   /* launched operations without a device record */
    uint32_t sequence;     /* into sequences[] */
    int64_t first_ns;      /* start of its first operation */
    int64_t last_ns;       /* end of its last operation */
    int64_t busy_ns;       /* while at least one of them ran */
};

struct bench_sequence {
    uint64_t hash;
    uint32_t calls;
    uint32_t example; /* the first call with it, into calls[] */
};

struct bench_calls {
    TL_ARRAY(struct bench_call) calls;         /* by process, then start */
    TL_ARRAY(uint32_t) operations;             /* into timeline.gpus[], by call */
    TL_ARRAY(struct bench_sequence) sequences; /* most calls first */
    uint32_t unfinished;                       /* instances that did not end */
    uint32_t processes;                        /* with calls */
    bool overlap;                              /* calls of one process overlap in time */
    uint64_t other_threads;                    /* operations that other threads launched */
    uint64_t homeless; /* operations without a launch that ran while calls did */
};

/* Calls of the range with exactly this name. Linear, and the sort of calls and their operations.
 * False: no memory; fini is not needed then. */
bool bench_calls_init(struct bench_calls *calls, const struct timeline *timeline,
                      const char *range);
void bench_calls_fini(struct bench_calls *calls);

#ifdef __cplusplus
}
#endif
#endif
