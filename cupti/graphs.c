#include "graphs.h"

#include "abi.h"
#include "atomic.h"
#include "config.h"
#include "facts.h"
#include "loader.h"
#include "log.h"
#include "subscription.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What one thread is instantiating. Nodes that are made meanwhile are clones: only what they are
 * cloned from says who captured them. */
struct instantiation {
    struct prof_rec_graph facts; /* so far */
    bool active;
    bool updated; /* a node was told to be updated since the thread's last call ended */
};

static __thread struct instantiation this_thread;

/* Programs can switch nodes off, and this CUPTI, being older than that, does not tell. Stored by
 * graphs_enable(), before any callback. */
static bool switches_unseen;

/* Where nodes come from is recorded. Stored by graphs_enable(), before any callback. */
static bool nodes_wanted;

static uint32_t graphs_graph_id(void *graph)
{
    const struct cupti_library *cupti = loader_cupti();
    uint32_t id = 0;
    if (!graph || !cupti || !cupti->cuptiGetGraphId || cupti->cuptiGetGraphId(graph, &id) != ABI_OK)
        return 0;
    return id;
}

static uint64_t graphs_node_id(void *node)
{
    const struct cupti_library *cupti = loader_cupti();
    uint64_t id = 0;
    if (!node || !cupti || !cupti->cuptiGetGraphNodeId ||
        cupti->cuptiGetGraphNodeId(node, &id) != ABI_OK)
        return 0;
    return id;
}

/* Older versions lack the function: use the id of the graph inside. */
static uint32_t graphs_exec_id(void *exec, void *graph)
{
    const struct cupti_library *cupti = loader_cupti();
    uint32_t id = 0;
    if (exec && cupti && cupti->cuptiGetGraphExecId &&
        cupti->cuptiGetGraphExecId(exec, &id) == ABI_OK)
        return id;
    return graphs_graph_id(graph);
}

/* ---- nodes ---- */

struct node {
    uint64_t id, original;
    uint32_t graph;
    uint8_t type, flags;
};

static void graphs_record_node(const struct node *node, struct stacks_origin origin, bool in_call)
{
    bool stack = stacks_are_on() && !node->original && !in_call;
    unsigned words =
        (stack ? sizeof(struct prof_rec_graph_node) : PROF_REC_GRAPH_NODE_SHORT_BYTES) / 8;
    uint64_t *space = thread_reserve(PROF_REC_GRAPH_NODE, words);
    if (!space)
        return;
    struct prof_rec_graph_node *record = (struct prof_rec_graph_node *)(void *)space;
    record->node = node->id;
    record->original = node->original;
    record->graph = node->graph;
    record->type = node->type;
    record->flags = node->flags;
    if (stack)
        record->stack = stacks_capture(origin);
    thread_commit(space, PROF_REC_GRAPH_NODE, words, thread_ticks(space));
}

static void graphs_remember_node(const struct node *node)
{
    graph_tables_add_node(&(struct prof_rec_earlier_node){
        .node = node->id,
        .original = node->original,
        .ticks = clock_now(),
        .graph = node->graph,
        .type = node->type,
        .flags = node->flags,
    });
}

static void graphs_handle_node(const struct node *node, struct stacks_origin origin, bool in_call)
{
    if (!node->id && !(node->flags & PROF_GRAPH_NODE_UNKNOWN))
        return;
    if (recorder_on())
        graphs_record_node(node, origin, in_call);
    else
        graphs_remember_node(node);
}

static uint8_t graphs_node_type(const struct abi_graph_data *data)
{
    return data->node_type < UINT8_MAX ? (uint8_t)data->node_type : UINT8_MAX;
}

static void graphs_count_node(struct prof_rec_graph *facts, uint8_t type)
{
    facts->kernels += type == PROF_GRAPH_KERNEL;
    facts->memcpys += type == PROF_GRAPH_MEMCPY;
    facts->memsets += type == PROF_GRAPH_MEMSET;
    facts->others += type > PROF_GRAPH_MEMSET;
    facts->flags |= type == PROF_GRAPH_CONDITIONAL ? PROF_GRAPH_VARIES : 0;
}

static void graphs_node_created(const struct abi_graph_data *data, struct stacks_origin origin,
                                bool in_call)
{
    if (this_thread.active)
        graphs_count_node(&this_thread.facts, graphs_node_type(data));
    if (this_thread.active || !nodes_wanted)
        return;
    const struct node node = {.id = graphs_node_id(data->node),
                              .graph = graphs_graph_id(data->graph),
                              .type = graphs_node_type(data)};
    graphs_handle_node(&node, origin, in_call);
}

static void graphs_node_copied(const struct abi_graph_data *data, struct stacks_origin origin,
                               uint8_t flags)
{
    const struct node node = {
        .id = graphs_node_id(data->node),
        .original = graphs_node_id(data->original_node),
        .graph = graphs_graph_id(data->graph),
        .type = graphs_node_type(data),
        .flags = flags,
    };
    this_thread.updated |= flags != 0;
    if (node.original)
        graphs_handle_node(&node, origin, true);
}

/* ---- graphs that can be launched ---- */

static void graphs_exec_begins(const struct abi_graph_data *data)
{
    this_thread.active = true;
    this_thread.facts = (struct prof_rec_graph){.source = graphs_graph_id(data->graph)};
}

static void graphs_exec_created(const struct abi_graph_data *data)
{
    struct prof_rec_graph *facts = &this_thread.facts;
    bool counted = this_thread.active;
    this_thread.active = false;
    facts->graph = graphs_exec_id(data->exec, data->graph);
    facts->ticks = clock_now();
    if (!counted || !facts->graph)
        return;
    bool on = recorder_on();
    facts->flags |= (on ? 0 : PROF_GRAPH_EARLIER) | (switches_unseen ? PROF_GRAPH_VARIES : 0);
    graph_tables_add_exec(data->exec, facts);
    if (on)
        graph_tables_emit_execs(false);
}

void graphs_receive(uint32_t cbid, const struct abi_graph_data *data, struct stacks_origin origin,
                    bool in_call)
{
    int kept_errno = errno;
    switch (cbid) {
    case ABI_RESOURCE_GRAPH_NODE_CREATED:
        graphs_node_created(data, origin, in_call);
        break;
    case ABI_RESOURCE_GRAPH_NODE_CLONED:
        graphs_node_copied(data, origin, 0);
        break;
    case ABI_RESOURCE_GRAPH_NODE_UPDATED:
        graphs_node_copied(data, origin, PROF_GRAPH_NODE_UPDATED);
        break;
    case ABI_RESOURCE_GRAPH_NODE_DESTROY_STARTING:
        graph_tables_remove_node(graphs_node_id(data->node));
        break;
    case ABI_RESOURCE_GRAPH_EXEC_CREATE_STARTING:
        graphs_exec_begins(data);
        break;
    case ABI_RESOURCE_GRAPH_EXEC_CREATED:
        graphs_exec_created(data);
        break;
    case ABI_RESOURCE_GRAPH_EXEC_DESTROY_STARTING:
        graph_tables_remove_exec(data->exec);
        break;
    default:
        break;
    }
    errno = kept_errno;
}

void graphs_enable(void *subscriber, bool nodes)
{
    static const uint32_t wanted[] = {
        ABI_RESOURCE_GRAPH_NODE_CREATED,
        ABI_RESOURCE_GRAPH_EXEC_CREATE_STARTING,
        ABI_RESOURCE_GRAPH_EXEC_CREATED,
        ABI_RESOURCE_GRAPH_EXEC_DESTROY_STARTING,
        /* where nodes come from */
        ABI_RESOURCE_GRAPH_NODE_CLONED,
        ABI_RESOURCE_GRAPH_NODE_UPDATED,
        ABI_RESOURCE_GRAPH_NODE_DESTROY_STARTING,
    };
    const size_t counting = 4, count = nodes ? sizeof wanted / sizeof *wanted : counting;
    const struct cupti_library *cupti = loader_cupti();
    const struct driver_library *driver = loader_driver();
    nodes_wanted = nodes;
    if (!cupti->cuptiGetGraphNodeId)
        return;
    switches_unseen = cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RUNTIME,
                                                 ABI_CBID_RUNTIME_SWITCH_NODE) != ABI_OK &&
                      driver && driver->version >= ABI_SWITCH_NODE_VERSION;
    for (size_t i = 0; i < count; i++)
        cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RESOURCE, wanted[i]);
}

/* ---- calls ---- */

static void *graphs_exec_of(const struct abi_call_data *data)
{
    void *exec = NULL;
    if (data->parameters)
        memcpy(&exec, data->parameters, sizeof exec);
    return exec;
}

/* Before 13.0, CUPTI does not report which node replaces which. */
static void graphs_note_update(const struct abi_call_data *data)
{
    struct prof_rec_graph facts;
    uint32_t result = 0;
    if (data->result)
        memcpy(&result, data->result, sizeof result);
    if (result != ABI_OK || this_thread.updated || !nodes_wanted ||
        !graph_tables_find_exec(graphs_exec_of(data), &facts))
        return;
    const struct node unknown = {.graph = facts.graph, .flags = PROF_GRAPH_NODE_UNKNOWN};
    if (recorder_on())
        graphs_record_node(&unknown, (struct stacks_origin){0}, true);
    else
        graph_tables_flag_exec(graphs_exec_of(data), PROF_GRAPH_ELSEWHERE);
}

void graphs_called(const struct api_call *call, const struct abi_call_data *data)
{
    if (call->what == API_UPDATE)
        graphs_note_update(data);
    if (call->what == API_SWITCH_NODE) {
        graph_tables_flag_exec(graphs_exec_of(data), PROF_GRAPH_VARIES);
        graph_tables_emit_execs(false);
    }
    this_thread.active = this_thread.updated = false;
}

struct graphs_launch graphs_of_launch(const struct abi_call_data *data)
{
    struct prof_rec_graph facts;
    struct graphs_launch launch = {.whole = graphs_are_single_records()};
    void *exec = graphs_exec_of(data);
    if (!exec)
        return launch;
    bool known = graph_tables_find_exec(exec, &facts);
    launch.graph = known ? facts.graph : graphs_exec_id(exec, NULL);
    if (launch.whole)
        launch.operations = 1;
    else if (known && !(facts.flags & PROF_GRAPH_VARIES))
        launch.operations = facts.kernels + facts.memsets;
    return launch;
}

static void graphs_note_unplaced(void)
{
    static uint32_t reported;
    char text[128];
    if (graph_tables_unplaced_nodes() == 0 || exchange_acquire(&reported, 1u))
        return;
    snprintf(text, sizeof text,
             "more than %u nodes of CUDA graphs were made before recording began: some are unknown",
             GRAPH_TABLES_NODES_MAX);
    log_line(LOG_PROCESS, "%s", text);
    facts_set_info(PROF_INFO_NOTE, text);
}

void graphs_emit(bool again)
{
    graphs_note_unplaced();
    graph_tables_emit_nodes(again);
    graph_tables_emit_execs(again);
}

/* ---- a record per node, or one per launched graph: CUPTI does one or the other ---- */

static bool throttle;        /* nodes are left out for now; graphs_set_nodes stores */
static bool whole;           /* the kind is on; stored by the thread that may call CUPTI */
static bool kinds_are_on;    /* the same */
static bool is_refused;      /* the same: asking again would not help */
static uint32_t whole_bytes; /* of a record; 0: this CUPTI has none */

static bool graphs_wants_single_records(void)
{
    return !is_refused && (load_relaxed(&throttle) || config_get()->graphs == CONFIG_GRAPHS_GRAPH);
}

static void graphs_note_refusal(int result)
{
    static uint32_t reported;
    char text[160];
    if (exchange_acquire(&reported, 1u))
        return;
    snprintf(text, sizeof text,
             "CUPTI cannot record whole graphs (error %d; CUDA 11.7 and driver 515 can): libprof "
             "records their nodes",
             result);
    facts_emit_note(text);
}

static void graphs_switch_on(void)
{
    int result = whole_bytes ? subscription_enable(ABI_KIND_GRAPH_TRACE) : ABI_INVALID_KIND;
    store_release(&whole, result == ABI_OK);
    is_refused = result != ABI_OK;
    if (is_refused)
        graphs_note_refusal(result);
}

static void graphs_switch_off(void)
{
    if (load_relaxed(&whole))
        subscription_disable(ABI_KIND_GRAPH_TRACE);
    store_release(&whole, false);
}

void graphs_prepare_kind(const struct oracle *oracle)
{
    whole_bytes = oracle_size(oracle, ABI_KIND_GRAPH_TRACE);
    is_refused = false;
    if (subscription_api() == SUBSCRIPTION_V2 && graphs_wants_single_records())
        subscription_set(ABI_ATTRIBUTE_GRAPH_TRACE, 1);
}

void graphs_enable_kind(void)
{
    kinds_are_on = true;
    if (graphs_wants_single_records())
        graphs_switch_on();
}

void graphs_disable_kind(void)
{
    kinds_are_on = false;
    graphs_switch_off();
}

bool graphs_can_throttle(void)
{
    return whole_bytes && config_get()->graphs != CONFIG_GRAPHS_GRAPH &&
           subscription_api() == SUBSCRIPTION_V1;
}

void graphs_set_nodes(bool on)
{
    store_relaxed(&throttle, !on);
}

void graphs_apply(void)
{
    if (!kinds_are_on || graphs_wants_single_records() == load_relaxed(&whole))
        return;
    if (graphs_wants_single_records())
        graphs_switch_on();
    else
        graphs_switch_off();
}

bool graphs_are_single_records(void)
{
    return load_acquire(&whole);
}

/* ---- capturing: launches go into a graph rather than to a device ---- */

#define PER_THREAD_STREAM 2u

/* Captures in progress. Too high after a stream was destroyed in mid-capture: then launches ask
 * the driver for nothing. */
static int64_t captures;

void graphs_capture_began(void)
{
    fetch_add_relaxed(&captures, 1);
}

void graphs_capture_ended(void)
{
    int64_t seen = load_relaxed(&captures);
    while (seen > 0 && !cas_acq_rel(&captures, &seen, seen - 1))
        continue;
}

bool graphs_capture_may_be_active(void)
{
    return load_relaxed(&captures) > 0;
}

bool graphs_capture_is_active(uint64_t stream, bool per_thread)
{
    const struct driver_library *driver = loader_driver();
    if (!driver || !driver->cuStreamIsCapturing)
        return false;
    if (!stream && per_thread)
        stream = PER_THREAD_STREAM;
    int status = ABI_CUDA_CAPTURE_NONE;
    int kept_errno = errno;
    int result = driver->cuStreamIsCapturing((void *)(uintptr_t)stream, &status);
    errno = kept_errno;
    return result == ABI_OK && status != ABI_CUDA_CAPTURE_NONE;
}
