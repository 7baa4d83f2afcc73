/* sim_config.c - one table of the SIM_* variables, for parsing, range checks and warnings about
 * unknown names.
 */
#include "sim_config.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum value_type { INTEGER, TEXT, LAYOUT };

struct variable {
    const char *name;
    enum value_type type;
    size_t offset;
    int64_t preset, low, high;
};

#define INT(name, field, preset, low, high)                                  \
    {                                                                        \
        name, INTEGER, offsetof(struct sim_config, field), preset, low, high \
    }
#define STR(name, field)                                        \
    {                                                           \
        name, TEXT, offsetof(struct sim_config, field), 0, 0, 0 \
    }

static const struct variable variables[] = {
    INT("SIM_DEVICES", devices, 1, 0, 64),
    INT("SIM_DEVICE_MEM_MB", device_mem_mb, 16384, 1, 1 << 20),
    INT("SIM_DRIVER_VERSION", driver_version, 0, 1000, 99990),
    INT("SIM_NO_DRIVER", no_driver, 0, 0, 1),
    INT("SIM_LAUNCH_NS", launch_ns, 3000, 0, 1000000000),
    INT("SIM_KERNEL_NS", kernel_ns, 0, 0, 86400000000000),
    INT("SIM_NODE_NS", node_ns, 800, 0, 1000000000),
    INT("SIM_COPY_BASE_NS", copy_base_ns, 1200, 0, 1000000000),
    INT("SIM_COPY_GBPS", copy_gbps, 24, 1, 100000),
    INT("SIM_DEVICE_GBPS", device_gbps, 1500, 1, 100000),
    INT("SIM_PEER_GBPS", peer_gbps, 200, 1, 100000),
    INT("SIM_CLOCK_SKEW_NS", clock_skew_ns, 0, -1000000000000, 1000000000000),
    INT("SIM_CLOCK_DRIFT_PPM", clock_drift_ppm, 0, -100000, 100000),
    {"SIM_CUPTI_LAYOUT", LAYOUT, offsetof(struct sim_config, layout), SIM_LAYOUT_13_0, 0, 0},
    INT("SIM_DROP_EVERY", drop_every, 0, 0, 1000000000),
    INT("SIM_ZERO_EVERY", zero_every, 0, 0, 1000000000),
    INT("SIM_HIDE_NODES_EVERY", hide_nodes_every, 0, 0, 1000000000),
    INT("SIM_UNKNOWN_EVERY", unknown_every, 0, 0, 1000000000),
    INT("SIM_FLUSH_WHOLE", flush_whole, 1, 0, 1),
    INT("SIM_REORDER", reorder, 0, 0, 1),
    INT("SIM_FLUSH_HANG", flush_hang, 0, 0, 1000000000),
    INT("SIM_FORK_HANG", fork_hang, 0, 0, 1),
    INT("SIM_BUFFER_CALLS", buffer_calls, 0, 0, 1),
    INT("SIM_API_LOCK", api_lock, 0, 0, 1),
    INT("SIM_FLUSH_DISABLE", flush_disable, 0, 0, 1),
    STR("SIM_OTHER_SUBSCRIBER", other_subscriber),
    INT("SIM_V2_SUBSCRIBER", v2_subscriber, 0, 0, 2),
    INT("SIM_HARDWARE_TRACE", hardware_trace, 0, 0, 1),
    INT("SIM_HARDWARE_RECORDS", hardware_records, 1000000, 1, 1000000000),
    STR("SIM_FAIL", fail),
    STR("SIM_VIOLATIONS", violations),
    STR("SIM_COUNTS", counts),
    STR("SIM_GEMMS", gemms),
};

static const char *const layout_names[SIM_LAYOUTS] = {"11.0", "11.2", "11.8",
                                                      "12.4", "13.0", "13.3"};

static struct sim_config the_config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void complain(const char *what, const char *name)
{
    char line[256];
    int length = snprintf(line, sizeof line, "sim: %s %.200s ignored\n", what, name);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

static bool parse_integer(const struct variable *variable, const char *text, int64_t *value)
{
    char *end = NULL;
    errno = 0;
    const long long parsed = strtoll(text, &end, 0);
    if (errno || end == text || *end || parsed < variable->low || parsed > variable->high)
        return false;
    *value = parsed;
    return true;
}

static bool parse_layout(const char *text, enum sim_layout *layout)
{
    for (unsigned i = 0; i < SIM_LAYOUTS; i++) {
        if (strcmp(text, layout_names[i]) != 0)
            continue;
        *layout = (enum sim_layout)i;
        return true;
    }
    return false;
}

static bool parse(const struct variable *variable, const char *text)
{
    char *field = (char *)&the_config + variable->offset;
    switch (variable->type) {
    case INTEGER:
        return parse_integer(variable, text, (int64_t *)(void *)field);
    case LAYOUT:
        return parse_layout(text, (enum sim_layout *)(void *)field);
    case TEXT:
        *(const char **)(void *)field = *text ? strdup(text) : NULL;
        return true;
    }
    return false;
}

static void preset(const struct variable *variable)
{
    char *field = (char *)&the_config + variable->offset;
    if (variable->type == INTEGER)
        *(int64_t *)(void *)field = variable->preset;
    if (variable->type == LAYOUT)
        *(enum sim_layout *)(void *)field = (enum sim_layout)variable->preset;
}

static bool is_known(const char *entry)
{
    for (size_t i = 0; i < SIM_COUNT(variables); i++) {
        const size_t length = strlen(variables[i].name);
        if (strncmp(entry, variables[i].name, length) == 0 && entry[length] == '=')
            return true;
    }
    return false;
}

static void warn_unknown(void)
{
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, "SIM_", 4) == 0 && !is_known(*entry))
            complain("unknown variable", *entry);
}

static void load(void)
{
    for (size_t i = 0; i < SIM_COUNT(variables); i++) {
        preset(&variables[i]);
        const char *text = getenv(variables[i].name);
        if (text && *text && !parse(&variables[i], text))
            complain("value out of range,", variables[i].name);
    }
    if (!the_config.driver_version)
        the_config.driver_version = the_config.layout >= SIM_LAYOUT_13_3 ? 13030 : 13000;
    warn_unknown();
}

const struct sim_config *sim_config(void)
{
    pthread_once(&once, load);
    return &the_config;
}
