/* label_thread.h - what annotations (NVTX, ITT) need of each thread: how deep it is in each of
 * NVTX's domains, also while nothing is recorded, and the labels it used last.
 *
 * Thread-local storage is scarce where libprof.so is loaded late, so only a pointer is kept there.
 */
#ifndef PROF_LABEL_THREAD_H
#define PROF_LABEL_THREAD_H

#include <stdint.h>

#define LABEL_DOMAINS_MAX 4096u /* numbers 0 (the default domain) to LABEL_DOMAINS_MAX - 1 */
#define LABEL_THREAD_LABELS 64u
#define LABEL_THREAD_TASKS 64u

struct label;

/* A task of ITT that is open. */
struct label_task {
    uint64_t id[3]; /* the program's; all 0: none */
    uint32_t domain;
};

/* Belongs to its thread, and to the signal handlers that run on it. Only what is used is present
 * in memory. */
struct label_thread {
    const struct label *labels[LABEL_THREAD_LABELS]; /* see labels.h */
    uint32_t tasks_open; /* may pass LABEL_THREAD_TASKS: those are not known */
    struct label_task tasks[LABEL_THREAD_TASKS]; /* the innermost last */
    uint64_t marker[3];                          /* id of the latest of ITT's markers */
    int32_t depth[LABEL_DOMAINS_MAX];            /* open ranges per domain of NVTX */
};

extern __thread struct label_thread *label_thread_self
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The calling thread's, made if need be; NULL when there is no memory. Keeps errno. */
struct label_thread *label_thread_create(void);

static inline struct label_thread *label_thread_get(void)
{
    return label_thread_self ? label_thread_self : label_thread_create();
}

/* Before the first call into the others. */
void label_thread_init(void);

#endif
