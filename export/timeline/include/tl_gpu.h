/* tl_gpu.h - the part of the timeline that is about devices; included by timeline.h. */
#ifndef PROF_TL_GPU_H
#define PROF_TL_GPU_H

#include "prof/format.h"

#include <stdbool.h>
#include <stdint.h>

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
    /* By kind, into kernels[], memcpys[], memsets[], graph_runs[], syncs[], overheads[] */
    uint32_t detail;
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
    /* Of the call that had recorded the event last before the wait was called for */
    uint32_t correlation;
    uint32_t stream; /* CUPTI's id of the stream that it was recorded in */
};

/* Which code captured an operation of a graph. */
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

/* Details of operations: what a record has after its times. Equal ones are stored once; what
 * differs from one operation to the next of the same kind (its times, its correlation id) is in
 * struct tl_gpu. They are compared as bytes: every struct is whole words without a gap. */

/* `name` is into names[]: as the compiler made it, mangled. */
struct tl_kernel {
    PROF_KERNEL_MEMBERS
};

struct tl_memcpy {
    PROF_MEMCPY_MEMBERS
};

struct tl_memset {
    PROF_MEMSET_MEMBERS
};

struct tl_sync {
    PROF_SYNC_MEMBERS
};

struct tl_overhead {
    PROF_OVERHEAD_MEMBERS
};

/* A launched graph as a whole. */
struct tl_graph_run {
    PROF_GRAPH_RUN_MEMBERS
};

/* A device as CUPTI or the file describes it; 0 unknown. */
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

/* The part of the timeline that is about memory; included by timeline.h. */

/* Where memory comes from: each allocation is of one heap. */
struct tl_heap {
    uint32_t process;
    uint32_t device;    /* ordinal in its process; TL_NONE: host memory, unknown; of an allocator
                         * whose name ends in " cuda:N", " npu:N" ...: N */
    uint32_t allocator; /* number of one of the program's own, 0: CUDA's memory */
    uint32_t name;      /* the allocator's; what CUDA's memory is: "device", "pinned" ... */
    uint8_t kind;       /* as memory_op.kind; 0 for an allocator */
    bool is_passed_on;  /* CUDA's memory of a device of which an allocator hands parts out: ranges
                         * have those */
};

/* Memory flags. */
#define TL_MEMORY_ASYNC 1u
#define TL_MEMORY_FROM_CALL 2u /* from the call, not from a CUPTI record */
#define TL_MEMORY_REPLACED 4u  /* its address was handed out again: its end is not in the trace */

#define TL_MEMORY_LIVE INT64_MAX

/* An allocation, to its end. By time within a process. */
struct tl_memory {
    int64_t start_ns;
    int64_t end_ns;   /* TL_MEMORY_LIVE: never freed in the trace */
    uint64_t address; /* 0: only a size is known, it is never freed */
    uint64_t bytes;
    uint32_t heap;               /* into heaps[] */
    uint32_t slice, end_slice;   /* innermost at begin and end: a CUDA call or a range; TL_NONE */
    uint32_t thread, end_thread; /* of the slices, or of the allocator's callers; TL_NONE */
    uint32_t pool;               /* into pools[]; TL_NONE */
    uint32_t flags;              /* TL_MEMORY_* */
};

/* A heap grows or shrinks. Sorted by time within a process. */
struct tl_memory_event {
    int64_t time_ns;
    uint64_t pool_bytes; /* reserved by the allocation's pool after it; 0 none or unknown */
    uint32_t memory;     /* into memories[] */
    uint32_t is_end;     /* 1: it shrinks */
};

/* A memory pool of CUDA's. */
struct tl_pool {
    uint32_t process;
    uint32_t device; /* TL_NONE unknown */
    uint64_t address;
    uint64_t release_threshold;
    uint64_t peak_bytes, peak_used_bytes; /* reserved, and used of that; used 0: CUPTI too old */
    uint64_t last_bytes, last_used_bytes;
    int64_t start_ns, end_ns; /* created and destroyed; INT64_MIN, INT64_MAX: not in the trace */
    uint32_t trims;
    uint32_t type; /* as memory_op.pool_type */
};

/* What the driver did about managed memory. By time within a process. */
struct tl_migration {
    int64_t start_ns, end_ns;
    uint64_t address;
    uint64_t value; /* bytes, or page faults, by kind */
    uint32_t process;
    uint32_t kind; /* as CUpti_ActivityUnifiedMemoryCounterKind */
    uint32_t flags;
    uint32_t source, target; /* devices; 0xffffffff: the host */
    uint32_t gpu;            /* kernel that ran there at that moment, into gpus[]; TL_NONE */
    uint32_t slice; /* the call that launched it, or the slice open then that began last; TL_NONE */
};

#endif
