/* kineto_event.h - one event of a Chrome trace, its members taken as they lie in the file. */
#ifndef PROF_KINETO_EVENT_H
#define PROF_KINETO_EVENT_H

#include "json_text.h"
#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is wanted of the "args" of an event ---- */

/* X(symbol, key, kind). Keys of all versions; where two keys mean one thing they stand together. */
#define KINETO_ARGS(X)                                \
    X(EXTERNAL_ID, "External id", NUMBER)             \
    X(EXTERNAL_ID_2021, "external id", NUMBER)        \
    X(CORRELATION, "correlation", NUMBER)             \
    X(DEVICE, "device", NUMBER)                       \
    X(CONTEXT, "context", NUMBER)                     \
    X(STREAM, "stream", NUMBER)                       \
    X(REGISTERS, "registers per thread", NUMBER)      \
    X(SHARED_MEMORY, "shared memory", NUMBER)         \
    X(GRID, "grid", THREE)                            \
    X(BLOCK, "block", THREE)                          \
    X(BYTES, "bytes", NUMBER)                         \
    X(PRIORITY, "priority", NUMBER)                   \
    X(GRAPH, "graph id", NUMBER)                      \
    X(GRAPH_NODE, "graph node id", NUMBER)            \
    X(KIND, "kind", TEXT)                             \
    X(SYNC_KIND, "cuda_sync_kind", TEXT)              \
    X(NAME, "name", TEXT)                             \
    X(LABELS, "labels", TEXT)                         \
    X(SHAPES, "Input Dims", RAW)                      \
    X(TYPES, "Input type", RAW)                       \
    X(VALUES, "Concrete Inputs", RAW)                 \
    X(SEQUENCE, "Sequence number", NUMBER)            \
    X(CALL_STACK, "Call stack", TEXT)                 \
    X(ADDRESS, "Addr", NUMBER)                        \
    X(MEMORY_BYTES, "Bytes", NUMBER)                  \
    X(MEMORY_TOTAL, "Total Allocated", NUMBER)        \
    X(MEMORY_DEVICE, "Device Id", NUMBER)             \
    X(MEMORY_TYPE, "Device Type", NUMBER)             \
    X(AMBIGUOUS, "ambiguous", NUMBER)                 \
    X(MEMORY_ALLOCATOR, "allocator", TEXT)            \
    X(DOMAIN, "domain", RAW)                          \
    X(LABEL_CATEGORY, "category", RAW)                \
    X(LABEL_NUMBER, "category id", NUMBER)            \
    X(COLOR, "color", TEXT)                           \
    X(SEGMENT_OF, "piece of", NUMBER)                 \
    X(FLOPS, "flops", REAL)                           \
    X(KERNEL_FLOP, "kernel_flop", REAL)               \
    X(KERNEL_NUM_GB, "kernel_num_gb", REAL)           \
    X(KERNEL_BACKEND, "kernel_backend", TEXT)         \
    X(KERNEL_FILE, "kernel_file", TEXT)               \
    X(COLLECTIVE, "Collective name", TEXT)            \
    X(IN_ELEMENTS, "In msg nelems", NUMBER)           \
    X(OUT_ELEMENTS, "Out msg nelems", NUMBER)         \
    X(GROUP_SIZE, "Group size", NUMBER)               \
    X(ELEMENT_TYPE, "dtype", TEXT)                    \
    X(IN_SPLIT, "In split size", TEXT)                \
    X(OUT_SPLIT, "Out split size", TEXT)              \
    X(GROUP_NAME, "Process Group Name", TEXT)         \
    X(GROUP_ABOUT, "Process Group Description", TEXT) \
    X(GROUP_RANKS, "Process Group Ranks", TEXT)       \
    X(OWN_RANK, "Rank", NUMBER)                       \
    X(SOURCE_RANK, "Src Rank", NUMBER)                \
    X(TARGET_RANK, "Dst Rank", NUMBER)                \
    X(COLLECTIVE_NUMBER, "Seq", NUMBER)               \
    X(COMMS_ID, "Comms Id", RAW)                      \
    X(FIRST_RANK, "Global rank start", NUMBER)        \
    X(RANK_STRIDE, "Global rank stride", NUMBER)      \
    X(ASYNCHRONIZED, "Is asynchronized op", NUMBER)

enum kineto_arg {
#define KINETO_ARG(symbol, key, kind) KINETO_##symbol,
    KINETO_ARGS(KINETO_ARG)
#undef KINETO_ARG
        KINETO_ARG_COUNT
};

#define KINETO_KEY_SLOTS 128u

/* Which key a text is, found by its length and two of its letters. */
struct kineto_keys {
    struct {
        const char *text;
        uint8_t size, arg, kind;
    } slots[KINETO_KEY_SLOTS];
};

struct kineto_args {
    uint64_t seen;            /* bit by enum kineto_arg: what follows is set for these alone */
    struct json_string whole; /* the object as it is in the file, of every event that has one */
    union {
        int64_t number; /* NUMBER */
        double real;
        struct json_string text; /* TEXT: without quotes; RAW: as it is */
        uint32_t three[3];
    } at[KINETO_ARG_COUNT];
};

#define KINETO_BIT(arg) (UINT64_C(1) << (arg))

void kineto_keys_init(struct kineto_keys *keys);
const char *kineto_key_name(enum kineto_arg arg);

static inline bool kineto_has(const struct kineto_args *args, enum kineto_arg arg)
{
    return args->seen >> arg & 1;
}

static inline int64_t kineto_number(const struct kineto_args *args, enum kineto_arg arg,
                                    int64_t instead)
{
    return kineto_has(args, arg) ? args->at[arg].number : instead;
}

/* ---- the event ---- */

/* What an event is, in whatever version of Kineto. */
enum kineto_category {
    KINETO_OTHER, /* of no profiler that is known: something that a thread did */
    KINETO_OPERATOR,
    KINETO_RUNTIME_CALL,
    KINETO_DRIVER_CALL,
    KINETO_KERNEL,
    KINETO_MEMCPY,
    KINETO_MEMSET,
    KINETO_GRAPH_RUN, /* a launched graph as a whole, as libprof writes it */
    KINETO_SYNC,
    KINETO_OVERHEAD,
    KINETO_ANNOTATION,
    KINETO_GPU_ANNOTATION,  /* derived from what else is in the file */
    KINETO_PYTHON,          /* a frame of a Python stack */
    KINETO_DEVICE_COUNTERS, /* what counters of a device were in that time */
    KINETO_TRACE,           /* about the profiler */
};

/* A pid or tid: a number of up to 64 bits, or a text. What is no such number, as -1 and 0.5, is a
 * text too. */
struct kineto_id {
    struct json_string text; /* bytes NULL: a number, or nothing */
    uint64_t number;
    bool present;
};
/* Of the id as it is in the file, without quotes. */
struct kineto_id kineto_id_of(struct text text);

#define KINETO_EVENT_TIME 1u
#define KINETO_EVENT_DURATION 2u
#define KINETO_EVENT_CATEGORY 4u
#define KINETO_EVENT_NAME 8u
#define KINETO_EVENT_BAD_TIME 16u /* a time that is not a number */

struct kineto_event {
    int64_t time_ns, duration_ns;
    uint32_t flags; /* KINETO_EVENT_*: what was there */
    char phase;     /* 0 none */
    bool is_flow;   /* s, t, f */
    enum kineto_category category;
    struct json_string name, category_text, id, scope;
    struct kineto_id pid, tid;
    struct kineto_args args; /* last, see kineto_event_pack() */
};

/* `p` is at the brace. Returns as in json_text.h. */
const char *kineto_event_read(struct kineto_event *event, const struct kineto_keys *keys,
                              struct json_cursor *cursor, const char *p);

/* For a row of events: all but the arguments that were not seen. `to` has room for an event; the
 * size is returned, or the place after. Texts stay where they are. */
size_t kineto_event_pack(const struct kineto_event *event, uint8_t *to);
const uint8_t *kineto_event_unpack(struct kineto_event *event, const uint8_t *from);

/* Of a device: its row is a stream's. */
static inline bool kineto_is_device(enum kineto_category category)
{
    return category >= KINETO_KERNEL && category <= KINETO_OVERHEAD;
}

#ifdef __cplusplus
}
#endif
#endif
