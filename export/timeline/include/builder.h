/* builder.h - builds a timeline: readers append what their files hold, one process after the other.
 *
 * A reader calls builder_begin_process(), defines names, threads and devices, appends events, and
 * calls builder_end_process(). builder_end() returns the timeline. Files whose events come
 * in any order are gathered with the calls of unordered.h.
 *
 * Ids are the file's own: of names, threads (from 1), stacks, modules, contexts and streams. A name
 * id is defined by builder_define_name(), or by builder_define_event_name() if NVTX gave it a
 * domain, category or color. Times are nanoseconds since tl_process_info.start_realtime_ns; within
 * one thread they never decrease.
 *
 * Texts are bytes, not NUL-terminated. The builder copies texts, structs and what they point to.
 * Append functions return nothing: a failed allocation is latched, later calls do nothing, and
 * builder_end() returns NULL. Threads: one.
 */
#ifndef PROF_BUILDER_H
#define PROF_BUILDER_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct builder;

/* A call of the CUDA runtime or driver. */
struct api_call {
    uint32_t correlation;
    uint32_t operations;
    uint64_t stream_handle;
    uint64_t bytes;
    uint32_t kernel_name; /* name id, 0 none */
    uint16_t cbid;
    uint8_t domain; /* enum prof_api_domain */
    uint8_t flags;  /* PROF_API_* */
    bool has_stack; /* a call stack was requested */
    uint32_t stack; /* id, 0 when it could not be taken */
    uint32_t graph; /* id of the graph that is launched, 0 unknown or none */
};

/* A node of a CUDA graph. `original`: the node that it was cloned from, 0 none. */
struct graph_node {
    uint64_t node, original;
    uint32_t graph;
    uint8_t type;   /* enum prof_graph_node_type */
    uint8_t flags;  /* PROF_GRAPH_NODE_* */
    bool has_stack; /* a call stack was requested */
    uint32_t stack; /* id, 0 when it could not be taken */
};

/* An attribute of a range, a step or a mark. */
struct event_attr {
    uint64_t value; /* PROF_ATTR_STRING: name id */
    uint32_t key;   /* name id */
    uint32_t type;  /* enum prof_attr_type */
};

#define SLICE_DRIVER 128u /* beside TL_*: a call of the driver's interface, not of the runtime's */

/* A range, step or call with its begin and its end: for unordered_append_slice() of unordered.h. */
struct complete_slice {
    int64_t start_ns, end_ns;
    const struct event_attr *attrs; /* valid during the call */
    uint32_t attr_count;
    uint32_t thread;
    uint32_t name;
    uint32_t correlation; /* 0 none; of a range: an id that has a meaning in the reader only */
    uint32_t continues;   /* 0-based index of the process's slice that it continues */
    int32_t result;       /* of a call: its result code, or TL_RESULT_UNKNOWN */
    uint8_t kind;         /* TL_RANGE, also of a step; TL_API */
    uint8_t
        flags; /* TL_UNCLOSED, TL_CONTINUED; of a call also TL_LAUNCHES, TL_GRAPH, SLICE_DRIVER */
};

/* A call stack, innermost first. Its addresses are where calls return to. */
struct call_stack {
    const uint64_t *addresses; /* valid during the call */
    uint32_t id;
    uint32_t frames;
    uint32_t method; /* enum prof_stack_method */
    bool cut;        /* it was deeper */
    uint64_t ticks;  /* when first seen: compares with those of modules */
};

/* A file that is loaded at a range of addresses. */
struct loaded_module {
    uint64_t start, end; /* addresses */
    uint64_t file_offset;
    uint64_t bias;
    uint64_t ticks; /* when first seen */
    struct text path;
    uint32_t id;
    uint32_t build_id_bytes;
    uint8_t build_id[20];
};

/* Which device a context is on. */
struct cuda_context {
    uint32_t context; /* CUPTI's id */
    uint32_t device;  /* ordinal */
};

/* A stream of a context. */
struct cuda_stream {
    uint32_t context, stream; /* CUPTI's ids */
    int32_t priority;
};

/* An id that stands for a name with what NVTX gave it: a domain, a category, a color. */
struct event_name {
    uint32_t id;
    uint32_t name;     /* name id; 0 without a message */
    uint32_t domain;   /* 0 the default domain */
    uint32_t category; /* 0 none */
    uint32_t color;    /* 0xAARRGGBB */
    uint32_t flags;    /* PROF_EVENT_NAME_* */
};

/* The name of a domain. */
struct nvtx_domain {
    uint32_t domain; /* from 1 */
    uint32_t name;   /* name id */
};

/* The name of a category. */
struct nvtx_category {
    uint32_t domain, category;
    uint32_t name; /* name id */
};

/* A stream, device or context that the program named. */
struct named_resource {
    uint64_t handle;
    uint32_t type; /* enum prof_resource_type */
    uint32_t name; /* name id */
};

/* Which stream or graph a lost record was of. */
struct lost_record {
    uint32_t context, stream;
    uint32_t graph;  /* 0 not of a graph */
    uint16_t device; /* ordinal; UINT16_MAX unknown */
    uint16_t cause;  /* enum prof_loss_cause */
};

struct stream_loss {
    struct lost_record of;
    uint64_t count;
};

/* An event was recorded in a stream. */
struct cuda_event {
    uint32_t context, stream, event;
};

/* A CUDA graph that can be launched. */
struct cuda_graph {
    uint32_t graph;                     /* as in records of its nodes */
    uint32_t source;                    /* id of the graph it was instantiated from; 0 unknown */
    uint32_t kernels, memcpys, memsets; /* nodes */
    uint32_t others;                    /* neither of these */
    uint32_t flags;                     /* PROF_GRAPH_* */
};

/* When a device did something, and for which call. */
struct gpu_op {
    int64_t start_ns, end_ns;
    uint32_t correlation; /* CUPTI's id of the call; 0 none */
};

/* Memory was allocated or released; what the file does not say is 0. */
struct memory_op {
    uint64_t address;
    uint64_t bytes;    /* of a release: 0 if unknown: see the allocation at `address` */
    uint32_t context;  /* CUPTI's id */
    uint16_t device;   /* ordinal; UINT16_MAX unknown */
    uint8_t operation; /* enum prof_memory_operation */
    uint8_t kind;      /* as tl_memcpy.src_kind */
    uint8_t flags;     /* PROF_MEMORY_* */
    uint8_t pool_type; /* CUpti_ActivityMemoryPoolType: 0 none 1 local 2 imported */
    uint64_t pool;     /* address */
    uint64_t pool_bytes, pool_used_bytes, pool_release_threshold;
};

struct memory_event {
    int64_t time_ns;
    uint32_t correlation;
    uint32_t thread; /* whose innermost slice did it, where no call is named; 0 none */
    struct memory_op record;
};

struct pool_event {
    int64_t time_ns;
    uint64_t pool; /* address */
    uint64_t bytes, used_bytes, release_threshold;
    uint16_t device;   /* ordinal; UINT16_MAX unknown */
    uint8_t operation; /* CUpti_ActivityMemoryPoolOperationType: 1 created 2 destroyed 3 trimmed */
    uint8_t pool_type;
};

/* What the driver did about managed memory: the members are those of struct tl_migration. */
struct migration {
    int64_t start_ns, end_ns;
    uint64_t address, value;
    uint32_t kind, flags, source, target;
};

/* CUDA time of a range: stream time between two events . */
struct range_time {
    int64_t start_ns, end_ns; /* relative to tl_process_info.start_realtime_ns */
    uint64_t token, stream;
    uint32_t device, error_ns;
};

/* Recording of something was throttled to stay within the budget, or resumed. */
struct throttle_event {
    int64_t time_ns;
    enum prof_throttle_thing what;
    bool on;
    uint32_t cost_ppm, budget_ppm;
};

/* A profiling block of a format that stores one block after another. */
struct whole_block {
    int64_t start_ns;
    uint64_t offset; /* in the file, for messages */
    uint32_t name;
    int32_t input; /* which of the model's bundled inputs it ran on; -1 none */
};

/* Details of a block's event beside its range. Ticks are the file's own numbers. The range's times
 * are derived from them with a scale that the file does not contain. */
struct block_event {
    uint64_t start_ticks, end_ticks;
    int32_t delegate;       /* number that a delegate of the runtime gave; -1 none */
    uint32_t delegate_name; /* or the name; 0 none */
    uint32_t metadata;      /* the delegate's own bytes, as a name; 0 none */
    bool wrapped;           /* the 32-bit tick counter wrapped during it */
};

struct debug_tensor {
    int64_t offset; /* of its elements, in the file that lies beside */
    const int64_t *sizes, *strides;
    uint32_t size_count, stride_count;
    uint32_t type; /* as in PyTorch's ScalarType */
};

struct debug_value {
    int64_t chain;
    int32_t instruction, delegate; /* -1 none */
    uint32_t name, delegate_name;  /* 0 none */
    enum tl_value_kind kind;
    bool is_output;  /* of the whole run */
    int64_t integer; /* INT and BOOL; STRING: its name id */
    double real;
    const struct debug_tensor *tensors; /* valid during the call, with what they point to */
    uint32_t tensor_count;
};

/* The program's own allocator handed out memory. */
struct heap_allocation {
    uint64_t address, bytes;
    uint32_t allocator;
};

/* Creates a builder. NULL: no memory. */
struct builder *builder_begin(void);
/* Sets, before the first process, time 0 of the timeline in nanoseconds since the epoch, and how
 * many files it is made from. */
void builder_set_base(struct builder *builder, uint64_t base_realtime_ns, uint32_t file_count);
/* Whether an allocation failed. */
bool builder_failed(const struct builder *builder);
/* Returns the timeline, which the caller owns, and destroys the builder. NULL: an allocation
 * failed. */
struct timeline *builder_end(struct builder *builder);
/* Destroys the builder and what was appended. Accepts NULL. */
void builder_abandon(struct builder *builder);

/* Begins a process of the file `path`, to which everything belongs that is appended before
 * builder_end_process(). Adds `shift_ns` to each of its times. */
void builder_begin_process(struct builder *builder, const char *path, int64_t shift_ns);
/* Sorts, nests, joins and checks what was appended of the process. */
void builder_end_process(struct builder *builder, const struct tl_health *health);

/* ---- Facts ----
 *
 * All names, devices, contexts, streams, threads and API names come before the first event. */

/* Sets what is known of the process as a whole. */
void builder_set_process(struct builder *builder, const struct tl_process_info *process);
/* Defines a name. */
void builder_define_name(struct builder *builder, uint32_t id, struct text text);
/* Defines a thread; a later definition replaces the earlier. A thread that is never defined appears
 * with its first event. `internal`: it is the recorder's own. */
void builder_define_thread(struct builder *builder, uint32_t thread, uint64_t tid, struct text name,
                           bool internal);
/* Defines a device of the process. */
void builder_define_device(struct builder *builder, const struct tl_device_info *device);
/* Defines which device a context is on. */
void builder_define_context(struct builder *builder, const struct cuda_context *context);
/* Defines a stream and its priority. */
void builder_define_stream(struct builder *builder, const struct cuda_stream *stream);
/* Defines the name of a CUDA function by its callback id. */
void builder_define_api_name(struct builder *builder, enum prof_api_domain domain, uint32_t cbid,
                             uint32_t name);
/* Adds `count` losses of one cause. */
void builder_add_loss(struct builder *builder, enum prof_loss_cause cause, uint64_t count);
/* Says which stream or graph some of the losses were of; several add up. */
void builder_add_stream_loss(struct builder *builder, const struct stream_loss *loss);
/* Adds a warning: something in the file is wrong or was not kept, `count` times; the rest is valid.
 * `what` is the text after the count, as in "events without an end". */
void builder_add_warning(struct builder *builder, struct text what, uint64_t count);
/* Adds a sentence of the recorder about the recording; the same sentence only once. */
void builder_add_note(struct builder *builder, struct text text);
/* Appends a process that this one made. Time 0: before the file began; it may be appended again
 * with its time. */
void builder_append_child(struct builder *builder, uint32_t pid, enum prof_child_origin origin,
                          int64_t time_ns);
/* Appends that recording was switched on or off, in order of time. */
void builder_append_control(struct builder *builder, bool on, uint32_t epoch,
                            enum prof_control_reason reason, int64_t time_ns);
/* Sets what recording cost: once, after all events, if the recorder stated it. */
void builder_set_cost(struct builder *builder, const struct tl_cost *cost);
/* Appends that recording of something was throttled or resumed. */
void builder_append_throttle(struct builder *builder, const struct throttle_event *throttle);
/* Appends what the recorder summed up; after the process's names. `durations`: as many as
 * record->buckets. */
void builder_append_summary(struct builder *builder, const struct prof_rec_summary *record,
                            const uint32_t *durations);
void builder_append_summary_step(struct builder *builder,
                                 const struct prof_rec_summary_step *record);
/* Has readers append facts and summaries, but no events. Before the first file is read. */
void builder_leave_out_events(struct builder *builder);
bool builder_leaves_out_events(const struct builder *builder);
/* Lets readers leave out what timeline_restrict() removes because it is outside of the window
 * [from_ns, to_ns) of the timeline; steps are always kept. Before the first file is read. What then
 * differs from the whole recording is in docs/limits.md. */
void builder_set_window(struct builder *builder, int64_t from_ns, int64_t to_ns);
/* The window in times of the current process's file; false: there is none. */
bool builder_window(const struct builder *builder, int64_t *from_ns, int64_t *to_ns);
/* Of what readers leave out, for what the whole recording says: */
/* something happened between these times, */
void builder_note_left_out(struct builder *builder, int64_t start_ns, int64_t end_ns);
/* the thread's first range or call began then, */
void builder_note_left_out_begin(struct builder *builder, uint32_t number, int64_t time_ns);
/* a kernel ran within the window, so that managed memory may have moved for it. `device`: as in
 * tl_kernel. */
void builder_note_left_out_kernel(struct builder *builder, uint32_t device, int64_t start_ns,
                                  int64_t end_ns);
/* Whether calls of the Python function of this name are shown. */
bool builder_shows_frame(const struct builder *builder, uint32_t name);
/* Whether a range of this name is a step. */
bool builder_is_step(struct builder *builder, uint32_t name);
/* The number of the NVTX domain that ranges of this name belong to. */
uint32_t builder_domain_of(const struct builder *builder, uint32_t name);

/* ---- NVTX's facts, in the order of the file ---- */

/* Defines an id that stands for a name with a domain, category or color. It may come before the
 * name and the domain. */
void builder_define_event_name(struct builder *builder, const struct event_name *name);
/* Names a domain. */
void builder_define_domain(struct builder *builder, const struct nvtx_domain *domain);
/* Names a category of a domain. */
void builder_define_category(struct builder *builder, const struct nvtx_category *category);
/* Names a stream, device or context by its handle. */
void builder_define_resource(struct builder *builder, const struct named_resource *resource);

/* ---- Call stacks: with the names ---- */

/* Defines a call stack. Its modules may come later. */
void builder_define_stack(struct builder *builder, const struct call_stack *stack);
/* Defines a file that is loaded at a range of addresses. */
void builder_define_module(struct builder *builder, const struct loaded_module *module);
/* Sets when the module was unloaded, in ticks. */
void builder_end_module(struct builder *builder, uint32_t module, uint64_t ticks);
/* A thread was sampled. `names` are the Python functions that it was in, outermost first. */
struct thread_sample {
    int64_t time_ns;
    uint64_t weight_ns, queued_ns;
    uint32_t tid;
    uint32_t stack; /* id, 0 when it could not be taken */
    bool waits;
    const uint32_t *names;
    uint32_t name_count;
};
void builder_append_sample(struct builder *builder, const struct thread_sample *sample);

/* Sets the stack where the thread's latest range was opened: of the range with the id `range`, 0
 * the latest of builder_begin_range(). `stack` is 0 if it could not be taken. */
void builder_set_stack(struct builder *builder, uint32_t thread, uint32_t stack, uint64_t range);

/* ---- Ranges, steps and calls of a thread, which nest ---- */

/* Begins a range. */
void builder_begin_range(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name);
/* Ends the innermost range of builder_begin_range(). */
void builder_end_range(struct builder *builder, uint32_t thread, int64_t time_ns);
/* Begins a range on the stack of the name's domain: that of its event name, or the default domain
 * 0. */
void builder_begin_nvtx_range(struct builder *builder, uint32_t thread, int64_t time_ns,
                              uint32_t name);
/* Ends the innermost range of the domain. */
void builder_end_nvtx_range(struct builder *builder, uint32_t thread, int64_t time_ns,
                            uint32_t domain);
/* Begins a step, which ends the one before it. */
void builder_begin_step(struct builder *builder, uint32_t thread, int64_t time_ns, uint64_t number);
/* Begins a CUDA call. */
void builder_begin_call(struct builder *builder, uint32_t thread, int64_t time_ns,
                        const struct api_call *call);
/* Ends the innermost open call of this correlation id; 0 means the innermost open call. */
void builder_end_call(struct builder *builder, uint32_t thread, int64_t time_ns,
                      uint32_t correlation, int32_t result);
/* Ends everything that is open on the thread. `unclosed`: the thread or the trace ended inside a
 * range; else recording was switched off. */
void builder_close_thread(struct builder *builder, uint32_t thread, int64_t time_ns, bool unclosed);
/* Says that the beginning of the thread's log is missing (ring mode, or recording started in the
 * middle): ends without a begin are expected. */
void builder_cut_thread(struct builder *builder, uint32_t thread);

/* ---- Calls of Python functions: a stack of their own ---- */

/* Begins a call. */
void builder_begin_frame(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name);
/* Ends the innermost call. */
void builder_end_frame(struct builder *builder, uint32_t thread, int64_t time_ns);
/* Sets which calls are open on the thread, outermost first; all others end. */
void builder_set_frames(struct builder *builder, uint32_t thread, int64_t time_ns,
                        const uint32_t *names, uint32_t count);
/* Ends the open calls of all threads. Comes with the names, in order of time. */
void builder_end_frames(struct builder *builder, int64_t time_ns);

/* ---- Other events of threads ---- */

/* Appends a mark. */
void builder_append_mark(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name);
/* Appends a value of a counter. */
void builder_append_counter(struct builder *builder, uint32_t thread, int64_t time_ns,
                            uint32_t name, double value);
/* Begins a range that need not nest and may end on another thread. */
void builder_begin_async(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name,
                         uint64_t id);
/* Ends the range with this id. */
void builder_end_async(struct builder *builder, uint32_t thread, int64_t time_ns, uint64_t id);
/* Appends an attribute. `target`: 0 of the innermost open range of the thread, PROF_ATTR_OF_MARK of
 * its latest mark, else of the range with this id of builder_begin_async(). */
void builder_append_attr(struct builder *builder, uint32_t thread, const struct event_attr *attr,
                         uint64_t target);

/* ---- Device operations: details have the file's name ids; what the file does not say is 0 ---- */

/* Appends a kernel. An unknown priority is PROF_PRIORITY_UNKNOWN. */
void builder_append_kernel(struct builder *builder, const struct gpu_op *op,
                           const struct tl_kernel *kernel);
/* Appends a copy. */
void builder_append_memcpy(struct builder *builder, const struct gpu_op *op,
                           const struct tl_memcpy *copy);
/* Appends a memset. */
void builder_append_memset(struct builder *builder, const struct gpu_op *op,
                           const struct tl_memset *set);
/* Appends a wait, which is of the device of its context. */
void builder_append_sync(struct builder *builder, const struct gpu_op *op,
                         const struct tl_sync *sync);
/* Appends a stretch of the driver's or the profiler's overhead. */
void builder_append_overhead(struct builder *builder, const struct gpu_op *op,
                             const struct tl_overhead *overhead);
/* Appends a launched graph as a whole. */
void builder_append_graph_run(struct builder *builder, const struct gpu_op *op,
                              const struct tl_graph_run *run);
/* Counts an operation without times. */
void builder_append_untimed(struct builder *builder);
/* Appends a device record that could not be kept; builder_add_loss() counts it, too. */
void builder_append_lost(struct builder *builder, uint32_t correlation,
                         const struct lost_record *lost);
/* Appends one of libprof's own operations, with the CPU times around it. */
void builder_append_start_event(struct builder *builder, uint32_t device, uint32_t correlation,
                                int64_t before_ns, int64_t after_ns);
/* Sets the token of the thread's innermost open range or step, of whatever stack. */
void builder_set_timed(struct builder *builder, uint32_t thread, uint64_t token);
/* Appends the CUDA time of the range with this token, before or after the range. */
void builder_append_range_time(struct builder *builder, const struct range_time *time);
/* Appends that a call recorded a CUDA event in a stream. */
void builder_append_cuda_event(struct builder *builder, uint32_t correlation,
                               const struct cuda_event *event);
/* Defines an instantiated graph. Comes with the names; may be defined again when more is known. */
void builder_define_graph(struct builder *builder, int64_t time_ns, const struct cuda_graph *graph);
/* Appends a node that was made in the thread's innermost slice. Thread 0: made while recording was
 * off; comes with the names. */
void builder_append_graph_node(struct builder *builder, uint32_t thread, int64_t time_ns,
                               const struct graph_node *node);

/* ---- Memory ---- */

/* Names an allocator of the program's own. Comes with the names. */
void builder_define_allocator(struct builder *builder, uint32_t allocator, uint32_t name);
/* Appends an allocation of the program's own allocator. */
void builder_append_alloc(struct builder *builder, uint32_t thread, int64_t time_ns,
                          const struct heap_allocation *alloc);
/* Appends the release of such an allocation. */
void builder_append_release(struct builder *builder, uint32_t thread, int64_t time_ns,
                            uint32_t allocator, uint64_t address);
/* Appends an allocation or a release of CUDA's memory. */
void builder_append_memory(struct builder *builder, const struct memory_event *memory);
/* Appends what is known of a memory pool at a time. */
void builder_append_memory_pool(struct builder *builder, const struct pool_event *pool);
/* Appends what the driver did with managed memory. */
void builder_append_migration(struct builder *builder, const struct migration *migration);

/* ---- Profiling blocks ---- */

/* Begins a block. `flags` are PROF_BLOCK_*; with PROF_BLOCK_RESET there is no name. */
void builder_begin_block(struct builder *builder, int64_t time_ns, uint32_t name, uint32_t flags);
/* Makes the range of builder_begin_async() that was begun last an event of its block. */
void builder_set_block_event(struct builder *builder, int32_t chain, uint32_t instruction);
/* Appends a complete block: events and allocations up to the next one are in it, whatever their
 * times. Do not mix it with builder_begin_block() in one process. */
void builder_append_block(struct builder *builder, const struct whole_block *block);
/* Adds details of the event that was appended last. */
void builder_append_block_event(struct builder *builder, const struct block_event *event);
/* Appends a logged value of the block, after the event that was appended last. */
void builder_append_debug(struct builder *builder, const struct debug_value *debug);

#ifdef __cplusplus
}
#endif
#endif
