/* hang_locks.h - deadlocks between the threads of a process, from the text that PROF_HANG wrote. */
#ifndef PROF_HANG_LOCKS_H
#define PROF_HANG_LOCKS_H

#include "array.h"
#include "timeline.h"

/* A thread that waits for a mutex. */
struct hang_wait {
    uint32_t tid;
    uint32_t owner; /* the thread that holds the mutex */
    uint64_t mutex; /* its address */
    uint64_t holds; /* in a deadlock: the mutex that the previous thread waits for; else 0 */
    bool is_rlock;  /* the mutex is an RLock of Python; the one that it holds is one */
    bool holds_rlock;
    struct text name;  /* of the thread; points into the text */
    uint32_t deadlock; /* 1-based number of its deadlock; 0: in none */
};

/* Deadlocks of one process. The waits of a deadlock are adjacent: the next thread holds the mutex,
 * and the first thread holds the last one's. A deadlock of one wait: the thread waits for a mutex
 * that it holds itself. */
struct hang_locks {
    TL_ARRAY(struct hang_wait) waits; /* of all deadlocks */
    uint32_t deadlocks;
};

/* Finds the deadlocks of the last hang in `text`, which must outlive them. A mutex whose owner does
 * not itself wait for a mutex is not in a deadlock. False: no memory. */
bool hang_locks_read(struct hang_locks *locks, const char *text);

void hang_locks_fini(struct hang_locks *locks);

#endif
