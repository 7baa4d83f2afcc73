/* nccl_abi.h - what NCCL passes to a profiler plugin, interfaces 1 to 6.
 *
 * NCCL's version and its newest interface: 2.23 1; 2.24 2; 2.26 3; 2.27 4; 2.28 5; 2.29 6; 2.31 7.
 * NCCL looks for the table of its newest interface first, then for older ones, down to
 * ncclProfiler_v1. The tables have the same five functions; init's arguments and the layout of
 * descriptors differ. Every descriptor begins with its type, its parent's handle and a rank; what
 * follows depends on the type.
 */
#ifndef PROF_NCCL_ABI_H
#define PROF_NCCL_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NCCL_VERSIONS 6

enum { NCCL_OK = 0 };

/* Bits of the activation mask, and types of events. */
enum {
    NCCL_EVENT_GROUP = 1 << 0,
    NCCL_EVENT_COLL = 1 << 1,
    NCCL_EVENT_P2P = 1 << 2,
    NCCL_EVENT_PROXY_OP = 1 << 3,
    NCCL_EVENT_PROXY_STEP = 1 << 4,
    NCCL_EVENT_GROUP_API = 1 << 8, /* from interface 5 on */
    NCCL_EVENT_COLL_API = 1 << 9,
    NCCL_EVENT_P2P_API = 1 << 10,
    NCCL_EVENT_KERNEL_LAUNCH = 1 << 11,
    NCCL_EVENT_CE_COLL = 1 << 12, /* from interface 6 on: copy engines instead of a kernel */
};

/* Interfaces 1 to 4 have one byte for the type, the others eight. */
struct nccl_head {
    uint64_t type;
    void *parent;
    int32_t rank;
};

struct nccl_coll_v1 {
    const char *name;
    uint64_t comm, sequence;
    uint8_t function;
    const void *send, *receive;
    size_t count;
    int32_t root;
    uint8_t type;
    uint32_t reduction;
    size_t traffic_bytes;
    uint8_t channels, warps, algorithm, protocol;
    int32_t collnet, nvls;
};

struct nccl_coll_v2 {
    const char *name;
    uint64_t comm, sequence;
    const char *function;
    const void *send, *receive;
    size_t count;
    int32_t root;
    const char *type;
    size_t traffic_bytes;
    uint8_t channels, warps;
    const char *algorithm, *protocol;
};

struct nccl_coll_v3 {
    const char *name;
    uint64_t comm, sequence;
    const char *function;
    const void *send, *receive;
    size_t count;
    int32_t root;
    const char *type;
    uint8_t channels, warps;
    const char *algorithm, *protocol;
};

struct nccl_coll_v4 {
    uint64_t sequence;
    const char *function;
    const void *send, *receive;
    size_t count;
    int32_t root;
    const char *type;
    uint8_t channels, warps;
    const char *algorithm, *protocol;
    void *group; /* from interface 5 on */
};

struct nccl_p2p_v1 {
    const char *name;
    uint64_t comm;
    uint8_t function;
    void *buffer;
    uint8_t type;
    size_t count;
    int32_t peer;
};

/* Interfaces 2 and 3. */
struct nccl_p2p_v2 {
    const char *name;
    uint64_t comm;
    const char *function;
    void *buffer;
    const char *type;
    size_t count;
    int32_t peer;
};

struct nccl_p2p_v4 {
    const char *function;
    void *buffer;
    const char *type;
    size_t count;
    int32_t peer;
    uint8_t channels;
    void *group; /* from interface 5 on */
};

struct nccl_group_api {
    bool captured;
    int32_t depth; /* 1: a call outside of ncclGroupStart and ncclGroupEnd */
};

struct nccl_coll_api {
    const char *function;
    size_t count;
    const char *type;
    int32_t root;
    void *stream;
    bool captured;
};

struct nccl_p2p_api {
    const char *function;
    size_t count;
    const char *type;
    void *stream;
    bool captured;
};

struct nccl_proxy_op {
    int32_t pid; /* of the process that made the call: a proxy may serve other processes */
    uint8_t channel;
    int32_t peer, steps, chunk_bytes, sends;
};

struct nccl_proxy_step {
    int32_t step;
};

struct nccl_ce_coll {
    uint64_t sequence;
    const char *function;
    const void *send, *receive;
    size_t count;
    int32_t root;
    const char *type;
    const char *sync;
};

struct nccl_descriptor {
    struct nccl_head head;
    union {
        struct nccl_coll_v1 coll_v1;
        struct nccl_coll_v2 coll_v2;
        struct nccl_coll_v3 coll_v3;
        struct nccl_coll_v4 coll_v4;
        struct nccl_p2p_v1 p2p_v1;
        struct nccl_p2p_v2 p2p_v2;
        struct nccl_p2p_v4 p2p_v4;
        struct nccl_group_api group_api;
        struct nccl_coll_api coll_api;
        struct nccl_p2p_api p2p_api;
        struct nccl_proxy_op proxy_op;
        struct nccl_proxy_step proxy_step;
        struct nccl_ce_coll ce_coll;
    };
};

/* States of a proxy's step in which the bytes of its transfer are known: handed to the network,
 * received from it. */
enum { NCCL_STATE_SENDING = 9, NCCL_STATE_RECEIVED = 11 };

/* What comes with these states, from interface 4 on. */
struct nccl_state_arguments {
    size_t transfer_bytes;
};

/* How a communicator begins, by interface: 1 to 3, 4, 5 and later. */
union nccl_init {
    int (*v1)(void **context, int *mask);
    int (*v4)(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks,
              int rank, void *log);
    int (*v5)(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
              int rank, void *log);
};

/* A plugin's table. The functions return 0 for success. */
struct nccl_plugin {
    const char *name;
    union nccl_init init;
    int (*start)(void *context, void **event, const struct nccl_descriptor *descriptor);
    int (*stop)(void *event);
    int (*state)(void *event, int state, const struct nccl_state_arguments *arguments);
    int (*finalize)(void *context);
};

#endif
