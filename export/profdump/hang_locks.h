/* hang_locks.h - deadlocks between the threads of a process, from the text that PROF_HANG wrote. */
#ifndef PROF_HANG_LOCKS_H
#define PROF_HANG_LOCKS_H

#include "array.h"
#include "timeline.h"

/* A thread that waits for a mutex. */
struct hang_wait {
    uint32_t tid;
    uint32_t owner;    /* the thread that holds the mutex */
    uint64_t mutex;    /* its address */
    uint64_t holds;    /* in a deadlock: the mutex that the thread before waits for; 0: in none */
    struct text name;  /* in the text */
    uint32_t deadlock; /* its number, from 1; 0: in none */
};

/* Of one process. The waits of a deadlock are neighbours: each one's mutex is held by the next, and
 * the last one's by the first. One wait alone: the thread holds the mutex itself. */
struct hang_locks {
    TL_ARRAY(struct hang_wait) waits; /* of all deadlocks */
    uint32_t deadlocks;
};

/* The deadlocks of the last hang that `text` tells of, which must outlive them. A mutex that a
 * thread holds for a reason other than a wait of its own is in none. False: no memory. */
bool hang_locks_read(struct hang_locks *locks, const char *text);

void hang_locks_fini(struct hang_locks *locks);

#endif
