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
 * PARTS a chunk that several logs share, since a program may have thousands of threads that record
 *       little. It is divided into parts of `part_bytes` each; the chunk's header is in the first
 *       one. A part that is in use begins with PROF_REC_PART, which has the number of the log and
 *       the part's `sequence` in this log. The records from there to the part's end belong to this
 *       log. In all else, a part is like a LOG chunk.
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
 * A chunk whose magic is not PROF_CHUNK_MAGIC was never begun: skip it. There is no index, footer
 * or total length, so a file is readable at any time: while it is being written, and after kill -9.
 *
 * 5. Reader's algorithm
 *
 *     check magic, byte_order, version; map the file
 *     for each chunk with a valid magic: META -> walk its records; LOG -> remember it;
 *         PARTS -> remember each part whose first word is the header of a PART record
 *     sort the LOG chunks and the parts by (log, sequence)
 *     for each log: walk the records of its chunks and parts in order; clamp times so that a
 *     thread's
 *         time never decreases (a signal handler's records may precede the event that they
 *         interrupted and still have later time stamps)
 *     convert ticks to nanoseconds by linear interpolation between the PROF_REC_CLOCK samples
 *         around them; device times are CLOCK_REALTIME and are converted by the same samples
 *     join device records to PROF_REC_API_ENTER by correlation id; the range around a launch is the
 *         innermost range open at that position of the log
 *
 * A gap in `sequence`, or a log that does not begin with 0, means that chunks were recycled (ring
 * mode).
 *
 * 6. Versions
 *
 *     1  every thread has a log of LOG chunks; the names of threads are in META
 *        (PROF_REC_THREAD_INFO)
 *     2  PARTS chunks; PROF_REC_THREAD may have the thread's name
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
#define PROF_FORMAT_VERSION 2u
#define PROF_FORMAT_VERSION_OLDEST 1u /* that readers of this version accept */
#define PROF_BYTE_ORDER_MARK 0x01020304u
#define PROF_CHUNK_MAGIC 0x4b484350u /* "PCHK" in a little-endian file */

#define PROF_FILE_HEADER_BYTES 4096u
#define PROF_CHUNK_BYTES 65536u
#define PROF_CHUNK_HEADER_BYTES 64u

/* Longest name stored, in bytes. Of longer ones, the beginning is stored, then "...#" and 16
 * hexadecimal digits that depend on the rest; the NAME record has the full length. */
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
#define PROF_FILE_NO_EVENTS 4u /* no thread of the program has recorded anything: samples at most */
#define PROF_FILE_COPIED \
    8u /* events are copied to the file at intervals: the latest, or some others, may be missing */

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
    X(SANDBOX, "sandbox", "recording ended: the program entered a sandbox")                       \
    X(UNSAMPLED, "unsampled", "thread not sampled: too many live threads")                        \
    X(FACTS, "facts", "fact about the program not recorded: no space was left for it")            \
    X(LAUNCHES, "launches",                                                                       \
      "operation launched by a call whose event was not recorded: the event counts as lost, too")

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
    PROF_CHUNK_PARTS = 3,
};

/* Offset 0 of every chunk but the first. `magic` is stored last (release). */
struct prof_chunk_header {
    uint32_t magic;        /*  0 PROF_CHUNK_MAGIC */
    uint16_t kind;         /*  4 enum prof_chunk_kind */
    uint16_t header_bytes; /*  6 PROF_CHUNK_HEADER_BYTES */
    uint32_t log;          /*  8 number of the log; 0 in META and PARTS */
    uint32_t thread;       /* 12 index of the thread that began it; 0 in META and PARTS */
    uint64_t sequence;     /* 16 position of the chunk in its log, from 0; 0 in META and PARTS */
    uint64_t base_ticks;   /* 24 base of the ticks in this chunk's records */
    uint64_t index;        /* 32 number of this chunk in the file */
    uint32_t epoch;      /* 40 recording epoch at its start (PROF_REC_EPOCH); 0 in META and PARTS */
    uint32_t depth;      /* 44 zero */
    uint32_t part_bytes; /* 48 in PARTS: a power of two from 1,024 to 32,768; else 0 */
    uint32_t parts_left; /* 52 in PARTS: parts no longer in use; only for the recorder; else 0 */
    uint8_t reserved[8]; /* 56 */
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

#define PROF_NAME_ID_MAX 0xfffffu /* larger ids need PROF_REC_PUSH_WIDE */
#define PROF_TICKS_BITS 40
#define PROF_TICKS_MAX 0xffffffffffull
#define PROF_RECORD_WORDS_MAX 4095u

/* Types of EXT records. Values are in files: append only. */
enum prof_record_type {
    /* In LOG chunks: what a thread did. info = ticks since the base. */
    PROF_REC_THREAD = 1,      /* struct prof_rec_thread: thread of the records that follow */
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
    PROF_REC_SAMPLE = 26,          /* struct prof_rec_sample: what some thread was doing */
    PROF_REC_PART = 27,            /* struct prof_rec_part: first in each part of a PARTS chunk */

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
    PROF_REC_SUMMARY = 90,      /* struct prof_rec_summary */
    PROF_REC_SUMMARY_STEP = 91, /* struct prof_rec_summary_step */
    PROF_REC_HANG = 92,         /* struct prof_rec_hang */
    PROF_REC_HANG_TEXT = 93,    /* struct prof_rec_hang_text */
    PROF_REC_SYSTEM_CLOCK = 94, /* struct prof_rec_system_clock */
};

#ifdef __cplusplus
}
#endif

#include "format_device.h"
#include "format_meta.h"
#include "format_thread.h"

#endif
