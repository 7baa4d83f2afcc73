/* tl_memory.h - the part of the timeline that is about memory; included by timeline.h. */
#ifndef PROF_TL_MEMORY_H
#define PROF_TL_MEMORY_H

#include <stdint.h>

/* Where memory comes from: each allocation is of one heap. */
struct tl_heap {
    uint32_t process;
    uint32_t device;    /* ordinal in its process; TL_NONE: host memory, an allocator's, unknown */
    uint32_t allocator; /* number of one of the program's own, 0: CUDA's memory */
    uint32_t name;      /* the allocator's; what CUDA's memory is: "device", "pinned" ... */
    uint8_t kind;       /* as memory_op.kind; 0 for an allocator */
};

/* Memory flags. */
#define TL_MEMORY_ASYNC 1u
#define TL_MEMORY_FROM_CALL 2u /* seen in the call, not told by CUPTI */
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
