/* sim_cupti_v2.c - exported functions: the v2 activity API, per subscriber (13.3 and later).
 *
 * Not with the v1 API: while that is used they answer 39, and it does while they are. Fields
 * cannot be selected: records are the predefined ones.
 */
#include "sim_activity.h"
#include "sim_buffer.h"
#include "sim_client_clock.h"
#include "sim_config.h"
#include "sim_core.h"
#include "sim_cupti.h"
#include "sim_layout.h"
#include "sim_subscriber.h"

#include <stdatomic.h>

enum second_attribute {
    USER_DEFINED_RECORDS = 11,
    HARDWARE_TRACE = 13,
    LATENCY = 15,
    GRAPH_LEVEL = 20,
};

/* Whole graphs or nodes: one for all subscribers, decided by the first attribute or the first kind. */
enum graph_level { LEVEL_OPEN, LEVEL_NODES, LEVEL_GRAPH };
static _Atomic(int) graph_level;

static void decide_level(int level)
{
    int open = LEVEL_OPEN;
    atomic_compare_exchange_strong(&graph_level, &open, level);
}

/* The client a subscriber is, into `client`. */
static int find_client(const struct sim_subscriber *subscriber, uint32_t *client)
{
    const int found = sim_subscriber_client(subscriber);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_3, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(!sim_subscriber_v1_in_use(), SIM_CUPTI_MULTIPLE_SUBSCRIBERS);
    SIM_CUPTI_CHECK(found > 0, SIM_CUPTI_INVALID_PARAMETER);
    *client = (uint32_t)found;
    return SIM_CUPTI_OK;
}

#define SIM_CUPTI_CLIENT(argument)                              \
    uint32_t client = 0;                                        \
    SIM_CUPTI_ENTER(argument);                                  \
    do {                                                        \
        const int sim_found = find_client(subscriber, &client); \
        SIM_CUPTI_CHECK(sim_found == SIM_CUPTI_OK, sim_found);  \
    } while (0)

SIM_EXPORT int cuptiActivityEnable_v2(struct sim_subscriber *subscriber, uint32_t kind,
                                      const void *config);
SIM_EXPORT int cuptiActivityEnable_v2(struct sim_subscriber *subscriber, uint32_t kind,
                                      const void *config)
{
    SIM_CUPTI_CLIENT(kind);
    SIM_CUPTI_CHECK(!config, SIM_CUPTI_NOT_SUPPORTED);
    decide_level(LEVEL_NODES);
    SIM_CUPTI_CHECK(kind != SIM_KIND_GRAPH_TRACE || atomic_load(&graph_level) == LEVEL_GRAPH,
                    SIM_CUPTI_NOT_COMPATIBLE);
    return sim_activity_enable(client, kind, true);
}

SIM_EXPORT int cuptiActivityDisable_v2(struct sim_subscriber *subscriber, uint32_t kind,
                                       const void *config);
SIM_EXPORT int cuptiActivityDisable_v2(struct sim_subscriber *subscriber, uint32_t kind,
                                       const void *config)
{
    (void)config;
    SIM_CUPTI_CLIENT(kind);
    return sim_cupti_disable(client, kind);
}

SIM_EXPORT int cuptiActivityRegisterCallbacks_v2(struct sim_subscriber *subscriber,
                                                 sim_buffer_request_v2 request,
                                                 sim_buffer_complete_v2 complete);
SIM_EXPORT int cuptiActivityRegisterCallbacks_v2(struct sim_subscriber *subscriber,
                                                 sim_buffer_request_v2 request,
                                                 sim_buffer_complete_v2 complete)
{
    SIM_CUPTI_CLIENT(0);
    SIM_CUPTI_CHECK(request && complete, SIM_CUPTI_INVALID_PARAMETER);
    sim_buffer_register_v2(client, request, complete);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityGetNextRecord_v2(struct sim_subscriber *subscriber, uint8_t *buffer,
                                             size_t valid, uint8_t **record);
SIM_EXPORT int cuptiActivityGetNextRecord_v2(struct sim_subscriber *subscriber, uint8_t *buffer,
                                             size_t valid, uint8_t **record)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_3, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(sim_subscriber_client(subscriber) > 0, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(buffer && record, SIM_CUPTI_INVALID_PARAMETER);
    return sim_cupti_next_record(buffer, valid, record);
}

SIM_EXPORT int cuptiActivityGetNumDroppedRecords_v2(struct sim_subscriber *subscriber,
                                                    void *context, uint32_t stream,
                                                    size_t *dropped);
SIM_EXPORT int cuptiActivityGetNumDroppedRecords_v2(struct sim_subscriber *subscriber,
                                                    void *context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    SIM_CUPTI_CLIENT(0);
    SIM_CUPTI_CHECK(dropped, SIM_CUPTI_INVALID_PARAMETER);
    *dropped = (size_t)sim_buffer_fetch_dropped(client);
    return SIM_CUPTI_OK;
}

/* Of all subscribers, so it needs none; before anybody has a kind on. */
static int set_hardware_trace(uint8_t on)
{
    for (uint32_t client = 0; client < SIM_CLIENTS; client++)
        SIM_CUPTI_CHECK(!sim_activity_client_is_on(client), SIM_CUPTI_NOT_COMPATIBLE);
    return sim_cupti_hardware_trace(on != 0);
}

static int set_latency(uint8_t on)
{
    SIM_CUPTI_CHECK(!sim_activity_has_hardware(), SIM_CUPTI_NOT_COMPATIBLE);
    sim_activity_set_latency(on != 0);
    return SIM_CUPTI_OK;
}

static int set_v2(uint32_t number, uint8_t value)
{
    switch (number) {
    case USER_DEFINED_RECORDS:
        return value ? SIM_CUPTI_NOT_SUPPORTED : SIM_CUPTI_OK;
    case LATENCY:
        return set_latency(value);
    case GRAPH_LEVEL:
        decide_level(value ? LEVEL_GRAPH : LEVEL_NODES);
        return SIM_CUPTI_OK;
    default:
        return SIM_CUPTI_INVALID_PARAMETER;
    }
}

SIM_EXPORT int cuptiActivitySetAttribute_v2(struct sim_subscriber *subscriber, uint32_t number,
                                            size_t *bytes, void *value);
SIM_EXPORT int cuptiActivitySetAttribute_v2(struct sim_subscriber *subscriber, uint32_t number,
                                            size_t *bytes, void *value)
{
    if (number == HARDWARE_TRACE && sim_config()->layout >= SIM_LAYOUT_13_3) {
        SIM_CUPTI_ENTER(number);
        SIM_CUPTI_CHECK(!sim_subscriber_v1_in_use(), SIM_CUPTI_MULTIPLE_SUBSCRIBERS);
        SIM_CUPTI_CHECK(bytes && *bytes && value, SIM_CUPTI_INVALID_PARAMETER);
        return set_hardware_trace(*(const uint8_t *)value);
    }
    SIM_CUPTI_CLIENT(number);
    SIM_CUPTI_CHECK(bytes && *bytes && value, SIM_CUPTI_INVALID_PARAMETER);
    if (number >= USER_DEFINED_RECORDS)
        return set_v2(number, *(const uint8_t *)value);
    return sim_cupti_set_attribute(client, number, bytes, value);
}

SIM_EXPORT int cuptiGetTimestamp_v2(struct sim_subscriber *subscriber, uint64_t *time_ns);
SIM_EXPORT int cuptiGetTimestamp_v2(struct sim_subscriber *subscriber, uint64_t *time_ns)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_3, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(time_ns && sim_subscriber_client(subscriber) > 0, SIM_CUPTI_INVALID_PARAMETER);
    *time_ns = sim_client_clock_now();
    return SIM_CUPTI_OK;
}

/* Of the version simulated, whichever is requested. */
SIM_EXPORT int cuptiActivityGetStructSize(uint32_t kind, uint32_t version, size_t *bytes);
SIM_EXPORT int cuptiActivityGetStructSize(uint32_t kind, uint32_t version, size_t *bytes)
{
    SIM_CUPTI_ENTER_PLAIN(kind);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_3, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(!version || version >= 130000, SIM_CUPTI_NOT_SUPPORTED);
    SIM_CUPTI_CHECK(bytes, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(sim_layout_size(kind), SIM_CUPTI_INVALID_KIND);
    *bytes = sim_layout_size(kind);
    return SIM_CUPTI_OK;
}
