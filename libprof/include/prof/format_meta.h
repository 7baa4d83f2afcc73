/* format_meta.h - process-wide facts, in META chunks.
 *
 * Part of format.h. Each struct begins with the record's header word; sizes are multiples of 8.
 */
#ifndef PROF_FORMAT_META_H
#define PROF_FORMAT_META_H

#include "format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text follows, padded with zeros to a multiple of 8 bytes. Ids start at 1. */
struct prof_rec_name {
    uint64_t header;
    uint32_t id;
    uint32_t bytes;      /* of the text that follows, without terminator */
    uint32_t full_bytes; /* of the name as given; larger than `bytes` when it was cut */
    uint32_t hash;       /* FNV-1a of the text that follows */
    /* uint8_t text[bytes] */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_name) == 24, "layout");

enum prof_info_key {
    PROF_INFO_PROGRAM = 1, /* file name of the executable, no directory, no arguments */
    PROF_INFO_HOST = 2,
    PROF_INFO_GPU_REASON = 3,  /* one sentence that explains gpu_mode */
    PROF_INFO_CUPTI = 4,       /* soname and version of the libcupti in use */
    PROF_INFO_DRIVER = 5,      /* CUDA driver version, such as "13.0" */
    PROF_INFO_CLOCK = 6,       /* why this clock was chosen */
    PROF_INFO_NOTE = 7,        /* a note of the recorder, shown in outputs */
    PROF_INFO_RANK_SOURCE = 8, /* environment variable that the rank is from */
    PROF_INFO_REQUEST = 9,     /* a sentence: the result of a trace request */
    PROF_INFO_JOB = 10,        /* id and restarts of the job: "42 requeue 1 restart 0" */
};

/* Later records of the same key replace earlier ones, except NOTE and REQUEST. */
struct prof_rec_info {
    uint64_t header;
    uint32_t key; /* enum prof_info_key */
    uint32_t bytes;
    /* uint8_t text[bytes] */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_info) == 16, "layout");

/* One instant on three clocks. Sampled at the start, about once per second, and at the end.
 * In long recordings, the intervals grow to 1/32,768 of the time since the start. */
struct prof_rec_clock {
    uint64_t header;
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
    uint64_t width_ticks; /* ticks between first and last reading: the sample's error bar */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_clock) == 40, "layout");

/* How well the kernel's CLOCK_REALTIME agrees with true time, as adjtimex(2) states it: chrony,
 * ntpd and PTP's phc2sys set it. At the start and at the end; absent if the kernel cannot be
 * queried, or if a seccomp filter applies. */
struct prof_rec_system_clock {
    uint64_t header;
    uint64_t ticks;
    uint64_t max_error_ns;       /* maxerror: grows until the clock is next corrected */
    uint64_t estimated_error_ns; /* esterror */
    uint32_t flags;              /* PROF_SYSTEM_CLOCK_* */
    uint32_t reserved0;
};
#define PROF_SYSTEM_CLOCK_SYNCHRONIZED 1u /* without STA_UNSYNC */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_system_clock) == 40, "layout");

/* Later records of the same thread override earlier ones, and PROF_REC_THREAD records. */
struct prof_rec_thread_info {
    uint64_t header;
    uint32_t thread; /* index, from 1, unique in the file */
    uint32_t tid;    /* OS thread id */
    uint32_t bytes;
    uint32_t flags; /* PROF_THREAD_* */
    /* uint8_t text[bytes]: the thread's name, may be empty */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_thread_info) == 24, "layout");

struct prof_rec_device {
    uint64_t header;
    uint32_t device;
    uint32_t name; /* name id */
    uint64_t memory_bytes;
    uint64_t memory_bandwidth; /* bytes per second; 0 unknown */
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
PROF_STATIC_ASSERT(sizeof(struct prof_rec_device) == 104, "layout");

struct prof_rec_context {
    uint64_t header;
    uint32_t context;
    uint32_t device;
    uint32_t null_stream; /* id of the default stream */
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_context) == 24, "layout");

struct prof_rec_stream {
    uint64_t header;
    uint32_t context;
    uint32_t stream;
    int32_t priority;
    uint32_t flags; /* CUpti_ActivityStreamFlag: 1 default 2 non-blocking 3 null */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_stream) == 24, "layout");

/* What switched recording on or off. X(symbol, name in outputs). Values are in files: append
 * only. */
#define PROF_CONTROL_REASONS(X)                                                      \
    X(UNKNOWN, "unknown")                                                            \
    X(API, "api")           /* prof_start(), prof_stop() */                          \
    X(STARTUP, "start-up")  /* the library was loaded */                             \
    X(STEP, "step")         /* a step of PROF_START, PROF_STOP */                    \
    X(TIME, "time")         /* a time of PROF_START, PROF_STOP */                    \
    X(SCHEDULE, "schedule") /* PROF_SCHEDULE */                                      \
    X(SIGNAL, "signal")     /* PROF_SIGNAL */                                        \
    X(PROFILER, "profiler") /* cudaProfilerStart() ... */                            \
    X(CTL, "ctl")           /* profdump ctl */                                       \
    X(ITT, "itt")           /* __itt_pause(), __itt_resume() */                      \
    X(SANDBOX, "sandbox")   /* the program entered a sandbox: recording has ended */ \
    X(REQUEST, "request")   /* Dynolog's daemon, or Kineto's configuration file */   \
    X(ATTACH, "attach")     /* profrun --attach */

enum prof_control_reason {
#define PROF_CONTROL_ENUM(symbol, name) PROF_CONTROL_##symbol,
    PROF_CONTROL_REASONS(PROF_CONTROL_ENUM)
#undef PROF_CONTROL_ENUM
        PROF_CONTROL_COUNT
};

/* Recording was switched on or off, for all threads. */
struct prof_rec_control {
    uint64_t header;
    uint64_t ticks;
    uint32_t epoch; /* the epoch that begins (on) or ends (off) */
    uint32_t on;    /* 1 or 0 */
    /* Absent in 24-byte records of older files. */
    uint32_t reason; /* enum prof_control_reason */
    uint32_t reserved0;
};
#define PROF_REC_CONTROL_SHORT_BYTES 24u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_control) == 32, "layout");

/* The name of a CUDA function, written when its cbid is first seen. */
struct prof_rec_api_name {
    uint64_t header;
    uint32_t cbid;
    uint32_t domain; /* enum prof_api_domain */
    uint32_t name;   /* name id */
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_api_name) == 24, "layout");

/* A name with its NVTX attributes. Its id can occur wherever a name id can. */
struct prof_rec_event_name {
    uint64_t header;
    uint32_t id;
    uint32_t name;     /* id of a NAME; 0 without a message */
    uint32_t domain;   /* 0 the default domain */
    uint32_t category; /* 0 none */
    uint32_t color;    /* 0xAARRGGBB */
    uint32_t flags;    /* PROF_EVENT_NAME_* */
};
#define PROF_EVENT_NAME_COLORED 1u /* `color` was given */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_event_name) == 32, "layout");

struct prof_rec_domain {
    uint64_t header;
    uint32_t domain; /* from 1; the default domain, 0, has no record */
    uint32_t name;   /* name id */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_domain) == 16, "layout");

struct prof_rec_category {
    uint64_t header;
    uint32_t domain;
    uint32_t category;
    uint32_t name;
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_category) == 24, "layout");

enum prof_resource_type {
    PROF_RESOURCE_OTHER = 0,   /* of a resource class that libprof does not resolve */
    PROF_RESOURCE_DEVICE = 1,  /* handle = ordinal */
    PROF_RESOURCE_CONTEXT = 2, /* handle = CUcontext */
    PROF_RESOURCE_STREAM = 3,  /* handle = cudaStream_t, as in prof_rec_api_enter.stream */
    PROF_RESOURCE_EVENT = 4,   /* handle = cudaEvent_t */
};

/* The program named a resource. A later record of the same resource replaces this one. */
struct prof_rec_resource {
    uint64_t header;
    uint64_t handle;
    uint32_t domain;
    uint32_t type; /* enum prof_resource_type */
    uint32_t name;
    uint32_t raw_type; /* NVTX's number */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_resource) == 32, "layout");

/* A call stack, recorded when it first occurs. Its return addresses follow, innermost first; the
 * call instruction precedes each address. */
struct prof_rec_stack_frames {
    uint64_t header;
    uint32_t id; /* from 1 */
    uint32_t frames;
    uint32_t method; /* enum prof_stack_method */
    uint32_t flags;  /* PROF_STACK_* */
    uint64_t ticks;  /* when first seen: identifies the modules mapped at its addresses */
    /* uint64_t address[frames] */
};
enum prof_stack_method {
    PROF_STACK_UNWIND_TABLES = 1, /* .eh_frame, by libunwind */
    PROF_STACK_FRAME_POINTERS = 2,
};
#define PROF_STACK_CUT 1u /* truncated at the depth limit */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_stack_frames) == 32, "layout");

/* An executable mapping, by which readers resolve a stack's addresses. The path follows; it may be
 * empty ("[vdso]" for the vDSO). File offset of an address = address - start + file_offset. */
struct prof_rec_module {
    uint64_t header;
    uint64_t start, end; /* addresses */
    uint64_t file_offset;
    uint64_t bias;  /* load bias: memory address minus address in the file */
    uint64_t ticks; /* when first seen */
    uint32_t id;    /* from 1 */
    uint32_t bytes; /* of the path */
    uint32_t build_id_bytes;
    uint8_t build_id[20];
    /* uint8_t path[bytes] */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_module) == 80, "layout");

/* The module was unmapped: from here on, its addresses may belong to something else. */
struct prof_rec_module_gone {
    uint64_t header;
    uint64_t ticks;
    uint32_t id;
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_module_gone) == 24, "layout");

enum prof_child_origin {
    PROF_CHILD_FORK = 1,
    PROF_CHILD_SPAWN = 2, /* posix_spawn */
    PROF_CHILD_EXEC = 3,  /* a vfork child that called exec */
};

/* The process created a child process. If the child recorded, the header of its file has this
 * pid. */
struct prof_rec_child {
    uint64_t header;
    uint64_t ticks;
    uint32_t pid;
    uint32_t origin; /* enum prof_child_origin */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_child) == 24, "layout");

/* `count` of the losses in loss[cause] belong to this stream. Records of the same stream, graph and
 * cause add up. Operations with a LOST record are not included. */
struct prof_rec_stream_loss {
    uint64_t header;
    uint64_t count;
    uint32_t context;
    uint32_t stream;
    uint32_t graph; /* 0 not of a graph */
    uint16_t device;
    uint16_t cause; /* enum prof_loss_cause */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_stream_loss) == 32, "layout");

struct prof_rec_allocator {
    uint64_t header;
    uint32_t allocator; /* from 1 */
    uint32_t name;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_allocator) == 16, "layout");

/* A node that was created while recording was off, outside any recorded range. */
struct prof_rec_earlier_node {
    uint64_t header;
    uint64_t node;
    uint64_t original; /* 0: captured or added */
    uint64_t ticks;    /* when */
    uint32_t graph;
    uint8_t type;
    uint8_t flags; /* as prof_rec_graph_node.flags */
    uint16_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_earlier_node) == 40, "layout");

/* A graph was instantiated. A later record of the same graph replaces this one. The counts include
 * the nodes of child graphs. */
struct prof_rec_graph {
    uint64_t header;
    uint64_t ticks;  /* when */
    uint32_t graph;  /* id, as in the records of its nodes */
    uint32_t source; /* id of the graph it was instantiated from; 0 unknown */
    uint32_t kernels, memcpys, memsets;
    uint32_t others; /* nodes of other types */
    uint32_t flags;  /* PROF_GRAPH_* */
    uint32_t reserved0;
};
#define PROF_GRAPH_VARIES 1u  /* some nodes do not run at every launch */
#define PROF_GRAPH_EARLIER 2u /* instantiated while recording was off */
/* Updated from another graph while recording was off: the origin of its nodes is unknown. */
#define PROF_GRAPH_ELSEWHERE 4u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_graph) == 48, "layout");

/* Overhead of recording, by part. X(symbol, name in outputs, whose time, sentence). THREADS: time
 * of the program's threads. BEGIN: the same, for rare work, mostly before the first event. OWN: CPU
 * time of libprof's and CUPTI's threads. END: time that the program waited after its last event.
 * Values are in files: append only. */
#define PROF_COST_PARTS(X)                                                       \
    X(EVENTS, "events", THREADS, "pushes, pops, marks, NVTX's too")              \
    X(RECORDS, "records", THREADS, "counters, attributes, allocations and more") \
    X(LAUNCHES, "launches", THREADS, "callbacks of CUDA calls that launch")      \
    X(CALLS, "calls", THREADS, "callbacks of other CUDA calls")                  \
    X(STACKS, "stacks", THREADS, "call stacks")                                  \
    X(TIMING, "timing", THREADS, "CUDA events around ranges")                    \
    X(SPACE, "space", BEGIN, "loading libprof, making the file, new threads")    \
    X(INLINE, "inline", THREADS, "device records decoded on a program's thread") \
    X(WRITER, "writer", OWN, "the thread that prepares the file")                \
    X(DECODE, "decode", OWN, "decoding device records")                          \
    X(FLUSH, "flush", OWN, "collecting device records, CUPTI's part of it too")  \
    X(END, "end", END, "waiting for the last device records")                    \
    X(CHUNKS, "chunks", THREADS, "new chunks")                                   \
    X(CUDA, "cuda", BEGIN, "loading CUPTI, a probe of each device's clock")      \
    X(SAMPLES, "samples", THREADS, "samples of stacks")                          \
    X(SAMPLER, "sampler", OWN, "the thread that unwinds samples")                \
    X(OTHERS, "others", OWN, "libprof's other threads")

enum prof_cost_part {
#define PROF_COST_ENUM(symbol, name, whose, sentence) PROF_COST_##symbol,
    PROF_COST_PARTS(PROF_COST_ENUM)
#undef PROF_COST_ENUM
        PROF_COST_COUNT
};

/* One part, up to the time of its COST record. The recorder does not count EVENTS and RECORDS,
 * since counting would cost as much as recording. Instead `each_ps` is the cost of one, and a
 * reader counts the records in LOG chunks with times up to `ticks`. EVENTS: records of one word.
 * RECORDS: all other records of threads except calls (API_*), stacks, THREAD and EPOCH. */
struct prof_cost_item {
    uint32_t part;    /* enum prof_cost_part */
    uint32_t each_ps; /* picoseconds, calibrated when recording began; 0: see `ns` */
    uint64_t count;
    uint64_t ns; /* total time; for frequent work extrapolated from a sample */
};
PROF_STATIC_ASSERT(sizeof(struct prof_cost_item) == 24, "layout");

/* Written periodically and at the end. The interval is at most 1/16 of the time recorded so far.
 * All counts are totals since the start, so a reader needs only the last record. */
struct prof_rec_cost {
    uint64_t header;
    uint64_t ticks;
    uint64_t recorded_ns; /* wall time during which recording was on */
    uint64_t cpu_ns;      /* CPU time of the process in that time, without libprof's threads */
    uint64_t launches;    /* included in part LAUNCHES: all but the last few of each thread */
    uint32_t items;
    uint32_t budget_ppm; /* PROF_BUDGET; 0 none */
    /* struct prof_cost_item item[items] */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_cost) == 48, "layout");

/* Keys and types of the values in ATTRS records. Written before the first of these; later records
 * of the same id are identical. */
struct prof_attr_field {
    uint32_t key;    /* name id */
    uint8_t type;    /* enum prof_attr_type */
    uint8_t bytes;   /* 4 (unsigned) or 8 */
    uint16_t offset; /* from the start of the ATTRS record */
};
PROF_STATIC_ASSERT(sizeof(struct prof_attr_field) == 8, "layout");

struct prof_rec_attr_set {
    uint64_t header;
    uint32_t id; /* from 1 */
    uint32_t fields;
    /* struct prof_attr_field field[fields] */
};
#define PROF_ATTR_SET_FIELDS_MAX 16u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_attr_set) == 16, "layout");

enum prof_hang_event {
    PROF_HANG_STOPPED = 1, /* nothing has ended for the time that PROF_HANG sets */
    PROF_HANG_RESUMED = 2, /* something ended after all */
};

/* The program hangs, or has resumed. */
struct prof_rec_hang {
    uint64_t header;
    uint64_t ticks;
    uint32_t number;    /* of the hang, from 1 */
    uint32_t event;     /* enum prof_hang_event */
    uint64_t silent_ns; /* since something ended last, without time that was not watched */
    uint64_t limit_ns;  /* PROF_HANG */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_hang) == 40, "layout");

/* A part of the text about a hang. Concatenate the parts of one `number`, in order; docs/hangs.md
 * describes it. */
struct prof_rec_hang_text {
    uint64_t header;
    uint32_t number;
    uint32_t bytes;
    /* uint8_t text[bytes] */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_hang_text) == 16, "layout");

/* What is throttled if recording costs more than PROF_BUDGET: SAMPLES, then the others in this
 * order. X(symbol, name in outputs, sentence). Values are in files: append only. */
#define PROF_THROTTLE_THINGS(X)                               \
    X(STACKS, "stacks", "call stacks")                        \
    X(CALLS, "calls", "CUDA calls that launch nothing")       \
    X(NODES, "nodes", "single operations of launched graphs") \
    X(SAMPLES, "samples", "samples of threads' stacks")

enum prof_throttle_thing {
#define PROF_THROTTLE_ENUM(symbol, name, sentence) PROF_THROTTLE_##symbol,
    PROF_THROTTLE_THINGS(PROF_THROTTLE_ENUM)
#undef PROF_THROTTLE_ENUM
        PROF_THROTTLE_COUNT
};

/* Its place in the order in which things are throttled. */
static inline unsigned prof_throttle_place(unsigned what)
{
    return what == PROF_THROTTLE_SAMPLES ? 0 : what < PROF_THROTTLE_SAMPLES ? what + 1 : what;
}

struct prof_rec_throttle {
    uint64_t header;
    uint64_t ticks;
    uint32_t what;     /* enum prof_throttle_thing */
    uint32_t on;       /* 0: not recorded from here on; 1: recorded again */
    uint32_t cost_ppm; /* recent cost, of wall time */
    uint32_t budget_ppm;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_throttle) == 32, "layout");

/* What a summary is of. X(symbol, name in outputs, meaning of `name`). The last two only count.
 * Values are in files: append only. */
#define PROF_SUMMARY_KINDS(X)                                                         \
    X(KERNEL, "kernel", "name id, mangled")                                           \
    X(MEMCPY, "memcpy", "copy_kind | src_kind << 8 | dst_kind << 16")                 \
    X(MEMSET, "memset", "memory_kind")                                                \
    X(GRAPH, "graph", "id of a graph that was recorded as a whole")                   \
    X(RANGE, "range", "name id: push/pop of prof.h or NVTX")                          \
    X(CALL, "call", "domain | cbid << 8: a CUDA call")                                \
    X(ROUND, "round", "0; min_ns and max_ns: the time that the records before cover") \
    X(UNSEEN, "unseen", "0; LOG chunks that were recycled before they were summarized")

enum prof_summary_kind {
#define PROF_SUMMARY_ENUM(symbol, name, meaning) PROF_SUMMARY_##symbol,
    PROF_SUMMARY_KINDS(PROF_SUMMARY_ENUM)
#undef PROF_SUMMARY_ENUM
        PROF_SUMMARY_COUNT
};

#define PROF_SUMMARY_NO_STEP UINT64_MAX /* outside of all steps */
#define PROF_SUMMARY_BUCKETS 48u

/* Durations of one name within one step, written every PROF_SUMMARY seconds, and whenever 6,144 of
 * them have gathered. Records of the same kind, step and name add up. An event belongs to the
 * latest step, of any thread, that began before the event did, unless that step had ended; an
 * operation to the step of the call that launched it. */
struct prof_rec_summary {
    uint64_t header;
    uint64_t step;
    uint64_t name;
    uint64_t count;
    uint64_t sum_ns, min_ns, max_ns;
    uint32_t kind; /* enum prof_summary_kind */
    uint16_t first_bucket, buckets;
    /* uint32_t durations[buckets]: how many had first_bucket, first_bucket + 1 ... as the integer
     * part of their base-2 logarithm; 0 ns counts as 1, the last bucket holds everything longer */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_summary) == 64, "layout");

/* What the process's device did during a step that has ended; written once. A later step cuts an
 * earlier one that it begins in. All but `step`, `flags` and `start_ns` are durations. */
struct prof_rec_summary_step {
    uint64_t header;
    uint64_t step;
    uint64_t start_ns;         /* since the file was made */
    uint64_t duration_ns;      /* up to the step's end, even where a later step cuts it */
    uint64_t compute_ns;       /* kernels ran that are not of a communication library */
    uint64_t overlapped_ns;    /* of compute_ns: such a kernel ran, too */
    uint64_t communication_ns; /* only such kernels ran, or these and copies */
    uint64_t copy_ns;          /* only copies and sets ran */
    uint64_t idle_host_ns;     /* nothing ran, and the next operation was not launched yet */
    uint64_t idle_device_ns;   /* nothing ran, although it was launched */
    uint64_t flags;            /* PROF_SUMMARY_STEP_* */
};
#define PROF_SUMMARY_STEP_PARTLY 1u /* more operations than fit: some are missing */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_summary_step) == 88, "layout");

#ifdef __cplusplus
}
#endif
#endif
