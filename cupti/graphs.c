#include "graphs.h"

#include "atomic.h"
#include "facts.h"
#include "graph_execs.h"
#include "graph_kinds.h"
#include "graph_nodes.h"
#include "loader.h"
#include "log.h"

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

static uint32_t graph_id(void *graph)
{
    const struct cupti_library *cupti = loader_cupti();
    uint32_t id = 0;
    if (!graph || !cupti || !cupti->cuptiGetGraphId || cupti->cuptiGetGraphId(graph, &id) != ABI_OK)
        return 0;
    return id;
}

static uint64_t node_id(void *node)
{
    const struct cupti_library *cupti = loader_cupti();
    uint64_t id = 0;
    if (!node || !cupti || !cupti->cuptiGetGraphNodeId ||
        cupti->cuptiGetGraphNodeId(node, &id) != ABI_OK)
        return 0;
    return id;
}

/* Older versions lack the function; there the graph inside of it is asked for its id. */
static uint32_t exec_id(void *exec, void *graph)
{
    const struct cupti_library *cupti = loader_cupti();
    uint32_t id = 0;
    if (exec && cupti && cupti->cuptiGetGraphExecId &&
        cupti->cuptiGetGraphExecId(exec, &id) == ABI_OK)
        return id;
    return graph_id(graph);
}

/* ---- nodes ---- */

struct node {
    uint64_t id, original;
    uint32_t graph;
    uint8_t type, flags;
};

static void record_node(const struct node *node, struct stacks_origin origin, bool in_call)
{
    bool stack = stacks_wanted() && !node->original && !in_call;
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
        record->stack = stacks_take(origin);
    thread_commit(space, PROF_REC_GRAPH_NODE, words, thread_ticks(space));
}

static void remember_node(const struct node *node)
{
    graph_nodes_remember(&(struct prof_rec_earlier_node){
        .node = node->id,
        .original = node->original,
        .ticks = clock_now(),
        .graph = node->graph,
        .type = node->type,
        .flags = node->flags,
    });
}

static void take_node(const struct node *node, struct stacks_origin origin, bool in_call)
{
    if (!node->id && !(node->flags & PROF_GRAPH_NODE_UNKNOWN))
        return;
    if (recorder_on())
        record_node(node, origin, in_call);
    else
        remember_node(node);
}

static uint8_t node_type(const struct abi_graph_data *data)
{
    return data->node_type < UINT8_MAX ? (uint8_t)data->node_type : UINT8_MAX;
}

static void count_node(struct prof_rec_graph *facts, uint8_t type)
{
    facts->kernels += type == PROF_GRAPH_KERNEL;
    facts->memcpys += type == PROF_GRAPH_MEMCPY;
    facts->memsets += type == PROF_GRAPH_MEMSET;
    facts->others += type > PROF_GRAPH_MEMSET;
    facts->flags |= type == PROF_GRAPH_CONDITIONAL ? PROF_GRAPH_VARIES : 0;
}

static void node_created(const struct abi_graph_data *data, struct stacks_origin origin,
                         bool in_call)
{
    const struct node node = {
        .id = node_id(data->node), .graph = graph_id(data->graph), .type = node_type(data)};
    if (this_thread.active)
        count_node(&this_thread.facts, node.type);
    else
        take_node(&node, origin, in_call);
}

static void node_copied(const struct abi_graph_data *data, struct stacks_origin origin,
                        uint8_t flags)
{
    const struct node node = {
        .id = node_id(data->node),
        .original = node_id(data->original_node),
        .graph = graph_id(data->graph),
        .type = node_type(data),
        .flags = flags,
    };
    this_thread.updated |= flags != 0;
    if (node.original)
        take_node(&node, origin, true);
}

/* ---- graphs that can be launched ---- */

static void exec_begins(const struct abi_graph_data *data)
{
    this_thread.active = true;
    this_thread.facts = (struct prof_rec_graph){.source = graph_id(data->graph)};
}

static void exec_created(const struct abi_graph_data *data)
{
    struct prof_rec_graph *facts = &this_thread.facts;
    bool counted = this_thread.active;
    this_thread.active = false;
    facts->graph = exec_id(data->exec, data->graph);
    facts->ticks = clock_now();
    if (!counted || !facts->graph)
        return;
    bool on = recorder_on();
    facts->flags |= (on ? 0 : PROF_GRAPH_EARLIER) | (switches_unseen ? PROF_GRAPH_VARIES : 0);
    graph_execs_add(data->exec, facts);
    if (on)
        graph_execs_state(false);
}

void graphs_receive(uint32_t cbid, const struct abi_graph_data *data, struct stacks_origin origin,
                    bool in_call)
{
    int kept_errno = errno;
    switch (cbid) {
    case ABI_RESOURCE_GRAPH_NODE_CREATED:
        node_created(data, origin, in_call);
        break;
    case ABI_RESOURCE_GRAPH_NODE_CLONED:
        node_copied(data, origin, 0);
        break;
    case ABI_RESOURCE_GRAPH_NODE_UPDATED:
        node_copied(data, origin, PROF_GRAPH_NODE_UPDATED);
        break;
    case ABI_RESOURCE_GRAPH_NODE_DESTROY_STARTING:
        graph_nodes_forget(node_id(data->node));
        break;
    case ABI_RESOURCE_GRAPH_EXEC_CREATE_STARTING:
        exec_begins(data);
        break;
    case ABI_RESOURCE_GRAPH_EXEC_CREATED:
        exec_created(data);
        break;
    case ABI_RESOURCE_GRAPH_EXEC_DESTROY_STARTING:
        graph_execs_remove(data->exec);
        break;
    default:
        break;
    }
    errno = kept_errno;
}

void graphs_enable(void *subscriber)
{
    static const uint32_t wanted[] = {
        ABI_RESOURCE_GRAPH_NODE_CREATED,          ABI_RESOURCE_GRAPH_NODE_CLONED,
        ABI_RESOURCE_GRAPH_NODE_UPDATED,          ABI_RESOURCE_GRAPH_NODE_DESTROY_STARTING,
        ABI_RESOURCE_GRAPH_EXEC_CREATE_STARTING,  ABI_RESOURCE_GRAPH_EXEC_CREATED,
        ABI_RESOURCE_GRAPH_EXEC_DESTROY_STARTING,
    };
    const struct cupti_library *cupti = loader_cupti();
    const struct driver_library *driver = loader_driver();
    if (!cupti->cuptiGetGraphNodeId)
        return;
    switches_unseen = cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RUNTIME,
                                                 ABI_CBID_RUNTIME_SWITCH_NODE) != ABI_OK &&
                      driver && driver->version >= ABI_SWITCH_NODE_VERSION;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cupti->cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RESOURCE, wanted[i]);
}

/* ---- calls ---- */

static void *exec_of(const struct abi_call_data *data)
{
    void *exec = NULL;
    if (data->parameters)
        memcpy(&exec, data->parameters, sizeof exec);
    return exec;
}

/* Before 13.0 nobody tells which node takes over from which. */
static void note_update(const struct abi_call_data *data)
{
    struct prof_rec_graph facts;
    uint32_t result = 0;
    if (data->result)
        memcpy(&result, data->result, sizeof result);
    if (result != ABI_OK || this_thread.updated || !graph_execs_find(exec_of(data), &facts))
        return;
    const struct node unknown = {.graph = facts.graph, .flags = PROF_GRAPH_NODE_UNKNOWN};
    if (recorder_on())
        record_node(&unknown, (struct stacks_origin){0}, true);
    else
        graph_execs_flag(exec_of(data), PROF_GRAPH_ELSEWHERE);
}

void graphs_called(const struct api_call *call, const struct abi_call_data *data)
{
    if (call->what == API_UPDATE)
        note_update(data);
    if (call->what == API_SWITCH_NODE) {
        graph_execs_flag(exec_of(data), PROF_GRAPH_VARIES);
        graph_execs_state(false);
    }
    this_thread.active = this_thread.updated = false;
}

struct graphs_launch graphs_of_launch(const struct abi_call_data *data)
{
    struct prof_rec_graph facts;
    struct graphs_launch launch = {.whole = graph_kinds_whole()};
    void *exec = exec_of(data);
    if (!exec)
        return launch;
    bool known = graph_execs_find(exec, &facts);
    launch.graph = known ? facts.graph : exec_id(exec, NULL);
    if (launch.whole)
        launch.operations = 1;
    else if (known && !(facts.flags & PROF_GRAPH_VARIES))
        launch.operations = facts.kernels + facts.memsets;
    return launch;
}

static void note_unplaced(void)
{
    static uint32_t said;
    char text[128];
    if (graph_nodes_unplaced() == 0 || exchange_acquire(&said, 1u))
        return;
    snprintf(text, sizeof text,
             "more than %u nodes of CUDA graphs were made before recording began: some are unknown",
             GRAPH_NODES_MAX);
    log_line(LOG_PROCESS, "%s", text);
    facts_info(PROF_INFO_NOTE, text);
}

void graphs_state(bool again)
{
    note_unplaced();
    graph_nodes_state(again);
    graph_execs_state(again);
}
