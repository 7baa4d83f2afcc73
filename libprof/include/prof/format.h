/* format.h - the libprof trace file, byte by byte.
 *
 * This header is the specification of the format. It is valid C11 and C++17, needs only <stdint.h>,
 * and is used by the recorder and by every program that reads trace files. The records themselves
 * are in the headers that it includes:
 *
 *     format_thread.h   what threads did (LOG chunks): ranges, attributes, CUDA calls, graph nodes
 *     format_device.h   what devices did (LOG chunks): kernels, copies, sets, memory
 *     format_meta.h     process-wide facts (META chunks): names, clock samples, threads, devices
 *
 * 1. Layout
 *
 *     offset 0                64 KiB               128 KiB
 *     | file header 4096 | META records ... | chunk 1 | chunk 2 | ...
 *     '------------- chunk 0 ---------------'
 *
 * A file is an array of chunks of `chunk_bytes` (65,536) bytes each; the last one may be truncated.
 * Chunk 0 starts with struct prof_file_header; the rest of it is a META chunk, whose records start
 * at byte 4096. Every other chunk starts with struct prof_chunk_header (64 bytes). Integers have
 * the byte order of the machine that wrote the file: see `byte_order`. The size of a record is a
 * multiple of 8 bytes, and records are 8-byte aligned.
 *
 * 2. Chunk kinds
 *
 * META  process-wide facts: names, devices, clock samples. Appended by any thread; never recycled.
 * LOG   what one thread did, in program order. A *log* is a chain of LOG chunks with the same `log`
 *       number, ordered by `sequence`. When a thread ends, the next new thread continues its log:
 *       PROF_REC_THREAD says which thread the following records belong to.
 *
 * 3. Records
 *
 * The first 8-byte word of a record is its header. Bits are numbered from the least significant.
 *
 *     PUSH, MARK   0..3 kind   4..23 name id      24..63 ticks since the base
 *     POP          0..3 kind   4..23 zero         24..63 ticks since the base
 *     NVTX_PUSH    0..3 kind   4..23 name id      24..63 ticks since the base
 *     NVTX_POP     0..3 kind   4..23 domain       24..63 ticks since the base
 *     FRAME_PUSH   0..3 kind   4..23 name id      24..63 ticks since the base
 *     FRAME_POP    0..3 kind   4..23 zero         24..63 ticks since the base
 *     EXT, HOLE    0..3 kind   4..11 type  12..23 size in words, header included  24..63 info
 *
 * The base is the chunk's `base_ticks`; a thread whose time no longer fits 40 bits begins a new
 * chunk. `info` is ticks since the base in a thread's records, a correlation id in a device's, and
 * zero in META. A record never crosses the end of its chunk. A field of an EXT record is present
 * only if the record's size covers it: future versions append fields.
 *
 * A name id is the id of a NAME record, or of an EVENT_NAME record: a name with an NVTX domain,
 * category and color. Both kinds of id come from one sequence. Ranges of prof.h and of each NVTX
 * domain form separate stacks: a pop ends the innermost open range of its own stack, regardless of
 * the others. An NVTX_PUSH with the id of a NAME record is in the default domain.
 *
 * Calls of Python functions also form a separate stack. They are not ranges: FRAME_PUSH and
 * FRAME_POP follow the thread's Python call stack, regardless of ranges. A FRAMES record lists the
 * calls that are open at its time, so that a reader need not have seen them begin.
 *
 * 4. Validity
 *
 * Chunks are zero-filled before use. The writer stores a record's payload first and its header word
 * last (release), so
 *     header == 0        nothing was committed in this word: skip it
 *     kind == HOLE       space that was reserved but never committed (the writer was killed, or a
 *                        signal handler jumped away): skip `size` words, count one torn record
 *     anything else      the record is complete
 * A chunk whose magic is not PROF_CHUNK_MAGIC was never begun: skip it. There is no index, footer or
 * total length, so a file is readable at any time: while it is being written, and after kill -9.
 *
 * 5. Reader's algorithm
 *
 *     check magic, byte_order, version; map the file
 *     for each chunk with a valid magic: META -> walk its records; LOG -> remember it
 *     sort the LOG chunks by (log, sequence)
 *     for each log: walk the records of its chunks in order; clamp times so that a thread's time
 *         never decreases (a signal handler's records may precede the event that they interrupted
 *         and still have later time stamps)
 *     convert ticks to nanoseconds by linear interpolation between the PROF_REC_CLOCK samples
 *         around them; device times are CLOCK_REALTIME and are converted by the same samples
 *     join device records to PROF_REC_API_ENTER by correlation id; the range around a launch is the
 *         innermost range open at that position of the log
 *
 * A gap in `sequence`, or a log that does not begin with 0, means that chunks were recycled (ring
 * mode).
 */
#ifndef PROF_FORMAT_H
#define PROF_FORMAT_H

#include <stdint.h>

#ifdef __cplusplus
#define PROF_STATIC_ASSERT static_assert
extern "C" {
#else
#define PROF_STATIC_ASSERT _Static_assert
#endif

/* The first bytes catch a text-mode transfer and a file cut at a NUL, as PNG's do. */
#define PROF_FILE_MAGIC "\x89PROF\r\n\x1a"
#define PROF_FILE_MAGIC_BYTES 8
#define PROF_FORMAT_VERSION 1u
#define PROF_BYTE_ORDER_MARK 0x01020304u
#define PROF_CHUNK_MAGIC 0x4b484350u /* "PCHK" in a little-endian file */

#define PROF_FILE_HEADER_BYTES 4096u
#define PROF_CHUNK_BYTES 65536u
#define PROF_CHUNK_HEADER_BYTES 64u

/* Longest name stored, in bytes. Longer names are truncated; the NAME record has the full length. */
#define PROF_NAME_BYTES_MAX 4096u

/* Source of ticks. `ticks_per_second` in the header is nominal, the CLOCK samples are exact. */
enum prof_clock_kind {
    PROF_CLOCK_TSC = 1, /* x86 time-stamp counter: invariant and synchronized between processors */
    PROF_CLOCK_CNTVCT = 2,    /* Armv8 virtual counter */
    PROF_CLOCK_MONOTONIC = 3, /* clock_gettime(CLOCK_MONOTONIC), nanoseconds */
};

enum prof_file_state {
    PROF_STATE_RECORDING = 1, /* being written, or the process was killed */
    PROF_STATE_CLOSED = 2,    /* complete: only the records counted in loss[] are missing */
};

/* How device times were measured. Part of every output. */
enum prof_gpu_mode {
    PROF_GPU_NONE = 0,        /* this process never initialized CUDA */
    PROF_GPU_CUPTI = 1,       /* CUPTI activity records */
    PROF_GPU_EVENTS = 2,      /* CUDA events around ranges */
    PROF_GPU_UNAVAILABLE = 3, /* CUDA was used, but not the device side recorded: see GPU_REASON */
    PROF_GPU_PARTIAL = 4,     /* incomplete CUPTI activity records: see GPU_REASON */
    PROF_GPU_OTHER = 5, /* not in libprof's files: another vendor's device, in imported files */
};

/* Header flags. */
#define PROF_FILE_SIMULATED 1u /* recorded on the simulated CUDA, not on a real device */
#define PROF_FILE_RING 2u      /* chunks were recycled: only the last part of the run is left */

/* Causes of loss. X(symbol, name in outputs, sentence). Append only. */
#define PROF_LOSS_CAUSES(X)                                                                       \
    X(FULL, "full", "event not recorded: the size limit of the trace was reached")                \
    X(LATE, "late", "event not recorded: no prepared space was left at that moment")              \
    X(NESTED, "nested",                                                                           \
      "event not recorded: it interrupted the recorder itself on the same thread")                \
    X(IO, "io", "event not recorded: the trace file could not be created or extended")            \
    X(NAMES, "names", "name not recorded: the name table was full")                               \
    X(TOO_BIG, "too_big", "event not recorded: larger than a record may be")                      \
    X(THREADS, "threads", "event not recorded: too many live threads")                            \
    X(CUPTI_DROPPED, "cupti_dropped", "device record dropped by CUPTI")                           \
    X(ZERO_TIME, "zero_time", "device record without timestamps")                                 \
    X(OUT_OF_WINDOW, "out_of_window", "device record outside of the recording window")            \
    X(UNKNOWN_RECORD, "unknown_record", "device record of an unknown or unreadable kind")         \
    X(GPU_BUFFER, "gpu_buffer", "no memory for a device record buffer")                           \
    X(CHILD, "child",                                                                             \
      "event not recorded: it happened in a forked child before it could open its own file")      \
    X(BAD_ARGUMENT, "bad_argument", "call ignored: invalid argument")                             \
    X(UNTIMED, "untimed",                                                                         \
      "range without CUDA time: too many in flight, a capture, crossing, or its context is gone") \
    X(GRAPH_NODES, "graph_nodes",                                                                 \
      "operation of a graph launch that was never delivered, and no other cause counts")          \
    X(SANDBOX, "sandbox", "recording ended: the program entered a sandbox")

enum prof_loss_cause {
#define PROF_LOSS_ENUM(symbol, name, sentence) PROF_LOSS_##symbol,
    PROF_LOSS_CAUSES(PROF_LOSS_ENUM)
#undef PROF_LOSS_ENUM
        PROF_LOSS_COUNT
};

#define PROF_LOSS_SLOTS 64

/* Offset 0 of the file. Counters are updated while recording, with relaxed atomic adds. */
struct prof_file_header {
    uint8_t magic[PROF_FILE_MAGIC_BYTES]; /*   0 PROF_FILE_MAGIC */
    uint32_t version;                     /*   8 PROF_FORMAT_VERSION */
    uint32_t byte_order;                  /*  12 PROF_BYTE_ORDER_MARK as the writer stored it */
    uint32_t header_bytes;                /*  16 PROF_FILE_HEADER_BYTES */
    uint32_t chunk_bytes;                 /*  20 PROF_CHUNK_BYTES */
    uint32_t pid;                         /*  24 process id in its own namespace */
    uint32_t parent_pid;                  /*  28 */
    uint32_t clock_kind;                  /*  32 enum prof_clock_kind */
    uint32_t state;                       /*  36 enum prof_file_state */
    uint64_t ticks_per_second;            /*  40 nominal; 0 when unknown */
    uint64_t start_ticks;                 /*  48 when the file was made */
    uint64_t start_monotonic_ns;          /*  56 */
    uint64_t start_realtime_ns;           /*  64 since the epoch */
    uint64_t process_start_ns;            /*  72 of the process, since the epoch; 0 unknown */
    uint32_t gpu_mode;                    /*  80 enum prof_gpu_mode */
    uint32_t flags;                       /*  84 PROF_FILE_* */
    int32_t rank;         /*  88 -1 when the process is not part of a parallel job */
    int32_t local_rank;   /*  92 -1 */
    int32_t world_size;   /*  96 -1 */
    uint32_t reserved0;   /* 100 */
    uint64_t chunk_count; /* 104 chunks in use so far, chunk 0 included */
    uint64_t gpu_records; /* 112 device records (kernel, copy, set) received with good times */
    uint8_t library_version[24];    /* 120 text, NUL-terminated */
    uint8_t reserved1[112];         /* 144 */
    uint64_t loss[PROF_LOSS_SLOTS]; /* 256 by enum prof_loss_cause */
    uint8_t reserved2[3328];        /* 768 */
};
PROF_STATIC_ASSERT(sizeof(struct prof_file_header) == PROF_FILE_HEADER_BYTES,
                   "file header is one page");

enum prof_chunk_kind {
    PROF_CHUNK_META = 1,
    PROF_CHUNK_LOG = 2,
};

/* Offset 0 of every chunk but the first. `magic` is stored last (release). */
struct prof_chunk_header {
    uint32_t magic;        /*  0 PROF_CHUNK_MAGIC */
    uint16_t kind;         /*  4 enum prof_chunk_kind */
    uint16_t header_bytes; /*  6 PROF_CHUNK_HEADER_BYTES */
    uint32_t log;          /*  8 number of the log; 0 in META */
    uint32_t thread;   /* 12 index (PROF_REC_THREAD_INFO) of the thread that began it; 0 in META */
    uint64_t sequence; /* 16 position of the chunk in its log, from 0 */
    uint64_t base_ticks;  /* 24 base of the ticks in this chunk's records */
    uint64_t index;       /* 32 number of this chunk in the file */
    uint32_t epoch;       /* 40 recording epoch at its start (PROF_REC_EPOCH) */
    uint32_t depth;       /* 44 zero */
    uint8_t reserved[16]; /* 48 */
};
PROF_STATIC_ASSERT(sizeof(struct prof_chunk_header) == PROF_CHUNK_HEADER_BYTES,
                   "chunk header is one cache line");

enum prof_record_kind {
    PROF_KIND_EMPTY = 0,
    PROF_KIND_PUSH = 1,
    PROF_KIND_POP = 2,
    PROF_KIND_MARK = 3,
    PROF_KIND_EXT = 4,
    PROF_KIND_HOLE = 5,
    PROF_KIND_NVTX_PUSH = 6,  /* nvtx(Domain)RangePush */
    PROF_KIND_NVTX_POP = 7,   /* the name field is the domain's number, 0 the default domain */
    PROF_KIND_FRAME_PUSH = 8, /* a Python function is called: "file.py(LINE): qualified.name" */
    PROF_KIND_FRAME_POP = 9,  /* the innermost open call of a Python function ends */
};

#define PROF_WORD_KIND(word) ((unsigned)((word)&15u))
#define PROF_WORD_NAME(word) ((uint32_t)((word) >> 4) & 0xfffffu)
#define PROF_WORD_TYPE(word) ((unsigned)((word) >> 4) & 0xffu)
#define PROF_WORD_SIZE(word) ((unsigned)((word) >> 12) & 0xfffu)
#define PROF_WORD_INFO(word) ((uint64_t)(word) >> 24)

/* Header words. `name` and `ticks` must fit; see PROF_NAME_ID_MAX and PROF_TICKS_MAX. */
#define PROF_WORD_EVENT(kind, name, ticks) \
    ((uint64_t)(kind) | (uint64_t)(name) << 4 | (uint64_t)(ticks) << 24)
#define PROF_WORD_EXT(kind, type, words, info) \
    ((uint64_t)(kind) | (uint64_t)(type) << 4 | (uint64_t)(words) << 12 | (uint64_t)(info) << 24)

#define PROF_NAME_ID_MAX 0xfffffu      /* larger ids need PROF_REC_PUSH_WIDE */
#define PROF_TICKS_MAX 0xffffffffffull /* 40 bits */
#define PROF_RECORD_WORDS_MAX 4095u

/* Types of EXT records. Values are in files: append only. */
enum prof_record_type {
    /* In LOG chunks: what a thread did. info = ticks since the base. */
    PROF_REC_THREAD = 1, /* thread of the records that follow: w1 low u32 index, high u32 OS tid */
    PROF_REC_THREAD_END = 2,  /* the thread ended; its open ranges end here */
    PROF_REC_PUSH_WIDE = 3,   /* w1 = name id: a PUSH whose name id needs more than 20 bits */
    PROF_REC_MARK_WIDE = 4,   /* w1 = name id */
    PROF_REC_RANGE_BEGIN = 5, /* struct prof_rec_range_begin: a range that any thread may end */
    PROF_REC_RANGE_END = 6,   /* w1 = range id */
    PROF_REC_COUNTER = 7,     /* w1 = name id, w2 = value, an IEEE 754 double */
    PROF_REC_ATTR = 8,        /* struct prof_rec_attr: of the innermost open range of the thread */
    PROF_REC_STEP = 9,        /* w1 = number: a step ends where the thread's next step begins */
    PROF_REC_API_ENTER = 10,  /* struct prof_rec_api_enter: a CUDA call begins */
    PROF_REC_API_EXIT = 11,   /* the innermost CUDA call ends: w1 low u32 result, high u32
                                correlation id */
    PROF_REC_EPOCH =
        12, /* w1 = epoch: recording is on again; open ranges ended at the stop before */
    PROF_REC_START_EVENT = 13,    /* struct prof_rec_start_event */
    PROF_REC_NVTX_PUSH_WIDE = 14, /* w1 = name id: an NVTX_PUSH whose id needs more than 20 bits */
    PROF_REC_STACK = 15,          /* w1 = stack id: where the innermost open range was opened */
    PROF_REC_ALLOC = 16,      /* struct prof_rec_alloc: one of the program's allocators allocated */
    PROF_REC_FREE = 17,       /* struct prof_rec_free: one of the program's allocators freed */
    PROF_REC_BLOCK = 18,      /* struct prof_rec_block: a profiling block of the process begins */
    PROF_REC_GRAPH_NODE = 19, /* struct prof_rec_graph_node: a node of a CUDA graph was made */
    PROF_REC_TIMED = 20, /* w1 = token: the innermost open range or step is timed by CUDA events */
    PROF_REC_ATTRS = 21, /* struct prof_rec_attrs: several attributes of the innermost open range */
    PROF_REC_RANGE = 22, /* struct prof_rec_range: a range recorded after its end */
    PROF_REC_FRAME_PUSH_WIDE = 24, /* w1 = name id: a FRAME_PUSH whose id needs more than 20 bits */
    PROF_REC_FRAMES = 25,          /* struct prof_rec_frames: all open calls of Python functions */

    /* In LOG chunks: what a device did. info = correlation id (low 32 bits). */
    PROF_REC_KERNEL = 32,         /* struct prof_rec_kernel */
    PROF_REC_MEMCPY = 33,         /* struct prof_rec_memcpy */
    PROF_REC_MEMSET = 34,         /* struct prof_rec_memset */
    PROF_REC_SYNC = 35,           /* struct prof_rec_sync */
    PROF_REC_OVERHEAD = 36,       /* struct prof_rec_overhead */
    PROF_REC_MEMORY = 37,         /* struct prof_rec_memory */
    PROF_REC_MEMORY_POOL = 38,    /* struct prof_rec_memory_pool */
    PROF_REC_UNIFIED_MEMORY = 39, /* struct prof_rec_unified_memory */
    PROF_REC_RANGE_TIME = 40,     /* struct prof_rec_range_time; info = low 40 bits of the token */
    PROF_REC_GRAPH_RUN = 41,      /* struct prof_rec_graph_run: a launched graph as a whole */
    PROF_REC_CUDA_EVENT = 42,     /* struct prof_rec_cuda_event; info = correlation id */
    PROF_REC_LOST = 48,           /* struct prof_rec_lost: a record that could not be stored */

    /* In META chunks. info = 0. */
    PROF_REC_NAME = 64,         /* struct prof_rec_name */
    PROF_REC_INFO = 65,         /* struct prof_rec_info */
    PROF_REC_CLOCK = 66,        /* struct prof_rec_clock */
    PROF_REC_THREAD_INFO = 67,  /* struct prof_rec_thread_info */
    PROF_REC_DEVICE = 68,       /* struct prof_rec_device */
    PROF_REC_CONTEXT = 69,      /* struct prof_rec_context */
    PROF_REC_STREAM = 70,       /* struct prof_rec_stream */
    PROF_REC_CONTROL = 71,      /* struct prof_rec_control */
    PROF_REC_API_NAME = 72,     /* struct prof_rec_api_name */
    PROF_REC_EVENT_NAME = 73,   /* struct prof_rec_event_name */
    PROF_REC_DOMAIN = 74,       /* struct prof_rec_domain */
    PROF_REC_CATEGORY = 75,     /* struct prof_rec_category */
    PROF_REC_RESOURCE = 76,     /* struct prof_rec_resource */
    PROF_REC_STACK_FRAMES = 77, /* struct prof_rec_stack_frames */
    PROF_REC_MODULE = 78,       /* struct prof_rec_module */
    PROF_REC_MODULE_GONE = 79,  /* struct prof_rec_module_gone */
    PROF_REC_CHILD = 80,        /* struct prof_rec_child */
    PROF_REC_ALLOCATOR = 81,    /* struct prof_rec_allocator */
    PROF_REC_EARLIER_NODE = 82, /* struct prof_rec_earlier_node: made while recording was off */
    PROF_REC_GRAPH = 83,        /* struct prof_rec_graph: a graph that can be launched */
    PROF_REC_STREAM_LOSS = 84,  /* struct prof_rec_stream_loss */
    PROF_REC_COST = 86,         /* struct prof_rec_cost */
    PROF_REC_THROTTLE = 87,     /* struct prof_rec_throttle */
    PROF_REC_ATTR_SET = 88,     /* struct prof_rec_attr_set */
    PROF_REC_FRAMES_END = 89,   /* struct prof_rec_frames_end */
};

/* Every struct below begins with the header word; sizes are multiples of 8. */

enum prof_attr_type {
    PROF_ATTR_INT = 1,    /* value = int64_t */
    PROF_ATTR_DOUBLE = 2, /* value = IEEE 754 double */
    PROF_ATTR_STRING = 3, /* value = name id of the text */
    PROF_ATTR_UINT = 4,   /* value = uint64_t */
    PROF_ATTR_HEX = 5,    /* value = uint64_t that is an address or a handle */
};

struct prof_rec_attr {
    uint64_t header;
    uint32_t key;  /* name id */
    uint32_t type; /* enum prof_attr_type */
    uint64_t value;
    /* Absent in 24-byte records. What the attribute belongs to: 0 or absent: the thread's innermost
     * open range of any domain; PROF_ATTR_OF_MARK: the thread's latest mark; else a range id. */
    uint64_t target;
};
#define PROF_REC_ATTR_SHORT_BYTES 24u
#define PROF_ATTR_OF_MARK 1u /* cannot be a range id: these are above 2^32 */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_attr) == 32, "layout");

/* Attributes that always occur together. An ATTR_SET record has their keys and types, so that this
 * record needs only the values. A value whose bits are all ones is absent. */
struct prof_rec_attrs {
    uint64_t header;
    uint32_t set; /* id of an ATTR_SET record */
    /* values, at the offsets in the set */
};
#define PROF_REC_ATTRS_BYTES 16u /* minimum: records are multiples of 8 */
#define PROF_ATTRS_VALUES 12u    /* smallest offset of a value */

/* All open calls of Python functions of the thread. Written when recording of calls begins or ends,
 * and wherever a reader could be out of step: open calls that are not listed have ended, listed
 * calls that are not open begin here. Holds the outermost PROF_FRAMES_MAX calls; a FRAME_PUSH
 * follows for each further one. */
struct prof_rec_frames {
    uint64_t header;
    uint32_t count;
    uint32_t reserved0;
    /* uint32_t name[count], outermost first */
};
#define PROF_FRAMES_MAX 1024u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_frames) == 16, "layout");

/* Recording of Python calls ended for all threads: the open calls of every thread end here. If a
 * thread records calls again, it begins with a FRAMES record. */
struct prof_rec_frames_end {
    uint64_t header;
    uint64_t ticks;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_frames_end) == 16, "layout");

/* A range that need not nest. */
struct prof_rec_range_begin {
    uint64_t header;
    uint64_t name;
    uint64_t id; /* thread index << 32 | count from 1 */
    /* Absent in 24-byte records: only events of profiling blocks have the rest. */
    int32_t chain;        /* index of the chain in execution, -1 outside of chains */
    uint32_t instruction; /* index of the instruction within its chain */
};
#define PROF_REC_RANGE_BEGIN_SHORT_BYTES 24u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_range_begin) == 32, "layout");

/* A range that need not nest, recorded when it ended or later. */
struct prof_rec_range {
    uint64_t header;
    uint64_t name;
    uint64_t id; /* as that of a prof_rec_range_begin */
    /* Readers clamp both to [start of the file, time of this record], and end_ticks to begin_ticks. */
    uint64_t begin_ticks;
    uint64_t end_ticks;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_range) == 40, "layout");

/* One of the program's allocators allocated memory. With address 0, only the size is known and the
 * memory counts as never freed. */
struct prof_rec_alloc {
    uint64_t header;
    uint64_t address;
    uint64_t bytes;
    uint32_t allocator; /* number of an ALLOCATOR record */
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_alloc) == 32, "layout");

struct prof_rec_free {
    uint64_t header;
    uint64_t address;
    uint32_t allocator;
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_free) == 24, "layout");

/* A profiling block contains the events of the whole process from here to the next block. Blocks of
 * the same name are iterations. */
struct prof_rec_block {
    uint64_t header;
    uint32_t name;
    uint32_t flags; /* PROF_BLOCK_* */
};
#define PROF_BLOCK_RESET 1u /* not a new block: discard what the current one contains so far */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_block) == 16, "layout");

enum prof_api_domain {
    PROF_API_RUNTIME = 1, /* cbid of CUPTI's runtime API domain */
    PROF_API_DRIVER = 2,  /* cbid of CUPTI's driver API domain */
};

/* API_ENTER.flags */
#define PROF_API_LAUNCHES 1u /* launches exactly `operations` operations, each with a record */
#define PROF_API_GRAPH 2u    /* launches a graph: any number of operations */
#define PROF_API_INTERNAL 4u /* called by libprof itself, not by the program */
#define PROF_API_WHOLE_GRAPH \
    8u /* with PROF_API_GRAPH: one GRAPH_RUN instead of a record per node */
/* Such calls are recorded only if they fail, at their end: the time is not that of their begin.
 * API_EXIT follows immediately. */
#define PROF_API_FAILED_ONLY 32u

struct prof_rec_api_enter {
    uint64_t header;
    uint32_t correlation;
    uint16_t cbid;
    uint8_t domain;  /* enum prof_api_domain */
    uint8_t flags;   /* PROF_API_* */
    uint64_t stream; /* the program's stream handle; 0 = default stream or none */
    uint64_t bytes;  /* of a copy, set or allocation; 0 otherwise */
    /* Kernel's (mangled) name id at a launch; with PROF_API_GRAPH the graph's id; 0 unknown. */
    uint32_t name;
    /* With PROF_API_LAUNCHES: the exact number. With PROF_API_GRAPH: the number of kernels and sets,
     * a lower bound, because the host may perform copies; 0 unknown. */
    uint32_t operations;
    /* Absent in 40-byte records: only calls with a call stack have the rest. */
    uint32_t stack; /* stack id */
    uint32_t reserved0;
};
#define PROF_REC_API_ENTER_SHORT_BYTES 40u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_api_enter) == 48, "layout");

/* The values of CUgraphNodeType that readers need. */
enum prof_graph_node_type {
    PROF_GRAPH_KERNEL = 0,
    PROF_GRAPH_MEMCPY = 1,
    PROF_GRAPH_MEMSET = 2,
    PROF_GRAPH_HOST = 3,
    PROF_GRAPH_CHILD = 4,
    PROF_GRAPH_EMPTY = 5,
    PROF_GRAPH_CONDITIONAL = 13,
};

/* A node of a CUDA graph was created: captured, added, or cloned from `original`. The record of a
 * captured or added node lies within the call and the ranges that created it. Instantiating a graph
 * clones its nodes: device records have the ids of the clones.
 *
 * PROF_GRAPH_NODE_UPDATED: not a new node; from here on, `node` does what `original` does.
 * PROF_GRAPH_NODE_UNKNOWN: not a node (`node` is 0); `graph` was updated, and the origin of its
 * nodes is unknown from here on. */
struct prof_rec_graph_node {
    uint64_t header;
    uint64_t node;     /* CUPTI's ids */
    uint64_t original; /* 0: captured or added */
    uint32_t graph;
    uint8_t type; /* enum prof_graph_node_type, any other number is CUDA's */
    uint8_t flags;
    uint16_t reserved0;
    /* Absent in 32-byte records: only nodes whose call has no call stack may have the rest. */
    uint32_t stack;
    uint32_t reserved1;
};
#define PROF_REC_GRAPH_NODE_SHORT_BYTES 32u
#define PROF_GRAPH_NODE_UPDATED 1u
#define PROF_GRAPH_NODE_UNKNOWN 2u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_graph_node) == 40, "layout");

/* A memset by libprof that ran on the device between two readings of the CPU clock. Comparing the
 * readings with its device record (`correlation`) bounds the error of the clock conversion. */
struct prof_rec_start_event {
    uint64_t header;
    uint32_t device;
    uint32_t correlation;
    uint64_t before_ticks;
    uint64_t after_ticks;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_start_event) == 32, "layout");

/* Device times are CLOCK_REALTIME nanoseconds, as CUPTI delivers them. */
struct prof_rec_kernel {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t context;
    uint32_t stream;
    uint32_t name; /* mangled */
    uint32_t grid_x;
    uint16_t grid_y, grid_z; /* CUDA's limit is 65,535 */
    uint16_t block_x, block_y;
    uint16_t block_z;
    uint16_t registers; /* per thread */
    uint16_t device;
    uint16_t local_memory;          /* bytes per thread, 65,535 = that or more */
    uint32_t static_shared_memory;  /* bytes */
    uint32_t dynamic_shared_memory; /* bytes */
    /* Absent in 64-byte records: the rest is stored only if any of it is known. */
    uint64_t graph_node;
    uint32_t graph;
    int32_t priority;      /* of the launch; PROF_PRIORITY_UNKNOWN if CUPTI does not report it */
    uint64_t queued_ns;    /* 0 unknown */
    uint64_t submitted_ns; /* 0 unknown */
    uint16_t cluster_x, cluster_y, cluster_z;
    uint8_t launch_type;  /* CUpti_ActivityLaunchType */
    uint8_t channel_type; /* CUpti_ChannelType */
    uint32_t channel;
    uint32_t shared_memory_executed; /* bytes */
};
#define PROF_REC_KERNEL_SHORT_BYTES 64u
#define PROF_PRIORITY_UNKNOWN INT32_MIN
PROF_STATIC_ASSERT(sizeof(struct prof_rec_kernel) == 112, "layout");

struct prof_rec_memcpy {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t bytes;
    uint32_t context;
    uint32_t stream;
    uint16_t device;
    /* CUpti_ActivityMemcpyKind: 1 HtoD 2 DtoH 3 HtoA 4 AtoH 5 AtoA 6 AtoD 7 DtoA 8 DtoD 9 HtoH
     * 10 PtoP */
    uint8_t copy_kind;
    /* CUpti_ActivityMemoryKind: 1 pageable 2 pinned 3 device 4 array 5 managed 6 device static
     * 7 managed static */
    uint8_t src_kind;
    uint8_t dst_kind;
    uint8_t flags; /* 1 asynchronous */
    uint16_t reserved0;
    /* Absent in 48-byte records: only peer copies and graph nodes have the rest. */
    uint16_t src_device, dst_device;
    uint32_t graph;
    uint64_t graph_node;
    uint32_t src_context, dst_context;
};
#define PROF_REC_MEMCPY_SHORT_BYTES 48u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_memcpy) == 72, "layout");

struct prof_rec_memset {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t bytes;
    uint32_t context;
    uint32_t stream;
    uint16_t device;
    uint8_t memory_kind; /* as src_kind above */
    uint8_t flags;       /* 1 asynchronous */
    uint32_t value;
    /* Absent in 48-byte records: only graph nodes have the rest. */
    uint64_t graph_node;
    uint32_t graph;
    uint32_t reserved0;
};
#define PROF_REC_MEMSET_SHORT_BYTES 48u
PROF_STATIC_ASSERT(sizeof(struct prof_rec_memset) == 64, "layout");

struct prof_rec_sync {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    /* CUpti_ActivitySynchronizationType: 1 event 2 stream wait event 3 stream 4 context */
    uint32_t type;
    uint32_t context;
    uint32_t stream; /* PROF_SYNC_NO_STREAM if the wait is not for one stream */
    uint32_t event;
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

/* Overhead that CUPTI reports for itself or the driver: buffer handling, instrumentation, lazy
 * loading. */
struct prof_rec_overhead {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t kind; /* CUpti_ActivityOverheadKind */
    /* CUpti_ActivityObjectKind: 1 process 2 thread 3 device 4 context 5 stream */
    uint32_t object_kind;
    uint32_t object[3]; /* pid, tid, - or device, context, stream */
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_overhead) == 48, "layout");

/* From the start of a graph's first node to the end of its last. */
struct prof_rec_graph_run {
    uint64_t header;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t graph;
    uint32_t context;
    uint32_t stream;
    uint16_t device;
    uint16_t reserved0;
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
                         faults 4 GPU page faults 5 thrashing 6 throttling 7 remote map 8 bytes DtoD */
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

/* CUPTI delivered the record of an operation (kernel, copy or set), but it could not be stored. It is
 * also counted in loss[cause]. The correlation id identifies the launch. */
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
};

/* Later records of the same key replace earlier ones, except NOTE. */
struct prof_rec_info {
    uint64_t header;
    uint32_t key; /* enum prof_info_key */
    uint32_t bytes;
    /* uint8_t text[bytes] */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_info) == 16, "layout");

/* One instant on three clocks. Sampled at the start, about once per second, and at the end. */
struct prof_rec_clock {
    uint64_t header;
    uint64_t ticks;
    uint64_t monotonic_ns;
    uint64_t realtime_ns;
    uint64_t width_ticks; /* ticks between first and last reading: the sample's error bar */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_clock) == 40, "layout");

/* Later records of the same thread replace earlier ones. */
struct prof_rec_thread_info {
    uint64_t header;
    uint32_t thread; /* index, from 1, unique in the file */
    uint32_t tid;    /* OS thread id */
    uint32_t bytes;
    uint32_t flags; /* 1 = a thread of libprof or CUPTI */
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

/* What switched recording on or off. X(symbol, name in outputs). Values are in files: append only. */
#define PROF_CONTROL_REASONS(X)                                   \
    X(UNKNOWN, "unknown")                                         \
    X(API, "api")           /* prof_start(), prof_stop() */       \
    X(STARTUP, "start-up")  /* the library was loaded */          \
    X(STEP, "step")         /* a step of PROF_START, PROF_STOP */ \
    X(TIME, "time")         /* a time of PROF_START, PROF_STOP */ \
    X(SCHEDULE, "schedule") /* PROF_SCHEDULE */                   \
    X(SIGNAL, "signal")     /* PROF_SIGNAL */                     \
    X(PROFILER, "profiler") /* cudaProfilerStart() ... */         \
    X(CTL, "ctl")           /* profdump ctl */                    \
    X(ITT, "itt")           /* __itt_pause(), __itt_resume() */   \
    X(SANDBOX, "sandbox")   /* the program entered a sandbox: recording has ended */

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

/* The process created a child process. If the child recorded, the header of its file has this pid. */
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

/* Overhead of recording, by part. X(symbol, name in outputs, whose time, sentence). THREADS: time of
 * the program's threads. BEGIN: the same, for rare work, mostly before the first event. OWN: CPU
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
    X(CUDA, "cuda", BEGIN, "loading CUPTI, a probe of each device's clock")

enum prof_cost_part {
#define PROF_COST_ENUM(symbol, name, whose, sentence) PROF_COST_##symbol,
    PROF_COST_PARTS(PROF_COST_ENUM)
#undef PROF_COST_ENUM
        PROF_COST_COUNT
};

/* One part, up to the time of its COST record. The recorder does not count EVENTS and RECORDS, since
 * counting would cost as much as recording. Instead `each_ps` is the cost of one, and a reader counts
 * the records in LOG chunks with times up to `ticks`. EVENTS: records of one word. RECORDS: all other
 * records of threads except calls (API_*), stacks, THREAD and EPOCH. */
struct prof_cost_item {
    uint32_t part;    /* enum prof_cost_part */
    uint32_t each_ps; /* picoseconds, calibrated when recording began; 0: see `ns` */
    uint64_t count;
    uint64_t ns; /* total time; for frequent work extrapolated from a sample */
};
PROF_STATIC_ASSERT(sizeof(struct prof_cost_item) == 24, "layout");

/* Written periodically and at the end. The interval is at most 1/16 of the time recorded so far. All
 * counts are totals since the start, so a reader needs only the last record. */
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

/* Keys and types of the values in ATTRS records. Written before the first of these; later records of
 * the same id are identical. */
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

/* What is throttled, in this order, if recording costs more than PROF_BUDGET. X(symbol, name in
 * outputs, sentence). Values are in files: append only. */
#define PROF_THROTTLE_THINGS(X)                         \
    X(STACKS, "stacks", "call stacks")                  \
    X(CALLS, "calls", "CUDA calls that launch nothing") \
    X(NODES, "nodes", "single operations of launched graphs")

enum prof_throttle_thing {
#define PROF_THROTTLE_ENUM(symbol, name, sentence) PROF_THROTTLE_##symbol,
    PROF_THROTTLE_THINGS(PROF_THROTTLE_ENUM)
#undef PROF_THROTTLE_ENUM
        PROF_THROTTLE_COUNT
};

struct prof_rec_throttle {
    uint64_t header;
    uint64_t ticks;
    uint32_t what;     /* enum prof_throttle_thing */
    uint32_t on;       /* 0: not recorded from here on; 1: recorded again */
    uint32_t cost_ppm; /* recent cost, of wall time */
    uint32_t budget_ppm;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_throttle) == 32, "layout");

#ifdef __cplusplus
}
#endif
#endif
