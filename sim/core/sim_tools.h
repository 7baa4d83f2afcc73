/* sim_tools.h - hooks through which a tools library (the simulated libcupti) observes the
 * simulation.
 *
 * sim_tools_set installs one table; the core calls it at the points below and knows nothing else of
 * tools. "locked" hooks run under the core's lock and must neither block nor call back into CUDA.
 */
#ifndef SIM_TOOLS_H
#define SIM_TOOLS_H

#include <stdint.h>

#include "sim_shared.h"

struct sim_call;
struct sim_context;
struct sim_exec;
struct sim_graph;
struct sim_node;
struct sim_op;
struct sim_stream;

/* CUPTI's ids of resource callbacks. */
enum sim_resource_id {
    SIM_CONTEXT_CREATED = 1,
    SIM_CONTEXT_DESTROY_STARTING = 2,
    SIM_STREAM_CREATED = 3,
    SIM_STREAM_DESTROY_STARTING = 4,
    SIM_INIT_FINISHED = 5,
    SIM_MODULE_LOADED = 6,
    SIM_MODULE_UNLOAD_STARTING = 7,
    SIM_GRAPH_CREATED = 9,
    SIM_GRAPH_DESTROY_STARTING = 10,
    SIM_GRAPH_CLONED = 11,
    SIM_NODE_CREATE_STARTING = 12,
    SIM_NODE_CREATED = 13,
    SIM_NODE_DESTROY_STARTING = 14,
    SIM_NODE_DEPENDENCY_CREATED = 15,
    SIM_NODE_DEPENDENCY_DESTROY_STARTING = 16,
    SIM_EXEC_CREATE_STARTING = 17,
    SIM_EXEC_CREATED = 18,
    SIM_EXEC_DESTROY_STARTING = 19,
    SIM_NODE_CLONED = 20,
    SIM_NODE_UPDATED = 22,
    SIM_NODE_SET_PARAMS = 23,
};

struct sim_resource {
    struct sim_context *context;
    struct sim_stream *stream;
    struct sim_graph *graph, *original_graph;
    struct sim_node *node, *original_node, *dependency;
    struct sim_exec *exec;
    int node_type;
};

/* CUPTI's ids of synchronization types. */
enum sim_sync_type {
    SIM_SYNC_EVENT = 1,
    SIM_SYNC_STREAM_WAIT = 2,
    SIM_SYNC_STREAM = 3,
    SIM_SYNC_CONTEXT = 4
};

struct sim_sync {
    enum sim_sync_type type;
    struct sim_context *context;
    struct sim_stream *stream; /* NULL: none */
    uint32_t event_id;         /* 0: none */
    uint32_t correlation;
    uint64_t start_ns, end_ns;
};

struct sim_memory_change {
    struct sim_context *context;
    struct sim_stream *stream; /* NULL: synchronous */
    const char *symbol;
    uint64_t address, bytes;
    uint32_t correlation;
    int memory_type; /* enum sim_memory_type */
    int is_release;
    uint64_t pool; /* its address; 0: none. As it is after the change: */
    uint64_t pool_reserved_bytes, pool_used_bytes, pool_release_threshold;
};

struct sim_pool_change {
    uint64_t address, reserved_bytes, used_bytes, release_threshold;
    uint64_t keep_bytes; /* of a trim */
    uint32_t correlation;
    int device;
    int operation; /* CUPTI's: 1 created 2 destroyed 3 trimmed */
};

/* CUPTI's ids. */
enum sim_migration_cause { SIM_MIGRATION_COHERENCE = 2, SIM_MIGRATION_PREFETCH = 3 };

/* Managed memory moves. */
struct sim_migration {
    uint64_t address, bytes;
    uint64_t start_ns, end_ns; /* true time */
    int source, target;        /* devices, or -1: the host */
    enum sim_migration_cause cause;
};

struct sim_tools {
    void (*api_enter)(struct sim_call *call);
    void (*api_exit)(struct sim_call *call);
    void (*resource)(enum sim_resource_id id, const struct sim_resource *resource);
    void (*synchronized)(const struct sim_sync *sync);
    void (*memory)(const struct sim_memory_change *change);
    void (*pool)(const struct sim_pool_change *change);
    void (*migrated)(const struct sim_migration *migration);
    void (*op)(
        const struct sim_op *op); /* locked; start_ns and end_ns are known, end may lie ahead */
};

/* Installs the table for the rest of the process. Before: CUDA work that it shall see. */
SIM_SHARED void sim_tools_set(const struct sim_tools *tools);

/* NULL when there is none. */
SIM_SHARED const struct sim_tools *sim_tools_get(void);

/* The resource hook, if any. */
SIM_SHARED void sim_tools_resource(enum sim_resource_id id, const struct sim_resource *resource);

#endif
