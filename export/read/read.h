/* read.h - from a file to a stream of facts.
 *
 * Every reader (libprof's own format here, others in foreign/) turns its input into calls of one
 * struct read_sink; the timeline is such a sink. A callback may be NULL: "not interested".
 *
 * Text is passed as struct text: not NUL-terminated, any bytes, owned by the reader, valid until
 * trace_file_close().
 */
#ifndef PROF_READ_H
#define PROF_READ_H

#include "text.h"

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file with these first bytes is a recording of libprof, even if a text-mode transfer damaged it. */
static inline bool read_is_recording(struct text head)
{
    return head.size >= 5 && memcmp(head.bytes + 1, "PROF", 4) == 0;
}

/* Where and why reading failed, as one line for a person: names the file and the offset. */
struct read_error {
    char message[512];
};

struct read_process {
    struct text host;
    struct text program;
    uint32_t pid;
    uint32_t parent_pid;
    int32_t rank, local_rank, world_size; /* -1 unknown */
    uint64_t start_realtime_ns;           /* since the epoch: what output times are relative to */
    bool closed; /* the recorder finished; false: it was killed or still runs */
    bool ring;
    bool simulated;
    enum prof_gpu_mode gpu_mode;
    struct text gpu_reason;
    struct text cupti;
    struct text driver;
    struct text rank_source;
    struct text library_version;
    uint64_t gpu_records;
    struct text clock_note; /* why this clock was used (PROF_INFO_CLOCK) */
    struct text format; /* what else than libprof wrote the file, as in "nsys SQLite"; or empty */
};

struct read_api {
    uint32_t correlation;
    uint32_t operations;
    uint64_t stream_handle;
    uint64_t bytes;
    uint32_t kernel_name; /* name id, 0 none */
    uint16_t cbid;
    uint8_t domain; /* enum prof_api_domain */
    uint8_t flags;  /* PROF_API_* */
    bool has_stack; /* one was wanted */
    uint32_t stack; /* id, 0 when it could not be taken */
    uint32_t graph; /* id of the graph that is launched, 0 unknown or none */
};

/* A node of a CUDA graph: see struct prof_rec_graph_node. */
struct read_graph_node {
    uint64_t node, original;
    uint32_t graph;
    uint8_t type;   /* enum prof_graph_node_type */
    uint8_t flags;  /* PROF_GRAPH_NODE_* */
    bool has_stack; /* one was wanted */
    uint32_t stack; /* id, 0 when it could not be taken */
};

struct read_attr {
    uint64_t value; /* PROF_ATTR_STRING: name id */
    uint32_t key;   /* name id */
    uint32_t type;  /* enum prof_attr_type */
};

enum read_slice_kind { READ_SLICE_RANGE, READ_SLICE_STEP, READ_SLICE_API };

#define READ_SLICE_UNCLOSED 1u  /* the file has no end of it */
#define READ_SLICE_LAUNCHES 2u  /* device operations of its correlation id are its own */
#define READ_SLICE_GRAPH 4u     /* they are those of a graph */
#define READ_SLICE_CONTINUED 8u /* goes on from the slice `continues` */
#define READ_SLICE_DRIVER 16u   /* a call of the driver's interface, not of the runtime's */

#define READ_RESULT_UNKNOWN INT32_MIN

/* Something of a thread whose begin and end are told at once, as formats have it that hold whole
 * events. */
struct read_slice {
    int64_t start_ns, end_ns;
    const struct read_attr *attrs; /* valid during the callback */
    uint32_t attr_count;
    uint32_t thread;
    uint32_t name;
    uint32_t correlation; /* 0 none; of a range: an id that has a meaning in the reader only */
    uint32_t continues;   /* how many slices of the process were told before that one */
    int32_t result;       /* of a call: its result code, or READ_RESULT_UNKNOWN */
    uint8_t kind;         /* enum read_slice_kind */
    uint8_t flags;        /* READ_SLICE_* */
};

/* A call stack, innermost first. Its addresses are where calls return to. */
struct read_stack {
    const uint64_t *addresses; /* valid during the callback */
    uint32_t id;
    uint32_t frames;
    uint32_t method; /* enum prof_stack_method */
    bool cut;        /* it was deeper */
    uint64_t ticks;  /* when first seen: compares with those of modules */
};

struct read_module {
    uint64_t start, end; /* addresses */
    uint64_t file_offset;
    uint64_t bias;
    uint64_t ticks; /* when first seen */
    struct text path;
    uint32_t id;
    uint32_t build_id_bytes;
    uint8_t build_id[20];
};

enum read_gpu_kind {
    READ_GPU_KERNEL,
    READ_GPU_MEMCPY,
    READ_GPU_MEMSET,
    READ_GPU_SYNC,
    READ_GPU_OVERHEAD,
    READ_GPU_GRAPH
};

/* One thing a device did, its times brought to the clock of all others. The union's member is named
 * by `kind` and is the record as it is in the file (its times still CLOCK_REALTIME); fields that
 * the record does not carry are 0, an unknown priority is PROF_PRIORITY_UNKNOWN. */
struct read_gpu {
    enum read_gpu_kind kind;
    uint32_t name;            /* what the file calls it; 0: by its record, as all of libprof's */
    int64_t start_ns, end_ns; /* relative to read_process.start_realtime_ns */
    uint32_t correlation;
    uint32_t
        origin; /* the file names a range that it comes from: the how manieth slice of the process
                        that was told, from 1. Counts where no call has its correlation. 0 none */
    bool
        ambiguous; /* several processes have a call or range of its ids, and none is known to be meant */
    uint32_t wait_device; /* of a wait, where the file says it: 1 + ordinal; 0: its context's */
    union {
        struct prof_rec_kernel kernel;
        struct prof_rec_memcpy memcpy;
        struct prof_rec_memset memset;
        struct prof_rec_sync sync;
        struct prof_rec_overhead overhead;
        struct prof_rec_graph_run graph;
    };
};

/* Memory, its times brought to the clock of all others; `record` is as it is in the file, what it
 * does not carry is 0. */
struct read_memory {
    int64_t time_ns;
    uint32_t correlation;
    uint32_t thread; /* whose innermost slice did it, where no call is named; 0 none */
    struct prof_rec_memory record;
};

struct read_memory_pool {
    int64_t time_ns;
    struct prof_rec_memory_pool record;
};

struct read_unified_memory {
    int64_t start_ns, end_ns;
    struct prof_rec_unified_memory record;
};

/* CUDA time of a range: stream time between two events (struct prof_rec_range_time). */
struct read_range_time {
    int64_t start_ns, end_ns; /* relative to read_process.start_realtime_ns */
    uint64_t token, stream;
    uint32_t device, error_ns;
};

/* What recording cost until `time_ns`: enum prof_cost_part. */
struct read_cost_part {
    uint64_t count, ns;
};

struct read_cost {
    int64_t time_ns;
    uint64_t recorded_ns; /* wall time during which recording was on */
    uint64_t cpu_ns;      /* CPU time of the program meanwhile */
    uint64_t launches;
    uint32_t budget_ppm; /* 0 none */
    struct read_cost_part parts[PROF_COST_COUNT];
};

/* Something was not recorded any more to keep the budget, or is again. */
struct read_shed {
    int64_t time_ns;
    enum prof_shed_thing what;
    bool on;
    uint32_t cost_ppm, budget_ppm;
};

/* A profiling block of a format that tells block after block. */
struct read_block {
    int64_t start_ns;
    uint64_t offset; /* in the file, for messages */
    uint32_t name;
    int32_t input; /* which of the model's bundled inputs it ran on; -1 none */
};

/* What a format says of a block's event beside its range. Ticks are the file's own numbers: the
 * range's times come of them by a scale that the file does not hold. */
struct read_block_event {
    uint64_t start_ticks, end_ticks;
    int32_t delegate;       /* number that a delegate of the runtime gave; -1 none */
    uint32_t delegate_name; /* or the name; 0 none */
    uint32_t metadata;      /* the delegate's own bytes, as a name; 0 none */
    bool wrapped;           /* the ticks' 32 bits began anew in it */
};

/* A value that the program logged, as what an operator computed. */
enum read_value_kind {
    READ_VALUE_NONE,
    READ_VALUE_INT,
    READ_VALUE_BOOL,
    READ_VALUE_FLOAT,
    READ_VALUE_DOUBLE,
    READ_VALUE_TENSOR,
    READ_VALUE_TENSORS,
    READ_VALUE_STRING
};

struct read_tensor {
    int64_t offset; /* of its elements, in the file that lies beside */
    const int64_t *sizes, *strides;
    uint32_t size_count, stride_count;
    uint32_t type; /* as in PyTorch's ScalarType */
};

struct read_debug {
    int64_t chain;
    int32_t instruction, delegate; /* -1 none */
    uint32_t name, delegate_name;  /* 0 none */
    enum read_value_kind kind;
    bool is_output;  /* of the whole run */
    int64_t integer; /* INT and BOOL; STRING: its name id */
    double real;
    const struct read_tensor *tensors; /* valid during the callback, with what they point to */
    uint32_t tensor_count;
};

/* Times are nanoseconds since read_process.start_realtime_ns and never go backwards within one
 * thread. Thread numbers are the file's thread indexes (from 1); name ids are the file's, resolved
 * by `name` or, for those that NVTX gave a domain, category or colour, by `event_name`. */
struct read_sink {
    void *user;
    void (*process)(void *user, const struct read_process *process);
    /* All names, devices, contexts, streams, threads and API names come before the first event. A
     * thread may be announced again: what comes later replaces. One that is in no META record comes
     * when its records begin. */
    void (*name)(void *user, uint32_t id, struct text text, size_t full_size);
    void (*thread)(void *user, uint32_t thread, uint32_t tid, struct text name, bool internal);
    void (*device)(void *user, const struct prof_rec_device *device);
    void (*context)(void *user, const struct prof_rec_context *context);
    void (*stream)(void *user, const struct prof_rec_stream *stream);
    void (*api_name)(void *user, enum prof_api_domain domain, uint32_t cbid, uint32_t name);
    void (*loss)(void *user, enum prof_loss_cause cause, uint64_t count);
    /* What NVTX says about names, in the order of the file: an event name may come before the name
     * and the domain that it refers to. */
    void (*event_name)(void *user, const struct prof_rec_event_name *name);
    void (*domain)(void *user, const struct prof_rec_domain *domain);
    void (*category)(void *user, const struct prof_rec_category *category);
    void (*resource)(void *user, const struct prof_rec_resource *resource);
    /* With the names. A module may come after the stacks that point into it. */
    void (*stack_frames)(void *user, const struct read_stack *stack);
    void (*module)(void *user, const struct read_module *module);
    void (*module_gone)(void *user, uint32_t module, uint64_t ticks);

    void (*push)(void *user, uint32_t thread, int64_t time_ns, uint32_t name);
    void (*pop)(void *user, uint32_t thread, int64_t time_ns);
    /* On the stack of the name's domain: that of its event name, or the default domain 0. */
    void (*nvtx_push)(void *user, uint32_t thread, int64_t time_ns, uint32_t name);
    void (*nvtx_pop)(void *user, uint32_t thread, int64_t time_ns, uint32_t domain);
    /* Calls of Python functions, a stack of their own; `frames` says all that are open, outermost
     * first. */
    void (*frame_push)(void *user, uint32_t thread, int64_t time_ns, uint32_t name);
    void (*frame_pop)(void *user, uint32_t thread, int64_t time_ns);
    void (*frames)(void *user, uint32_t thread, int64_t time_ns, const uint32_t *names,
                   uint32_t count);
    void (*mark)(void *user, uint32_t thread, int64_t time_ns, uint32_t name);
    void (*range_begin)(void *user, uint32_t thread, int64_t time_ns, uint32_t name, uint64_t id);
    void (*range_end)(void *user, uint32_t thread, int64_t time_ns, uint64_t id);
    void (*counter)(void *user, uint32_t thread, int64_t time_ns, uint32_t name, double value);
    /* target: 0 the innermost open range of the thread, PROF_ATTR_OF_MARK its latest mark, else a
     * range id. */
    void (*attr)(void *user, uint32_t thread, uint32_t key, enum prof_attr_type type,
                 uint64_t value, uint64_t target);
    void (*step)(void *user, uint32_t thread, int64_t time_ns, uint64_t number);
    /* Slices of one thread come together, by start, those around others first, and lie side by side
     * or one inside the other. A thread that is told so has no push, step or api_enter. */
    void (*slice)(void *user, const struct read_slice *slice);
    void (*api_enter)(void *user, uint32_t thread, int64_t time_ns, const struct read_api *api);
    /* Ends the innermost open call of this correlation id; 0 means the innermost open call. */
    void (*api_exit)(void *user, uint32_t thread, int64_t time_ns, uint32_t correlation,
                     int32_t result);
    /* Everything that is open on the thread ends at `time_ns`. `unclosed` says whether that is the
     * program's fault (thread or trace ended inside a range) or not (recording was switched
     * off). */
    void (*close_all)(void *user, uint32_t thread, int64_t time_ns, bool unclosed);
    /* The thread's log does not begin at its beginning (ring mode, or recording began in the midst
     * of it): pops without a push are expected. */
    void (*cut)(void *user, uint32_t thread);
    void (*gpu)(void *user, const struct read_gpu *gpu);
    /* A device record that came and could not be kept: it is in loss(), too. */
    void (*lost)(void *user, uint32_t correlation, const struct prof_rec_lost *lost);
    /* Whose some of the losses were; comes with the names, several may be added up. */
    void (*stream_loss)(void *user, const struct prof_rec_stream_loss *loss);
    void (*start_event)(void *user, uint32_t device, uint32_t correlation, int64_t before_ns,
                        int64_t after_ns);
    /* Memory. `allocator` comes with the names; the program's own allocations are events of their
     * thread. */
    void (*memory)(void *user, const struct read_memory *memory);
    void (*memory_pool)(void *user, const struct read_memory_pool *pool);
    void (*unified_memory)(void *user, const struct read_unified_memory *unified);
    void (*allocator)(void *user, uint32_t allocator, uint32_t name);
    void (*alloc)(void *user, uint32_t thread, int64_t time_ns, uint32_t allocator,
                  uint64_t address, uint64_t bytes);
    void (*release)(void *user, uint32_t thread, int64_t time_ns, uint32_t allocator,
                    uint64_t address);
    /* Where the thread's latest range was opened: `range` is its id, 0 one that was pushed. `stack`
     * is 0 when it could not be taken. */
    void (*stack)(void *user, uint32_t thread, uint32_t stack, uint64_t range);
    /* The innermost open range or step of the thread, of whatever stack, has this token. */
    void (*timed)(void *user, uint32_t thread, uint64_t token);
    /* May come before the range's token, and after the range. */
    void (*cuda_event)(void *user, uint32_t correlation, const struct prof_rec_cuda_event *event);
    void (*range_time)(void *user, const struct read_range_time *time);
    void (*note)(void *user, struct text text); /* PROF_INFO_NOTE: comes with the names */
    /* The process made another; comes with the names. Time 0 when that was before the file began;
     * such a child may be told again with its time. */
    void (*child)(void *user, uint32_t pid, enum prof_child_origin origin, int64_t time_ns);
    /* The range that was just begun (range_begin) is an event of a profiling block. */
    void (*event)(void *user, uint32_t thread, uint64_t id, int32_t chain, uint32_t instruction);
    /* `flags` are PROF_BLOCK_*; with PROF_BLOCK_RESET there is no name. */
    void (*block)(void *user, uint32_t thread, int64_t time_ns, uint32_t name, uint32_t flags);
    /* A node of a graph, within what is open on its thread; thread 0: made while recording was off,
     * comes with the names. */
    void (*graph_node)(void *user, uint32_t thread, int64_t time_ns,
                       const struct read_graph_node *node);
    /* A graph was instantiated; comes with the names, again where more is known of it. */
    void (*graph)(void *user, int64_t time_ns, const struct prof_rec_graph *graph);
    /* A block told whole: events and allocations that come from here to the next one are in it,
     * whatever their times. A process that has such a one has no `block`. */
    void (*whole_block)(void *user, const struct read_block *block);
    /* More about the event that was told last. */
    void (*block_event)(void *user, const struct read_block_event *event);
    /* Of the block, after the event told last. */
    void (*debug)(void *user, const struct read_debug *debug);
    /* Recording went on or off; comes with the names, in order. */
    void (*control)(void *user, bool on, uint32_t epoch, enum prof_control_reason reason,
                    int64_t time_ns);
    /* Calls of Python functions that are open on any thread end; comes with the names, in order. */
    void (*frames_end)(void *user, int64_t time_ns);
    /* Something in the file that is wrong, or that could not be kept, and how often; the rest holds.
     * A phrase that goes on after a number, as in "events without an end". */
    void (*warning)(void *user, struct text what, uint64_t count);
    /* After all events, once; not at all where the recorder has not stated it. */
    void (*cost)(void *user, const struct read_cost *cost);
    /* With the names, in order. */
    void (*shed)(void *user, const struct read_shed *shed);
};

/* What was odd about the file itself. */
struct read_health {
    uint64_t records;        /* read */
    uint64_t torn_records;   /* reserved, never committed */
    uint64_t bad_records;    /* of impossible kind or size */
    uint64_t bad_offset;     /* of the first of them, 0 none */
    uint64_t missing_chunks; /* gaps in a log's sequence */
    uint64_t clamped_times;  /* records stamped before their predecessor of the same thread */
    uint64_t file_bytes;
    bool truncated;           /* the file ends inside a chunk that the header counts */
    uint64_t truncated_at;    /* offset */
    int64_t clock_error_ns;   /* largest half-width of a clock sample: the error bar of CPU times */
    uint64_t unknown_records; /* of a later version of the format */
    uint64_t unknown_losses;  /* counted under a cause that this reader does not know */
    uint64_t clock_samples;   /* usable; 0: the header's instant and nominal rate served */
    uint64_t clock_steps;     /* times that CLOCK_REALTIME was set while recording */
};

struct trace_file;

/* Opens a file of libprof's own format, which its content tells. `partial` shows what is readable of
 * a damaged file instead of refusing it. On failure returns NULL and fills `error`. Close with trace_file_close(), which
 * accepts NULL.
 *
 * The file is mapped at the size it has now: what a live recorder adds later is not seen. Whoever
 * truncates the file while it is open takes the pages away (SIGBUS), as for every mapped file. */
struct trace_file *trace_file_open(const char *path, bool partial, struct read_error *error);

/* The same for a file that is in memory already. `bytes` is borrowed (copied only where it is not
 * 8-aligned) and must outlive the trace_file; `name` stands for the path in messages. */
struct trace_file *trace_file_open_memory(const void *bytes, size_t size, const char *name,
                                          bool partial, struct read_error *error);

/* How many processes the file tells of. libprof's own files hold one; files of others may hold any
 * number, 0 too. */
uint32_t trace_file_process_count(const struct trace_file *file);

/* Tells the sink everything that is in the file about one process. May be called again. A damaged record ends the
 * walk with false unless the file was opened with `partial`; `health` (may be NULL) is filled
 * either way. */
bool trace_file_walk_process(struct trace_file *file, uint32_t process,
                             const struct read_sink *sink, struct read_health *health,
                             struct read_error *error);

/* The same for a file that holds one process. */
static inline bool trace_file_walk(struct trace_file *file, const struct read_sink *sink,
                                   struct read_health *health, struct read_error *error)
{
    return trace_file_walk_process(file, 0, sink, health, error);
}
void trace_file_close(struct trace_file *file);

const char *trace_file_path(const struct trace_file *file);

/* Where the file's time 0 lies, since the epoch. */
uint64_t trace_file_start_realtime_ns(const struct trace_file *file);

#ifdef __cplusplus
}
#endif
#endif
