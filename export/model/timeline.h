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

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TL_NONE UINT32_MAX

enum tl_slice_kind {
    TL_RANGE, /* push/pop, or a begin/end that nests */
    TL_STEP,  /* ProfilerStep#N: from one step to the thread's next */
    TL_API,   /* a CUDA call */
};

/* Slice flags. */
#define TL_UNCLOSED 1u /* the trace, the thread or the recording ended before it did */
#define TL_LAUNCHES 2u /* an API call that puts operations on a device */
#define TL_INTERNAL 4u /* made by libprof itself: in no table and no trace */
#define TL_GRAPH 8u    /* an API call that launches a graph */

/* What a thread did, in the order in which it began: parents before children, children inside
 * parents. */
struct tl_slice {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;
    uint32_t parent; /* slice of the same thread, or TL_NONE */
    uint32_t thread;
    uint32_t gpu_first; /* API slices: first of the operations it launched, in gpu_by_slice[] */
    uint32_t gpu_count;
    uint32_t api;   /* into apis[]: API slices only, else TL_NONE */
    uint16_t depth; /* 0 = no parent */
    uint8_t kind;   /* enum tl_slice_kind */
    uint8_t flags;  /* TL_* */
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
};

/* A begin/end range that does not have to nest and may end on another thread. */
struct tl_async {
    int64_t start_ns, end_ns;
    uint64_t id;
    uint32_t name;
    uint32_t thread, end_thread;
    uint32_t flags; /* TL_UNCLOSED */
};

struct tl_mark {
    int64_t time_ns;
    uint32_t name;
    uint32_t thread;
    uint32_t slice; /* innermost open range, TL_NONE */
};

struct tl_counter {
    int64_t time_ns;
    double value;
    uint32_t name;
    uint32_t thread;
};

struct tl_attr {
    uint32_t slice; /* ascending: the attributes of a slice are adjacent */
    uint32_t key;
    uint32_t type; /* enum prof_attr_type */
    uint32_t reserved;
    uint64_t value; /* PROF_ATTR_STRING: index into names[] */
};

enum tl_gpu_kind { TL_KERNEL, TL_MEMCPY, TL_MEMSET, TL_SYNC, TL_OVERHEAD };

#define TL_GPU_INTERNAL 1u      /* libprof's own operation */
#define TL_GPU_BEFORE_LAUNCH 2u /* starts before its launch by more than the clock's error bar */
#define TL_GPU_ORPHAN 4u        /* its launch is not in the trace */

/* What a device did. Sorted by (process, device, context, stream, start). */
struct tl_gpu {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t name;   /* kernels: demangled; copies: "Memcpy HtoD (Pageable -> Device)" */
    uint32_t slice;  /* the API slice that launched it, TL_NONE */
    uint32_t stream; /* into streams[]; TL_NONE for TL_OVERHEAD and context-wide syncs */
    uint32_t correlation;
    uint64_t bytes;  /* copies and sets */
    uint16_t lane;   /* 0, or the extra lane that keeps it clear of others of its stream */
    uint8_t kind;    /* enum tl_gpu_kind */
    uint8_t flags;   /* TL_GPU_* */
    uint32_t detail; /* by kind, into kernels[], memcpys[], memsets[], syncs[], overheads[] */
    uint32_t process;
    uint32_t device; /* ordinal in its process; TL_NONE unknown */
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
};

struct tl_process {
    struct read_process info;
    struct read_health health;
    uint64_t loss[PROF_LOSS_COUNT];
    const char *path;         /* of the file */
    int64_t start_ns, end_ns; /* of what was recorded */
    uint32_t first_thread, thread_count;
    struct tl_oddities odd;
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

/* Recording was on. */
struct tl_window {
    int64_t start_ns;
    int64_t end_ns;   /* TL_NO_TIME: it was not switched off */
    uint32_t process; /* by process, then in order */
    uint32_t epoch;
    uint8_t start_reason, stop_reason; /* enum prof_control_reason */
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
    uint32_t number;   /* the file's index of the thread */
};

struct tl_device {
    uint32_t process;
    struct prof_rec_device info;
    uint32_t name;          /* TL_NONE */
    int64_t clock_error_ns; /* how far bracketed work lay outside its bracket; -1 unmeasured */
};

struct tl_stream {
    uint32_t process;
    uint32_t device; /* ordinal in its process */
    uint32_t context;
    uint32_t stream;
    int32_t priority;
    uint32_t first_gpu, gpu_count; /* into gpus[] */
    uint16_t lanes;                /* 1 + extra lanes in use */
};

/* launched = recorded + lost_operations + undelivered + unobserved + missing, always. All counts
 * but the last ones are operations (kernels, copies, sets); graph launches, orphans and libprof's
 * own stand beside it. */
struct tl_ledger {
    uint64_t launched;       /* by calls that succeeded and launch a known number of operations */
    uint64_t launched_graph; /* device operations recorded under graph launches */
    uint64_t recorded; /* device operations in the file whose launch is too, graphs excluded */
    uint64_t missing;  /* launches whose operation is in no record and no counted loss: must be 0 */
    uint64_t orphans;  /* device operations whose launch is not in the file */
    uint64_t lost_device; /* sum of the device causes in loss[] */
    uint64_t lost_host;   /* sum of the other causes */
    uint64_t unclosed, unopened;
    uint64_t before_launch;   /* causality violations beyond the clock's error bar */
    uint64_t lost_operations; /* launched, explained by loss[] or by chunks that are not here */
    uint64_t undelivered;     /* launched, never delivered: the process was killed or still runs */
    uint64_t unobserved;      /* launched, but device work was not recorded at all (gpu_mode) */
};

#define TL_ARRAY(type)            \
    struct {                      \
        type *at;                 \
        uint32_t count, capacity; \
    }

struct timeline {
    uint64_t base_realtime_ns;   /* since the epoch: time 0 */
    int64_t start_ns, end_ns;    /* of everything */
    TL_ARRAY(struct text) names; /* equal texts have one index; NUL-terminated beside their size */
    TL_ARRAY(struct tl_process) processes;
    TL_ARRAY(struct tl_child) children; /* by process */
    TL_ARRAY(struct tl_window) windows;
    TL_ARRAY(struct tl_thread) threads;
    TL_ARRAY(struct tl_slice) slices; /* by thread, then in order */
    TL_ARRAY(struct tl_api) apis;
    TL_ARRAY(struct tl_async) asyncs;
    TL_ARRAY(struct tl_mark) marks;
    TL_ARRAY(struct tl_counter) counters;
    TL_ARRAY(struct tl_attr) attrs;
    TL_ARRAY(struct tl_gpu) gpus;
    TL_ARRAY(uint32_t) gpu_by_slice; /* indexes into gpus[], grouped by launching slice */
    /* What operations have in common: operations that differ only in time share an entry. So the
     * start and end of an entry are 0 (queued and submitted times are kept, as CLOCK_REALTIME);
     * kernels[].name is an index into names[], of the name as the compiler made it. */
    TL_ARRAY(struct prof_rec_kernel) kernels;
    TL_ARRAY(struct prof_rec_memcpy) memcpys;
    TL_ARRAY(struct prof_rec_memset) memsets;
    TL_ARRAY(struct prof_rec_sync) syncs;
    TL_ARRAY(struct prof_rec_overhead) overheads;
    TL_ARRAY(struct tl_device) devices;
    TL_ARRAY(struct tl_stream) streams;
    struct tl_ledger ledger;
    bool demangled;             /* false: no demangler was at hand, kernel names are mangled */
    struct tl_storage *storage; /* texts; the builder's */
};

/* Builds the timeline of the files. On failure returns NULL and fills `error`. partial: see
 * trace_file_open(). Threads: one; the result may be read by any number. The files are closed
 * again: the timeline owns all of its texts. */
struct timeline *timeline_load(const char *const *paths, size_t path_count, bool partial,
                               struct read_error *error);

/* The same of files that are open; the caller closes them. */
struct timeline *timeline_from_files(struct trace_file *const *files, size_t file_count,
                                     struct read_error *error);
void timeline_destroy(struct timeline *timeline);

#ifdef __cplusplus
}
#endif
#endif
