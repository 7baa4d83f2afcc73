/* timeline.h - one model of everything that was recorded, correlated.
 *
 * It is built once from any number of files (builder.h), then read-only. It consists of arrays;
 * items refer to items of other arrays by index, and TL_NONE refers to nothing. Names are indexes
 * into `names`. Times are nanoseconds since `base_realtime_ns`.
 *
 *     process 1--n thread 1--n slice (tree) 1--n gpu op n--1 stream n--1 device
 */
#ifndef PROF_TIMELINE_H
#define PROF_TIMELINE_H

#include "prof/format.h"
#include "text_pool.h"
#include "tl_blocks.h"
#include "tl_gpu.h"

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
    TL_STEP,  /* ProfilerStep#N: from one step to the thread's next; also a range of that name */
    TL_API,   /* a CUDA call */
};

/* Slice flags. */
#define TL_UNCLOSED 1u   /* the trace, the thread or the recording ended before it did */
#define TL_LAUNCHES 2u   /* an API call that launches device operations */
#define TL_INTERNAL 4u   /* made by libprof itself; no table and no trace shows it */
#define TL_GRAPH 8u      /* an API call that launches a graph */
#define TL_CONTINUED 16u /* a later segment of a range that was cut: not counted as a call */
#define TL_CAPTURED 64u  /* a launch into a stream capture: it starts no operation */
#define TL_FORWARD_STACK \
    32u /* its stack has the Python functions of a forward range, see tl_fwdbwd */

/* Without padding at the end: a trace has tens of millions of these. */
#define TL_DENSE __attribute__((packed, aligned(4)))

/* A range, a step or a CUDA call of a thread. The slices of a thread form a tree: a parent comes
 * before its children, and its interval contains theirs.
 *
 * prof.h and each NVTX domain have a stack of ranges each, so ranges of different stacks can cross.
 * When a range ends, open ranges that began later are cut there. Each continues as a new slice, a
 * sibling of the range that ended:
 *
 *     A begins, B begins, A ends, B ends        A  |-----------|
 *     B is two slices                           B       |------|-------|
 *                                                       first    TL_CONTINUED
 *
 * Every instant and every launch belongs to the innermost open range, whatever its stack. The
 * durations of a range's segments add up to its own. The first segment stands for the call: it has
 * the attributes and is counted. The last one has TL_UNCLOSED. `segments` has the slice that each
 * later segment continues. */
struct tl_slice {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;
    uint32_t parent; /* slice of the same thread, or TL_NONE */
    uint32_t thread;
    uint32_t gpu_first; /* first of the operations it launched, in gpu_by_slice[] */
    uint32_t gpu_count; /* of a range: operations that the file attributes to it, not to a call */
    union {
        uint32_t api;   /* API slices: into apis[] */
        uint32_t label; /* all others: into labels[], TL_NONE unless it came through NVTX */
    };
    uint16_t depth; /* 0 = no parent */
    uint8_t kind;   /* enum tl_slice_kind */
    uint8_t flags;  /* TL_* */
} TL_DENSE;

/* What a slice with TL_CONTINUED continues, on the same thread. */
struct tl_segment {
    uint32_t slice;  /* ascending */
    uint32_t first;  /* the call's first segment */
    uint32_t before; /* the segment that ends where this one starts */
};

/* A domain of NVTX in its process; ranges of prof.h are in none. */
struct tl_domain {
    uint32_t process;
    uint32_t number; /* the file's; 0 the default domain */
    uint32_t name;   /* TL_NONE the default domain */
};

/* The ITT domain in which PyTorch reports its operators. */
#define TL_PYTORCH_DOMAIN "PyTorch"

struct tl_category {
    uint32_t domain; /* into domains[] */
    uint32_t number;
    uint32_t name; /* TL_NONE: only its number is known */
};

#define TL_LABEL_COLORED 1u /* `color` was given */

/* NVTX attributes, other than the name, of a range, a mark or a begin/end range. */
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
    bool failed_only; /* such calls are recorded only when they fail, without a duration */
} TL_DENSE;

#define TL_FRAME_UNCLOSED 1u  /* as TL_UNCLOSED */
#define TL_FRAME_CONTINUED 2u /* not the first segment of its call */

/* A call of a Python function, or a segment of one. Frames show which code created the slices; they
 * take no time from them. A drawn row has both, so frames nest with slices: a call is cut where a
 * range that began in it outlives it, and where an earlier range ends in it. Sorted by thread, then
 * by start, outer calls first. */
struct tl_frame {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;
    uint32_t thread;
    uint32_t call;   /* the call's first segment */
    uint32_t parent; /* the first segment of the call around it, TL_NONE */
    uint32_t flags;  /* TL_FRAME_* */
} TL_DENSE;

/* A chain of functions that called each other, named by the innermost. Each chain is stored
 * once. */
struct tl_frame_path {
    uint32_t parent; /* into frame_paths[], TL_NONE the outermost */
    uint32_t name;
};

/* Of a slice and a frame of one thread: whether the slice is the outer or the earlier one. */
static inline bool tl_slice_is_first(const struct tl_slice *slice, const struct tl_frame *frame)
{
    if (slice->start_ns != frame->start_ns)
        return slice->start_ns < frame->start_ns;
    return slice->end_ns > frame->end_ns;
}

/* A begin/end range that does not have to nest and may end on another thread. */
struct tl_async {
    int64_t start_ns, end_ns;
    uint64_t id;
    uint32_t name;
    uint32_t thread, end_thread;
    uint32_t flags; /* TL_UNCLOSED */
    uint32_t label; /* as tl_slice.label; also TL_NONE for an NVTX range that has only a name */
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

/* Device time of a range, measured with CUDA events instead of CUPTI: the time between two events
 * that were recorded in one stream at push and pop. Sorted by slice, at most one each. Timings of
 * one device nest as their ranges do. */
struct tl_timing {
    int64_t start_ns, end_ns;
    uint64_t stream; /* its handle, in CUDA */
    uint32_t slice;  /* a range or a step */
    uint32_t device; /* ordinal in its process */
    uint32_t error_ns;
    uint32_t reserved;
};

/* Anomalies of a process's events. None of them is damage. */
struct tl_anomalies {
    uint64_t unknown_range_ends;  /* prof_range_end() of an id that is not open */
    uint64_t reused_range_ids;    /* prof_range_begin() of an id that is open already */
    uint64_t unmatched_api_exits; /* ends of CUDA calls whose begin is not in the trace */
    uint64_t open_api_calls;      /* begins of CUDA calls whose end is not in the trace */
    uint64_t homeless_attrs;      /* attributes set while no range was open; dropped */
    uint64_t missing_names;       /* references to names that are not in the file */
    uint64_t backward_gpu;    /* device operations that ended before they began; shown as empty */
    uint64_t zero_time_gpu;   /* device operations without a time that are in the file: dropped */
    uint64_t surplus_gpu;     /* device operations beyond the number that their call launched */
    uint64_t redefined_names; /* ids that mean two names, or a name and an event name: one counts */
    uint64_t unknown_domains; /* references to NVTX domains that are not in the file */
    uint64_t uncut_ranges; /* crossing ranges that ended instead of being cut; too many were open */
    uint64_t unknown_frees;    /* releases of addresses that were not allocated in the trace */
    uint64_t reused_addresses; /* allocations at an address that was in use */
    uint64_t untaken_stacks;   /* call stacks that could not be recorded */
    uint64_t missing_stacks;   /* references to call stacks that are not in the file */
    uint64_t unopened_frames;  /* ends of Python calls whose begin is not in the trace */
    uint64_t uncut_frames;     /* the same of Python calls */
    uint64_t unread_timings;   /* timed ranges whose CUDA time is not in the trace */
    uint64_t stray_timings;    /* CUDA times whose range is not in the trace: dropped */
    uint64_t moved_timings;    /* CUDA times that did not nest: cut, beyond their error */
};

/* Whose interface a program uses its devices by. */
enum tl_device_api { TL_API_CUDA, TL_API_HIP, TL_API_OTHER };

struct tl_process_info {
    struct text host;
    struct text program;
    uint64_t pid; /* 0 unknown */
    uint64_t parent_pid;
    int32_t rank, local_rank, world_size; /* -1 unknown */
    uint64_t start_realtime_ns;           /* since the epoch: what output times are relative to */
    uint64_t process_start_ns;            /* since the epoch; 0 unknown */
    bool closed; /* the recorder finished; false: it was killed or still runs */
    bool ring;
    bool copied; /* PROF_FILE_COPIED */
    bool simulated;
    enum prof_gpu_mode gpu_mode;
    struct text gpu_reason;
    enum tl_device_api device_api;
    struct text cupti;
    struct text driver;
    struct text rank_source;
    struct text job; /* the launcher's id of the job, and its restarts (PROF_INFO_JOB) */
    struct text library_version;
    uint64_t gpu_records;
    int64_t
        span_ns; /* from the first event to the last one, of which the file has not all; 0 it has */
    struct text request;     /* what became of the last trace request (PROF_INFO_REQUEST) */
    struct text clock_note;  /* why this clock was used (PROF_INFO_CLOCK) */
    bool system_clock_known; /* the kernel stated the next three; the worst of what it stated */
    bool system_clock_synchronized;
    int64_t system_clock_max_error_ns, system_clock_estimated_error_ns;
    struct text members; /* of a Chrome trace's top-level object, as JSON, without braces */
    struct text format;  /* of a foreign file, such as "nsys SQLite"; else empty */
    struct text clock;   /* where its times are on another host's clock, or should be: a sentence */
};

/* The state of the file itself. */
struct tl_health {
    uint64_t records;        /* read */
    uint64_t torn_records;   /* reserved, but never committed */
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
    uint64_t clock_samples;   /* usable; 0: only the start time and rate of the header are known */
    uint64_t clock_steps;     /* times that CLOCK_REALTIME was set while recording */
};

/* One part of what recording cost; see enum prof_cost_part. */
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
    struct tl_anomalies odd;
    uint32_t first_stack, stack_count;
    uint32_t first_module, module_count;
    bool has_cost; /* the file has `cost` */
    struct tl_cost cost;
};

/* A process that another one created. */
struct tl_child {
    int64_t time_ns;   /* TL_NO_TIME: before the recording began */
    uint32_t process;  /* its parent */
    uint32_t recorded; /* into processes[] if its own file was read too, else TL_NONE */
    uint32_t pid;
    uint8_t origin; /* enum prof_child_origin */
};
#define TL_NO_TIME INT64_MIN

/* Something that a reader found wrong in a file, or dropped. */
struct tl_warning {
    uint64_t count;
    uint32_t process;
    uint32_t what; /* name: the text that follows the count, such as "events without an end" */
};

/* A sentence of the recorder about the recording, such as what it cannot contain. */
struct tl_note {
    uint32_t process;
    uint32_t text; /* name */
};

/* Durations of one name within one step, as the recorder summed them up; several of the same key
 * add up. */
struct tl_summary {
    uint64_t step; /* PROF_SUMMARY_NO_STEP none */
    uint64_t count, sum_ns, min_ns, max_ns;
    uint32_t process;
    uint32_t name; /* TL_NONE: of a kind that only counts */
    uint32_t kind; /* enum prof_summary_kind */
    uint32_t
        durations; /* name: "{17=3, 18=5}", counts by the integer part of the base-2 logarithm */
};

/* What the device did in a step, as the recorder saw it. */
struct tl_summary_step {
    uint64_t step;
    int64_t start_ns;
    uint64_t duration_ns, compute_ns, overlapped_ns, communication_ns, copy_ns;
    uint64_t idle_host_ns, idle_device_ns;
    uint32_t process;
    bool partly; /* some operations are missing */
};

/* A stretch of time during which recording was on. */
struct tl_window {
    int64_t start_ns;
    int64_t end_ns;   /* TL_NO_TIME: it was not switched off */
    uint32_t process; /* by process, then in order */
    uint32_t epoch;
    uint8_t start_reason, stop_reason; /* enum prof_control_reason */
};

/* The recorder stopped recording something to stay within PROF_BUDGET, or resumed it. */
struct tl_throttle {
    int64_t time_ns;
    uint32_t process; /* by process, then in order */
    uint32_t cost_ppm, budget_ppm;
    uint8_t what; /* enum prof_throttle_thing */
    bool on;
};

struct tl_thread {
    /* The system's, or any number of a foreign file; 0 unknown, or a text that is the name */
    uint64_t tid;
    uint32_t process;
    uint32_t name; /* TL_NONE */
    uint32_t first_slice, slice_count;
    bool internal; /* libprof's or CUPTI's */
    bool cut;
    uint64_t unclosed; /* pushes without a pop */
    uint64_t unopened; /* pops without a push, except for those of ranges that a cut closed */
    uint32_t first_frame, frame_count;
    uint32_t number; /* the file's index of the thread */
};

/* Kineto's name for the functions that an event is in: "file(line): function", innermost first,
 * joined by ';'. */
#define TL_CALL_STACK "Call stack"

/* A call stack: return addresses, innermost first. `frames` are the active Python functions, if
 * they were recorded. */
struct tl_stack {
    uint64_t ticks; /* when first seen, of the process's clock */
    uint32_t process;
    uint32_t first, count; /* into addresses[] */
    uint32_t frames;       /* into frame_paths[], TL_NONE none */
    uint16_t method;       /* enum prof_stack_method; 0 without addresses */
    bool cut;              /* it was deeper */
};

/* What a thread was doing when it was sampled. */
struct tl_sample {
    int64_t time_ns;
    uint64_t weight_ns; /* CPU time since the thread's sample before; of a wait: its duration */
    uint64_t queued_ns; /* since that sample, it could run but had no processor */
    uint32_t process;
    uint32_t tid;
    uint32_t thread; /* TL_NONE: it recorded nothing else */
    uint32_t stack;  /* TL_NONE: it could not be taken */
    bool waits;      /* in the kernel, from `time_ns` on; else it was running */
};

/* An executable mapping that existed from `ticks` to `gone_ticks`. Later ones can have the same
 * address. */
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

/* The stack of a slice or of a begin/end range. Sorted by `owner`. */
struct tl_stack_of {
    uint32_t owner; /* slice or async */
    uint32_t stack;
};

/* How PyTorch's engine names what is around a backward range: "autograd::engine::evaluate_function:
 * MmBackward0". */
#define TL_EVALUATION "autograd::engine::evaluate_function: "

/* A forward range and the backward range that computes its gradients. PyTorch gives both one
 * sequence number. */
struct tl_fwdbwd {
    uint32_t forward, backward; /* slices; a backward range has one forward range */
};

/* What PyTorch's engine opens around backward ranges; the link is that of the first. */
struct tl_evaluation {
    uint32_t slice; /* the parent of link.backward */
    struct tl_fwdbwd link;
};

/* The account of launches. Two identities always hold:
 *
 *     launched       = recorded + lost_operations + undelivered + unobserved + missing
 *     graph_expected = launched_graph + graph_lost + graph_undelivered + graph_unobserved
 *
 * The first counts kernels, copies and sets. Operations of graphs, orphans and libprof's own
 * operations are not in it. */
struct tl_ledger {
    uint64_t launched;       /* by calls that succeeded and launch a known number of operations */
    uint64_t launched_graph; /* device operations recorded under graph launches */
    uint64_t recorded;       /* device operations whose launch is in the file, graphs excluded */
    uint64_t missing;        /* launched, but neither recorded nor explained by a loss; must be 0 */
    uint64_t orphans;        /* device operations whose launch is not in the file */
    uint64_t ambiguous;      /* device operations that several processes can have launched */
    uint64_t lost_device;    /* sum of the device causes in loss[] */
    uint64_t lost_host;      /* sum of the other causes */
    uint64_t unclosed, unopened;
    uint64_t captured; /* launches into a stream capture, no part of `launched`; of others' files */
    uint64_t before_launch;   /* causality violations beyond the clock's error bar */
    uint64_t lost_operations; /* launched and lost: `lost` and `recycled` add up to it */
    uint64_t undelivered;     /* launched, not delivered: the process was killed or still runs */
    uint64_t unobserved; /* launched, but device operations were not recorded at all (gpu_mode) */
    uint64_t graph_expected; /* operations of graph launches */
    uint64_t graph_lost;     /* as lost_operations; PROF_LOSS_GRAPH_NODES too */
    uint64_t graph_undelivered, graph_unobserved;
    /* Graph launches of an unknown number of operations: what is missing does not show */
    uint64_t unjudged;
    uint64_t lost[PROF_LOSS_COUNT]; /* by cause */
    uint64_t recycled; /* their chunks are not in the file: recycled, cut off or damaged */
};

enum tl_ledger_kind {
    TL_LEDGER_STREAM,
    TL_LEDGER_UNKNOWN, /* launches into a stream that no record identifies */
    TL_LEDGER_GRAPH,   /* operations of one graph, on any stream */
};

/* The ledger of one stream or graph. In each row
 *
 *     launched = recorded + sum of lost[] + recycled + undelivered + unobserved + missing
 *
 * The rows of streams, with that of the unknown stream, add up to the members of struct
 * tl_ledger. */
struct tl_ledger_row {
    uint32_t process;
    uint32_t kind;   /* enum tl_ledger_kind */
    uint32_t stream; /* into streams[], TL_NONE */
    uint32_t graph;  /* CUPTI's id, 0 unknown */
    uint64_t launched, recorded;
    uint64_t lost[PROF_LOSS_COUNT]; /* by cause */
    uint64_t recycled;
    uint64_t undelivered, unobserved, missing;
    uint64_t orphans;   /* recorded, but the launch is not in the file */
    uint64_t ambiguous; /* recorded, but several processes have a launch with its id */
    uint64_t outside;   /* lost, and the launch is not in the file; not part of `launched` */
};

/* Why a launched operation is in no record: an enum prof_loss_cause, or one of these members of
 * struct tl_ledger_row. */
enum tl_unrecorded_cause {
    TL_UNRECORDED_RECYCLED = PROF_LOSS_COUNT,
    TL_UNRECORDED_UNOBSERVED,
    TL_UNRECORDED_MISSING,
    TL_UNRECORDED_UNDELIVERED,
    TL_UNRECORDED_CAUSES,
};

/* Operations that a call launched and that are in no record. Those of a ledger row add up to
 * launched - recorded. Where the file has only their number by cause, recycled ones are attributed
 * to the earliest calls of the row, and undelivered ones to the latest. */
struct tl_unrecorded {
    uint32_t slice;
    uint32_t place; /* into streams[], TL_NONE unknown; of a graph launch, the id of the graph */
    uint32_t count;
    uint32_t cause; /* enum tl_unrecorded_cause */
};

#define TL_ARRAY(type)            \
    struct {                      \
        type *at;                 \
        uint32_t count, capacity; \
    }

/* What a timeline has any number of: X(type, member). */
#define TL_ARRAYS(X)                                                                          \
    X(struct tl_process, processes)                                                           \
    X(struct tl_child, children) /* by process */                                             \
    X(struct tl_window, windows)                                                              \
    X(struct tl_warning, warnings) /* by process */                                           \
    X(struct tl_note, notes)       /* by process */                                           \
    X(struct tl_throttle, throttles)                                                          \
    X(struct tl_summary, summaries) /* by process */                                          \
    X(struct tl_summary_step, summary_steps)                                                  \
    X(struct tl_thread, threads)                                                              \
    X(struct tl_slice, slices) /* by thread, then in order */                                 \
    X(struct tl_frame, frames)                                                                \
    X(struct tl_frame_path, frame_paths)                                                      \
    X(struct tl_api, apis)                                                                    \
    X(struct tl_async, asyncs)                                                                \
    X(struct tl_mark, marks)                                                                  \
    X(struct tl_counter, counters)                                                            \
    X(struct tl_attr, attrs)                                                                  \
    X(struct tl_attr, mark_attrs)                                                             \
    X(struct tl_attr, async_attrs)                                                            \
    X(struct tl_segment, segments)                                                            \
    X(struct tl_domain, domains)                                                              \
    X(struct tl_category, categories)                                                         \
    X(struct tl_label, labels)                                                                \
    X(struct tl_fwdbwd, fwdbwds)         /* by backward */                                    \
    X(struct tl_evaluation, evaluations) /* by slice */                                       \
    X(struct tl_timing, timings)                                                              \
    X(struct tl_gpu, gpus)                                                                    \
    X(uint32_t, gpu_by_slice) /* indexes into gpus[], grouped by launching slice */           \
    X(struct tl_kernel, kernels)                                                              \
    X(struct tl_memcpy, memcpys)                                                              \
    X(struct tl_memset, memsets)                                                              \
    X(struct tl_graph_run, graph_runs)                                                        \
    X(struct tl_sync, syncs)                                                                  \
    X(struct tl_wait, waits)                                                                  \
    X(struct tl_overhead, overheads)                                                          \
    X(struct tl_device, devices) /* by process and ordinal */                                 \
    X(struct tl_stream, streams)                                                              \
    X(struct tl_heap, heaps) /* by process */                                                 \
    X(struct tl_memory, memories)                                                             \
    X(struct tl_memory_event, memory_events)                                                  \
    X(struct tl_pool, pools)                                                                  \
    X(struct tl_migration, migrations)                                                        \
    X(struct tl_block, blocks) /* by process, then time */                                    \
    X(struct tl_block_event, block_events)                                                    \
    X(struct tl_block_alloc, block_allocs)                                                    \
    X(struct tl_event_source, event_sources)                                                  \
    X(struct tl_debug, debugs)                                                                \
    X(struct tl_tensor, tensors)                                                              \
    X(int64_t, tensor_sizes)                                                                  \
    X(struct tl_stack, stacks)                                                                \
    X(uint64_t, addresses) /* of stacks */                                                    \
    X(struct tl_module, modules)                                                              \
    X(struct tl_sample, samples) /* by process, then time */                                  \
    X(struct tl_stack_of, slice_stacks)                                                       \
    X(struct tl_stack_of, async_stacks)                                                       \
    X(struct tl_graph, graphs) /* by process */                                               \
    X(struct tl_graph_node, graph_nodes)                                                      \
    X(struct tl_captured, captured)                                                           \
    X(struct tl_graph_launch, graph_launches)                                                 \
    X(struct tl_ledger_row, ledger_rows) /* by process, then kind; only those with numbers */ \
    X(struct tl_unrecorded, unrecorded)  /* by process */

struct timeline {
    uint64_t base_realtime_ns; /* since the epoch: time 0 */
    int64_t start_ns, end_ns;  /* of everything */
    int64_t origin_ns;   /* start_ns of the whole recording; displayed times are relative to it */
    uint32_t file_count; /* each has any number of processes */
    bool restricted;     /* timeline_restrict(): it is a window of the recording */
    int64_t shown_from_ns, shown_to_ns; /* of a window: its part in which something was recorded */
    struct text_pool names;
#define TL_MEMBER(type, member) TL_ARRAY(type) member;
    TL_ARRAYS(TL_MEMBER)
#undef TL_MEMBER
    struct tl_ledger ledger;
};

struct tl_attrs {
    const struct tl_attr *at;
    uint32_t count;
};

/* The attributes of a slice; of a mark; of a begin/end range. */
struct tl_attrs timeline_slice_attrs(const struct timeline *timeline, uint32_t slice);
struct tl_attrs timeline_mark_attrs(const struct timeline *timeline, uint32_t mark);
struct tl_attrs timeline_async_attrs(const struct timeline *timeline, uint32_t async);

/* Whether libprof recorded it: advice on how to record more is of no use for other profilers'
 * files. */
static inline bool timeline_is_native(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        if (timeline->processes.at[i].info.format.size)
            return false;
    return true;
}

/* Whether a later attribute has the same key: the last one counts. */
static inline bool tl_attr_is_given_again(struct tl_attrs attrs, uint32_t index)
{
    for (uint32_t i = index + 1; i < attrs.count; i++)
        if (attrs.at[i].key == attrs.at[index].key)
            return true;
    return false;
}

/* Whether one of them is the text of a call stack (TL_CALL_STACK). */
bool tl_attrs_state_stack(const struct timeline *timeline, struct tl_attrs attrs);

/* The value of a number; NaN of a text. */
double tl_attr_number(const struct tl_attr *attr);

/* CUPTI's ids of the graph and of the node that an operation belongs to; 0 and 0: to none. */
uint32_t timeline_graph_of(const struct timeline *timeline, const struct tl_gpu *gpu,
                           uint64_t *node);

/* Whether a label belongs to the domain of that name. False for TL_NONE. */
bool timeline_label_is_of(const struct timeline *timeline, uint32_t label, const char *domain);

/* The label of a slice; TL_NONE: it has none. */
static inline uint32_t tl_slice_label(const struct tl_slice *slice)
{
    return slice->kind == TL_API ? TL_NONE : slice->label;
}

/* The N of "ProfilerStep#N", as torch.profiler calls steps; -1: it is not a name of a step. */
int64_t tl_step_number(struct text name);

/* What tables call something with a name and a label. */
static inline uint32_t tl_shown_name(const struct timeline *timeline, uint32_t name, uint32_t label)
{
    if (label == TL_NONE || timeline->labels.at[label].name == TL_NONE)
        return name;
    return timeline->labels.at[label].name;
}

/* CUDA calls nest a few deep. Only in a damaged file they are in more calls than this, and then not
 * all enclosing ones are searched: that would take quadratic time. */
#define TL_CALLS_AROUND_MAX 64u

/* The innermost range or step around a slice, itself included; TL_NONE: none, as of TL_NONE. */
static inline uint32_t tl_range_around(const struct timeline *timeline, uint32_t slice)
{
    unsigned calls = 0;
    while (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = calls++ < TL_CALLS_AROUND_MAX ? timeline->slices.at[slice].parent : TL_NONE;
    return slice;
}

/* The name of that range or step. */
static inline uint32_t tl_range_name(const struct timeline *timeline, uint32_t slice)
{
    slice = tl_range_around(timeline, slice);
    if (slice == TL_NONE)
        return TL_NONE;
    const struct tl_slice *range = &timeline->slices.at[slice];
    return tl_shown_name(timeline, range->name, tl_slice_label(range));
}

void timeline_destroy(struct timeline *timeline);

/* The process's device of that ordinal; NULL: it has none. */
const struct tl_device *timeline_device_of(const struct timeline *timeline, uint32_t process,
                                           uint32_t ordinal);

/* What a device operation waited for; NULL: it is not a wait for an event, or the event is
 * unknown. */
const struct tl_wait *timeline_wait_of(const struct timeline *timeline, uint32_t gpu);

/* Index into timings[] of the slice's CUDA time; TL_NONE: it was not timed by events. */
uint32_t timeline_timing_of(const struct timeline *timeline, uint32_t slice);

/* Index into stacks[]; TL_NONE: none was recorded. */
uint32_t stack_of_slice(const struct timeline *timeline, uint32_t slice);
/* Of a backward range, or of the engine's range around one; NULL: it is neither. */
const struct tl_fwdbwd *timeline_fwdbwd_of(const struct timeline *timeline, uint32_t slice);
/* False of TL_NONE. */
bool tl_is_evaluation(const struct timeline *timeline, uint32_t slice);
/* Of a frame that is a call of one of PyTorch's modules: 0 of "nn.Module: Linear_0"; TL_NONE of
 * others. */
uint32_t tl_module_number(const struct timeline *timeline, const struct tl_frame *frame);
uint32_t stack_of_async(const struct timeline *timeline, uint32_t async);

/* The module that contained an address of the process at that time; NULL: none is known. */
const struct tl_module *stack_of_module(const struct timeline *timeline, uint32_t process,
                                        uint64_t address, uint64_t ticks);

/* The code that captured an operation of a CUDA graph. NULL: it is not part of a graph, or its node
 * is unknown. */
const struct tl_captured *captured_of(const struct timeline *timeline, uint32_t gpu);

/* NULL: the slice is not a graph launch. */
const struct tl_graph_launch *graph_launch_of(const struct timeline *timeline, uint32_t slice);

/* A kind of memory that CUPTI has no number for: the host's, of which a trace of AMD's devices does
 * not say whether it is pinned. */
#define TL_MEMORY_HOST 15

/* Kineto's words for CUPTI's numbers. Each returns a constant string, also for an unknown
 * number. */
const char *gpu_label_copy_kind(uint8_t copy_kind);     /* "HtoD" */
const char *gpu_label_memory_kind(uint8_t memory_kind); /* "Pageable" */
const char *gpu_label_sync(uint32_t type);              /* "Stream Synchronize" */
const char *gpu_label_overhead(uint32_t kind);          /* "Buffer Flush" */

#ifdef __cplusplus
}
#endif
#endif
