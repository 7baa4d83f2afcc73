/* event_store.h - what a foreign file holds, gathered in any order and appended in that of a builder.
 *
 * A reader adds processes, threads, names, and complete events as it finds them; then the store appends
 * one process after the other to a timeline: names, facts, then each thread's slices as a tree with
 * its instants in between, then begin/end ranges, then devices.
 *
 * Slices of a thread that overlap without one holding the other are cut where the outer ends and go
 * on beside it (SLICE_CONTINUED), so that no time of them is lost:
 *
 *     A |---------|            A |---------|
 *     B      |--------|   ->   B      |----|---|
 *
 * Times are nanoseconds of one clock for the whole file. Adding returns the numbers of names and
 * threads. Memory that runs out is remembered and told by event_store_failed(). Threads: one.
 */
#ifndef PROF_EVENT_STORE_H
#define PROF_EVENT_STORE_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

struct event_store;

/* NULL: no memory. event_store_destroy() accepts NULL. */
struct event_store *event_store_create(void);
void event_store_destroy(struct event_store *store);
bool event_store_failed(const struct event_store *store);

/* Number of the text, from 1; equal texts have equal numbers. The bytes are copied. 0: no memory. */
uint32_t event_store_name(struct event_store *store, struct text text);
/* A copy of the text that lives as long as the store. */
struct text event_store_keep(struct event_store *store, struct text text);
/* The text of a number that event_store_name() returned. */
struct text event_store_text(const struct event_store *store, uint32_t name);

/* What NVTX says of a range, a mark or a begin/end range beside its name. */
struct event_label {
    uint32_t name;     /* 0 without one */
    uint32_t domain;   /* of event_store_domain(); 0 the default domain */
    uint32_t category; /* as the program numbers it; 0 none */
    uint32_t color;    /* 0xAARRGGBB, where it is given */
    bool colored;
};

/* Number that can stand where a name does in slices that are ranges, in marks and in begin/end
 * ranges: what has a label came through NVTX. Equal labels have equal numbers. 0: no memory. */
uint32_t event_store_label(struct event_store *store, const struct event_label *label);
/* Number of a new domain of the process, from 1 in the whole file. It may be named later. */
uint32_t event_store_domain(struct event_store *store, uint32_t process);
void event_store_name_domain(struct event_store *store, uint32_t domain, uint32_t name);
/* For files that tell late whose a domain is. */
void event_store_move_domain(struct event_store *store, uint32_t domain, uint32_t process);
void event_store_category(struct event_store *store, uint32_t process, uint32_t domain,
                          uint32_t category, uint32_t name);

/* Number of the process, from 0. The process's texts must live as long as the store. It may be
 * written to until the store is told; the pointer is good until the next process is added. */
uint32_t event_store_process(struct event_store *store);
struct tl_process_info *event_store_process_at(struct event_store *store, uint32_t process);
uint32_t event_store_process_count(const struct event_store *store);

/* When everything is added: of two processes one of which has pid 0, which no program has, only the other
 * one is left, and everything is its. */
void event_store_join_pid_0(struct event_store *store);

/* Number of the thread, from 1, in the whole file. A thread may be named later, too. */
uint32_t event_store_thread(struct event_store *store, uint32_t process, uint32_t tid);
void event_store_name_thread(struct event_store *store, uint32_t thread, struct text name);
uint32_t event_store_thread_process(const struct event_store *store, uint32_t thread);
/* For files that tell late whose a thread is. */
void event_store_move_thread(struct event_store *store, uint32_t thread, uint32_t process);

/* Slices: in any order; the attributes are copied, `continues` and SLICE_CONTINUED are the
 * store's own. One that ends before it begins is taken as empty, and counted by a warning. */
void event_store_slice(struct event_store *store, const struct complete_slice *slice);
void event_store_mark(struct event_store *store, uint32_t thread, int64_t time_ns, uint32_t name);
void event_store_counter(struct event_store *store, uint32_t thread, int64_t time_ns, uint32_t name,
                         double value);
/* Memory was allocated or released: `thread` 0 before the file's first event, in `process`, which counts
 * only then. */
void event_store_memory(struct event_store *store, uint32_t process, uint32_t thread,
                        int64_t time_ns, const struct memory_op *record);
/* The same by a call of the process, which the id names; 0: nothing names it. */
void event_store_memory_called(struct event_store *store, uint32_t process, uint32_t correlation,
                               int64_t time_ns, const struct memory_op *record);
/* Number of an allocator of the process's own, from 1 in the whole file; names may be equal. */
uint32_t event_store_allocator(struct event_store *store, uint32_t process, uint32_t name);
/* The same by a thread of the allocator's process, of which address, bytes and operation count. */
void event_store_allocate(struct event_store *store, uint32_t thread, int64_t time_ns,
                          uint32_t allocator, const struct memory_op *record);
/* A begin/end range, which need not nest. `id` is unique in its process. `end_thread` 0: the file has
 * no end of it. */
void event_store_range(struct event_store *store, uint32_t thread, uint32_t end_thread,
                       int64_t start_ns, int64_t end_ns, uint32_t name, uint64_t id);

/* Whether the slice, which counts from 0, ends where `next` begins and is the same thing. */
bool event_store_goes_on(const struct event_store *store, uint32_t slice,
                         const struct complete_slice *next);
/* The slice lasts until then, where that is later. */
void event_store_extend(struct event_store *store, uint32_t slice, int64_t end_ns, uint8_t flags);
uint32_t event_store_slice_count(const struct event_store *store);
uint32_t event_store_range_count(const struct event_store *store);

/* One more attribute of a slice that was added; `slice` counts them from 0. */
void event_store_slice_attr(struct event_store *store, uint32_t slice,
                            const struct event_attr *attr);

/* Devices. `gpu->ambiguous` stays true where the file itself says so. `gpu->origin` is told as event_store_resolve() finds it: here it is the id by which the
 * operation names the range that it comes from, which is the `correlation` of that slice; 0 none. */
void event_store_gpu(struct event_store *store, uint32_t process, const struct read_gpu *gpu);
#define EVENT_NO_PROCESS UINT32_MAX

/* A row of a device, for files that do not say whose an operation is: until event_store_resolve(), its
 * `process` is the number of its row. */
struct event_row {
    uint32_t process; /* that the row itself names, or EVENT_NO_PROCESS */
    uint32_t group;   /* its operations are of processes of this group; 0 of any */
    uint32_t main;    /* the process of operations that nothing else tells of */
};

struct event_rows {
    const struct event_row *at;
    uint32_t count;
    const uint32_t *groups; /* by process */
    const uint32_t *arrows; /* by operation: the process from which an arrow leads to it, or
                               EVENT_NO_PROCESS; NULL: there are no arrows */
};

/* When everything is added, for files that tell of an operation's call or origin by its id alone. An
 * operation belongs to the process that its row or an arrow names, else to that of its call, else of its
 * origin, else of the others of its row. An origin counts only where there is no call. An operation whose
 * ids calls of several processes have, and of which nothing tells which one is meant, is `ambiguous`. */
void event_store_resolve(struct event_store *store, const struct event_rows *rows);
void event_store_device(struct event_store *store, uint32_t process,
                        const struct tl_device_info *device);
void event_store_context(struct event_store *store, uint32_t process,
                         const struct cuda_context *context);

/* Sets, by process, which have operations of devices. */
void event_store_find_busy(const struct event_store *store, bool *busy);

/* The devices below 64 on which operations of the process ran, a bit each. */
uint64_t event_store_busy_devices(const struct event_store *store, uint32_t process);

/* When every operation has its process, for files that do not list contexts: each context is that of
 * the device on which the process's operations name it first. */
void event_store_find_contexts(struct event_store *store);

void event_store_stream(struct event_store *store, uint32_t process,
                        const struct cuda_stream *stream);

/* When everything is there: what has no end (SLICE_UNCLOSED) ends with the file's last event.
 * Returns the time of its first event, 0 when there is none. */
int64_t event_store_end(struct event_store *store);
/* Makes all times count from `origin_ns`, which is not later than the first event. */
void event_store_shift(struct event_store *store, int64_t origin_ns);

/* Something that is wrong with the file, `count` times more; `what` is a literal. */
void event_store_warn(struct event_store *store, const char *what, uint64_t count);

/* Appends one process. Warnings come with the first one. May be called again. False: no memory. */
bool event_store_append(struct event_store *store, uint32_t process, struct builder *builder,
                        struct tl_health *health);

#ifdef __cplusplus
}
#endif
#endif
