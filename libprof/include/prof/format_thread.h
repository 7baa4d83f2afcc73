/* format_thread.h - records of what threads did, in LOG chunks.
 *
 * Part of format.h. Each struct begins with the record's header word; sizes are multiples of 8.
 */
#ifndef PROF_FORMAT_THREAD_H
#define PROF_FORMAT_THREAD_H

#include "format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Emitted by a thread when it takes over a log, at the beginning of each of its chunks and parts,
 * and when its name changes. The latest name counts. */
struct prof_rec_thread {
    uint64_t header;
    uint32_t thread; /* index, from 1, unique in the file */
    uint32_t tid;    /* OS thread id */
    /* Absent in 16-byte records. */
    uint32_t bytes; /* of the text that follows */
    uint32_t flags; /* PROF_THREAD_* */
    /* uint8_t text[bytes]: the thread's name, may be empty */
};
#define PROF_REC_THREAD_SHORT_BYTES 16u
#define PROF_THREAD_INTERNAL 1u /* a thread of libprof or CUPTI */
PROF_STATIC_ASSERT(sizeof(struct prof_rec_thread) == 24, "layout");

/* info = ticks since the base when the part began. */
struct prof_rec_part {
    uint64_t header;
    uint32_t log;
    uint32_t thread;   /* index of the thread that began it */
    uint64_t sequence; /* position of the part in its log, from 0, chunks included */
    uint32_t epoch;    /* recording epoch at its start (PROF_REC_EPOCH) */
    uint32_t reserved0;
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_part) == 32, "layout");

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

enum prof_sample_state {
    PROF_SAMPLE_RUNS = 1,  /* on a processor */
    PROF_SAMPLE_WAITS = 2, /* in the kernel, for longer than two periods */
};

/* What a thread was doing (PROF_SAMPLE). The record is written later, and is in the log of the
 * thread that wrote it; `tid` is the sampled thread. Readers use the thread that had this tid at
 * `ticks`; a thread that recorded nothing has no other record. For the innermost frame, the stack
 * has the end of the instruction at the program counter, or the program counter plus one. */
struct prof_rec_sample {
    uint64_t header;
    uint64_t ticks; /* time of the sample; for a wait, its begin */
    /* RUNS: CPU time of the thread since its previous sample; WAITS: duration. */
    uint64_t weight_ns;
    /* Time since its previous sample during which the thread could run but had no processor; 0
     * unknown. */
    uint64_t queued_ns;
    uint32_t tid;
    uint32_t stack; /* id of a STACK_FRAMES record, 0: the stack could not be taken */
    uint32_t state; /* enum prof_sample_state */
    uint32_t calls;
    /* uint32_t name[calls]: the open calls of Python functions, outermost first */
};
PROF_STATIC_ASSERT(sizeof(struct prof_rec_sample) == 48, "layout");

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
    /* Readers clamp both to [start of the file, time of this record], and end_ticks to
     * begin_ticks. */
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
    /* With PROF_API_LAUNCHES: the exact number. With PROF_API_GRAPH: the number of kernels and
     * sets, a lower bound, because the host may perform copies; 0 unknown. */
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

#ifdef __cplusplus
}
#endif
#endif
