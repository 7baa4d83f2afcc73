/* nvtx_thread.h - what NVTX needs of each thread: how deep it is in each domain, also while nothing
 * is recorded, and the event names it used last.
 *
 * Thread-local storage is scarce where libprof.so is loaded late, so only a pointer is kept there.
 */
#ifndef PROF_NVTX_THREAD_H
#define PROF_NVTX_THREAD_H

#include <stdint.h>

#define NVTX_DOMAINS_MAX 4096u /* numbers 0 (the default domain) to NVTX_DOMAINS_MAX - 1 */
#define NVTX_THREAD_EVENTS 64u

struct nvtx_event;

/* Belongs to its thread, and to the signal handlers that run on it. Only what is used is present
 * in memory. */
struct nvtx_thread {
    const struct nvtx_event *events[NVTX_THREAD_EVENTS]; /* see nvtx_events.h */
    int32_t depth[NVTX_DOMAINS_MAX];                     /* open ranges per domain */
};

extern __thread struct nvtx_thread *nvtx_thread_self
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The calling thread's, made if need be; NULL when there is no memory. Keeps errno. */
struct nvtx_thread *nvtx_thread_make(void);

static inline struct nvtx_thread *nvtx_thread_get(void)
{
    return nvtx_thread_self ? nvtx_thread_self : nvtx_thread_make();
}

/* Before the first call into the others. */
void nvtx_thread_init(void);

#endif
