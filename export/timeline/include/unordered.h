/* unordered.h - appends files whose events come in any order, as other profilers write them.
 *
 * Such a file may name processes, threads and calls after their events, and its slices need not be
 * sorted. A reader appends all of it between unordered_begin() and
 * unordered_end(), with the calls below and these of builder.h:
 *
 *     builder_append_kernel() ... _graph_run()    `process` says whose it is
 *     builder_append_mark(), _counter(), _alloc(), _release(), _memory()
 *
 * unordered_finish_process() then sorts, nests and appends one process after the other. Slices of a
 * thread that overlap without one holding the other are cut where the outer ends and go on beside
 * it (TL_CONTINUED), so no time of them is lost:
 *
 *     A |---------|            A |---------|
 *     B      |--------|   ->   B      |----|---|
 *
 * Times are nanoseconds of one clock for the whole file. Processes count from 0; threads, domains
 * and allocators from 1, in the whole file. Ids of names are those of unordered_name(). Warnings'
 * texts are literals. Failed allocations are latched, see builder_failed().
 */
#ifndef PROF_UNORDERED_H
#define PROF_UNORDERED_H

#include "builder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is appended from here on is of a new file. Returns its number. */
uint32_t unordered_begin(struct builder *builder);
/* After the file's last event: what has no end (SLICE_UNCLOSED) ends with the last event. Returns
 * the time of the first event, 0 without any. */
int64_t unordered_end(struct builder *builder);
/* Sets the time that becomes 0; the default is 0. */
void unordered_set_origin(struct builder *builder, int64_t origin_ns);
/* How many processes the file has. */
uint32_t unordered_process_count(const struct builder *builder);
/* Appends a process of the file to the timeline, between builder_begin_process() and
 * builder_end_process(), in the order of their numbers, once each. Fills `health`. */
void unordered_finish_process(struct builder *builder, uint32_t file, uint32_t process,
                              struct tl_health *health);

/* Id of the text, from 1; equal texts have equal ids. The bytes are copied. 0: no memory. */
uint32_t unordered_name(struct builder *builder, struct text text);
/* The text of an id; empty for 0. Valid as long as the builder. */
struct text unordered_name_text(const struct builder *builder, uint32_t name);
/* A copy of the text that lives as long as the builder. */
struct text unordered_keep_text(struct builder *builder, struct text text);

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
uint32_t unordered_label(struct builder *builder, const struct event_label *label);
/* Adds a domain of the process; returns its number. */
uint32_t unordered_add_domain(struct builder *builder, uint32_t process);
/* Sets the domain's name. */
void unordered_name_domain(struct builder *builder, uint32_t domain, uint32_t name);
/* Sets the domain's process, for files that state it late. */
void unordered_move_domain(struct builder *builder, uint32_t domain, uint32_t process);
/* Names a category of the domain. */
void unordered_add_category(struct builder *builder, uint32_t process, uint32_t domain,
                            uint32_t category, uint32_t name);

/* Adds a process; returns its number. */
uint32_t unordered_add_process(struct builder *builder);
/* The process's facts, to be written to until the file ends; its texts must live as long as the
 * builder. The pointer is valid until the next process is added. */
struct tl_process_info *builder_process_info(struct builder *builder, uint32_t process);
/* After the last event: of two processes one of which has pid 0, which no program has, only the
 * other one is left, and everything is its. */
void timeline_join_pid_0(struct builder *builder);

/* Adds a thread; returns its number. */
uint32_t unordered_add_thread(struct builder *builder, uint32_t process, uint64_t tid);
/* Gives it another tid. */
void unordered_number_thread(struct builder *builder, uint32_t thread, uint64_t tid);
/* Sets the thread's name. */
void unordered_name_thread(struct builder *builder, uint32_t thread, struct text name);
/* The thread's process; 0 for a thread that there is not. */
uint32_t unordered_thread_process(const struct builder *builder, uint32_t thread);
/* Sets the thread's process, for files that state it late. */
void unordered_move_thread(struct builder *builder, uint32_t thread, uint32_t process);

/* Appends a range, a step or a call with its attributes, which are copied. One that ends before it
 * begins is taken as empty, and counted by a warning. `continues` and SLICE_CONTINUED do not
 * count. */
void unordered_append_slice(struct builder *builder, const struct complete_slice *slice);
/* How many slices the file has so far. Slices count from 0. */
uint32_t unordered_slice_count(const struct builder *builder);
/* Whether the slice ends where `next` begins and is the same thing. */
bool unordered_slice_goes_on(const struct builder *builder, uint32_t slice,
                             const struct complete_slice *next);
/* The slice lasts until then, where that is later; SLICE_UNCLOSED of `flags` is its own, too. */
void unordered_extend_slice(struct builder *builder, uint32_t slice, int64_t end_ns, uint8_t flags);
/* Appends a call of a Python function. They come by thread, then begin, outer ones first.
 * What lies outside of the time of the process's other events and of unordered_note_window() is cut
 * off, so that callers of all that was recorded do not lengthen it. Where there is neither, nothing
 * is. */
void unordered_append_frame(struct builder *builder, uint32_t thread, int64_t start_ns,
                            int64_t end_ns, uint32_t name);
/* The file states that it was recorded during this time. It bounds calls of Python functions and
 * nothing else: the time of the timeline stays that of its events. Of several, all count. */
void unordered_note_window(struct builder *builder, int64_t start_ns, int64_t end_ns);
/* Appends a range that need not nest. `id` is unique in its process. `end_thread` 0: the file has
 * no end of it. */
void unordered_append_async(struct builder *builder, uint32_t thread, uint32_t end_thread,
                            int64_t start_ns, int64_t end_ns, uint32_t name, uint64_t id);
/* How many of these the file has so far. */
uint32_t unordered_async_count(const struct builder *builder);

/* Adds an allocator of the process's own; returns its number. Names may be equal. */
uint32_t unordered_add_allocator(struct builder *builder, uint32_t process, uint32_t name);
/* Adds a device, a context or a stream that the process has. */
void unordered_add_device(struct builder *builder, uint32_t process,
                          const struct tl_device_info *device);
void unordered_add_context(struct builder *builder, uint32_t process,
                           const struct cuda_context *context);
void unordered_add_stream(struct builder *builder, uint32_t process,
                          const struct cuda_stream *stream);

/* A row of a device, for files that do not say whose an operation is: until unordered_resolve(),
 * its `process` is the number of its row. */
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
void unordered_resolve(struct builder *builder, const struct event_rows *rows);
/* When every operation has its process: sets, by process, which have operations. */
void unordered_find_busy(const struct builder *builder, bool *busy);
/* The same: the devices below 64 on which operations of the process ran, a bit each. */
uint64_t unordered_busy_devices(const struct builder *builder, uint32_t process);
/* The same, for files that do not list contexts: each context is that of the device on which the
 * process's operations name it first. */
void unordered_find_contexts(struct builder *builder);

/* Something is wrong with the file, `count` times more; see builder_add_warning(). */
void unordered_warn(struct builder *builder, const char *what, uint64_t count);
/* Adds a sentence about the file, once. `text` is copied. */
void unordered_note(struct builder *builder, struct text text);
/* Appends what was moved of managed memory in the process. */
void unordered_append_moved(struct builder *builder, uint32_t process,
                            const struct migration *migration);

#ifdef __cplusplus
}
#endif
#endif
