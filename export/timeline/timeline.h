/* timeline.h - one model of everything that was recorded, correlated.
 *
 * Built once from any number of files, then read-only. Times are int64_t nanoseconds since
 * `base_realtime_ns`. Everything refers by index (NONE = no such thing), names by index into
 * `names`.
 *
 *     process 1--n thread 1--n slice (tree) 1--n gpu op n--1 stream n--1 device
 */
#ifndef PROF_TIMELINE_H
#define PROF_TIMELINE_H

#include "text.h"
#include "tl_memory.h"

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TL_NONE UINT32_MAX

/* Times lie within this distance of 0: adding two of them does not overflow. */
#define TL_TIME_MAX_NS (INT64_C(1) << 61)

enum tl_slice_kind {
    TL_RANGE, /* push/pop, of prof.h or of an NVTX domain */
    TL_STEP,  /* ProfilerStep#N: from one step to the thread's next */
    TL_API,   /* a CUDA call */
};

/* Slice flags. */
#define TL_UNCLOSED 1u   /* the trace, the thread or the recording ended before it did */
#define TL_LAUNCHES 2u   /* an API call that puts operations on a device */
#define TL_INTERNAL 4u   /* made by libprof itself: in no table and no trace */
#define TL_GRAPH 8u      /* an API call that launches a graph */
#define TL_CONTINUED 16u /* a range goes on: not its first piece, so no call of its own */

/* There are tens of millions of these: no padding to 8 bytes at their end. */
#define TL_DENSE __attribute__((packed, aligned(4)))

/* What a thread did, in the order in which it began: parents before children, children inside
 * parents.
 *
 * Ranges of prof.h and of each NVTX domain are stacks of their own, so those of different stacks
 * can cross. Slices are a tree all the same: where a range ends below others that were begun later,
 * those are cut there and go on beside it.
 *
 *     A begins, B begins, A ends, B ends        A  |-----------|
 *     B is two slices                           B       |------|-------|
 *                                                       first    TL_CONTINUED
 *
 * Every instant, and every launch, belongs to the innermost range open then, whatever its stack.
 * The pieces of a range add up to its duration. A call is counted by its first piece, which has its
 * attributes; TL_UNCLOSED is on its last. `pieces` tells which slice a piece goes on from, so the
 * duration of a whole call is the sum over its pieces: from the start of the first to the end of
 * the last. */
struct tl_slice {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;
    uint32_t parent; /* slice of the same thread, or TL_NONE */
    uint32_t thread;
    uint32_t gpu_first; /* first of the operations it launched, in gpu_by_slice[] */
    uint32_t gpu_count; /* of a call; of a range, operations that have no call in the file, which
                           names the range as their origin */
    union {
        uint32_t api;   /* API slices: into apis[] */
        uint32_t label; /* all others: into labels[], TL_NONE unless it came through NVTX */
    };
    uint16_t depth; /* 0 = no parent */
    uint8_t kind;   /* enum tl_slice_kind */
    uint8_t flags;  /* TL_* */
} TL_DENSE;

/* A slice with TL_CONTINUED, and the slices of the same thread that it goes on from. */
struct tl_piece {
    uint32_t slice;  /* ascending */
    uint32_t first;  /* the call's first piece */
    uint32_t before; /* the piece that ends where this one starts */
};

/* A domain of NVTX in its process; ranges of prof.h are in none. */
struct tl_domain {
    uint32_t process;
    uint32_t number; /* the file's; 0 the default domain */
    uint32_t name;   /* TL_NONE the default domain */
};

/* In which PyTorch tells ITT of its operators. */
#define TL_PYTORCH_DOMAIN "PyTorch"

struct tl_category {
    uint32_t domain; /* into domains[] */
    uint32_t number;
    uint32_t name; /* TL_NONE: only its number is known */
};

#define TL_LABEL_COLORED 1u /* `color` was given */

/* What came with a range, a mark or a begin/end range through NVTX, beside its name. */
struct tl_label {
    uint32_t domain;   /* into domains[] */
    uint32_t category; /* into categories[], TL_NONE none */
    uint32_t name;  /* what tables call it, "domain:name"; TL_NONE: as it is, in the default domain
                          and in PyTorch's */
    uint32_t color; /* 0xAARRGGBB */
    uint32_t flags; /* TL_LABEL_* */
};

#define TL_RESULT_UNKNOWN INT32_MIN /* the call's end is not in the trace */

struct tl_api {
    uint32_t correlation;
    int32_t result;
    uint64_t stream_handle;
    uint64_t bytes;
    uint32_t kernel_name; /* as tl_gpu.name; TL_NONE unknown */
    uint32_t operations;  /* device operations expected, 0 unknown or none */
    uint16_t cbid;
    uint8_t domain;
    bool failed_only; /* such calls are recorded only where they fail: it has no duration */
} TL_DENSE;

#define TL_FRAME_UNCLOSED 1u  /* as TL_UNCLOSED */
#define TL_FRAME_CONTINUED 2u /* not the first piece of its call */

/* A call of a Python function, or a piece of one. Such calls are no slices: they say where slices were
 * made, and take no time of theirs. Slices and frames of a thread are drawn on one row all the same, so
 * a call is cut where a range that began in it outlives it, and where one that began before ends in it. By
 * thread, then in order: outer ones first. */
struct tl_frame {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;
    uint32_t thread;
    uint32_t call;   /* the call's first piece */
    uint32_t parent; /* the first piece of the call around it, TL_NONE */
    uint32_t flags;  /* TL_FRAME_* */
} TL_DENSE;

/* Functions that called each other, by the innermost. Each is there once. */
struct tl_frame_path {
    uint32_t parent; /* into frame_paths[], TL_NONE the outermost */
    uint32_t name;
};

/* A begin/end range that does not have to nest and may end on another thread. */
struct tl_async {
    int64_t start_ns, end_ns;
    uint64_t id;
    uint32_t name;
    uint32_t thread, end_thread;
    uint32_t flags; /* TL_UNCLOSED */
    uint32_t label; /* as tl_slice.label; TL_NONE also for an NVTX range of the default domain that
                       has nothing but a name */
};

struct tl_mark {
    int64_t time_ns;
    uint32_t name;
    uint32_t thread;
    uint32_t slice; /* innermost open range, TL_NONE */
    uint32_t label; /* as tl_async.label */
};

struct tl_counter {
    int64_t time_ns;
    double value;
    uint32_t name;
    uint32_t thread;
};

struct tl_attr {
    uint32_t slice; /* ascending: the attributes of a slice are adjacent; in mark_attrs[] it is the
                       mark, in async_attrs[] the begin/end range */
    uint32_t key;
    uint32_t type; /* enum prof_attr_type */
    uint32_t reserved;
    uint64_t value; /* PROF_ATTR_STRING: index into names[] */
};

/* Work first. TL_GRAPH_RUN is a launched graph as a whole: then there are no operations of its
 * nodes. */
enum tl_gpu_kind { TL_KERNEL, TL_MEMCPY, TL_MEMSET, TL_GRAPH_RUN, TL_SYNC, TL_OVERHEAD };

#define TL_GPU_INTERNAL 1u      /* libprof's own operation */
#define TL_GPU_BEFORE_LAUNCH 2u /* starts before its launch by more than the clock's error bar */
#define TL_GPU_ORPHAN 4u        /* its launch is not in the trace */
#define TL_GPU_AMBIGUOUS 8u     /* calls of several processes can have launched it */

/* What a device did. Sorted by (process, device, context, stream, start). */
struct tl_gpu {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;   /* kernels: demangled; copies: "Memcpy HtoD (Pageable -> Device)" */
    uint32_t slice;  /* the call that launched it, else the range that the file names, TL_NONE */
    uint32_t stream; /* into streams[]; TL_NONE for TL_OVERHEAD and context-wide syncs */
    uint32_t correlation;
    uint64_t bytes; /* copies and sets */
    uint16_t lane;  /* 0, or the extra lane that keeps it clear of others of its stream */
    uint8_t kind;   /* enum tl_gpu_kind */
    uint8_t flags;  /* TL_GPU_* */
    uint32_t
        detail; /* by kind, into kernels[], memcpys[], memsets[], graph_runs[], syncs[], overheads[] */
    uint32_t process;
    uint32_t device; /* ordinal in its process; TL_NONE unknown */
};

/* Whether it puts work on a device: a kernel, copy, set or graph; not one of libprof's own. */
static inline bool tl_is_work(const struct tl_gpu *gpu)
{
    return gpu->kind <= TL_GRAPH_RUN && !(gpu->flags & TL_GPU_INTERNAL);
}

/* A CUDA graph that can be launched. */
struct tl_graph {
    int64_t made_ns; /* `known` only, as are the counts */
    uint32_t process;
    uint32_t id;     /* CUPTI's, as in records of devices */
    uint32_t source; /* id of the graph that it was instantiated from, 0 unknown */
    uint32_t kernels, memcpys, memsets, others; /* nodes, those of graphs inside it included */
    uint32_t copies;                            /* most that one launch of it recorded */
    uint32_t flags;                             /* PROF_GRAPH_* */
    bool known;                                 /* its making was seen */
};

/* What is known of where a node was captured or added. */
enum tl_captured_when {
    TL_CAPTURED_RECORDED, /* in `slice`; TL_NONE outside of every range and call */
    TL_CAPTURED_EARLIER,  /* while recording was off */
    TL_CAPTURED_UNKNOWN,
};

/* A node of a graph of graphs[], as it was in the end; nodes of graphs inside it are not here. */
struct tl_graph_node {
    uint64_t node; /* CUPTI's id */
    uint32_t graph;
    uint32_t slice; /* innermost range or call when it was captured, TL_NONE */
    uint32_t stack; /* TL_NONE: none was taken */
    uint8_t type;   /* enum prof_graph_node_type */
    uint8_t when;   /* enum tl_captured_when */
};

/* What a wait for an event was for. */
struct tl_wait {
    uint32_t gpu; /* ascending: a TL_SYNC of gpus[] */
    uint32_t
        correlation; /* of the call that had recorded the event last before the wait was called for */
    uint32_t stream; /* CUPTI's id of the stream that it was recorded in */
};

/* Which code captured an operation of a graph: see captured.h. */
struct tl_captured {
    uint32_t gpu;   /* ascending */
    uint32_t slice; /* as tl_graph_node.slice, when the operation was launched */
    uint32_t stack;
    uint8_t when;
};

/* A call that launched a graph. By slice. */
struct tl_graph_launch {
    uint32_t slice;
    uint32_t graph;    /* TL_NONE unknown */
    uint32_t expected; /* operations at least; 0 unknown, or the call failed */
    uint32_t recorded; /* operations */
    uint32_t copies;   /* of these */
    bool whole;        /* one TL_GRAPH_RUN is expected, no nodes */
};

/* A profiling block of a process (prof/block.h): what was begun and allocated from here to the
 * process's next block. Blocks of a process are in order of time; those of the same name are
 * iterations of one block. */
struct tl_block {
    int64_t start_ns;
    uint32_t process;
    uint32_t name;
    uint32_t first_event, event_count;   /* into block_events[], by start */
    uint32_t first_alloc, alloc_count;   /* into block_allocs[], by time */
    uint32_t reset_events, reset_allocs; /* that a reset took out of it */
    uint32_t first_debug, debug_count;   /* into debugs[], in the order of the file */
    uint64_t offset;                     /* in a file that has blocks one after the other; else 0 */
    int32_t input;                       /* which bundled input it ran on; -1 none */
};

struct tl_block_event {
    uint32_t async;       /* its range, into asyncs[] */
    int32_t chain;        /* -1 outside of chains */
    uint32_t instruction; /* index in its chain */
    uint32_t source;      /* into event_sources[]; TL_NONE: libprof's own */
};

#define TL_EVENT_WRAPPED 1u /* the ticks' 32 bits began anew in it, and that was reckoned with */

/* What another program's file says of a block's event. */
struct tl_event_source {
    uint64_t start_ticks, end_ticks; /* the file's own numbers; end 0: it did not end */
    int32_t delegate;                /* -1 none */
    uint32_t delegate_name;          /* TL_NONE none */
    uint32_t metadata;               /* into names[]: any bytes; TL_NONE none */
    uint32_t flags;                  /* TL_EVENT_* */
};

struct tl_tensor {
    int64_t offset;                      /* of its elements, in the file that lies beside */
    uint32_t type;                       /* as in PyTorch's ScalarType */
    uint32_t first_size, size_count;     /* into tensor_sizes[] */
    uint32_t first_stride, stride_count; /* into tensor_sizes[] */
};

/* A value that the program logged, as what an operator computed. */
enum tl_value_kind {
    TL_VALUE_NONE,
    TL_VALUE_INT,
    TL_VALUE_BOOL,
    TL_VALUE_FLOAT,
    TL_VALUE_DOUBLE,
    TL_VALUE_TENSOR,
    TL_VALUE_TENSORS,
    TL_VALUE_STRING
};

/* A value that was logged in a block. */
struct tl_debug {
    int64_t chain;
    int64_t integer; /* TL_VALUE_INT, _BOOL; _STRING: into names[] */
    double real;
    int32_t instruction, delegate; /* -1 none */
    uint32_t name, delegate_name;  /* TL_NONE none */
    uint32_t events_before;        /* how many of the block's events were logged before it */
    uint32_t first_tensor, tensor_count;
    uint8_t kind;   /* enum tl_value_kind */
    bool is_output; /* of the whole run */
};

struct tl_block_alloc {
    int64_t time_ns;
    uint64_t bytes;
    uint32_t thread;
    uint32_t heap; /* into heaps[] */
};

/* CUDA time of a range without CUPTI: stream time between two events on one stream of the device,
 * recorded when the range was pushed and popped. At most one for a slice, by slice. A range's
 * interval lies within that of the ranges around it on the same device. */
struct tl_timing {
    int64_t start_ns, end_ns;
    uint64_t stream; /* its handle, in CUDA */
    uint32_t slice;  /* a range or a step */
    uint32_t device; /* ordinal in its process */
    uint32_t error_ns;
    uint32_t reserved;
};

/* What was odd about a process's events. None of it is damage. */
struct tl_oddities {
    uint64_t unknown_range_ends;  /* prof_range_end() of an id that is not open */
    uint64_t reused_range_ids;    /* prof_range_begin() of an id that is open already */
    uint64_t unmatched_api_exits; /* ends of CUDA calls whose begin is not in the trace */
    uint64_t open_api_calls;      /* begins of CUDA calls whose end is not in the trace */
    uint64_t crossed_steps;  /* steps begun inside a range that was opened in the step before */
    uint64_t homeless_attrs; /* attributes given while no range was open: dropped */
    uint64_t missing_names;  /* references to names that are not in the file */
    uint64_t backward_gpu;   /* device operations that ended before they began: taken as empty */
    uint64_t zero_time_gpu;  /* device operations without a time that are in the file: dropped */
    uint64_t surplus_gpu;    /* device operations beyond the number that their call was to launch */
    uint64_t redefined_names; /* ids that mean two names, or a name and an event name: one counts */
    uint64_t unknown_domains; /* references to NVTX domains that are not in the file */
    uint64_t uncut_ranges;    /* ranges that should have gone on where another ended, and were ended
                                 there: too many were open at once */
    uint64_t unknown_frees;   /* releases of addresses that were not allocated in the trace */
    uint64_t reused_addresses; /* allocations at an address that was in use */
    uint64_t untaken_stacks;   /* call stacks that were wanted and could not be taken */
    uint64_t missing_stacks;   /* references to call stacks that are not in the file */
    uint64_t unopened_frames;  /* ends of Python calls whose begin is not in the trace */
    uint64_t uncut_frames;     /* Python calls that crossed too many ranges, and were ended there */
    uint64_t unread_timings;   /* timed ranges whose CUDA time is not in the trace */
    uint64_t stray_timings;    /* CUDA times whose range is not in the trace: dropped */
    uint64_t
        moved_timings; /* CUDA times that did not nest, beyond their error: cut until they do */
};

struct tl_process_info {
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

/* What was odd about the file itself. */
struct tl_health {
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

/* What recording cost until `time_ns`: enum prof_cost_part. */
struct tl_cost_part {
    uint64_t count, ns;
};

struct tl_cost {
    int64_t time_ns;
    uint64_t recorded_ns; /* wall time during which recording was on */
    uint64_t cpu_ns;      /* CPU time of the program meanwhile */
    uint64_t launches;
    uint32_t budget_ppm; /* 0 none */
    struct tl_cost_part parts[PROF_COST_COUNT];
};

struct tl_process {
    struct tl_process_info info;
    struct tl_health health;
    uint64_t loss[PROF_LOSS_COUNT];
    const char *path;         /* of the file */
    int64_t start_ns, end_ns; /* of what was recorded */
    uint32_t first_thread, thread_count;
    struct tl_oddities odd;
    uint32_t first_stack, stack_count;
    uint32_t first_module, module_count;
    bool has_cost; /* the recorder stated it */
    struct tl_cost cost;
};

/* A process that another one made. */
struct tl_child {
    int64_t time_ns;   /* TL_NO_TIME: before the recording began */
    uint32_t process;  /* that made it */
    uint32_t recorded; /* into processes[] when its own file is here too, else TL_NONE */
    uint32_t pid;
    uint8_t origin; /* enum prof_child_origin */
};
#define TL_NO_TIME INT64_MIN

/* What a reader found wrong in a file, or could not keep. */
struct tl_warning {
    uint64_t count;
    uint32_t process;
    uint32_t what; /* name: goes on after the count, as in "events without an end" */
};

/* Recording was on. */
struct tl_window {
    int64_t start_ns;
    int64_t end_ns;   /* TL_NO_TIME: it was not switched off */
    uint32_t process; /* by process, then in order */
    uint32_t epoch;
    uint8_t start_reason, stop_reason; /* enum prof_control_reason */
};

/* Something was not recorded from here on to keep PROF_BUDGET, or was again. */
struct tl_shed {
    int64_t time_ns;
    uint32_t process; /* by process, then in order */
    uint32_t cost_ppm, budget_ppm;
    uint8_t what; /* enum prof_shed_thing */
    bool on;
};

struct tl_thread {
    uint32_t process;
    uint32_t tid;
    uint32_t name; /* TL_NONE */
    uint32_t first_slice, slice_count;
    bool internal; /* libprof's or CUPTI's */
    bool cut;
    uint64_t unclosed; /* pushes without a pop */
    uint64_t unopened; /* pops without a push, not counting those a cut explains */
    uint32_t first_frame, frame_count;
    uint32_t number; /* the file's index of the thread */
};

/* A call stack, innermost first: its addresses are where calls return to. Then come the Python functions
 * that were being called, where they were recorded: `frames`. */
struct tl_stack {
    uint64_t ticks; /* when first seen, of the process's clock */
    uint32_t process;
    uint32_t first, count; /* into addresses[] */
    uint32_t frames;       /* into frame_paths[], TL_NONE none */
    uint16_t method;       /* enum prof_stack_method; 0 without addresses */
    bool cut;              /* it was deeper */
};

/* An executable mapping, while `ticks` to `gone_ticks`. Several may have been at one address. */
struct tl_module {
    uint64_t start, end;
    uint64_t file_offset;
    uint64_t bias;              /* what the loader added to the addresses in the file */
    uint64_t ticks, gone_ticks; /* UINT64_MAX: to the end */
    uint32_t process;
    uint32_t path;           /* into names[]; may be empty */
    uint32_t build_id_bytes; /* 0 none */
    uint8_t build_id[20];
};

/* Which stack something has; see stack_of.h. Ascending by `owner`. */
struct tl_stack_of {
    uint32_t owner; /* slice or async */
    uint32_t stack;
};

/* ---- details of operations. Equal ones are stored once; what differs from one operation to the next of the same
 * kind (its times, its correlation id) is in struct tl_gpu. They are compared as bytes: every struct is
 * whole words without a gap. ---- */

struct tl_kernel {
    uint32_t context, stream; /* CUPTI's ids */
    uint32_t name;            /* into names[]: as the compiler made it, mangled */
    uint32_t grid_x;          /* blocks */
    uint16_t grid_y, grid_z;
    uint16_t block_x, block_y; /* threads */
    uint16_t block_z;
    uint16_t registers;             /* per thread */
    uint16_t device;                /* ordinal; UINT16_MAX unknown */
    uint16_t local_memory;          /* bytes per thread, 65,535 = that or more */
    uint32_t static_shared_memory;  /* bytes */
    uint32_t dynamic_shared_memory; /* bytes */
    uint64_t graph_node;            /* CUPTI's id; 0 of no graph */
    uint32_t graph;                 /* CUPTI's id; 0 of no graph */
    int32_t priority;               /* of the launch; PROF_PRIORITY_UNKNOWN where it is not known */
    uint64_t queued_ns;             /* since the epoch; 0 unknown */
    uint64_t submitted_ns;          /* since the epoch; 0 unknown */
    uint16_t cluster_x, cluster_y, cluster_z; /* blocks */
    uint8_t launch_type;                      /* CUpti_ActivityLaunchType */
    uint8_t channel_type;                     /* CUpti_ChannelType */
    uint32_t channel;
    uint32_t shared_memory_executed; /* bytes */
};

struct tl_memcpy {
    uint64_t bytes;
    uint32_t context, stream; /* CUPTI's ids */
    uint16_t device;          /* ordinal; UINT16_MAX unknown */
    /* CUpti_ActivityMemcpyKind: 1 HtoD 2 DtoH 3 HtoA 4 AtoH 5 AtoA 6 AtoD 7 DtoA 8 DtoD 9 HtoH
     * 10 PtoP */
    uint8_t copy_kind;
    /* CUpti_ActivityMemoryKind: 1 pageable 2 pinned 3 device 4 array 5 managed 6 device static
     * 7 managed static */
    uint8_t src_kind, dst_kind;
    uint8_t flags; /* 1 asynchronous */
    uint8_t reserved0;
    uint16_t reserved1;
    uint16_t src_device, dst_device; /* ordinals, of a copy between devices */
    uint32_t graph;                  /* CUPTI's id; 0 of no graph */
    uint64_t graph_node;             /* CUPTI's id; 0 of no graph */
    uint32_t src_context, dst_context;
};

struct tl_memset {
    uint64_t bytes;
    uint32_t context, stream; /* CUPTI's ids */
    uint16_t device;          /* ordinal; UINT16_MAX unknown */
    uint8_t memory_kind;      /* as tl_memcpy.src_kind */
    uint8_t flags;            /* 1 asynchronous */
    uint32_t value;
    uint64_t graph_node; /* CUPTI's id; 0 of no graph */
    uint32_t graph;      /* CUPTI's id; 0 of no graph */
    uint32_t reserved0;
};

struct tl_sync {
    /* CUpti_ActivitySynchronizationType: 1 event 2 stream wait event 3 stream 4 context */
    uint32_t type;
    uint32_t context; /* CUPTI's id */
    uint32_t stream;  /* CUPTI's id; PROF_SYNC_NO_STREAM when the wait is not about one stream */
    uint32_t event;   /* CUPTI's id; PROF_SYNC_NO_EVENT where none is meant */
};

struct tl_overhead {
    uint32_t kind; /* CUpti_ActivityOverheadKind */
    /* CUpti_ActivityObjectKind: 1 process 2 thread 3 device 4 context 5 stream */
    uint32_t object_kind;
    uint32_t object[3]; /* pid, tid, - or device, context, stream */
    uint32_t reserved0;
};

/* A launched graph as a whole. */
struct tl_graph_run {
    uint32_t graph;           /* CUPTI's id */
    uint32_t context, stream; /* CUPTI's ids */
    uint16_t device;          /* ordinal; UINT16_MAX unknown */
    uint16_t reserved0;
};

/* What CUPTI or the file says of a device; 0 unknown. */
struct tl_device_info {
    uint32_t device; /* ordinal */
    uint32_t name;   /* what reads the file: its name id. Of a timeline: see tl_device.name */
    uint64_t memory_bytes;
    uint64_t memory_bandwidth; /* bytes per second */
    uint32_t compute_major, compute_minor;
    uint32_t multiprocessors;
    uint32_t core_clock_khz;
    uint32_t l2_bytes;
    uint32_t threads_per_warp;
    uint32_t max_threads_per_block;
    uint32_t max_threads_per_multiprocessor;
    uint32_t max_blocks_per_multiprocessor;
    uint32_t max_warps_per_multiprocessor;
    uint32_t registers_per_block;
    uint32_t registers_per_multiprocessor;
    uint32_t shared_memory_per_block;
    uint32_t shared_memory_per_multiprocessor;
    uint8_t uuid[16];
};

struct tl_device {
    uint32_t process;
    struct tl_device_info info;
    uint32_t name;          /* TL_NONE */
    int64_t clock_error_ns; /* how far bracketed work lay outside its bracket; -1 unmeasured */
    uint32_t given_name;    /* the program's name for it or for its only context, TL_NONE */
};

struct tl_stream {
    uint32_t process;
    uint32_t device; /* ordinal in its process */
    uint32_t context;
    uint32_t stream;
    int32_t priority;
    uint32_t first_gpu, gpu_count; /* into gpus[] */
    uint16_t lanes;                /* 1 + extra lanes in use */
    uint32_t given_name;           /* the program's name for it, TL_NONE */
};

/* A backward pass computes the gradients of what a forward range did: PyTorch gives both the same
 * sequence number. */
struct tl_fwdbwd {
    uint32_t forward, backward; /* slices; each is backward of one at most */
};

/* launched = recorded + lost_operations + undelivered + unobserved + missing, always. All counts
 * but the last ones are operations (kernels, copies, sets); graph launches, orphans and libprof's
 * own stand beside it.
 * graph_expected = launched_graph + graph_lost + graph_undelivered + graph_unobserved. */
struct tl_ledger {
    uint64_t launched;       /* by calls that succeeded and launch a known number of operations */
    uint64_t launched_graph; /* device operations recorded under graph launches */
    uint64_t recorded; /* device operations in the file whose launch is too, graphs excluded */
    uint64_t missing;  /* launches whose operation is in no record and no counted loss: must be 0 */
    uint64_t orphans;  /* device operations whose launch is not in the file */
    uint64_t ambiguous;   /* device operations that calls of several processes can have launched */
    uint64_t lost_device; /* sum of the device causes in loss[] */
    uint64_t lost_host;   /* sum of the other causes */
    uint64_t unclosed, unopened;
    uint64_t before_launch;   /* causality violations beyond the clock's error bar */
    uint64_t lost_operations; /* launched, explained by loss[] or by chunks that are not here */
    uint64_t undelivered;     /* launched, never delivered: the process was killed or still runs */
    uint64_t unobserved;      /* launched, but device work was not recorded at all (gpu_mode) */
    uint64_t graph_expected;  /* operations of graph launches */
    uint64_t graph_lost;      /* as lost_operations; GRAPH_NODES too */
    uint64_t graph_undelivered, graph_unobserved;
    /* Of lost_operations: by cause, and those whose chunks are not here; the sum is that. */
    uint64_t lost[PROF_LOSS_COUNT];
    uint64_t recycled;
};

enum tl_ledger_kind {
    TL_LEDGER_STREAM,
    TL_LEDGER_UNKNOWN, /* launched to a stream whose id no record of its operations tells */
    TL_LEDGER_GRAPH,   /* under launches of a graph, on whatever stream */
};

/* The ledger of one stream or graph: launched = recorded + each of lost[] + recycled + undelivered +
 * unobserved + missing, always. Rows of streams, the unknown one included, add up to the ledger's
 * numbers of the same names. */
struct tl_ledger_row {
    uint32_t process;
    uint32_t kind;   /* enum tl_ledger_kind */
    uint32_t stream; /* into streams[], TL_NONE */
    uint32_t graph;  /* CUPTI's id; 0 the file does not say which */
    uint64_t launched, recorded;
    uint64_t lost[PROF_LOSS_COUNT]; /* launches of this row that this cause explains */
    uint64_t recycled;
    uint64_t undelivered, unobserved, missing;
    uint64_t orphans;   /* recorded, but the launch is not in the file */
    uint64_t ambiguous; /* recorded, but several processes have a launch of its id */
    uint64_t outside;   /* lost, and the launch is not in the file either: no part of `launched` */
};

/* Why an operation that was launched is in no record: an enum prof_loss_cause, or one of these, which are members of
 * struct tl_ledger_row. */
enum tl_lack_cause {
    TL_LACK_RECYCLED = PROF_LOSS_COUNT,
    TL_LACK_UNOBSERVED,
    TL_LACK_MISSING,
    TL_LACK_UNDELIVERED,
    TL_LACK_CAUSES,
};

/* Operations that a call launched and that are in no record. All of a row of the ledger add up to what it has beside
 * `recorded`. Where only their number by cause is known, and not which of the row's calls they were of, chunks that were
 * recycled are taken for those of the earliest and what was not delivered for that of the latest. */
struct tl_lack {
    uint32_t slice;
    uint32_t place; /* into streams[], TL_NONE unknown; of a launch of a graph, CUPTI's id of it */
    uint32_t count;
    uint32_t cause; /* enum tl_lack_cause */
};

#define TL_ARRAY(type)            \
    struct {                      \
        type *at;                 \
        uint32_t count, capacity; \
    }

struct timeline {
    uint64_t base_realtime_ns; /* since the epoch: time 0 */
    int64_t start_ns, end_ns;  /* of everything */
    int64_t origin_ns;   /* from when on people are told times: start_ns of the whole recording */
    uint32_t file_count; /* each has any number of processes */
    bool restricted;     /* timeline_restrict(): it is a window of the recording */
    int64_t shown_from_ns, shown_to_ns; /* then: as far as something was recorded in it */
    TL_ARRAY(struct text) names; /* equal texts have one index; NUL-terminated beside their size */
    TL_ARRAY(struct tl_process) processes;
    TL_ARRAY(struct tl_child) children; /* by process */
    TL_ARRAY(struct tl_window) windows;
    TL_ARRAY(struct tl_warning) warnings; /* by process */
    TL_ARRAY(struct tl_shed) sheds;
    TL_ARRAY(struct tl_thread) threads;
    TL_ARRAY(struct tl_slice) slices; /* by thread, then in order */
    TL_ARRAY(struct tl_frame) frames;
    TL_ARRAY(struct tl_frame_path) frame_paths;
    TL_ARRAY(struct tl_api) apis;
    TL_ARRAY(struct tl_async) asyncs;
    TL_ARRAY(struct tl_mark) marks;
    TL_ARRAY(struct tl_counter) counters;
    TL_ARRAY(struct tl_attr) attrs;
    TL_ARRAY(struct tl_attr) mark_attrs;
    TL_ARRAY(struct tl_attr) async_attrs;
    TL_ARRAY(struct tl_piece) pieces;
    TL_ARRAY(struct tl_domain) domains;
    TL_ARRAY(struct tl_category) categories;
    TL_ARRAY(struct tl_label) labels;
    TL_ARRAY(struct tl_fwdbwd) fwdbwds; /* by backward */
    TL_ARRAY(struct tl_timing) timings;
    TL_ARRAY(struct tl_gpu) gpus;
    TL_ARRAY(uint32_t) gpu_by_slice; /* indexes into gpus[], grouped by launching slice */
    TL_ARRAY(struct tl_kernel) kernels;
    TL_ARRAY(struct tl_memcpy) memcpys;
    TL_ARRAY(struct tl_memset) memsets;
    TL_ARRAY(struct tl_graph_run) graph_runs;
    TL_ARRAY(struct tl_sync) syncs;
    TL_ARRAY(struct tl_wait) waits;
    TL_ARRAY(struct tl_overhead) overheads;
    TL_ARRAY(struct tl_device) devices; /* by process and ordinal */
    TL_ARRAY(struct tl_stream) streams;
    TL_ARRAY(struct tl_heap) heaps; /* by process */
    TL_ARRAY(struct tl_memory) memories;
    TL_ARRAY(struct tl_memory_event) memory_events;
    TL_ARRAY(struct tl_pool) pools;
    TL_ARRAY(struct tl_migration) migrations;
    TL_ARRAY(struct tl_block) blocks; /* by process, then time */
    TL_ARRAY(struct tl_block_event) block_events;
    TL_ARRAY(struct tl_block_alloc) block_allocs;
    TL_ARRAY(struct tl_event_source) event_sources;
    TL_ARRAY(struct tl_debug) debugs;
    TL_ARRAY(struct tl_tensor) tensors;
    TL_ARRAY(int64_t) tensor_sizes;
    TL_ARRAY(struct tl_stack) stacks;
    TL_ARRAY(uint64_t) addresses; /* of stacks */
    TL_ARRAY(struct tl_module) modules;
    TL_ARRAY(struct tl_stack_of) slice_stacks;
    TL_ARRAY(struct tl_stack_of) async_stacks;
    TL_ARRAY(struct tl_graph) graphs; /* by process */
    TL_ARRAY(struct tl_graph_node) graph_nodes;
    TL_ARRAY(struct tl_captured) captured;
    TL_ARRAY(struct tl_graph_launch) graph_launches;
    struct tl_ledger ledger;
    TL_ARRAY(struct tl_ledger_row) ledger_rows; /* by process, then kind; only those with numbers */
    TL_ARRAY(struct tl_lack) lacks;             /* by process */
    bool demangled;             /* false: no demangler was at hand, kernel names are mangled */
    struct tl_storage *storage; /* texts; the builder's */
};

struct tl_attrs {
    const struct tl_attr *at;
    uint32_t count;
};

/* The attributes of a mark; of a begin/end range. */
struct tl_attrs timeline_mark_attrs(const struct timeline *timeline, uint32_t mark);
struct tl_attrs timeline_async_attrs(const struct timeline *timeline, uint32_t async);

/* Whether the same key has another value further on: the last one given for it counts. */
static inline bool tl_attr_is_given_again(struct tl_attrs attrs, uint32_t index)
{
    for (uint32_t i = index + 1; i < attrs.count; i++)
        if (attrs.at[i].key == attrs.at[index].key)
            return true;
    return false;
}

/* The value of a number; NaN of a text. */
double tl_attr_number(const struct tl_attr *attr);

/* CUPTI's ids of the graph and of the node that an operation was recorded of; 0 and 0: of none. */
uint32_t timeline_graph_of(const struct timeline *timeline, const struct tl_gpu *gpu,
                           uint64_t *node);

/* Whether a label (TL_NONE: no) is of the domain of that name. */
bool timeline_label_is_of(const struct timeline *timeline, uint32_t label, const char *domain);

/* The label of a slice; TL_NONE none, as calls have. */
static inline uint32_t tl_slice_label(const struct tl_slice *slice)
{
    return slice->kind == TL_API ? TL_NONE : slice->label;
}

/* What tables call something with a name and a label. */
static inline uint32_t tl_shown_name(const struct timeline *timeline, uint32_t name, uint32_t label)
{
    if (label == TL_NONE || timeline->labels.at[label].name == TL_NONE)
        return name;
    return timeline->labels.at[label].name;
}

void timeline_destroy(struct timeline *timeline);

/* The process's device of that ordinal; NULL: it has none. */
const struct tl_device *timeline_device_of(const struct timeline *timeline, uint32_t process,
                                           uint32_t ordinal);

/* What a device operation waited for; NULL: it is no wait for an event, or that is not known. */
const struct tl_wait *timeline_wait_of(const struct timeline *timeline, uint32_t gpu);

/* Index into timings[] of the slice's CUDA time; TL_NONE: it was not timed by events. */
uint32_t timeline_timing_of(const struct timeline *timeline, uint32_t slice);

#ifdef __cplusplus
}
#endif
#endif
