/* attach_threads.h - which thread of the process may be stopped, and when.
 *
 * The kernel makes most system calls again that a stop has cut short. But send(2) with a timeout
 * fails with EINTR then, write(2) to a full pipe or socket returns a short count, and the timeout
 * of epoll_wait(2) starts again. So only a thread is stopped that computes, or waits where a stop
 * leaves no trace. A call that is not in the list here is left alone.
 */
#ifndef PROFRUN_ATTACH_THREADS_H
#define PROFRUN_ATTACH_THREADS_H

#include "attach_process.h"

enum { ATTACH_RUNS = -2 }; /* in the place of a call's number */

enum attach_wait {
    ATTACH_WAIT_NO,      /* leave it alone */
    ATTACH_WAIT_TIMED,   /* its timeout starts again: only where it has just begun */
    ATTACH_WAIT_ENDLESS, /* the kernel makes it again as it was */
    ATTACH_WAIT_FUTEX,   /* likewise; without a timeout */
};

/* A thread as /proc shows it. */
struct attach_thread {
    pid_t number;
    char state;
    long call; /* of the system call that it is in; -1: none; ATTACH_RUNS */
    uint64_t arguments[6], stack_pointer;
    uint64_t waits, switches; /* how often it has given up the processor; and lost it */
    /* from watching */
    uint64_t still_ns; /* since when it has not run */
    uint64_t busy_ns;  /* since when it has not waited */
    bool just_begun;   /* its wait began after the last look */
    unsigned attempts;
};

struct attach_watch {
    struct attach_process *process;
    struct attach_thread *threads; /* in ascending order of their numbers */
    size_t count;
    uint64_t begin_ns, looked_ns;
};

void attach_watch_begin(struct attach_watch *watch, struct attach_process *process);
void attach_watch_end(struct attach_watch *watch);

/* Waits until a thread may be stopped, and returns it. NULL: none is within 10 s, or the process
 * has ended; `reason` says which. Valid until the next call. */
struct attach_thread *attach_watch_next(struct attach_watch *watch);

/* Looks again. Whether the thread is still where it was. */
bool attach_thread_is_same(const struct attach_process *process,
                           const struct attach_thread *thread);

/* What a stop does to a system call. */
enum attach_wait attach_thread_wait(const struct attach_process *process, pid_t thread, long call,
                                    const uint64_t arguments[6], uint64_t stack_pointer);

#endif
