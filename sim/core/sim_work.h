/* sim_work.h - the kinds of work that a stream can execute, directly or as a graph node. */
#ifndef SIM_WORK_H
#define SIM_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_facts.h"

struct sim_event;
struct sim_function;
struct sim_graph;
struct sim_point;
struct sim_run;

enum sim_work_kind {
    SIM_WORK_KERNEL,
    SIM_WORK_COPY,
    SIM_WORK_SET,
    SIM_WORK_HOST,
    SIM_WORK_RECORD, /* resolve a point: an event's, or a barrier's (event_id 0) */
    SIM_WORK_WAIT,   /* for a point */
    SIM_WORK_EMPTY,
    SIM_WORK_CHILD, /* a graph as a node; never reaches a stream */
    SIM_WORK_GRAPH_BEGIN,
    SIM_WORK_GRAPH_END,
};

struct sim_kernel_work {
    struct sim_function *function;
    struct sim_dim3 grid, block, cluster;
    unsigned dynamic_shared;
    uint64_t known_ns; /* how long it takes; 0: by the model */
};

/* A box of bytes. */
struct sim_copy_work {
    char *dst;
    const char *src;
    size_t width, height, depth; /* width in bytes */
    size_t dst_pitch, src_pitch, dst_slice, src_slice;
    int kind; /* enum sim_copy_kind, never DEFAULT here */
    enum sim_memory_type src_type, dst_type;
    int src_device, dst_device; /* differ: a peer copy */
    bool async;
    void *staged; /* owned: the source's bytes as they were when the copy was called */
};

struct sim_set_work {
    char *dst;
    size_t pitch, width, height; /* width in elements */
    unsigned value, element_size;
    enum sim_memory_type type;
};

struct sim_host_work {
    sim_host_function function;
    sim_stream_callback callback; /* instead, for cudaStreamAddCallback */
    void *stream_handle;
    void *user;
};

struct sim_mark_work {
    struct sim_point *point; /* owned; NULL in a graph's node */
    struct sim_event *event; /* in a graph's node: whose point, at each launch */
    uint32_t event_id;       /* 0: no event, only a barrier */
};

struct sim_work {
    enum sim_work_kind kind;
    union {
        struct sim_kernel_work kernel;
        struct sim_copy_work copy;
        struct sim_set_work set;
        struct sim_host_work host;
        struct sim_mark_work mark;
        struct sim_graph *child;
    };
};

#endif
