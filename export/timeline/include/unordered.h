/* unordered.h - appends files whose events come in any order, as other profilers write them.
 *
 * Such a file may name processes, threads and calls after their events, and its slices need not be
 * sorted. A reader gathers all of it between unordered_begin() and unordered_end(), with the calls
 * below. unordered_finish_process() then sorts, nests and appends one process after the other.
 * Slices of a thread that overlap without one holding the other are cut where the outer ends and go
 * on beside it (TL_CONTINUED), so no time of them is lost:
 *
 *     A |---------|            A |---------|
 *     B      |--------|   ->   B      |----|---|
 *
 * Times are nanoseconds of one clock for the whole file. Processes count from 0; threads, domains
 * and allocators from 1, in the whole file. Ids of names are those of unordered_name(). Warnings'
 * texts are literals. Failed allocations are latched, see unordered_failed().
 */
#ifndef PROF_UNORDERED_H
#define PROF_UNORDERED_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file whose events are being gathered. */
struct unordered;

/* Begins a file, whose events will be of the builder's timeline. The builder owns it. NULL: no
 * memory. */
struct unordered *unordered_begin(struct builder *builder);
/* Whether an allocation failed, for this file or for its builder. */
bool unordered_failed(const struct unordered *file);
/* After the file's last event: what has no end (TL_UNCLOSED) ends with the last event. Returns
 * the time of the first event, 0 without any. */
int64_t unordered_end(struct unordered *file);
/* Sets the time that becomes 0; the default is 0. */
void unordered_set_origin(struct unordered *file, int64_t origin_ns);
/* How many processes the file has. */
uint32_t unordered_process_count(const struct unordered *file);
/* Appends a process of the file to the timeline, between builder_begin_process() and
 * builder_end_process(), in the order of their numbers, once each. Fills `health`. */
void unordered_finish_process(struct unordered *file, uint32_t process, struct tl_health *health);

/* Id of the text, from 1; equal texts have equal ids. The bytes are copied. 0: no memory. */
uint32_t unordered_name(struct unordered *file, struct text text);
/* The text of an id; empty for 0. Valid as long as the builder. */
struct text unordered_name_text(const struct unordered *file, uint32_t name);
/* A copy of the text that lives as long as the builder. */
struct text unordered_keep_text(struct unordered *file, struct text text);

/* What NVTX says of a range, a mark or a begin/end range beside its name. */
struct event_label {
    uint32_t name;     /* 0 without one */
    uint32_t domain;   /* of unordered_add_domain(); 0 the default domain */
    uint32_t category; /* as the program numbers it; 0 none */
    uint32_t color;    /* 0xAARRGGBB, where it is given */
    bool colored;
};

/* Id that can stand for a name in ranges, marks and begin/end ranges: what has a label came through
 * NVTX. Equal labels have equal ids. 0: no memory. */
uint32_t unordered_label(struct unordered *file, const struct event_label *label);
/* Adds a domain of the process; returns its number. */
uint32_t unordered_add_domain(struct unordered *file, uint32_t process);
/* Sets the domain's name. */
void unordered_name_domain(struct unordered *file, uint32_t domain, uint32_t name);
/* Sets the domain's process, for files that state it late. */
void unordered_move_domain(struct unordered *file, uint32_t domain, uint32_t process);
/* Names a category of the domain. */
void unordered_add_category(struct unordered *file, uint32_t process, uint32_t domain,
                            uint32_t category, uint32_t name);

/* Adds a process; returns its number. */
uint32_t unordered_add_process(struct unordered *file);
/* The process's facts, to be written to until the file ends; its texts must live as long as the
 * builder. The pointer is valid until the next process is added. */
struct tl_process_info *unordered_process_info(struct unordered *file, uint32_t process);
/* After the last event: of two processes one of which has pid 0, which no program has, only the
 * other one is left, and everything is its. */
void unordered_join_pid_0(struct unordered *file);

/* Adds a thread; returns its number. */
uint32_t unordered_add_thread(struct unordered *file, uint32_t process, uint64_t tid);
/* Gives it another tid. */
void unordered_number_thread(struct unordered *file, uint32_t thread, uint64_t tid);
/* Sets the thread's name. */
void unordered_name_thread(struct unordered *file, uint32_t thread, struct text name);
/* The thread's process; 0 for a thread that there is not. */
uint32_t unordered_thread_process(const struct unordered *file, uint32_t thread);
/* Sets the thread's process, for files that state it late. */
void unordered_move_thread(struct unordered *file, uint32_t thread, uint32_t process);

/* Appends a range, a step or a call with its attributes, which are copied. One that ends before it
 * begins is taken as empty, and counted by a warning. `continues` and TL_CONTINUED do not
 * count. */
void unordered_append_slice(struct unordered *file, const struct complete_slice *slice);
/* How many slices the file has so far. Slices count from 0. */
uint32_t unordered_slice_count(const struct unordered *file);
/* Whether the slice ends where `next` begins and is the same thing. */
bool unordered_slice_goes_on(const struct unordered *file, uint32_t slice,
                             const struct complete_slice *next);
/* The slice lasts until then, where that is later; TL_UNCLOSED of `flags` is its own, too. */
void unordered_extend_slice(struct unordered *file, uint32_t slice, int64_t end_ns, uint8_t flags);
/* Appends a call of a Python function. They come by thread, then begin, outer ones first.
 * What lies outside of the time of the process's other events and of unordered_note_window() is cut
 * off, so that callers of all that was recorded do not lengthen it. Where there is neither, nothing
 * is. */
void unordered_append_frame(struct unordered *file, uint32_t thread, int64_t start_ns,
                            int64_t end_ns, uint32_t name);
/* The file states that it was recorded during this time. It bounds calls of Python functions and
 * nothing else: the time of the timeline stays that of its events. Of several, all count. */
void unordered_note_window(struct unordered *file, int64_t start_ns, int64_t end_ns);
/* Appends a range that need not nest. `id` is unique in its process. `end_thread` 0: the file has
 * no end of it. */
void unordered_append_async(struct unordered *file, uint32_t thread, uint32_t end_thread,
                            int64_t start_ns, int64_t end_ns, uint32_t name, uint64_t id);
/* How many of these the file has so far. */
uint32_t unordered_async_count(const struct unordered *file);
/* Appends a mark. */
void unordered_append_mark(struct unordered *file, uint32_t thread, int64_t time_ns, uint32_t name);
/* Appends a value of a counter. */
void unordered_append_counter(struct unordered *file, uint32_t thread, int64_t time_ns,
                              uint32_t name, double value);

/* Adds an allocator of the process's own; returns its number. Names may be equal. */
uint32_t unordered_add_allocator(struct unordered *file, uint32_t process, uint32_t name);
/* Adds a device, a context or a stream that the process has. */
void unordered_add_device(struct unordered *file, uint32_t process,
                          const struct tl_device_info *device);
void unordered_add_context(struct unordered *file, uint32_t process,
                           const struct cuda_context *context);
void unordered_add_stream(struct unordered *file, uint32_t process,
                          const struct cuda_stream *stream);

/* An operation of a device: when it ran, which call launched it, and for which process. */
struct unordered_op {
    int64_t start_ns, end_ns;
    uint32_t correlation; /* CUPTI's id of the call; 0 none */
    uint32_t name;        /* the file's name for it; 0: derived from its details */
    uint32_t process;     /* of files that state it; others: unordered_resolve() finds it */
    uint32_t row;         /* for unordered_resolve() */
    uint32_t origin; /* `correlation` of the range that it comes from, where no call has its own;
                           * 0 none */
    bool ambiguous;  /* the file says that its ids match calls of several processes */
};

/* Append an operation, as the calls of the same names of builder.h do. One that ends before it
 * begins is taken as empty, and counted by a warning. `device` of a wait points to its device's
 * ordinal; NULL: the device of its context. */
void unordered_append_kernel(struct unordered *file, const struct unordered_op *op,
                             const struct tl_kernel *kernel);
void unordered_append_memcpy(struct unordered *file, const struct unordered_op *op,
                             const struct tl_memcpy *copy);
void unordered_append_memset(struct unordered *file, const struct unordered_op *op,
                             const struct tl_memset *set);
void unordered_append_graph_run(struct unordered *file, const struct unordered_op *op,
                                const struct tl_graph_run *run);
void unordered_append_sync(struct unordered *file, const struct unordered_op *op,
                           const struct tl_sync *sync, const uint32_t *device);
void unordered_append_overhead(struct unordered *file, const struct unordered_op *op,
                               const struct tl_overhead *overhead);

/* A row of a device, for files that do not say whose an operation is. */
struct event_row {
    uint32_t process; /* that the row itself names, or EVENT_NO_PROCESS */
    uint32_t group;   /* its operations are of processes of this group; 0 of any */
    uint32_t main;    /* the process of operations that nothing else assigns */
};
#define EVENT_NO_PROCESS UINT32_MAX

struct event_rows {
    const struct event_row *at;
    uint32_t count;
    const uint32_t *groups; /* by process */
    const uint32_t *arrows; /* by operation: the process from which an arrow leads to it, or
                               EVENT_NO_PROCESS; NULL: there are no arrows */
};

/* After the last event, for files that identify an operation's call or origin by its id alone. An
 * operation belongs to the process that its row or an arrow names, else to that of its call, else
 * of its origin, else of the others of its row. An origin counts only where there is no call. An
 * operation is ambiguous if calls of several processes have its ids and nothing shows which one
 * launched it. */
void unordered_resolve(struct unordered *file, const struct event_rows *rows);
/* When every operation has its process: sets, by process, which have operations. */
void unordered_find_busy(const struct unordered *file, bool *busy);
/* The same: the devices below 64 on which operations of the process ran, a bit each. */
uint64_t unordered_busy_devices(const struct unordered *file, uint32_t process);
/* The same, for files that do not list contexts: each context is that of the device on which the
 * process's operations name it first. */
void unordered_find_contexts(struct unordered *file);

/* Something is wrong with the file, `count` times more; see builder_add_warning(). */
void unordered_warn(struct unordered *file, const char *what, uint64_t count);
/* Adds a sentence about the file, once. `text` is copied. */
void unordered_note(struct unordered *file, struct text text);
/* Append allocations and releases, as the calls of the same names of builder.h do. */
void unordered_append_memory(struct unordered *file, uint32_t process,
                             const struct memory_event *memory);
void unordered_append_alloc(struct unordered *file, uint32_t thread, int64_t time_ns,
                            const struct heap_allocation *alloc);
void unordered_append_release(struct unordered *file, uint32_t thread, int64_t time_ns,
                              uint32_t allocator, uint64_t address);
/* Appends what was moved of managed memory in the process. */
void unordered_append_migration(struct unordered *file, uint32_t process,
                                const struct migration *migration);

#ifdef __cplusplus
}
#endif
#endif
