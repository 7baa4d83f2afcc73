/* sim_config.h - the SIM_* environment variables, read once. */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_shared.h"

enum sim_layout {
    SIM_LAYOUT_11_0,
    SIM_LAYOUT_11_2,
    SIM_LAYOUT_11_8,
    SIM_LAYOUT_12_4,
    SIM_LAYOUT_13_0,
    SIM_LAYOUT_13_3,
    SIM_LAYOUTS
};

/* SIM_V2_SUBSCRIBER: who has subscribed in the v2 API already. */
enum sim_v2 { SIM_SECOND_NOBODY, SIM_SECOND_LETS_IN, SIM_SECOND_ALONE };

struct sim_config {
    /* machine */
    int64_t devices;
    int64_t device_mem_mb;
    int64_t driver_version;
    int64_t no_driver;
    /* timing model */
    int64_t launch_ns;
    int64_t kernel_ns; /* 0: from the model */
    int64_t node_ns;
    int64_t copy_base_ns;
    int64_t copy_gbps;
    int64_t device_gbps;
    int64_t peer_gbps;
    int64_t clock_skew_ns;
    int64_t clock_drift_ppm;
    /* CUPTI */
    enum sim_layout layout;
    int64_t drop_every;
    int64_t zero_every;
    int64_t hide_nodes_every;
    int64_t unknown_every;
    int64_t flush_whole;
    int64_t reorder;
    int64_t fork_hang;
    int64_t flush_hang;
    int64_t buffer_calls;
    int64_t api_lock;
    int64_t flush_disable;
    const char *other_subscriber; /* NULL: none */
    int64_t v2_subscriber;        /* enum sim_v2 */
    int64_t hardware_trace;
    int64_t hardware_records;
    /* faults */
    const char *fail;       /* NULL: none */
    const char *violations; /* NULL: not written */
    const char *counts;     /* NULL: not written */
    const char *gemms;      /* NULL: not written */
};

/* The configuration of this process.
 *
 * Returns  never NULL; the values as they stood at the first call.
 * Threads  any.
 */
SIM_SHARED const struct sim_config *sim_config(void);

#endif
