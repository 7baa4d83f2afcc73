/* sim_cupti_activity.c - exported functions: activity kinds, buffers, flushing, attributes. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "sim_activity.h"
#include "sim_buffer.h"
#include "sim_client_clock.h"
#include "sim_config.h"
#include "sim_context.h"
#include "sim_core.h"
#include "sim_cupti.h"
#include "sim_fault.h"
#include "sim_handle.h"
#include "sim_layout.h"
#include "sim_locks.h"
#include "sim_subscriber.h"

/* ---- kinds ---- */

/* What was created before is reported only to cuptiActivityEnableAndDump. */
SIM_EXPORT int cuptiActivityEnable(uint32_t kind);
SIM_EXPORT int cuptiActivityEnable(uint32_t kind)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    return sim_activity_enable(0, kind, true);
}

SIM_EXPORT int cuptiActivityEnableAndDump(uint32_t kind);
SIM_EXPORT int cuptiActivityEnableAndDump(uint32_t kind)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    const int result = sim_activity_enable(0, kind, true);
    if (result == SIM_CUPTI_OK)
        sim_activity_dump(kind);
    return result;
}

int sim_cupti_disable(uint32_t client, uint32_t kind)
{
    sim_locks_disable_begin();
    sim_buffer_place();
    const int result = sim_activity_enable(client, kind, false);
    sim_locks_disable_end();
    return result;
}

SIM_EXPORT int cuptiActivityDisable(uint32_t kind);
SIM_EXPORT int cuptiActivityDisable(uint32_t kind)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    return sim_cupti_disable(0, kind);
}

/* Kinds are per process here. */
static int enable_for(const void *context, uint32_t kind, bool on)
{
    SIM_CUPTI_CHECK(sim_handle_is(context, SIM_HANDLE_CONTEXT), SIM_CUPTI_INVALID_CONTEXT);
    return on ? sim_activity_enable(0, kind, true) : sim_cupti_disable(0, kind);
}

SIM_EXPORT int cuptiActivityEnableContext(void *context, uint32_t kind);
SIM_EXPORT int cuptiActivityEnableContext(void *context, uint32_t kind)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    return enable_for(context, kind, true);
}

SIM_EXPORT int cuptiActivityDisableContext(void *context, uint32_t kind);
SIM_EXPORT int cuptiActivityDisableContext(void *context, uint32_t kind)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    return enable_for(context, kind, false);
}

SIM_EXPORT int cuptiActivityConfigureUnifiedMemoryCounter(const uint32_t (*configs)[4],
                                                          uint32_t count);
SIM_EXPORT int cuptiActivityConfigureUnifiedMemoryCounter(const uint32_t (*configs)[4],
                                                          uint32_t count)
{
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(configs && count, SIM_CUPTI_INVALID_PARAMETER);
    return sim_activity_configure_unified(configs, count);
}

/* 12.5 and later. */
static int enable_api(uint32_t domain, uint32_t cbid, bool on)
{
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_0, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(cbid && cbid < sim_layout_cbids(domain), SIM_CUPTI_INVALID_PARAMETER);
    sim_activity_enable_api(domain, cbid, on);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t on);
SIM_EXPORT int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(cbid);
    return enable_api(SIM_CB_RUNTIME, cbid, on != 0);
}

SIM_EXPORT int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t on);
SIM_EXPORT int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(cbid);
    return enable_api(SIM_CB_DRIVER, cbid, on != 0);
}

SIM_EXPORT int cuptiActivityEnableLatencyTimestamps(uint8_t on);
SIM_EXPORT int cuptiActivityEnableLatencyTimestamps(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    SIM_CUPTI_CHECK(!sim_activity_has_hardware(), SIM_CUPTI_NOT_COMPATIBLE);
    sim_activity_set_latency(on != 0);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t on);
SIM_EXPORT int cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_0, SIM_CUPTI_NOT_IMPLEMENTED);
    sim_activity_set_event_timestamps(on != 0);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityEnableLaunchAttributes(uint8_t on);
SIM_EXPORT int cuptiActivityEnableLaunchAttributes(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    return SIM_CUPTI_OK;
}

/* Switches for records the simulation does not make. */
SIM_EXPORT int cuptiActivityEnableDeviceGraph(uint8_t on);
SIM_EXPORT int cuptiActivityEnableDeviceGraph(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_12_4, SIM_CUPTI_NOT_IMPLEMENTED);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityEnableAllSyncRecords(uint8_t on);
SIM_EXPORT int cuptiActivityEnableAllSyncRecords(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_0, SIM_CUPTI_NOT_IMPLEMENTED);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityEnableAllocationSource(uint8_t on);
SIM_EXPORT int cuptiActivityEnableAllocationSource(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_0, SIM_CUPTI_NOT_IMPLEMENTED);
    return SIM_CUPTI_OK;
}

static bool has_context(void)
{
    sim_core_lock();
    const bool has = sim_context_first_locked() != NULL;
    sim_core_unlock();
    return has;
}

/* 12.8 and later, after cuInit and before the first context (13.3 and later: before cuInit, too), and
 * not with the times of queueing and submitting. */
int sim_cupti_hardware_trace(bool on)
{
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_0, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(sim_config()->hardware_trace, SIM_CUPTI_NOT_SUPPORTED);
    SIM_CUPTI_CHECK(sim_core_state() == SIM_OK || sim_config()->layout >= SIM_LAYOUT_13_3,
                    SIM_CUPTI_NOT_INITIALIZED);
    SIM_CUPTI_CHECK(!has_context(), SIM_CUPTI_NOT_SUPPORTED);
    SIM_CUPTI_CHECK(!sim_activity_has_latency(), SIM_CUPTI_NOT_COMPATIBLE);
    sim_activity_set_hardware(on);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityEnableHWTrace(uint8_t on);
SIM_EXPORT int cuptiActivityEnableHWTrace(uint8_t on)
{
    SIM_CUPTI_ENTER_FIRST(on);
    return sim_cupti_hardware_trace(on != 0);
}

/* ---- buffers ---- */

SIM_EXPORT int cuptiActivityRegisterCallbacks(sim_buffer_request request,
                                              sim_buffer_complete complete);
SIM_EXPORT int cuptiActivityRegisterCallbacks(sim_buffer_request request,
                                              sim_buffer_complete complete)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    sim_locks_enter(__func__);
    SIM_CUPTI_CHECK(!sim_subscriber_v2_in_use(), SIM_CUPTI_MULTIPLE_SUBSCRIBERS);
    SIM_CUPTI_CHECK(request && complete, SIM_CUPTI_INVALID_PARAMETER);
    sim_buffer_register(request, complete);
    return SIM_CUPTI_OK;
}

static void hang_when_due(void)
{
    static atomic_llong flushes;
    const int64_t nth = sim_config()->flush_hang;
    if (nth && atomic_fetch_add(&flushes, 1) + 1 >= nth)
        for (;;)
            pause();
}

SIM_EXPORT int cuptiActivityFlushAll(uint32_t flag);
SIM_EXPORT int cuptiActivityFlushAll(uint32_t flag)
{
    SIM_CUPTI_ENTER(flag);
    if (sim_subscriber_forbids_flush())
        sim_fault_violation(
            "cuptiActivityFlushAll called from a callback of a domain not an API's");
    hang_when_due();
    sim_locks_flush_begin();
    const int result = sim_buffer_flush(flag & 1);
    sim_locks_flush_end();
    return result;
}

/* Full buffers come back at once anyway, and nothing else may come by this timer. */
SIM_EXPORT int cuptiActivityFlushPeriod(uint32_t period_ms);
SIM_EXPORT int cuptiActivityFlushPeriod(uint32_t period_ms)
{
    SIM_CUPTI_ENTER(period_ms);
    return SIM_CUPTI_OK;
}

int sim_cupti_next_record(uint8_t *buffer, size_t valid, uint8_t **record)
{
    uint32_t kind;
    uint8_t *at = buffer;
    if (*record) {
        memcpy(&kind, *record, sizeof kind);
        at = *record + sim_layout_size(kind);
    }
    const size_t offset = (size_t)(at - buffer);
    SIM_CUPTI_CHECK(valid >= offset + 8, SIM_CUPTI_MAX_LIMIT);
    memcpy(&kind, at, sizeof kind);
    const size_t size = sim_layout_size(kind);
    SIM_CUPTI_CHECK(size, sim_layout_unknown_kind());
    SIM_CUPTI_CHECK(valid - offset >= size, SIM_CUPTI_MAX_LIMIT);
    *record = at;
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
SIM_EXPORT int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    SIM_CUPTI_CHECK(!sim_subscriber_v2_in_use(), SIM_CUPTI_MULTIPLE_SUBSCRIBERS);
    SIM_CUPTI_CHECK(buffer && record, SIM_CUPTI_INVALID_PARAMETER);
    return sim_cupti_next_record(buffer, valid, record);
}

SIM_EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
SIM_EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    SIM_CUPTI_ENTER_FIRST(0);
    SIM_CUPTI_CHECK(dropped, SIM_CUPTI_INVALID_PARAMETER);
    *dropped = (size_t)sim_buffer_fetch_dropped(0);
    return SIM_CUPTI_OK;
}

/* ---- attributes ---- */

enum { ATTRIBUTES = 10, ZEROED_OUT = 5, PER_THREAD = 9 };

struct attribute {
    size_t bytes;
    uint64_t value;
    enum sim_layout since;
};

static pthread_mutex_t attribute_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; over values */

static struct attribute attributes[ATTRIBUTES] = {
    {8, 3200000, SIM_LAYOUT_11_2}, {8, 8388608, SIM_LAYOUT_11_2}, {8, 250, SIM_LAYOUT_11_2},
    {8, 25000, SIM_LAYOUT_11_2},   {8, 250, SIM_LAYOUT_11_2},     {1, 0, SIM_LAYOUT_11_2},
    {8, 3, SIM_LAYOUT_11_2},       {8, 3, SIM_LAYOUT_11_2},       {1, 0, SIM_LAYOUT_11_2},
    {1, 0, SIM_LAYOUT_12_4},
};

/* One buffer per producing thread is the rule from 13.0 on. */
static uint64_t preset(uint32_t number)
{
    return number == PER_THREAD && sim_config()->layout >= SIM_LAYOUT_13_0;
}

__attribute__((constructor)) static void on_load(void)
{
    attributes[PER_THREAD].value = preset(PER_THREAD);
    for (uint32_t client = 0; client < SIM_CLIENTS; client++)
        sim_buffer_set_per_thread(client, attributes[PER_THREAD].value != 0);
}

static int check_attribute(uint32_t number, const size_t *bytes, const void *value)
{
    SIM_CUPTI_CHECK(bytes && value && number < ATTRIBUTES, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(sim_config()->layout >= attributes[number].since, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(*bytes >= attributes[number].bytes, SIM_CUPTI_TOO_SMALL);
    return SIM_CUPTI_OK;
}

static int get_attribute(uint32_t number, size_t *bytes, void *value)
{
    const int checked = check_attribute(number, bytes, value);
    SIM_CUPTI_CHECK(checked == SIM_CUPTI_OK, checked);
    pthread_mutex_lock(&attribute_lock);
    memcpy(value, &attributes[number].value, attributes[number].bytes);
    pthread_mutex_unlock(&attribute_lock);
    *bytes = attributes[number].bytes;
    return SIM_CUPTI_OK;
}

int sim_cupti_set_attribute(uint32_t client, uint32_t number, const size_t *bytes,
                            const void *value)
{
    uint64_t chosen = 0;
    const int checked = check_attribute(number, bytes, value);
    SIM_CUPTI_CHECK(checked == SIM_CUPTI_OK, checked);
    memcpy(&chosen, value, attributes[number].bytes);
    pthread_mutex_lock(&attribute_lock);
    attributes[number].value = chosen;
    pthread_mutex_unlock(&attribute_lock);
    if (number == ZEROED_OUT)
        sim_buffer_set_zeroed(client, chosen != 0);
    if (number == PER_THREAD)
        sim_buffer_set_per_thread(client, chosen != 0);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityGetAttribute(uint32_t number, size_t *bytes, void *value);
SIM_EXPORT int cuptiActivityGetAttribute(uint32_t number, size_t *bytes, void *value)
{
    SIM_CUPTI_ENTER_FIRST(number);
    return get_attribute(number, bytes, value);
}

SIM_EXPORT int cuptiActivitySetAttribute(uint32_t number, size_t *bytes, void *value);
SIM_EXPORT int cuptiActivitySetAttribute(uint32_t number, size_t *bytes, void *value)
{
    SIM_CUPTI_ENTER_FIRST(number);
    return sim_cupti_set_attribute(0, number, bytes, value);
}

/* ---- the rest ---- */

SIM_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
SIM_EXPORT int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void))
{
    SIM_CUPTI_ENTER_FIRST(0);
    SIM_CUPTI_CHECK(clock, SIM_CUPTI_INVALID_PARAMETER);
    sim_client_clock_set(clock);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
SIM_EXPORT int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    return sim_external_push(kind, id);
}

SIM_EXPORT int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *id);
SIM_EXPORT int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *id)
{
    SIM_CUPTI_ENTER_FIRST(kind);
    return sim_external_pop(kind, id);
}

SIM_EXPORT int cuptiSetThreadIdType(uint32_t type);
SIM_EXPORT int cuptiSetThreadIdType(uint32_t type)
{
    SIM_CUPTI_ENTER(type);
    SIM_CUPTI_CHECK(type <= 1, SIM_CUPTI_INVALID_PARAMETER);
    sim_activity_set_thread_id_type(type);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetThreadIdType(uint32_t *type);
SIM_EXPORT int cuptiGetThreadIdType(uint32_t *type)
{
    SIM_CUPTI_CHECK(type, SIM_CUPTI_INVALID_PARAMETER);
    *type = sim_activity_thread_id_type();
    return SIM_CUPTI_OK;
}

/* Detaches: no callback and no record from here on, until something is enabled again. While several
 * tools are subscribed it does nothing. */
SIM_EXPORT int cuptiFinalize(void);
SIM_EXPORT int cuptiFinalize(void)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    sim_locks_enter(__func__);
    if (sim_subscriber_v2_in_use())
        return SIM_CUPTI_OK;
    sim_activity_disable_client(0);
    sim_subscriber_destroy_all();
    sim_buffer_set_zeroed(0, false);
    return SIM_CUPTI_OK;
}
