/* sim_cupti.h - CUPTI's constants, and state shared by its exported functions. */
#ifndef SIM_CUPTI_H
#define SIM_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_shared.h"

enum sim_cupti_result {
    SIM_CUPTI_OK = 0,
    SIM_CUPTI_INVALID_PARAMETER = 1,
    SIM_CUPTI_INVALID_CONTEXT = 3,
    SIM_CUPTI_INVALID_OPERATION = 7,
    SIM_CUPTI_TOO_SMALL = 10,
    SIM_CUPTI_NOT_IMPLEMENTED = 11,
    SIM_CUPTI_MAX_LIMIT = 12,
    SIM_CUPTI_NOT_COMPATIBLE = 14,
    SIM_CUPTI_NOT_INITIALIZED = 15,
    SIM_CUPTI_QUEUE_EMPTY = 18,
    SIM_CUPTI_INVALID_STREAM = 20,
    SIM_CUPTI_INVALID_KIND = 21,
    SIM_CUPTI_NOT_SUPPORTED = 27,
    SIM_CUPTI_MULTIPLE_SUBSCRIBERS = 39,
    SIM_CUPTI_UNKNOWN = 999,
};

enum sim_cupti_domain {
    SIM_CB_DRIVER = 1,
    SIM_CB_RUNTIME = 2,
    SIM_CB_RESOURCE = 3,
    SIM_CB_SYNCHRONIZE = 4,
    SIM_CB_NVTX = 5,
    SIM_CB_STATE = 6,
    SIM_CB_DOMAINS,
};

enum sim_kind {
    SIM_KIND_MEMCPY = 1,
    SIM_KIND_MEMSET = 2,
    SIM_KIND_KERNEL = 3,
    SIM_KIND_DRIVER = 4,
    SIM_KIND_RUNTIME = 5,
    SIM_KIND_DEVICE = 8,
    SIM_KIND_CONTEXT = 9,
    SIM_KIND_CONCURRENT_KERNEL = 10,
    SIM_KIND_OVERHEAD = 17,
    SIM_KIND_MEMCPY2 = 22,
    SIM_KIND_UNIFIED_MEMORY = 25,
    SIM_KIND_FUNCTION = 26,
    SIM_KIND_CUDA_EVENT = 36,
    SIM_KIND_STREAM = 37,
    SIM_KIND_SYNCHRONIZATION = 38,
    SIM_KIND_EXTERNAL_CORRELATION = 39,
    SIM_KIND_MEMORY2 = 49,
    SIM_KIND_MEMORY_POOL = 50,
    SIM_KIND_GRAPH_TRACE = 51,
    SIM_KINDS = 64,
};

/* What every exported function asks first.
 *
 * name      as exported; SIM_FAIL may fail it.
 * argument  its first argument as an integer.
 * Returns   SIM_CUPTI_OK, or what the function must return: a fault, no usable driver, process
 *           ending, a forked child (a violation, and with SIM_FORK_HANG=1 this does not return).
 */
int sim_cupti_enter(const char *name, uint64_t argument);

/* The same for the functions that work without a driver: only SIM_FAIL applies. */
int sim_cupti_enter_plain(const char *name, uint64_t argument);

/* What "no usable driver" is called in the version simulated. */
int sim_cupti_no_driver(void);

/* The process' exit handlers have passed libcupti's. */
bool sim_cupti_is_gone(void);

/* What functions of both forms do. A client is who it is done for (sim_activity.h). */
int sim_cupti_next_record(uint8_t *buffer, size_t valid, uint8_t **record);
int sim_cupti_set_attribute(uint32_t client, uint32_t number, const size_t *bytes,
                            const void *value);
int sim_cupti_hardware_trace(bool on);
int sim_cupti_disable(uint32_t client, uint32_t kind);

/* Installs the hooks into the simulation; done when the library is loaded. */
void sim_activity_install(void);

#define SIM_CUPTI_ENTER(argument)                                                \
    do {                                                                         \
        const int sim_entered = sim_cupti_enter(__func__, (uint64_t)(argument)); \
        if (sim_entered != SIM_CUPTI_OK)                                         \
            return sim_entered;                                                  \
    } while (0)

#define SIM_CUPTI_ENTER_PLAIN(argument)                                                \
    do {                                                                               \
        const int sim_entered = sim_cupti_enter_plain(__func__, (uint64_t)(argument)); \
        if (sim_entered != SIM_CUPTI_OK)                                               \
            return sim_entered;                                                        \
    } while (0)

/* The same for functions of the v1 API: they return 39 while a client uses v2. */
#define SIM_CUPTI_ENTER_FIRST(argument)                                               \
    do {                                                                              \
        SIM_CUPTI_ENTER(argument);                                                    \
        SIM_CUPTI_CHECK(!sim_subscriber_v2_in_use(), SIM_CUPTI_MULTIPLE_SUBSCRIBERS); \
    } while (0)

/* Returns from the calling function with result unless condition holds. */
#define SIM_CUPTI_CHECK(condition, result) \
    do {                                   \
        if (!(condition))                  \
            return result;                 \
    } while (0)

#endif
