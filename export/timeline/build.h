/* build.h - the inside of a builder; private to this folder.
 *
 * A builder reads processes (files) one after the other. Events are appended to the timeline's
 * arrays as they come. When a process ends, its part of each array is sorted and correlated:
 *
 *     build_facts.c    the process, its names, threads, devices, children; when recording was on
 *     build_slices.c   ranges, steps and CUDA calls of threads: a stack per thread, or whole
 *     build_stacks.c   call stacks, and what their addresses mean; samples
 *     build_frames.c   calls of Python functions, cut so that they nest with slices
 *     build_events.c   marks, counters, begin/end ranges; attributes of all
 *     build_nvtx.c     what NVTX adds to a name
 *     build_backward.c forward range -> its backward passes, and their stacks
 *     build_gpu.c      device operations; losses; what waits were for
 *     build_blocks.c   profiling blocks, and the events and allocations in them
 *     build_streams.c  streams and devices sorted; operations by stream and time; lanes of those
 *                      that overlap
 *     build_join.c     operation -> call that launched it; range timed by CUDA events -> its time
 *                      on the device
 *     build_memory.c   allocations, pools, migrations
 *     build_graphs.c   CUDA graphs: what a launch should execute, which code captured which node
 *     build_ledger.c   launched = recorded + lost, by stream and by call
 *     build_unordered.h  files whose events come in any order
 *     ledger_rows.h    the rows that it fills
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
    uint32_t domain, domain_stack; /* found last; domain TL_NONE: none */
    uint32_t mark;                 /* the latest, into marks[]; TL_NONE none */
    bool whole;                    /* its slices are appended whole */
};

/* An event name, understood when it is first used: by then all names and domains are known. */
struct build_event {
    struct event_name record;
    uint32_t name, label;
    bool understood;
};

/* What a name id stands for. */
struct build_ref {
    uint32_t name, label;
};

/* An attribute of a begin/end range whose begin has not been seen yet. */
struct build_attr {
    struct tl_attr attr;
    uint64_t id;
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

/* One libprof's own operation with the CPU times around it. */
struct build_bracket {
    int64_t before_ns, after_ns;
    uint32_t device, correlation;
};

/* A device record that came and could not be kept. */
struct build_lost {
    struct lost_record record;
    uint32_t correlation;
    uint32_t slice; /* the call that launched it, TL_NONE */
    uint32_t next;  /* of the same call, TL_NONE the last */
};

/* A range that is timed by events. */
struct build_timed {
    uint64_t token;
    uint32_t slice;
};

/* An event recorded in a stream. */
struct build_cuda_event {
    uint32_t context, event, correlation, stream;
};

/* The end of a begin/end range. */
struct build_range_end {
    int64_t time_ns;
    uint64_t id;
    uint32_t thread;
};

/* Something that begins a profiling block, empties it or is part of it, as it comes from the
 * logs. */
struct build_block_item {
    int64_t time_ns;
    uint32_t kind;  /* enum of build_blocks.c */
    uint32_t index; /* name, async or heap */
    uint64_t value; /* instruction or bytes */
    int32_t chain;
    uint32_t thread;
};

/* An allocation or a release, as in the file. */
struct build_memory_op {
    int64_t time_ns;
    uint64_t address, bytes;
    uint64_t pool, pool_bytes;
    uint32_t space; /* whose addresses: 0 CUDA's, else an allocator's number */
    uint32_t heap;  /* of an allocation */
    uint32_t slice; /* TL_NONE: to be found by correlation */
    uint32_t thread;
    uint32_t correlation;
    uint32_t flags;
    bool is_end;
};

/* What is known of a pool at a moment. */
struct build_pool_state {
    int64_t time_ns;
    uint64_t address, bytes, used_bytes, release_threshold;
    uint32_t device;
    uint8_t operation; /* as pool_event.operation; 0: known from an allocation */
    uint8_t type;
};

struct build_memory {
    struct {
        struct build_memory_op *at;
        uint32_t count, capacity;
    } ops;
    struct {
        struct build_pool_state *at;
        uint32_t count, capacity;
    } pools;
    struct keymap heaps;  /* allocator, or kind and device -> heaps[] */
    struct keymap living; /* address -> pools[]: the newest pool there */
};

/* What was said about a node at one time. */
struct build_node_fact {
    int64_t time_ns;
    uint64_t node, original;
    uint32_t graph;
    uint32_t slice;  /* innermost open when it was made, TL_NONE */
    uint32_t stack;  /* into stacks[], TL_NONE */
    uint32_t origin; /* the fact of the node that was captured or added, TL_NONE unknown */
    uint8_t type, flags;
    bool earlier;
};

/* A call that launches a graph. */
struct build_graph_launch {
    uint32_t slice;
    uint32_t graph; /* the file's id, 0 unknown */
    uint32_t operations;
    bool whole;
};

/* The facts of one node, in order of time: a stretch of an array of places. */
struct build_node_run {
    uint32_t first, count;
};

struct build_graphs {
    TL_ARRAY(struct build_node_fact) facts;
    TL_ARRAY(struct build_graph_launch) launches;
    TL_ARRAY(struct build_node_run) runs;
    uint32_t *order;      /* facts by node, then time */
    struct keymap nodes;  /* node -> runs[] */
    struct keymap graphs; /* the file's id -> graphs[] */
};

/* Where a process's part of each array begins. */
struct build_first {
#define BUILD_FIRST(type, member) uint32_t member;
    TL_ARRAYS(BUILD_FIRST)
#undef BUILD_FIRST
};

struct builder {
    bool no_events; /* builder_leave_out_events() */
    struct timeline *timeline;
    TL_ARRAY(struct unordered *) files; /* whose events come in any order */
    struct unordered *file;             /* the one that the current process is of; NULL */
    struct idmap demangled;             /* name -> its demangled form, which may be itself */
    bool failed;

    /* The current process. */
    uint32_t process;
    int64_t origin_ns; /* the file's time 0 */
    int64_t shift_ns;  /* from there to the timeline's time 0 */
    struct build_first first;
    struct idmap names;        /* file's id -> names[] */
    struct idmap kernel_names; /* file's id -> names[], demangled */
    struct idmap thread_slots; /* file's number -> threads[] */
    struct idmap api_names;    /* cbid and domain -> names[] */
    struct idmap windows;      /* epoch -> the latest of windows[] */
    struct idmap notes;        /* names[] -> notes[] */
    struct idmap context_device;
    struct idmap stack_ids;     /* file's id -> stacks[] */
    struct idmap module_ids;    /* file's id -> modules[] */
    struct idmap device_slots;  /* ordinal -> devices[] */
    struct keymap places;       /* device << 32 | context -> its number, in order of appearance */
    struct keymap streams;      /* place << 32 | stream -> streams[] */
    struct keymap stream_pairs; /* context << 32 | stream -> the first of streams[] */
    struct keymap details;      /* hash of a detail -> its index */
    struct keymap frame_stacks; /* stack of addresses << 32 | path of frames -> stacks[] */
    struct keymap frame_paths;  /* parent << 32 | name -> frame_paths[], of all processes */
    uint32_t copy_names[16 * 16 * 16];
    uint32_t memset_names[16];
    TL_ARRAY(struct build_thread) threads; /* parallel to the process's part of timeline->threads */
    TL_ARRAY(int64_t) frame_ends;          /* when Python calls of all threads ended; ascending */
    TL_ARRAY(struct build_run) runs;
    TL_ARRAY(struct build_launch) launches;
    TL_ARRAY(struct build_bracket) brackets;
    TL_ARRAY(struct build_range_end) range_ends;
    struct build_memory memory;
    struct build_graphs graphs;
    TL_ARRAY(struct build_block_item) block_items;
    TL_ARRAY(struct build_lost) losts;
    TL_ARRAY(struct stream_loss) stream_losses;
    bool whole_blocks; /* the last block takes what comes */
    TL_ARRAY(struct build_timed) timed;
    TL_ARRAY(struct build_cuda_event) cuda_events;
    TL_ARRAY(struct range_time) range_times;
    uint32_t current_number, current_thread; /* found last; thread TL_NONE: none */

    /* NVTX, of the current process. */
    struct idmap event_slots;    /* file's id -> events[] */
    struct idmap domain_slots;   /* file's number -> domains[] */
    struct keymap categories;    /* domain and number -> categories[] */
    struct keymap tops_slots;    /* thread and domain -> tops[] */
    struct keymap given_streams; /* handle -> names[] */
    struct idmap given_devices;  /* ordinal -> names[] */
    TL_ARRAY(struct build_event) events;
    TL_ARRAY(uint32_t) tops; /* see STACKS_FIXED */
    TL_ARRAY(struct build_attr) early_attrs;
    uint32_t plain_label;                  /* of NVTX ranges that have only a name; TL_NONE */
    uint32_t context_name, named_contexts; /* of the first one named; how many were, 2 = several */
    uint64_t context_handle;               /* of that one */
    uint32_t context_count, context_ordinal; /* of all contexts; the device of the last */
};

/* Shared by the build_*.c files. */
struct tl_process *build_process(struct builder *builder);
uint32_t build_name(struct builder *builder, uint32_t id);
/* Counts a reference to a name that is not in the file; returns the name to show instead. */
uint32_t build_missing_name(struct builder *builder, uint32_t id);
uint32_t build_kernel_name(struct builder *builder, uint32_t id);
/* The demangled form of a name; the name where there is none. TL_NONE: no memory. */
uint32_t build_demangled(struct builder *builder, uint32_t name);
/* Index into timeline->threads; TL_NONE: no memory. */
uint32_t build_thread_of(struct builder *builder, uint32_t number);
int64_t build_time(const struct builder *builder, int64_t time_ns);
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
/* Index of the name of this id; IDMAP_NONE: there is none. */
uint32_t build_file_name(const struct builder *builder, uint32_t id);
static inline uint32_t build_name_of_id(const struct builder *builder, uint32_t id)
{
    return builder->file ? build_file_name(builder, id) : idmap_find(&builder->names, id);
}
static inline struct build_ref build_ref(struct builder *builder, uint32_t id)
{
    uint32_t name = build_name_of_id(builder, id);
    return name != IDMAP_NONE ? (struct build_ref){name, TL_NONE} : build_event_ref(builder, id);
}
/* The same for an NVTX range: it has a label in any case. */
struct build_ref build_nvtx_ref(struct builder *builder, uint32_t id);

/* The name of a CUDA call; made up where the file does not name it. */
uint32_t build_api_name(struct builder *builder, enum prof_api_domain of, uint32_t cbid);

/* The name of a MEMCPY, MEMSET or GRAPH, of which a summary has the `key`. */
uint32_t build_operation_name(struct builder *builder, enum prof_summary_kind kind, uint32_t key);
/* The event's thread; converts its time to the timeline's. TL_NONE: skip the event. */
uint32_t build_place(struct builder *builder, uint32_t number, int64_t *time_ns);

/* The thread of an event, ready to be written to, and its time, not behind the thread's last;
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
static inline uint32_t build_context_device(const struct builder *builder, uint32_t context)
{
    return idmap_find(&builder->context_device, context); /* IDMAP_NONE is TL_NONE */
}
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

/* Finds the call of a correlation id: launches[starts[b] .. starts[b + 1]) are those whose id
 * begins with the bits of b. */
struct launch_index {
    const struct build_launch *launches; /* the builder's: by correlation, then start */
    const struct tl_slice *slices;
    uint32_t *starts;
    uint32_t count, buckets, least;
    unsigned shift;
};

/* Indexes the calls of the current process. Sorts builder->launches, which must not change while
 * the index is in use. False: no memory. */
bool launch_index_init(struct launch_index *index, struct builder *builder);
void launch_index_fini(struct launch_index *index);

/* The slice of the latest call of this id that began at or before `latest_ns`; of the first one
 * when all began later; TL_NONE when there is none. */
uint32_t launch_index_find(const struct launch_index *index, uint32_t correlation,
                           int64_t latest_ns);

/* Memory. */
void build_memory_forget(struct builder *builder);
void build_memory_fini(struct builder *builder);

/* After the slices are in their place and device operations are sorted. False: no memory. */
bool build_memory_end(struct builder *builder);

/* Migrations of managed memory: by time, with what moved it. build_memory_end() calls it. */
bool build_migrations(struct builder *builder);

/* Graphs. */
void build_graphs_forget(struct builder *builder);
void build_graphs_fini(struct builder *builder);

/* The slice is a call that launches a graph. */
void build_graph_launch(struct builder *builder, const struct api_call *api, uint32_t slice);

/* After operations have their places and calls their operations. */
bool build_graphs(struct builder *builder);

#endif
