/* sim_facts.h - the constants and structs of CUDA's C interface that the simulation needs.
 *
 * Driver and runtime use the same numbers for the results below.
 */
#ifndef SIM_FACTS_H
#define SIM_FACTS_H

#include <stddef.h>
#include <stdint.h>

enum sim_result {
    SIM_OK = 0,
    SIM_INVALID_VALUE = 1,
    SIM_OUT_OF_MEMORY = 2,
    SIM_NOT_INITIALIZED = 3,
    SIM_DEINITIALIZED = 4,
    SIM_INVALID_CONFIGURATION = 9,
    SIM_INVALID_SYMBOL = 13,
    SIM_INVALID_DIRECTION = 21,
    SIM_INSUFFICIENT_DRIVER = 35,
    SIM_INVALID_DEVICE_FUNCTION = 98,
    SIM_NO_DEVICE = 100,
    SIM_INVALID_DEVICE = 101,
    SIM_INVALID_IMAGE = 200,
    SIM_INVALID_CONTEXT = 201,
    SIM_INVALID_HANDLE = 400,
    SIM_FILE_NOT_FOUND = 301,
    SIM_NOT_FOUND = 500,
    SIM_NOT_READY = 600,
    SIM_PEER_ALREADY_ENABLED = 704,
    SIM_PEER_NOT_ENABLED = 705,
    SIM_PRIMARY_CONTEXT_ACTIVE = 708,
    SIM_CONTEXT_IS_DESTROYED = 709,
    SIM_ALREADY_REGISTERED = 712,
    SIM_NOT_REGISTERED = 713,
    SIM_NOT_SUPPORTED = 801,
    SIM_CAPTURE_UNSUPPORTED = 900,
    SIM_CAPTURE_INVALIDATED = 901,
    SIM_CAPTURE_MERGE = 902,
    SIM_CAPTURE_UNMATCHED = 903,
    SIM_CAPTURE_UNJOINED = 904,
    SIM_CAPTURE_ISOLATION = 905,
    SIM_CAPTURE_IMPLICIT = 906,
    SIM_CAPTURED_EVENT = 907,
    SIM_CAPTURE_WRONG_THREAD = 908,
    SIM_EXEC_UPDATE_FAILURE = 910,
    SIM_UNKNOWN = 999,
};

enum sim_domain { SIM_DOMAIN_DRIVER = 1, SIM_DOMAIN_RUNTIME = 2 };

/* Stream handles with a fixed meaning. */
#define SIM_STREAM_LEGACY ((void *)(uintptr_t)1)
#define SIM_STREAM_PER_THREAD ((void *)(uintptr_t)2)

enum { SIM_STREAM_NON_BLOCKING = 1 };
enum { SIM_EVENT_DISABLE_TIMING = 2 };

enum sim_copy_kind { SIM_COPY_HTOH, SIM_COPY_HTOD, SIM_COPY_DTOH, SIM_COPY_DTOD, SIM_COPY_DEFAULT };

enum sim_memory_type {
    SIM_MEMORY_PAGEABLE = 0,
    SIM_MEMORY_PINNED = 1,
    SIM_MEMORY_DEVICE = 2,
    SIM_MEMORY_MANAGED = 3,
};

enum sim_node_type {
    SIM_NODE_KERNEL = 0,
    SIM_NODE_MEMCPY = 1,
    SIM_NODE_MEMSET = 2,
    SIM_NODE_HOST = 3,
    SIM_NODE_GRAPH = 4,
    SIM_NODE_EMPTY = 5,
    SIM_NODE_WAIT_EVENT = 6,
    SIM_NODE_EVENT_RECORD = 7,
};

enum sim_capture_status { SIM_CAPTURE_NONE = 0, SIM_CAPTURE_ACTIVE = 1, SIM_CAPTURE_INVALID = 2 };

typedef void (*sim_host_function)(void *user);
typedef void (*sim_stream_callback)(void *stream, int status, void *user);

struct sim_dim3 {
    unsigned x, y, z;
};

struct sim_pitched {
    void *pointer;
    size_t pitch, width, height;
};

struct sim_extent {
    size_t width, height, depth;
};

struct sim_position {
    size_t x, y, z;
};

/* cudaMemcpy3D's parameter. */
struct sim_copy_3d {
    void *src_array;
    struct sim_position src_position;
    struct sim_pitched src;
    void *dst_array;
    struct sim_position dst_position;
    struct sim_pitched dst;
    struct sim_extent extent;
    int kind;
};

/* cudaLaunchKernelExC's first parameter; attributes are 80 bytes: u32 id, pad, 64 bytes of
 * value. */
struct sim_launch_config {
    struct sim_dim3 grid, block;
    size_t dynamic_shared;
    void *stream;
    const void *attributes;
    unsigned attribute_count;
};

/* cuLaunchKernelEx's first parameter. */
struct sim_driver_launch_config {
    struct sim_dim3 grid, block;
    unsigned dynamic_shared;
    void *stream;
    const void *attributes;
    unsigned attribute_count;
};

/* cudaGraphAddKernelNode's parameter. */
struct sim_kernel_params {
    void *function;
    struct sim_dim3 grid, block;
    unsigned dynamic_shared;
    void **arguments;
    void **extra;
};

/* cudaGraphAddMemsetNode's parameter; the driver's has the same layout. */
struct sim_set_params {
    void *dst;
    size_t pitch;
    unsigned value;
    unsigned element_size;
    size_t width, height;
};

struct sim_host_params {
    sim_host_function function;
    void *user;
};

struct sim_location {
    int type;
    int id;
};

#endif
