/* kineto_rows.h - the rows of a Chrome trace, (pid, tid), as threads of a timeline.
 *
 * Which pids are processes is known at the end: devices have pids too, and things are said of pids
 * that have no events. What is on rows of a pid that is not a process belongs to the process that
 * has most of the file's events, or of the events of its group of pids, where the file has groups.
 */
#ifndef PROF_KINETO_ROWS_H
#define PROF_KINETO_ROWS_H

#include "array.h"
#include "kineto_event.h"
#include "unordered.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kineto_row {
    uint64_t pid, tid; /* keys: see kineto_rows.c */
    uint32_t slot;     /* of the pid, into pids */
    uint32_t thread;   /* its number */
    bool is_device_like;
    uint64_t events; /* of threads */
};

struct kineto_pid {
    uint64_t key;
    uint64_t events;  /* of threads; 0: no process */
    uint32_t name;    /* id, 0 none */
    uint32_t process; /* its process, or the one of its group */
    uint32_t group;   /* see kineto_facts.h; 0 none */
    bool renumbered;
    uint64_t own;        /* the process's own pid, where it was renumbered */
    bool operates;       /* devices' operations are on its rows */
    bool is_device_like; /* its name or labels say that it is a device */
};

/* By group: the owner of rows without thread events. */
struct kineto_group_rows {
    uint32_t first; /* of its pids, 1 + index; 0: none was seen */
    uint32_t main;  /* the process with most of its events, or EVENT_NO_PROCESS */
    bool operates;
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
    struct unordered *events;
    KINETO_ARRAY(struct kineto_row) rows;
    KINETO_ARRAY(struct kineto_pid) pids;
    KINETO_ARRAY(struct kineto_row_name) names;
    KINETO_ARRAY(struct kineto_group_rows) groups; /* by group; 0 is unused */
    KINETO_ARRAY(uint32_t) process_groups;         /* by process */
    uint32_t main;                   /* the process that has most of the events; UINT32_MAX none */
    uint32_t *row_slots, *pid_slots; /* open addressing: index + 1, 0 empty */
    uint32_t row_slot_count, pid_slot_count;
    uint32_t last;         /* row that was found last */
    uint32_t surplus_pids; /* beyond KINETO_PROCESSES_MAX: theirs is in the largest process */
    bool is_libprofs;      /* libprof wrote the file; set before kineto_rows_finish() */
    bool failed;
};

/* Zeroed but for `events` is empty. */
void kineto_rows_fini(struct kineto_rows *rows);

/* The thread for the row; 0: no memory. `events`: how many thread events this stands for, 0 if it
 * is not a thread's. */
uint32_t kineto_rows_thread(struct kineto_rows *rows, const struct kineto_id *pid,
                            const struct kineto_id *tid, uint64_t events);

void kineto_rows_name_process(struct kineto_rows *rows, const struct kineto_id *pid, uint32_t name);
void kineto_rows_name_thread(struct kineto_rows *rows, const struct kineto_id *pid,
                             const struct kineto_id *tid, uint32_t name);

/* A name or label of the pid: "NPU" and the like make its rows look like a device's. */
void kineto_rows_describe(struct kineto_rows *rows, const struct kineto_id *pid, struct text text);
/* The same for the category of an event on the row. */
void kineto_rows_categorize(struct kineto_rows *rows, uint32_t thread, struct text category);
/* After kineto_rows_finish(): says how many rows of threads look like a device's. */
void kineto_rows_note_devices(const struct kineto_rows *rows);

/* Each process is listed with all of its names again. Beyond this number, processes are merged. */
#define KINETO_PROCESSES_MAX 1000u

/* Index of the pid, for kineto_rows_of_thread() and kineto_rows_of_device(). */
uint32_t kineto_rows_pid(struct kineto_rows *rows, const struct kineto_id *pid);
/* The same for a pid whose rows hold device operations. */
uint32_t kineto_rows_device(struct kineto_rows *rows, const struct kineto_id *pid);
/* Any number that is the same for the same tid. */
uint64_t kineto_rows_tid(struct kineto_rows *rows, const struct kineto_id *tid);
/* Puts the pid, as it is in the file without quotes, into a group; `own`: what it was before the
 * file was merged. The first one stands for the group where no thread does. */
void kineto_rows_group(struct kineto_rows *rows, struct text pid, uint32_t group,
                       const struct kineto_id *own);
/* After kineto_rows_finish(): the process of the threads' events on its rows. */
uint32_t kineto_rows_of_thread(const struct kineto_rows *rows, uint32_t pid);
/* After kineto_rows_finish(), too: the process and group that an operation on its rows gets where
 * nothing else assigns it to any. */
struct event_row kineto_rows_of_device(const struct kineto_rows *rows, uint32_t pid);

/* Adds the processes to the events, puts threads into them, names both. Returns which process has
 * most of the events; `needed`: at least one process is. UINT32_MAX: there is none. */
uint32_t kineto_rows_finish(struct kineto_rows *rows, bool needed);

/* ---- arrows from launches to operations (ph s, t, f; cat ac2g) ----
 *
 * They distinguish processes that share correlation ids.
 *
 * The ends of an arrow have one id, and each is at a time on a row. An arrow tells where an
 * operation comes from when all of its ends on rows of threads are of one process. Kineto's arrows
 * have the correlation id for an id, so in merged traces they can be just as ambiguous; such arrows
 * are ignored.
 */

/* A time on a row. */
struct kineto_place {
    int64_t time_ns;
    uint32_t pid; /* see kineto_rows_pid() */
    uint64_t tid; /* any number that is the same for the same row */
};

struct kineto_flow_end {
    uint64_t id;
    struct kineto_place place;
};

struct kineto_flows {
    KINETO_ARRAY(struct kineto_flow_end) ends;
    KINETO_ARRAY(struct kineto_place) operations; /* in the order in which they are appended */
};

/* Zeroed is empty. */
void kineto_flows_fini(struct kineto_flows *flows);

/* Whether the event is an end of an arrow from a launch to an operation. */
bool kineto_flows_is(const struct kineto_event *event);
/* Adds such an end; the caller supplies its place. False: no memory. */
bool kineto_flows_add(struct kineto_flows *flows, const struct kineto_event *event,
                      struct kineto_place place);
/* Notes where the next operation is. False: no memory. */
bool kineto_flows_operation(struct kineto_flows *flows, struct kineto_place place);

/* After kineto_rows_finish(): by operation the process from which an arrow leads to it, or
 * EVENT_NO_PROCESS. NULL: no memory. The caller frees it. */
uint32_t *kineto_flows_processes(struct kineto_flows *flows, const struct kineto_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
