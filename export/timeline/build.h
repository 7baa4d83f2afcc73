/* build.h - the inside of a builder; private to this folder.
 *
 * A builder reads processes (files) one after the other. Events are appended to the timeline's
 * arrays as they come. When a process ends, its part of each array is sorted and correlated.
 * README.md says which build_*.c does what.
 *
 * Append calls return nothing. A lack of memory sets `failed`, and later calls do nothing.
 */
#ifndef PROF_BUILD_H
#define PROF_BUILD_H

#include "array.h"
#include "builder.h"
#include "maps.h"
#include "text_pool.h"
#include "timeline.h"

#define STACK_NONE UINT32_MAX

/* One array holds all that is open on a thread, in order; chains through it are the stacks that the
 * program sees. The first are numbered as enum tl_slice_kind, TL_RANGE being the ranges of
 * prof.h; numbers from STACKS_FIXED on are places in builder.tops, one per thread and domain. */
#define STACK_DEFAULT_DOMAIN 3u
#define STACKS_FIXED 4u

struct stack_entry {
    uint32_t slice;
    uint32_t first; /* the slice, or the first segment of its call */
    uint32_t below; /* place of the next lower entry of the same stack */
    uint32_t range; /* place of the innermost range at or below this one, of any stack */
    uint32_t stack;
};

/* A call of a Python function that is open. */
struct open_frame {
    uint32_t name;
    uint32_t frame; /* into frames[]; of one that is not shown: that of the call around, TL_NONE */
    uint32_t path;  /* into frame_paths[]; the same */
    bool is_shown;
};

/* What is open on one thread. */
struct build_thread {
    TL_ARRAY(struct stack_entry) stack;
    TL_ARRAY(struct open_frame) frames;
    uint32_t frame_ends;        /* how many of the builder's were applied to it */
    uint32_t top[STACKS_FIXED]; /* by stack: place of the innermost, or STACK_NONE */
    int64_t last_ns;
    int64_t left_out_ns;           /* builder_note_left_out_begin(); INT64_MAX none */
    uint32_t domain, domain_stack; /* found last; domain TL_NONE: none */
    uint32_t mark;                 /* the latest, into marks[]; TL_NONE none */
    bool whole;                    /* its slices are appended whole */
};

/* What a name id stands for. */
struct build_ref {
    uint32_t name, label;
};

/* A stretch of slices that one thread appended. */
struct build_run {
    uint32_t thread, first;
};

/* A call that can be the origin of device operations. */
struct build_launch {
    uint32_t correlation;
    uint32_t slice;
};

/* Where a process's part of each array begins. */
struct build_first {
#define BUILD_FIRST(type, member) uint32_t member;
    TL_ARRAYS(BUILD_FIRST)
#undef BUILD_FIRST
};

/* Parts of a builder. Each is what one build_*.c gathers of the current process, and private to it:
 *
 *     struct build_X *build_X_create(void)    NULL: no memory
 *     build_X_reset()                         frees what it holds: another process begins
 */
#define BUILD_PARTS(X)                                                                            \
    X(facts)      /* names by id; threads, devices and windows by number; names that NVTX gave */ \
    X(slices)     /* names of calls; stacks of domains */                                         \
    X(stacks)     /* stacks and modules by id */                                                  \
    X(events)     /* ends and attributes that wait for their range */                             \
    X(nvtx)       /* event names, domains, categories */                                          \
    X(gpu)        /* details by hash, names of copies, CUDA events */                             \
    X(blocks)     /* what is dealt out to blocks */                                               \
    X(streams)    /* streams by number */                                                         \
    X(join)       /* calls that launched something, ranges that are timed */                      \
    X(memory)     /* operations on memory, and pools */                                           \
    X(migrations) /* kernels that were left out */                                                \
    X(graphs)     /* launches and nodes */                                                        \
    X(ledger)     /* records that were lost */

/* Defines these two. Further arguments free what the part holds; it begins, and begins again, as
 * zeros. */
#define BUILD_PART(part, ...)                          \
    struct build_##part *build_##part##_create(void)   \
    {                                                  \
        return calloc(1, sizeof(struct build_##part)); \
    }                                                  \
    void build_##part##_reset(struct builder *builder) \
    {                                                  \
        struct build_##part *part = builder->part;     \
        __VA_ARGS__;                                   \
        *part = (struct build_##part){0};              \
    }

/* Earliest and latest of what was seen. */
struct build_extent {
    int64_t start_ns, end_ns;
    bool any;
};

struct builder {
    struct timeline *timeline;
    TL_ARRAY(struct unordered *) files; /* whose events come in any order */
    struct idmap demangled;             /* name -> its demangled form, which may be itself */
    struct keymap frame_paths;          /* parent << 32 | name -> frame_paths[] */
    bool no_events;                     /* builder_leave_out_events() */
    bool has_window;                    /* builder_set_window() */
    int64_t from_ns, to_ns;
    bool failed;

    /* The current process. */
    uint32_t process;
    struct unordered *file;       /* the one that it is of; NULL */
    int64_t origin_ns;            /* the file's time 0 */
    int64_t shift_ns;             /* from there to the timeline's time 0 */
    struct build_extent left_out; /* builder_note_left_out() */
    struct build_first first;
    TL_ARRAY(struct build_thread) threads; /* parallel to the process's part of timeline->threads */
    uint32_t current_number, current_thread; /* found last; thread TL_NONE: none */
    TL_ARRAY(struct build_run) runs;
    TL_ARRAY(int64_t) frame_ends; /* when Python calls of all threads ended; ascending */
#define BUILD_MEMBER(part) struct build_##part *part;
    BUILD_PARTS(BUILD_MEMBER)
#undef BUILD_MEMBER
};

#define BUILD_DECLARE(part)                           \
    struct build_##part *build_##part##_create(void); \
    void build_##part##_reset(struct builder *builder);
BUILD_PARTS(BUILD_DECLARE)
#undef BUILD_DECLARE

/* Slices are brought together by thread: by old place, the new one. Both count from the process's
 * first slice. */
struct build_places {
    const uint32_t *place;
    uint32_t first;
};
static inline uint32_t build_moved(const struct build_places *places, uint32_t slice)
{
    return slice == TL_NONE ? TL_NONE : places->place[slice - places->first] + places->first;
}
/* Slices that the part refers to have new places. */
void build_join_move(struct builder *builder, const struct build_places *places);
void build_graphs_move(struct builder *builder, const struct build_places *places);
void build_memory_move(struct builder *builder, const struct build_places *places);
/* The next slice is of this thread. */
void build_run_begin(struct builder *builder, uint32_t thread);

/* Shared by the build_*.c files. */
struct tl_process *build_process(struct builder *builder);
uint32_t build_name(struct builder *builder, uint32_t id);
/* Counts a reference to a name that is not in the file; returns the name to show instead. */
uint32_t build_missing_name(struct builder *builder, uint32_t id);
uint32_t build_kernel_name(struct builder *builder, uint32_t id);
/* The demangled form of a name; the name where there is none. TL_NONE: no memory. */
uint32_t build_demangled(struct builder *builder, uint32_t name);
/* Index into timeline->threads; TL_NONE: no memory. */
uint32_t build_thread_of_slow(struct builder *builder, uint32_t number);
static inline uint32_t build_thread_of(struct builder *builder, uint32_t number)
{
    return number == builder->current_number && builder->current_thread != TL_NONE
               ? builder->current_thread
               : build_thread_of_slow(builder, number);
}
static inline int64_t build_time(const struct builder *builder, int64_t time_ns)
{
    int64_t shifted = time_ns - builder->origin_ns + builder->shift_ns;
    if (shifted > TL_TIME_MAX_NS)
        return TL_TIME_MAX_NS;
    return shifted < -TL_TIME_MAX_NS ? -TL_TIME_MAX_NS : shifted;
}
static inline struct build_thread *build_stack(struct builder *builder, uint32_t thread)
{
    return &builder->threads.at[thread - builder->first.threads];
}

/* The innermost open range, of whatever stack; NULL: none is open. */
static inline const struct stack_entry *build_innermost(const struct build_thread *stack)
{
    uint32_t count = stack->stack.count;
    uint32_t place = count ? stack->stack.at[count - 1].range : STACK_NONE;
    return place == STACK_NONE ? NULL : &stack->stack.at[place];
}

/* What an id stands for: a name, or an event name with its label. */
struct build_ref build_event_ref(struct builder *builder, uint32_t id);
bool build_is_event_name(const struct builder *builder, uint32_t id);
/* Index of the name of this id; IDMAP_NONE: there is none. build_file_name(): in builder->file. */
uint32_t build_name_of_id(const struct builder *builder, uint32_t id);
uint32_t build_file_name(const struct builder *builder, uint32_t id);
static inline struct build_ref build_ref(struct builder *builder, uint32_t id)
{
    uint32_t name = build_name_of_id(builder, id);
    return name != IDMAP_NONE ? (struct build_ref){name, TL_NONE} : build_event_ref(builder, id);
}
/* The same for an NVTX range: it has a label in any case. */
struct build_ref build_nvtx_ref(struct builder *builder, uint32_t id);

/* Index of the domain of this number; IDMAP_NONE: there is none. */
uint32_t build_domain_find(const struct builder *builder, uint32_t number);

/* The name of a CUDA call; made up where the file does not name it. */
uint32_t build_api_name(struct builder *builder, enum prof_api_domain of, uint32_t cbid);

/* The name of a MEMCPY, MEMSET or GRAPH, of which a summary has the `key`. */
uint32_t build_operation_name(struct builder *builder, enum prof_summary_kind kind, uint32_t key);
/* The event's thread; converts its time to the timeline's. TL_NONE: skip the event. */
uint32_t build_place(struct builder *builder, uint32_t number, int64_t *time_ns);

/* The thread of an event, ready to be written to, and its time, not after the thread's last;
 * TL_NONE: no memory. */
uint32_t build_enter(struct builder *builder, uint32_t number, int64_t *time_ns);

/* Applies to this thread the ends of Python calls on all threads that came before `time_ns`. */
void build_frames_end_due(struct builder *builder, uint32_t thread, int64_t time_ns);
/* What is open on the thread ends. */
void build_frames_close(struct builder *builder, uint32_t thread, int64_t time_ns, bool unclosed);
/* `stack` with the Python functions that the thread is in; TL_NONE: neither. */
uint32_t build_frames_stack(struct builder *builder, uint32_t thread, uint32_t stack);
/* After the slices of each thread were brought together. */
bool build_frame_segments(struct builder *builder);
/* An allocation out of an allocator of the program's own, which is heaps[heap]. */
void build_blocks_alloc(struct builder *builder, int64_t time_ns, uint32_t thread, uint32_t heap,
                        uint64_t bytes);
bool build_blocks(struct builder *builder);
/* The native part of a call stack, without the Python functions. */
struct build_addresses {
    bool wanted;
    uint32_t id; /* 0: it could not be taken */
};
/* The stack of this id; TL_NONE: there is none, and that is counted. */
uint32_t build_stack_of_id(struct builder *builder, uint32_t id);
void build_slice_stack(struct builder *builder, uint32_t slice, struct build_addresses addresses);
void build_async_stack(struct builder *builder, uint32_t async);
/* Of a file whose events come in any order: the stacks that its attributes "Call stack" state, and
 * those of the Python functions that were open when its slices began. Call it after slices and
 * functions have their places. */
bool build_whole_stacks(struct builder *builder);
bool build_stacks_sort(struct builder *builder);
/* A stack of these addresses, TL_NONE none, and of the functions on the path; there is one of each.
 * TL_NONE: no memory. */
uint32_t build_stack_on_path(struct builder *builder, uint32_t stack, uint32_t path);

/* Sorts samples, and finds the threads that they are of. Called when threads have their slices. */
bool build_samples_end(struct builder *builder);
/* Closes the slices that were appended whole and end by `time_ns`. */
void build_whole_advance(struct builder *builder, struct build_thread *stack, int64_t time_ns);
/* Appends a slice with its end to a thread's, which come sorted by start, parents before
 * children. */
void build_slice_append(struct builder *builder, const struct complete_slice *slice);
/* Index of the detail in the timeline's array of its kind, where equal ones are stored once.
 * `known`: the caller's, from hashes to indexes. TL_NONE: no memory. */
uint32_t build_detail(struct builder *builder, struct keymap *known, enum tl_gpu_kind kind,
                      const void *detail);
/* What an operation's details say of where it ran and of how much. */
struct build_operation {
    uint64_t bytes;
    uint32_t context, stream;
    uint32_t device; /* ordinal; TL_NONE unknown, and always so of a wait */
    bool has_stream;
};
struct build_operation build_operation(const struct timeline *timeline, enum tl_gpu_kind kind,
                                       uint32_t detail);
/* Appends an operation of the current process. Its times are the file's; its name, stream and bytes
 * come from its details. `name`: id of the file's own name for it, 0 none. */
void build_gpu_append(struct builder *builder, struct tl_gpu gpu, uint32_t name);
/* An attribute of a slice of the process; `owner` may be any. */
void build_attr_keep(struct builder *builder, uint32_t owner, const struct event_attr *attr);
/* Before build_slices_end(): slices that were appended whole have their end. */
void build_whole_end(struct builder *builder);
void build_slices_end(struct builder *builder);
void build_asyncs_end(struct builder *builder);
void build_attrs_end(struct builder *builder);
bool build_attrs_sort(struct builder *builder);
void build_nvtx_end(struct builder *builder);
void build_given(struct builder *builder);
/* Forward range -> its backward passes, which get its Python functions as their stack. */
bool build_backward(struct builder *builder);
/* Finds or adds a stream; returns its index. `device` TL_NONE: that of the context. */
uint32_t build_stream(struct builder *builder, uint32_t context, uint32_t stream, uint32_t device);
/* Ordinal of the context's device, TL_NONE unknown. */
uint32_t build_context_device(const struct builder *builder, uint32_t context);
/* Finds a stream; TL_NONE: there is none. `device` TL_NONE: the first of any device. */
uint32_t build_stream_find(struct builder *builder, uint32_t context, uint32_t stream,
                           uint32_t device);
/* The ordinal of a record's device; TL_NONE: the record does not have it. */
static inline uint32_t build_ordinal(uint32_t device)
{
    return device >= UINT16_MAX ? TL_NONE : device;
}
/* The process's device; NULL: it has none of that ordinal, or no memory. */
struct tl_device *build_device_find(struct builder *builder, uint32_t ordinal);
struct tl_device *build_device_add(struct builder *builder, uint32_t ordinal);
/* After devices[] was put in order. */
bool build_devices_find_again(struct builder *builder);
bool build_streams(struct builder *builder);
bool build_gpus_sort(struct builder *builder);
bool build_join(struct builder *builder);
/* After the slices of each thread were brought together, and build_streams(). */
bool build_timings(struct builder *builder);
bool build_lanes(struct builder *builder);
bool build_waits(struct builder *builder);
bool build_ledger(struct builder *builder);
/* After the last process: which children have a file among those given. */
bool build_children_find(struct builder *builder);

/* The slice is a call that can be the origin of operations with this id. */
void build_launch_add(struct builder *builder, uint32_t correlation, uint32_t slice);
/* All of them; after build_join() by correlation, then start. */
const struct build_launch *build_launches(const struct builder *builder, uint32_t *count);

/* Finds the call of a correlation id: launches[starts[b] .. starts[b + 1]) are those whose id
 * begins with the bits of b. */
struct launch_index {
    const struct build_launch *launches; /* the builder's: by correlation, then start */
    const struct tl_slice *slices;
    uint32_t *starts;
    uint32_t count, buckets, least;
    unsigned shift;
};

/* Indexes the calls of the current process. Sorts them; none may be added while the index is in
 * use. False: no memory. */
bool launch_index_init(struct launch_index *index, struct builder *builder);
void launch_index_fini(struct launch_index *index);

/* Finds the calls of operations whose records were lost. */
void build_ledger_join(struct builder *builder, const struct launch_index *index);

/* The slice of the latest call of this id that began at or before `latest_ns`; of the first one
 * when all began later; TL_NONE when there is none. */
uint32_t launch_index_find(const struct launch_index *index, uint32_t correlation,
                           int64_t latest_ns);

/* Memory. */

/* After the slices are in their place and device operations are sorted. False: no memory. */
bool build_memory_end(struct builder *builder);

/* Migrations of managed memory: by time, with what moved it. build_memory_end() calls it. */
bool build_migrations(struct builder *builder);

/* Graphs. */

/* The slice is a call that launches a graph. */
void build_graph_launch(struct builder *builder, const struct api_call *api, uint32_t slice);

/* After operations have their places and calls their operations. */
bool build_graphs(struct builder *builder);

#endif
