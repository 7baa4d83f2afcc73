/* tl_blocks.h - the part of the timeline that is about profiling blocks; included by timeline.h. */
#ifndef PROF_TL_BLOCKS_H
#define PROF_TL_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* A profiling block of a process (prof/block.h): the events and allocations up to the process's
 * next block. Blocks are sorted by process, then by time. Blocks of one name are iterations. */
struct tl_block {
    int64_t start_ns;
    uint32_t process;
    uint32_t name;
    uint32_t first_event, event_count;   /* into block_events[], by start */
    uint32_t first_alloc, alloc_count;   /* into block_allocs[], by time */
    uint32_t reset_events, reset_allocs; /* removed by prof_block_reset() */
    uint32_t first_debug, debug_count;   /* into debugs[], in the order of the file */
    uint64_t offset;                     /* in a file that has blocks one after the other; else 0 */
    int32_t input;                       /* which bundled input it ran on; -1 none */
};

struct tl_block_event {
    uint32_t async;       /* its range, into asyncs[] */
    int32_t chain;        /* -1 outside of chains */
    uint32_t instruction; /* index in its chain */
    uint32_t source;      /* into event_sources[]; TL_NONE: libprof's own */
};

#define TL_EVENT_WRAPPED 1u /* the 32-bit tick counter wrapped during it; times are corrected */

/* Details of a block's event that only foreign files have. */
struct tl_event_source {
    uint64_t start_ticks, end_ticks; /* the file's own numbers; end 0: it did not end */
    int32_t delegate;                /* -1 none */
    uint32_t delegate_name;          /* TL_NONE none */
    uint32_t metadata;               /* into names[]: any bytes; TL_NONE none */
    uint32_t flags;                  /* TL_EVENT_* */
};

struct tl_tensor {
    int64_t offset;                      /* of its elements, in the file that lies beside */
    uint32_t type;                       /* as in PyTorch's ScalarType */
    uint32_t first_size, size_count;     /* into tensor_sizes[] */
    uint32_t first_stride, stride_count; /* into tensor_sizes[] */
};

enum tl_value_kind {
    TL_VALUE_NONE,
    TL_VALUE_INT,
    TL_VALUE_BOOL,
    TL_VALUE_FLOAT,
    TL_VALUE_DOUBLE,
    TL_VALUE_TENSOR,
    TL_VALUE_TENSORS,
    TL_VALUE_STRING
};

/* A value that the program logged in a block, such as an operator's result. */
struct tl_debug {
    int64_t chain;
    int64_t integer; /* TL_VALUE_INT, _BOOL; _STRING: into names[] */
    double real;
    int32_t instruction, delegate; /* -1 none */
    uint32_t name, delegate_name;  /* TL_NONE none */
    uint32_t events_before;        /* how many of the block's events were logged before it */
    uint32_t first_tensor, tensor_count;
    uint8_t kind;   /* enum tl_value_kind */
    bool is_output; /* of the whole run */
};

struct tl_block_alloc {
    int64_t time_ns;
    uint64_t bytes;
    uint32_t thread;
    uint32_t heap; /* into heaps[] */
};

#endif
