#include "sim_subscriber.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "sim_activity.h"
#include "sim_buffer.h"
#include "sim_call.h"
#include "sim_config.h"
#include "sim_context.h"
#include "sim_cupti.h"
#include "sim_layout.h"
#include "sim_locks.h"
#include "sim_stream.h"

enum { MAX_CBIDS = 1024, MAX_NAME = 64 };

struct sim_subscriber {
    sim_callback callback;
    void *user;
    char name[MAX_NAME];
    enum sim_sharing sharing;
    atomic_bool subscribed;
    atomic_bool wanted[SIM_CB_DOMAINS][MAX_CBIDS];
};

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* over coming and going of subscribers; a leaf */
static struct sim_subscriber subscribers[SIM_CLIENTS - 1]; /* client i + 1 in the v2 API */
static _Thread_local bool flush_forbidden;

/* The 72 bytes an API callback is given. */
struct callback_data {
    uint32_t site; /* 0 enter, 1 exit */
    const char *name;
    const void *params;
    const void *result; /* NULL at enter */
    const char *symbol;
    struct sim_context *context;
    uint32_t context_id;
    uint64_t *correlation_data;
    uint32_t correlation;
};
_Static_assert(sizeof(struct callback_data) == 72, "every CUPTI");

struct resource_data {
    struct sim_context *context;
    void *stream;
    const void *descriptor;
};
_Static_assert(sizeof(struct resource_data) == 24, "every CUPTI");

struct graph_data {
    struct sim_graph *graph, *original_graph;
    struct sim_node *node, *original_node;
    uint32_t node_type;
    struct sim_node *dependency;
    struct sim_exec *exec;
};
_Static_assert(sizeof(struct graph_data) == 56, "every CUPTI");

struct module_data {
    uint32_t module_id;
    size_t bytes;
    const char *image;
};

struct synchronize_data {
    struct sim_context *context;
    void *stream;
};

struct state_data {
    uint32_t result;
    const char *message;
};

/* ---- life ---- */

#define FOR_EACH(subscriber)                              \
    for (struct sim_subscriber *subscriber = subscribers; \
         subscriber < subscribers + SIM_COUNT(subscribers); subscriber++)

static const char outsider[] = "another tool"; /* SIM_V2_SUBSCRIBER */

static bool is_there(const struct sim_subscriber *subscriber)
{
    return atomic_load_explicit(&subscriber->subscribed, memory_order_acquire);
}

static bool has_v2(void)
{
    return sim_config()->layout >= SIM_LAYOUT_13_3;
}

static int64_t outsider_of_v2(void)
{
    return has_v2() ? sim_config()->v2_subscriber : SIM_SECOND_NOBODY;
}

const char *sim_subscriber_other(void)
{
    if (sim_config()->other_subscriber)
        return sim_config()->other_subscriber;
    if (outsider_of_v2() != SIM_SECOND_NOBODY)
        return outsider;
    FOR_EACH(subscriber)
    if (is_there(subscriber))
        return subscriber->name;
    return NULL;
}

static bool all_let_in(void)
{
    if (sim_config()->other_subscriber || outsider_of_v2() == SIM_SECOND_ALONE)
        return false;
    FOR_EACH(subscriber)
    if (is_there(subscriber) && subscriber->sharing != SIM_SECOND_FORM_SHARED)
        return false;
    return !sim_activity_client_is_on(0);
}

static struct sim_subscriber *find_place(enum sim_sharing sharing)
{
    if (sim_subscriber_other() && !(sharing == SIM_SECOND_FORM_SHARED && all_let_in()))
        return NULL;
    FOR_EACH(subscriber)
    if (!is_there(subscriber))
        return subscriber;
    return NULL;
}

static void remember(struct sim_subscriber *place, sim_callback callback, void *user,
                     const char *name, enum sim_sharing sharing)
{
    place->callback = callback;
    place->user = user;
    place->sharing = sharing;
    memset(place->name, 0, sizeof place->name);
    if (name)
        strncpy(place->name, name, sizeof place->name - 1);
    atomic_store(&place->subscribed, true);
}

int sim_subscriber_create(struct sim_subscriber **subscriber, sim_callback callback, void *user,
                          const char *name, enum sim_sharing sharing)
{
    if (!subscriber)
        return SIM_CUPTI_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    struct sim_subscriber *place = find_place(sharing);
    if (place) {
        remember(place, callback, user, name, sharing);
        *subscriber = place;
    }
    pthread_mutex_unlock(&lock);
    return place ? SIM_CUPTI_OK : SIM_CUPTI_MULTIPLE_SUBSCRIBERS;
}

bool sim_subscriber_is(const struct sim_subscriber *subscriber)
{
    FOR_EACH(each)
    if (subscriber == each && is_there(each))
        return true;
    return false;
}

int sim_subscriber_client(const struct sim_subscriber *subscriber)
{
    if (!sim_subscriber_is(subscriber) || subscriber->sharing == SIM_FIRST_FORM)
        return -1;
    return (int)(subscriber - subscribers) + 1;
}

bool sim_subscriber_v2_in_use(void)
{
    if (outsider_of_v2() != SIM_SECOND_NOBODY)
        return true;
    FOR_EACH(subscriber)
    if (is_there(subscriber) && subscriber->sharing != SIM_FIRST_FORM && has_v2())
        return true;
    return false;
}

bool sim_subscriber_v1_in_use(void)
{
    FOR_EACH(subscriber)
    if (is_there(subscriber) && subscriber->sharing == SIM_FIRST_FORM)
        return true;
    return sim_config()->other_subscriber != NULL || sim_activity_client_is_on(0);
}

static void forget_requests(struct sim_subscriber *subscriber)
{
    for (uint32_t domain = 0; domain < SIM_CB_DOMAINS; domain++)
        for (uint32_t cbid = 0; cbid < MAX_CBIDS; cbid++)
            atomic_store_explicit(&subscriber->wanted[domain][cbid], false, memory_order_relaxed);
}

void sim_subscriber_destroy_all(void)
{
    FOR_EACH(subscriber)
    {
        forget_requests(subscriber);
        atomic_store(&subscriber->subscribed, false);
    }
}

/* In the v2 API what it had requested goes with it; records not yet delivered are lost. */
int sim_subscriber_destroy(struct sim_subscriber *subscriber)
{
    const int client = sim_subscriber_client(subscriber);
    if (!sim_subscriber_is(subscriber))
        return SIM_CUPTI_INVALID_PARAMETER;
    if (client > 0) {
        sim_activity_disable_client((uint32_t)client);
        sim_buffer_close((uint32_t)client);
    }
    forget_requests(subscriber);
    atomic_store(&subscriber->subscribed, false);
    return SIM_CUPTI_OK;
}

int sim_subscriber_enable(struct sim_subscriber *subscriber, uint32_t domain, uint32_t cbid,
                          bool on)
{
    const uint32_t count = sim_layout_cbids(domain);
    if (!count || cbid >= count)
        return SIM_CUPTI_INVALID_PARAMETER;
    if (cbid) {
        atomic_store(&subscriber->wanted[domain][cbid], on);
        return SIM_CUPTI_OK;
    }
    for (uint32_t i = 1; i < count; i++)
        atomic_store_explicit(&subscriber->wanted[domain][i], on, memory_order_relaxed);
    return SIM_CUPTI_OK;
}

bool sim_subscriber_wants(const struct sim_subscriber *subscriber, uint32_t domain, uint32_t cbid)
{
    return cbid && cbid < MAX_CBIDS && is_there(subscriber) &&
           atomic_load_explicit(&subscriber->wanted[domain][cbid], memory_order_relaxed);
}

static bool anybody_wants(uint32_t domain, uint32_t cbid)
{
    FOR_EACH(subscriber)
    if (sim_subscriber_wants(subscriber, domain, cbid))
        return true;
    return false;
}

bool sim_subscriber_forbids_flush(void)
{
    return flush_forbidden;
}

/* ---- calling ---- */

/* CUDA calls the client makes from within are calls of their own, with ids of their own. */
static void deliver(uint32_t domain, uint32_t cbid, const void *data)
{
    struct sim_call *call = sim_call_suspend();
    const bool before = flush_forbidden;
    flush_forbidden = domain != SIM_CB_DRIVER && domain != SIM_CB_RUNTIME;
    FOR_EACH(subscriber)
    if (sim_subscriber_wants(subscriber, domain, cbid) && subscriber->callback)
        subscriber->callback(subscriber->user, domain, cbid, data);
    flush_forbidden = before;
    sim_call_resume(call);
}

void sim_subscriber_api(const struct sim_call *call, bool is_exit)
{
    const uint32_t domain = call->api->domain;
    const uint32_t cbid = sim_layout_cbid(domain, call->api->cbid);
    if (!anybody_wants(domain, cbid))
        return;
    struct sim_context *context = sim_context_current();
    const struct callback_data data = {
        .site = is_exit,
        .name = call->api->name,
        .params = call->params,
        .result = is_exit ? &call->result : NULL,
        .symbol = call->symbol,
        .context = context,
        .context_id = context ? context->id : 0,
        .correlation_data = (uint64_t *)(uintptr_t)&call->correlation_data,
        .correlation = call->correlation,
    };
    sim_locks_api_begin();
    deliver(domain, cbid, &data);
    sim_locks_api_end();
}

static bool is_graph_event(enum sim_resource_id id)
{
    return id >= SIM_GRAPH_CREATED && id != 21;
}

static bool is_module_event(enum sim_resource_id id)
{
    return id == SIM_MODULE_LOADED || id == SIM_MODULE_UNLOAD_STARTING;
}

void sim_subscriber_resource(enum sim_resource_id id, const struct sim_resource *resource)
{
    static const struct module_data module = {0};
    if (!anybody_wants(SIM_CB_RESOURCE, id) || id >= sim_layout_cbids(SIM_CB_RESOURCE))
        return;
    const struct graph_data graph = {
        .graph = resource->graph,
        .original_graph = resource->original_graph,
        .node = resource->node,
        .original_node = resource->original_node,
        .node_type = (uint32_t)resource->node_type,
        .dependency = resource->dependency,
        .exec = resource->exec,
    };
    const struct resource_data data = {
        .context = resource->context,
        .stream = resource->stream,
        .descriptor = is_graph_event(id)    ? (const void *)&graph
                      : is_module_event(id) ? (const void *)&module
                                            : NULL,
    };
    deliver(SIM_CB_RESOURCE, id, &data);
}

void sim_subscriber_synchronized(const struct sim_sync *sync)
{
    const uint32_t cbid = sync->type == SIM_SYNC_STREAM    ? 1
                          : sync->type == SIM_SYNC_CONTEXT ? 2
                                                           : 0;
    if (!anybody_wants(SIM_CB_SYNCHRONIZE, cbid))
        return;
    const struct synchronize_data data = {.context = sync->context, .stream = sync->stream};
    deliver(SIM_CB_SYNCHRONIZE, cbid, &data);
}

void sim_subscriber_state(uint32_t cbid, int result, const char *message)
{
    if (!anybody_wants(SIM_CB_STATE, cbid))
        return;
    const struct state_data data = {.result = (uint32_t)result, .message = message};
    deliver(SIM_CB_STATE, cbid, &data);
}
