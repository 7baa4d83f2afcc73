/* format_device.h - records of what devices did, in LOG chunks.
 *
 * Part of format.h. Each struct begins with the record's header word; sizes are multiples of 8.
 * Device times are CLOCK_REALTIME nanoseconds, as CUPTI delivers them. Ids of contexts, streams,
 * graphs and nodes are CUPTI's; a graph's are 0 where there is none. Devices are ordinals,
 * UINT16_MAX where CUPTI does not report them.
 *
 * PROF_..._MEMBERS are what a record has after its times, so that a reader can keep the same.
 */
#ifndef PROF_FORMAT_DEVICE_H
#define PROF_FORMAT_DEVICE_H

#include "format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_KERNEL_MEMBERS                                                                       \
    uint32_t context;                                                                             \
    uint32_t stream;                                                                              \
    uint32_t name; /* mangled */                                                                  \
    uint32_t grid_x;                                                                              \
    uint16_t grid_y, grid_z; /* CUDA's limit is 65,535 */                                         \
    uint16_t block_x, block_y;                                                                    \
    uint16_t block_z;                                                                             \
    uint16_t registers; /* per thread */                                                          \
    uint16_t device;                                                                              \
    uint16_t local_memory;          /* bytes per thread, 65,535 = that or more */                 \
    uint32_t static_shared_memory;  /* bytes */                                                   \
    uint32_t dynamic_shared_memory; /* bytes */                                                   \
    /* Absent in 64-byte records: the rest is stored only if any of it is known. */               \
    uint64_t graph_node;                                                                          \
    uint32_t graph;                                                                               \
    int32_t priority;      /* of the launch; PROF_PRIORITY_UNKNOWN if CUPTI does not report it */ \
    uint64_t queued_ns;    /* 0 unknown */                                                        \
    uint64_t submitted_ns; /* 0 unknown */                                                        \
    uint16_t cluster_x, cluster_y, cluster_z;                                                     \
    uint8_t launch_type;  /* CUpti_ActivityLaunchType */                                          \
    uint8_t channel_type; /* CUpti_ChannelType */                                                 \
    uint32_t channel;                                                                             \
    uint32_t shared_memory_executed; /* bytes */

struct prof_rec_kernel {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    PROF_KERNEL_MEMBERS
};
#define PROF_REC_KERNEL_SHORT_BYTES 64u
#define PROF_PRIORITY_UNKNOWN INT32_MIN
PROF_STATIC_ASSERT(sizeof(struct prof_rec_kernel) == 112, "layout");

#define PROF_MEMCPY_MEMBERS                                                          \
    uint64_t bytes;                                                                  \
    uint32_t context;                                                                \
    uint32_t stream;                                                                 \
    uint16_t device;                                                                 \
    /* CUpti_ActivityMemcpyKind: 1 HtoD 2 DtoH 3 HtoA 4 AtoH 5 AtoA */               \
    /* 6 AtoD 7 DtoA 8 DtoD 9 HtoH 10 PtoP */                                        \
    uint8_t copy_kind;                                                               \
    /* CUpti_ActivityMemoryKind: 1 pageable 2 pinned 3 device 4 array 5 managed */   \
    /* 6 device static 7 managed static */                                           \
    uint8_t src_kind;                                                                \
    uint8_t dst_kind;                                                                \
    uint8_t flags; /* 1 asynchronous */                                              \
    uint16_t reserved0;                                                              \
    /* Absent in 48-byte records: only peer copies and graph nodes have the rest. */ \
    uint16_t src_device, dst_device;                                                 \
    uint32_t graph;                                                                  \
    uint64_t graph_node;                                                             \
    uint32_t src_context, dst_context;

struct prof_rec_memcpy {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    PROF_MEMCPY_MEMBERS
};
#define PROF_REC_MEMCPY_SHORT_BYTES 48u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_memcpy) == 72, "layout");

#define PROF_MEMSET_MEMBERS                                          \
    uint64_t bytes;                                                  \
    uint32_t context;                                                \
    uint32_t stream;                                                 \
    uint16_t device;                                                 \
    uint8_t memory_kind; /* as src_kind above */                     \
    uint8_t flags;       /* 1 asynchronous */                        \
    uint32_t value;                                                  \
    /* Absent in 48-byte records: only graph nodes have the rest. */ \
    uint64_t graph_node;                                             \
    uint32_t graph;                                                  \
    uint32_t reserved0;

struct prof_rec_memset {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    PROF_MEMSET_MEMBERS
};
#define PROF_REC_MEMSET_SHORT_BYTES 48u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_memset) == 64, "layout");

#define PROF_SYNC_MEMBERS                                                                   \
    /* CUpti_ActivitySynchronizationType: 1 event 2 stream wait event 3 stream 4 context */ \
    uint32_t type;                                                                          \
    uint32_t context;                                                                       \
    uint32_t stream; /* PROF_SYNC_NO_STREAM if the wait is not for one stream */            \
    uint32_t event;

struct prof_rec_sync {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    PROF_SYNC_MEMBERS
};
#define PROF_SYNC_NO_STREAM 0xffffffffu
PROF_STATIC_ASSERT(sizeof(struct prof_rec_sync) == 40, "layout");

/* The call with this correlation id recorded a CUDA event in a stream. Waits refer to it by
 * prof_rec_sync.event. */
struct prof_rec_cuda_event {
    uint64_t header;
    uint32_t context;
    uint32_t stream;
    uint32_t event; /* CUPTI's id; a prof_rec_sync without an event has PROF_SYNC_NO_EVENT */
    uint32_t reserved0;
};
#define PROF_SYNC_NO_EVENT 0xffffffffu
PROF_STATIC_ASSERT(sizeof(struct prof_rec_cuda_event) == 24, "layout");

#define PROF_OVERHEAD_MEMBERS                                                      \
    uint32_t kind; /* CUpti_ActivityOverheadKind */                                \
    /* CUpti_ActivityObjectKind: 1 process 2 thread 3 device 4 context 5 stream */ \
    uint32_t object_kind;                                                          \
    uint32_t object[3]; /* pid, tid, - or device, context, stream */               \
    uint32_t reserved0;

/* Overhead that CUPTI reports for itself or the driver: buffer handling, instrumentation, lazy
 * loading. */
struct prof_rec_overhead {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    PROF_OVERHEAD_MEMBERS
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_overhead) == 48, "layout");

#define PROF_GRAPH_RUN_MEMBERS \
    uint32_t graph;            \
    uint32_t context;          \
    uint32_t stream;           \
    uint16_t device;           \
    uint16_t reserved0;

/* From the start of a graph's first node to the end of its last. */
struct prof_rec_graph_run {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    PROF_GRAPH_RUN_MEMBERS
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_graph_run) == 40, "layout");

enum prof_memory_operation {
    PROF_MEMORY_ALLOCATE = 1, /* CUpti_ActivityMemoryOperationType */
    PROF_MEMORY_RELEASE = 2,
};

/* CUDA allocated or released device memory or host memory. */
struct prof_rec_memory {
    uint64_t header;
    uint64_t time_ns; /* CLOCK_REALTIME */
    uint64_t address;
    uint64_t bytes;   /* of a release: 0 if unknown, then see the allocation at `address` */
    uint32_t context; /* 0 unknown */
    uint32_t stream;  /* 0 unknown */
    uint16_t device;
    uint8_t operation; /* enum prof_memory_operation */
    uint8_t kind;      /* as prof_rec_memcpy.src_kind */
    uint8_t flags;     /* PROF_MEMORY_* */
    uint8_t pool_type; /* CUpti_ActivityMemoryPoolType: 0 none 1 local 2 imported */
    uint16_t reserved0;
    /* Absent in 48-byte records: only memory of pools has the rest. */
    uint64_t pool;                   /* address */
    uint64_t pool_bytes;             /* reserved by the pool */
    uint64_t pool_used_bytes;        /* 0 unknown */
    uint64_t pool_release_threshold; /* bytes */
};
#define PROF_REC_MEMORY_SHORT_BYTES 48u
#define PROF_MEMORY_ASYNC 1u
#define PROF_MEMORY_FROM_CALL 2u /* derived from the call's arguments: CUPTI has no such record */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_memory) == 80, "layout");

struct prof_rec_memory_pool {
    uint64_t header;
    uint64_t time_ns;
    uint64_t pool; /* address */
    uint64_t bytes;
    uint64_t used_bytes;
    uint64_t release_threshold;
    uint64_t keep_bytes; /* of a trim: bytes to keep */
    uint16_t device;
    uint8_t operation; /* CUpti_ActivityMemoryPoolOperationType: 1 created 2 destroyed 3 trimmed */
    uint8_t pool_type;
    uint32_t process;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_memory_pool) == 64, "layout");

/* Managed memory: a migration, page fault or similar. */
struct prof_rec_unified_memory {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t address;
    uint64_t value;  /* bytes moved, or page faults, by `kind` */
    uint32_t kind;   /* CUpti_ActivityUnifiedMemoryCounterKind: 1 bytes HtoD 2 bytes DtoH 3 CPU page
                        faults 4 GPU page faults 5 thrashing 6 throttling 7 remote map 8 bytes
                        DtoD */
    uint32_t flags;  /* CUPTI's: cause of a migration, access type of a fault */
    uint32_t source; /* device, or 0xffffffff the host */
    uint32_t target;
    uint32_t stream;
    uint32_t process;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_unified_memory) == 64, "layout");

/* CUDA time of a range: stream time between one event recorded at the push and one at the pop. It
 * begins when all work submitted to the stream before the push is done, and ends when all work
 * submitted before the pop is done. It therefore includes waiting in the stream. */
struct prof_rec_range_time {
    uint64_t header;
    uint64_t start_ns; /* CLOCK_REALTIME, by the latest event whose CPU time is known */
    uint64_t end_ns;
    uint64_t token;    /* of a PROF_REC_TIMED, from 1, never used twice in a file */
    uint64_t stream;   /* handle: 1 the legacy default stream, 2 the thread's default stream */
    uint32_t device;   /* ordinal */
    uint32_t error_ns; /* error bound of start and end; their difference is exact to 500 ns */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_range_time) == 48, "layout");

/* CUPTI delivered the record of an operation (kernel, copy or set), but it could not be stored. It
 * is also counted in loss[cause]. The correlation id identifies the launch. */
struct prof_rec_lost {
    uint64_t header;
    uint32_t context;
    uint32_t stream;
    uint32_t graph; /* 0 not of a graph */
    uint16_t device;
    uint8_t cause; /* enum prof_loss_cause */
    uint8_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_lost) == 24, "layout");

#ifdef __cplusplus
}
#endif
#endif
