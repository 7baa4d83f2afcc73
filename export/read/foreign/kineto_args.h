/* kineto_args.h - what is wanted of the "args" of an event. */
#ifndef PROF_KINETO_ARGS_H
#define PROF_KINETO_ARGS_H

#include "json_text.h"
#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(symbol, key, kind). Keys of all versions; where two keys mean one thing they stand together. */
#define KINETO_ARGS(X)                           \
    X(EXTERNAL_ID, "External id", NUMBER)        \
    X(EXTERNAL_ID_2021, "external id", NUMBER)   \
    X(CORRELATION, "correlation", NUMBER)        \
    X(DEVICE, "device", NUMBER)                  \
    X(CONTEXT, "context", NUMBER)                \
    X(STREAM, "stream", NUMBER)                  \
    X(REGISTERS, "registers per thread", NUMBER) \
    X(SHARED_MEMORY, "shared memory", NUMBER)    \
    X(GRID, "grid", THREE)                       \
    X(BLOCK, "block", THREE)                     \
    X(BYTES, "bytes", NUMBER)                    \
    X(PRIORITY, "priority", NUMBER)              \
    X(GRAPH, "graph id", NUMBER)                 \
    X(GRAPH_NODE, "graph node id", NUMBER)       \
    X(KIND, "kind", TEXT)                        \
    X(SYNC_KIND, "cuda_sync_kind", TEXT)         \
    X(NAME, "name", TEXT)                        \
    X(SHAPES, "Input Dims", RAW)                 \
    X(TYPES, "Input type", RAW)                  \
    X(VALUES, "Concrete Inputs", RAW)            \
    X(SEQUENCE, "Sequence number", NUMBER)       \
    X(CALL_STACK, "Call stack", TEXT)            \
    X(ADDRESS, "Addr", NUMBER)                   \
    X(MEMORY_BYTES, "Bytes", NUMBER)             \
    X(MEMORY_TOTAL, "Total Allocated", NUMBER)   \
    X(MEMORY_DEVICE, "Device Id", NUMBER)        \
    X(MEMORY_TYPE, "Device Type", NUMBER)        \
    X(AMBIGUOUS, "ambiguous", NUMBER)            \
    X(MEMORY_ALLOCATOR, "allocator", TEXT)       \
    X(DOMAIN, "domain", RAW)                     \
    X(LABEL_CATEGORY, "category", RAW)           \
    X(LABEL_NUMBER, "category id", NUMBER)       \
    X(COLOR, "color", TEXT)                      \
    X(PIECE_OF, "piece of", NUMBER)              \
    X(FLOPS, "flops", REAL)                      \
    X(KERNEL_FLOP, "kernel_flop", REAL)          \
    X(KERNEL_NUM_GB, "kernel_num_gb", REAL)

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

/* Reads an object; `p` is at its brace. Another value is skipped. Returns as in json_text.h. */
const char *kineto_args_read(struct kineto_args *args, const struct kineto_keys *keys,
                             struct json_cursor *cursor, const char *p);

static inline bool kineto_has(const struct kineto_args *args, enum kineto_arg arg)
{
    return args->seen >> arg & 1;
}

static inline int64_t kineto_number(const struct kineto_args *args, enum kineto_arg arg,
                                    int64_t instead)
{
    return kineto_has(args, arg) ? args->at[arg].number : instead;
}

#ifdef __cplusplus
}
#endif
#endif
