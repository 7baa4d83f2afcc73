/* kineto_rows.h - the rows of a Chrome trace, (pid, tid), as threads of an event_store.
 *
 * Which pids are processes is known at the end: devices have pids too, and things are said of pids
 * that have no events. What is on rows of a pid that is no process belongs to the process that has
 * most of the file's events.
 */
#ifndef PROF_KINETO_ROWS_H
#define PROF_KINETO_ROWS_H

#include "array.h"
#include "event_store.h"
#include "kineto_event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kineto_row {
    uint64_t pid, tid; /* keys: see kineto_rows.c */
    uint32_t slot;     /* of the pid, into pids */
    uint32_t thread;   /* of the store */
};

struct kineto_pid {
    uint64_t key;
    uint64_t events; /* of threads; 0: no process */
    uint32_t name;   /* of the store, 0 none */
    uint32_t process;
};

/* A row was given a name, perhaps one that has no events. */
struct kineto_row_name {
    uint64_t pid, tid;
    uint32_t name;
};

#define KINETO_ARRAY(type)        \
    struct {                      \
        type *at;                 \
        uint32_t count, capacity; \
    }

struct kineto_rows {
    struct event_store *store;
    KINETO_ARRAY(struct kineto_row) rows;
    KINETO_ARRAY(struct kineto_pid) pids;
    KINETO_ARRAY(struct kineto_row_name) names;
    uint32_t *row_slots, *pid_slots; /* open addressing: index + 1, 0 empty */
    uint32_t row_slot_count, pid_slot_count;
    uint32_t last;         /* row that was found last */
    uint32_t surplus_pids; /* beyond KINETO_PROCESSES_MAX: theirs is in the largest process */
    bool failed;
};

/* Zeroed but for `store` is empty. */
void kineto_rows_fini(struct kineto_rows *rows);

/* The thread of the store for the row; 0: no memory. `events`: how many events of a thread this
 * stands for, 0 when it is none of a thread. */
uint32_t kineto_rows_thread(struct kineto_rows *rows, const struct kineto_id *pid,
                            const struct kineto_id *tid, uint64_t events);

void kineto_rows_name_process(struct kineto_rows *rows, const struct kineto_id *pid, uint32_t name);
void kineto_rows_name_thread(struct kineto_rows *rows, const struct kineto_id *pid,
                             const struct kineto_id *tid, uint32_t name);

/* Each process is told by itself, and its every name again: more than these are one. */
#define KINETO_PROCESSES_MAX 1000u

/* Index of the pid, for kineto_rows_process(). */
uint32_t kineto_rows_pid(struct kineto_rows *rows, const struct kineto_id *pid);
/* After kineto_rows_finish(): the process with that pid; EVENT_NO_PROCESS: it is none. */
uint32_t kineto_rows_process(const struct kineto_rows *rows, uint32_t pid);

/* Adds the processes to the store, puts threads into them, names both. Returns which process has
 * most of the events; `needed`: at least one process is. UINT32_MAX: there is none. */
uint32_t kineto_rows_finish(struct kineto_rows *rows, bool needed);

#ifdef __cplusplus
}
#endif
#endif
