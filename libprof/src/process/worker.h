/* worker.h - a thread of ours that does jobs for others, who wait for a limited time, and duties of
 * its own in between.
 *
 * Calls into CUPTI have been seen to hang, and so has whatever a file system does: a job that never
 * ends costs what it would have done, never the program's exit. The thread has all signals blocked,
 * so the program's handlers do not run on it, and is left alone once it hangs.
 *
 *     NONE --worker_begin--> RUNS --worker_end--> NONE     and so on, until worker_end() closes it
 */
#ifndef PROF_WORKER_H
#define PROF_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*worker_job)(void);

/* What duties return instead of a time: the thread ends, unless there is a job by then. */
#define WORKER_DONE UINT64_MAX

struct worker {
    /* Constant. All but the first two may be NULL; what they point to runs on the thread. */
    const char *name; /* the thread's */
    size_t stack_bytes;
    void (*run)(worker_job job); /* runs a job */
    void (*begins)(void);        /* first */
    uint64_t (*duties)(
        void);          /* at once and between jobs; returns nanoseconds until they are due again */
    void (*ends)(void); /* last, before `leave`; worker_end() waits for it, too */
    void (*leave)(void); /* instead of own_thread_leave() */
    bool parks;          /* workers_park() ends it, too; at most WORKERS_PARKABLE do */
    bool serves;         /* the others ask it: it parks after them, and resumes before */
    void (*moves)(
        bool
            away); /* on the thread that parks it, before it ends and after another one has begun */

    pthread_mutex_t lock;   /* protects what follows; nothing nests inside */
    pthread_cond_t changed; /* CLOCK_MONOTONIC; anything below */
    bool can_wait;          /* `changed` is initialised */
    /* The thread exists, and has not ended its work; worker_runs() reads without the lock */
    bool runs;
    bool is_ending;     /* it is to end when it has no job */
    bool is_closed;     /* no thread begins any more */
    worker_job current; /* NULL: it does no job */
    worker_job next;    /* not begun yet */
    uint32_t next_waiters;
    uint32_t queued;   /* threads whose jobs wait until `next` is free */
    uint64_t finished; /* jobs so far */
    uint64_t given_up; /* number of the job that a thread has waited for in vain */
    bool is_listed;    /* among those that park */
    /* 1: worker_resume() is to begin another thread; stored by the thread that parks and
     * resumes. */
    uint32_t parked;
};

#define WORKERS_PARKABLE 5u

#define WORKER_INIT(...)                               \
    {                                                  \
        __VA_ARGS__, .lock = PTHREAD_MUTEX_INITIALIZER \
    }

enum worker_result {
    WORKER_NONE,      /* there is no thread */
    WORKER_NOT_BEGUN, /* within the time that there is for that: it will not be done */
    WORKER_TIMED_OUT, /* not done within the deadline */
    WORKER_FINISHED,
};

/* Starts the thread unless it runs. Returns 0, or an errno value where there is none. */
int worker_begin(struct worker *worker);

bool worker_runs(const struct worker *worker);

/* Has the thread do the job, and waits for at most `deadline_ms`; WORKER_TIMED_OUT at once if the
 * thread is busy with a job that has timed out. A caller who wants the job that is next anyway
 * shares it. Threads: any but the worker's. */
enum worker_result worker_run(struct worker *worker, worker_job job, unsigned deadline_ms);

/* The same, with less time to begin: where the thread does not get to run. */
enum worker_result worker_run_soon(struct worker *worker, worker_job job, unsigned begin_ms,
                                   unsigned deadline_ms);

/* The same without waiting: begun if the thread is idle, else not at all. */
bool worker_post(struct worker *worker, worker_job job);

/* Has the thread end after the jobs that it has, and waits for at most `deadline_ms`. Returns
 * whether it has ended its work (true also where there was none); if not, it goes on, unless the
 * worker is closed: then no thread begins any more, and this one ends whenever it can. */
bool worker_end(struct worker *worker, unsigned deadline_ms, bool close);

/* Ends the thread after the jobs that it has, and waits for at most `deadline_ms`. False: it goes
 * on, or there was none. Any thread, but not in a signal handler. */
bool worker_park(struct worker *worker, unsigned deadline_ms);

/* Begins another thread where one was parked; not once the worker is closed, nor in a forked
 * child. */
void worker_resume(struct worker *worker);

/* The same for all workers that park, and how many of them run: for what the kernel and the
 * interpreter do otherwise while a process has several threads. `deadline_ms` is for each. Where
 * one does not end, nor do those that serve it. False: none ended. */
unsigned workers_running(void);
/* Waits, for at most `deadline_ms`, until no thread of ours is beginning or ending: then
 * workers_running() is the number of those that exist. */
void workers_settle(unsigned deadline_ms);
bool workers_park(unsigned deadline_ms);
void workers_resume(void);

/* In a forked child: the thread does not exist there, and another one may begin. */
void worker_fork_child(struct worker *worker);

#endif
