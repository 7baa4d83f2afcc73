/* builder.h - how a timeline is made; private to this folder.
 *
 * A builder takes processes (files) one after the other. While a file is walked, its events are
 * appended to the timeline's arrays; when it ends, that process's part of the arrays is put in
 * order:
 *
 *     build_slices.c   ranges, steps and CUDA calls of threads: a stack per thread
 *     build_facts.c    the process, its names, threads, devices
 *     build_children.c the processes that it made
 *     build_windows.c  when recording was on
 *     build_events.c   marks, counters, attributes, begin/end ranges
 *     build_gpu.c      what devices did
 *     build_regroup.c  slices of one thread side by side
 *     build_streams.c  streams and devices sorted; operations by stream and time
 *     build_join.c     operation -> call that launched it
 *     build_lanes.c    overlapping operations of a stream side by side
 *     build_ledger.c   launched = recorded + ...
 *
 * Callbacks return nothing, so a lack of memory is remembered in `failed` and everything after it
 * is ignored.
 */
#ifndef PROF_BUILDER_H
#define PROF_BUILDER_H

#include "array.h"
#include "clockmap.h"
#include "idmap.h"
#include "keymap.h"
#include "namepool.h"
#include "timeline.h"

#define STACK_NONE UINT32_MAX

struct stack_entry {
    uint32_t slice;
    uint32_t below; /* place on the stack of the next lower entry of the same kind */
};

/* What is open on one thread. */
struct build_thread {
    TL_ARRAY(struct stack_entry) stack;
    uint32_t top[3]; /* by tl_slice_kind: place of the innermost, or STACK_NONE */
    int64_t last_ns;
};

/* A stretch of slices that one thread appended. */
struct build_run {
    uint32_t thread, first;
};

/* A call that can be the origin of device operations. */
struct build_launch {
    uint32_t correlation;
    uint32_t slice;
    bool launches; /* flagged as putting work on a device */
};

/* One libprof's own operation with the CPU times around it. */
struct build_bracket {
    int64_t before_ns, after_ns;
    uint32_t device, correlation;
};

/* The end of a begin/end range. */
struct build_range_end {
    int64_t time_ns;
    uint64_t id;
    uint32_t thread;
};

/* Where a process's part of each array begins. */
struct build_first {
    uint32_t child, thread, slice, api, async, mark, counter, attr, gpu, device, stream;
};

struct builder {
    struct timeline *timeline;
    struct namepool pool;
    bool failed;

    /* The process at hand. */
    uint32_t process;
    int64_t shift_ns; /* from the file's time 0 to the timeline's */
    struct build_first first;
    struct idmap names;        /* file's id -> names[] */
    struct idmap kernel_names; /* file's id -> names[], demangled */
    struct idmap thread_slots; /* file's number -> threads[] */
    struct idmap api_names;    /* cbid and domain -> names[] */
    struct idmap context_device;
    struct keymap streams; /* context and stream -> streams[] */
    struct keymap details; /* hash of a detail -> its index */
    uint32_t copy_names[16 * 16 * 16];
    uint32_t memset_names[16];
    TL_ARRAY(struct build_thread) threads; /* parallel to the process's part of timeline->threads */
    TL_ARRAY(struct build_run) runs;
    TL_ARRAY(struct build_launch) launches;
    TL_ARRAY(struct build_bracket) brackets;
    TL_ARRAY(struct build_range_end) range_ends;
    uint32_t current_number, current_thread; /* found last; thread TL_NONE: none */
};

bool builder_init(struct builder *builder, struct timeline *timeline);
void builder_fini(struct builder *builder);

/* Between these two, `builder_sink` takes the events of one process. */
void builder_begin_process(struct builder *builder, const char *path, int64_t shift_ns);
void builder_end_process(struct builder *builder, const struct read_health *health);
/* After the last process. False: no memory. */
bool builder_finish(struct builder *builder);
struct read_sink builder_sink(struct builder *builder);

/* Shared by the build_*.c files. */
struct tl_process *build_process(struct builder *builder);
uint32_t build_name(struct builder *builder, uint32_t id);
uint32_t build_kernel_name(struct builder *builder, uint32_t id);
/* Index into timeline->threads; TL_NONE: no memory. */
uint32_t build_thread_of(struct builder *builder, uint32_t number);
int64_t build_time(const struct builder *builder, int64_t time_ns);
static inline struct build_thread *build_stack(struct builder *builder, uint32_t thread)
{
    return &builder->threads.at[thread - builder->first.thread];
}

/* Innermost open slice of a kind on the thread, or TL_NONE. */
static inline uint32_t build_innermost(const struct build_thread *stack, enum tl_slice_kind kind)
{
    return stack->top[kind] == STACK_NONE ? TL_NONE : stack->stack.at[stack->top[kind]].slice;
}

void build_slices_connect(struct read_sink *sink);
void build_facts_connect(struct read_sink *sink);
void build_events_connect(struct read_sink *sink);
void build_gpu_connect(struct read_sink *sink);
void build_children_connect(struct read_sink *sink);
void build_windows_connect(struct read_sink *sink);
void build_slices_end(struct builder *builder);
void build_asyncs_end(struct builder *builder);
bool build_regroup(struct builder *builder);
uint32_t build_stream(struct builder *builder, uint32_t context, uint32_t stream, uint32_t device);
bool build_streams(struct builder *builder);
bool build_gpus_sort(struct builder *builder);
bool build_join(struct builder *builder);
bool build_lanes(struct builder *builder);
void build_ledger(struct builder *builder);
/* After the last process: which children have a file among those given. */
bool build_children_find(struct builder *builder);

#endif
