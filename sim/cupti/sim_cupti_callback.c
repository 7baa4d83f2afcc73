/* sim_cupti_callback.c - exported functions: subscribing, callbacks, names, ids, versions. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "sim_activity.h"
#include "sim_call.h"
#include "sim_client_clock.h"
#include "sim_clock.h"
#include "sim_config.h"
#include "sim_context.h"
#include "sim_core.h"
#include "sim_cupti.h"
#include "sim_device.h"
#include "sim_graph.h"
#include "sim_handle.h"
#include "sim_layout.h"
#include "sim_stream.h"
#include "sim_subscriber.h"

/* ---- subscriber ---- */

SIM_EXPORT int cuptiSubscribe(struct sim_subscriber **subscriber, sim_callback callback,
                              void *user);
SIM_EXPORT int cuptiSubscribe(struct sim_subscriber **subscriber, sim_callback callback, void *user)
{
    SIM_CUPTI_ENTER(0);
    return sim_subscriber_create(subscriber, callback, user, "", SIM_FIRST_FORM);
}

/* Since 13.0; a member more since 13.2. */
struct subscriber_params {
    size_t struct_size;
    const char *name;
    char *old_name;
    size_t old_size;
    uint8_t allow_others;
    uint8_t padding[7];
};

enum { PARAMS_13_0 = 32, PARAMS_13_2 = 40 };

enum { MAX_NAME = 53, MIN_OLD = 64 };

static int check_params(const struct subscriber_params *params)
{
    SIM_CUPTI_CHECK(params && params->struct_size >= PARAMS_13_0, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(!params->name || strlen(params->name) <= MAX_NAME, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(!params->old_name || params->old_size >= MIN_OLD, SIM_CUPTI_INVALID_PARAMETER);
    return SIM_CUPTI_OK;
}

static void name_other(const struct subscriber_params *params)
{
    const char *other = sim_subscriber_other();
    if (!other || !params->old_name)
        return;
    strncpy(params->old_name, other, params->old_size - 1);
    params->old_name[params->old_size - 1] = '\0';
}

static enum sim_sharing sharing_of(const struct subscriber_params *params)
{
    const bool can = sim_config()->layout >= SIM_LAYOUT_13_3 &&
                     sim_config()->driver_version >= 13030 && params->struct_size >= PARAMS_13_2;
    return can && params->allow_others ? SIM_SECOND_FORM_SHARED : SIM_SECOND_FORM;
}

SIM_EXPORT int cuptiSubscribe_v2(struct sim_subscriber **subscriber, sim_callback callback,
                                 void *user, struct subscriber_params *params);
SIM_EXPORT int cuptiSubscribe_v2(struct sim_subscriber **subscriber, sim_callback callback,
                                 void *user, struct subscriber_params *params)
{
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_13_0, SIM_CUPTI_NOT_IMPLEMENTED);
    const int checked = check_params(params);
    SIM_CUPTI_CHECK(checked == SIM_CUPTI_OK, checked);
    name_other(params);
    return sim_subscriber_create(subscriber, callback, user, params->name, sharing_of(params));
}

SIM_EXPORT int cuptiUnsubscribe(struct sim_subscriber *subscriber);
SIM_EXPORT int cuptiUnsubscribe(struct sim_subscriber *subscriber)
{
    SIM_CUPTI_CHECK(subscriber, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_ENTER(0);
    return sim_subscriber_destroy(subscriber);
}

SIM_EXPORT int cuptiEnableCallback(uint32_t on, struct sim_subscriber *subscriber, uint32_t domain,
                                   uint32_t cbid);
SIM_EXPORT int cuptiEnableCallback(uint32_t on, struct sim_subscriber *subscriber, uint32_t domain,
                                   uint32_t cbid)
{
    SIM_CUPTI_CHECK(subscriber, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_ENTER(cbid);
    SIM_CUPTI_CHECK(sim_subscriber_is(subscriber) && cbid, SIM_CUPTI_INVALID_PARAMETER);
    return sim_subscriber_enable(subscriber, domain, cbid, on != 0);
}

SIM_EXPORT int cuptiEnableDomain(uint32_t on, struct sim_subscriber *subscriber, uint32_t domain);
SIM_EXPORT int cuptiEnableDomain(uint32_t on, struct sim_subscriber *subscriber, uint32_t domain)
{
    SIM_CUPTI_CHECK(subscriber, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_ENTER(domain);
    SIM_CUPTI_CHECK(sim_subscriber_is(subscriber), SIM_CUPTI_INVALID_PARAMETER);
    return sim_subscriber_enable(subscriber, domain, 0, on != 0);
}

SIM_EXPORT int cuptiEnableAllDomains(uint32_t on, struct sim_subscriber *subscriber);
SIM_EXPORT int cuptiEnableAllDomains(uint32_t on, struct sim_subscriber *subscriber)
{
    SIM_CUPTI_CHECK(subscriber, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(sim_subscriber_is(subscriber), SIM_CUPTI_INVALID_PARAMETER);
    for (uint32_t domain = SIM_CB_DRIVER; domain < SIM_CB_DOMAINS; domain++)
        if (sim_layout_cbids(domain))
            sim_subscriber_enable(subscriber, domain, 0, on != 0);
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetCallbackState(uint32_t *on, struct sim_subscriber *subscriber,
                                     uint32_t domain, uint32_t cbid);
SIM_EXPORT int cuptiGetCallbackState(uint32_t *on, struct sim_subscriber *subscriber,
                                     uint32_t domain, uint32_t cbid)
{
    SIM_CUPTI_CHECK(on && subscriber, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_ENTER(cbid);
    SIM_CUPTI_CHECK(sim_subscriber_is(subscriber), SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(cbid < sim_layout_cbids(domain), SIM_CUPTI_INVALID_PARAMETER);
    *on = sim_subscriber_wants(subscriber, domain, cbid);
    return SIM_CUPTI_OK;
}

/* ---- names ---- */

/* A tool may ask for each of them when it begins, so they are not searched for. */
#define NAMED_CBIDS 1024u
static const char *names[2][NAMED_CBIDS]; /* by domain - 1 and cbid */

/* Only functions the simulation exports have names here; the real library knows them all. Of two with the
 * same id the first counts. */
static void fill_names(void)
{
    for (size_t i = SIM_API_COUNT; i-- > 0;) {
        uint32_t domain = (uint32_t)sim_apis[i].domain;
        uint32_t cbid = sim_layout_cbid(domain, sim_apis[i].cbid);
        if ((domain == SIM_CB_DRIVER || domain == SIM_CB_RUNTIME) && cbid < NAMED_CBIDS)
            names[domain - 1][cbid] = sim_apis[i].versioned;
    }
}

static const char *callback_name(uint32_t domain, uint32_t cbid)
{
    static pthread_once_t filled = PTHREAD_ONCE_INIT;
    pthread_once(&filled, fill_names);
    if (!cbid)
        return "INVALID";
    return cbid < NAMED_CBIDS ? names[domain - 1][cbid] : NULL;
}

SIM_EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
SIM_EXPORT int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
    SIM_CUPTI_ENTER_PLAIN(cbid);
    SIM_CUPTI_CHECK(name && (domain == SIM_CB_DRIVER || domain == SIM_CB_RUNTIME),
                    SIM_CUPTI_INVALID_PARAMETER);
    const char *found = callback_name(domain, cbid);
    SIM_CUPTI_CHECK(found, SIM_CUPTI_INVALID_PARAMETER);
    *name = found;
    return SIM_CUPTI_OK;
}

struct result_name {
    int result;
    const char *name;
};

static const struct result_name result_names[] = {
    {0, "CUPTI_SUCCESS"},
    {1, "CUPTI_ERROR_INVALID_PARAMETER"},
    {2, "CUPTI_ERROR_INVALID_DEVICE"},
    {3, "CUPTI_ERROR_INVALID_CONTEXT"},
    {4, "CUPTI_ERROR_INVALID_EVENT_DOMAIN_ID"},
    {5, "CUPTI_ERROR_INVALID_EVENT_ID"},
    {6, "CUPTI_ERROR_INVALID_EVENT_NAME"},
    {7, "CUPTI_ERROR_INVALID_OPERATION"},
    {8, "CUPTI_ERROR_OUT_OF_MEMORY"},
    {9, "CUPTI_ERROR_HARDWARE"},
    {10, "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT"},
    {11, "CUPTI_ERROR_API_NOT_IMPLEMENTED"},
    {12, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
    {13, "CUPTI_ERROR_NOT_READY"},
    {14, "CUPTI_ERROR_NOT_COMPATIBLE"},
    {15, "CUPTI_ERROR_NOT_INITIALIZED"},
    {16, "CUPTI_ERROR_INVALID_METRIC_ID"},
    {17, "CUPTI_ERROR_INVALID_METRIC_NAME"},
    {18, "CUPTI_ERROR_QUEUE_EMPTY"},
    {19, "CUPTI_ERROR_INVALID_HANDLE"},
    {20, "CUPTI_ERROR_INVALID_STREAM"},
    {21, "CUPTI_ERROR_INVALID_KIND"},
    {22, "CUPTI_ERROR_INVALID_EVENT_VALUE"},
    {23, "CUPTI_ERROR_DISABLED"},
    {24, "CUPTI_ERROR_INVALID_MODULE"},
    {25, "CUPTI_ERROR_INVALID_METRIC_VALUE"},
    {26, "CUPTI_ERROR_HARDWARE_BUSY"},
    {27, "CUPTI_ERROR_NOT_SUPPORTED"},
    {28, "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED"},
    {29, "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_DEVICE"},
    {30, "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES"},
    {31, "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS"},
    {32, "CUPTI_ERROR_CDP_TRACING_NOT_SUPPORTED"},
    {33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED"},
    {34, "CUPTI_ERROR_CUDA_COMPILER_NOT_COMPATIBLE"},
    {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
    {38, "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED"},
    {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
    {40, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES"},
    {41, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED"},
    {42, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED"},
    {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED"},
    {44, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED"},
    {45, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED"},
    {46, "CUPTI_ERROR_INVALID_CHIP_NAME"},
    {999, "CUPTI_ERROR_UNKNOWN"},
};

SIM_EXPORT int cuptiGetResultString(int result, const char **name);
SIM_EXPORT int cuptiGetResultString(int result, const char **name)
{
    SIM_CUPTI_CHECK(name, SIM_CUPTI_INVALID_PARAMETER);
    *name = "<unknown>";
    for (size_t i = 0; i < SIM_COUNT(result_names); i++) {
        if (result_names[i].result != result)
            continue;
        *name = result_names[i].name;
        return SIM_CUPTI_OK;
    }
    return SIM_CUPTI_INVALID_PARAMETER;
}

SIM_EXPORT int cuptiGetVersion(uint32_t *version);
SIM_EXPORT int cuptiGetVersion(uint32_t *version)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    SIM_CUPTI_CHECK(version, SIM_CUPTI_INVALID_PARAMETER);
    *version = sim_layout_version();
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetTimestamp(uint64_t *time_ns);
SIM_EXPORT int cuptiGetTimestamp(uint64_t *time_ns)
{
    SIM_CUPTI_ENTER_PLAIN(0);
    SIM_CUPTI_CHECK(time_ns, SIM_CUPTI_INVALID_PARAMETER);
    *time_ns = sim_client_clock_now();
    return SIM_CUPTI_OK;
}

/* ---- ids ---- */

SIM_EXPORT int cuptiGetContextId(struct sim_context *context, uint32_t *id);
SIM_EXPORT int cuptiGetContextId(struct sim_context *context, uint32_t *id)
{
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(id, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(sim_handle_is(context, SIM_HANDLE_CONTEXT), SIM_CUPTI_INVALID_CONTEXT);
    *id = context->id;
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetDeviceId(struct sim_context *context, uint32_t *id);
SIM_EXPORT int cuptiGetDeviceId(struct sim_context *context, uint32_t *id)
{
    SIM_CUPTI_ENTER(0);
    const struct sim_context *chosen = context ? context : sim_context_current();
    SIM_CUPTI_CHECK(id, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(sim_handle_is(chosen, SIM_HANDLE_CONTEXT), SIM_CUPTI_INVALID_CONTEXT);
    *id = (uint32_t)chosen->device;
    return SIM_CUPTI_OK;
}

static int stream_id(struct sim_context *context, void *handle, bool per_thread, uint32_t *id)
{
    struct sim_context *chosen = context ? context : sim_context_current();
    SIM_CUPTI_CHECK(id, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(sim_handle_is(chosen, SIM_HANDLE_CONTEXT), SIM_CUPTI_INVALID_CONTEXT);
    const struct sim_stream *stream = sim_stream_in(chosen, handle, per_thread);
    SIM_CUPTI_CHECK(stream && stream->context == chosen, SIM_CUPTI_INVALID_STREAM);
    *id = stream->id;
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetStreamId(struct sim_context *context, void *handle, uint32_t *id);
SIM_EXPORT int cuptiGetStreamId(struct sim_context *context, void *handle, uint32_t *id)
{
    SIM_CUPTI_ENTER(0);
    return stream_id(context, handle, false, id);
}

SIM_EXPORT int cuptiGetStreamIdEx(struct sim_context *context, void *handle, uint8_t per_thread,
                                  uint32_t *id);
SIM_EXPORT int cuptiGetStreamIdEx(struct sim_context *context, void *handle, uint8_t per_thread,
                                  uint32_t *id)
{
    SIM_CUPTI_ENTER(0);
    return stream_id(context, handle, per_thread != 0, id);
}

SIM_EXPORT int cuptiGetGraphId(struct sim_graph *graph, uint32_t *id);
SIM_EXPORT int cuptiGetGraphId(struct sim_graph *graph, uint32_t *id)
{
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(id && sim_handle_is(graph, SIM_HANDLE_GRAPH), SIM_CUPTI_INVALID_PARAMETER);
    *id = graph->id;
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetGraphExecId(struct sim_exec *exec, uint32_t *id);
SIM_EXPORT int cuptiGetGraphExecId(struct sim_exec *exec, uint32_t *id)
{
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(sim_config()->layout >= SIM_LAYOUT_12_4, SIM_CUPTI_NOT_IMPLEMENTED);
    SIM_CUPTI_CHECK(id && sim_handle_is(exec, SIM_HANDLE_EXEC), SIM_CUPTI_INVALID_PARAMETER);
    *id = exec->graph->id;
    return SIM_CUPTI_OK;
}

SIM_EXPORT int cuptiGetGraphNodeId(struct sim_node *node, uint64_t *id);
SIM_EXPORT int cuptiGetGraphNodeId(struct sim_node *node, uint64_t *id)
{
    SIM_CUPTI_ENTER(0);
    SIM_CUPTI_CHECK(id && sim_handle_is(node, SIM_HANDLE_NODE), SIM_CUPTI_INVALID_PARAMETER);
    *id = node->id;
    return SIM_CUPTI_OK;
}

/* ---- devices ---- */

SIM_EXPORT int cuptiDeviceSupported(int device, int *supported);
SIM_EXPORT int cuptiDeviceSupported(int device, int *supported)
{
    SIM_CUPTI_ENTER(device);
    SIM_CUPTI_CHECK(supported, SIM_CUPTI_INVALID_PARAMETER);
    SIM_CUPTI_CHECK(device >= 0 && device < sim_device_count(), 2); /* CUPTI_ERROR_INVALID_DEVICE */
    *supported = 1;
    return SIM_CUPTI_OK;
}

/* 0: not virtualised. */
SIM_EXPORT int cuptiDeviceVirtualizationMode(int device, int *mode);
SIM_EXPORT int cuptiDeviceVirtualizationMode(int device, int *mode)
{
    SIM_CUPTI_ENTER(device);
    SIM_CUPTI_CHECK(mode, SIM_CUPTI_INVALID_PARAMETER);
    *mode = 0;
    return SIM_CUPTI_OK;
}
