/* sim_rt_graph.c - graphs. */
#include "sim_graph.h"
#include "sim_handle.h"
#include "sim_launch.h"
#include "sim_nodes.h"
#include "sim_rt.h"
#include "sim_transfer.h"

static bool is_graph(const void *handle)
{
    return sim_handle_is(handle, SIM_HANDLE_GRAPH);
}

static bool is_node(const void *handle)
{
    return sim_handle_is(handle, SIM_HANDLE_NODE);
}

static bool is_exec(const void *handle)
{
    return sim_handle_is(handle, SIM_HANDLE_EXEC);
}

/* ---- graphs ---- */

SIM_API(cudaGraphCreate, struct sim_graph **, graph, unsigned, flags)
{
    SIM_CHECK(graph && flags == 0, SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    *graph = sim_graph_create();
    return *graph ? SIM_OK : SIM_OUT_OF_MEMORY;
}

SIM_API(cudaGraphDestroy, struct sim_graph *, graph)
{
    SIM_CHECK(is_graph(graph) && !graph->owned, SIM_INVALID_VALUE);
    sim_graph_destroy(graph);
    return SIM_OK;
}

SIM_API(cudaGraphClone, struct sim_graph **, clone, struct sim_graph *, graph)
{
    SIM_CHECK(clone && is_graph(graph), SIM_INVALID_VALUE);
    *clone = sim_graph_clone(graph);
    return *clone ? SIM_OK : SIM_OUT_OF_MEMORY;
}

SIM_API(cudaGraphGetNodes, struct sim_graph *, graph, struct sim_node **, nodes, size_t *, count)
{
    SIM_CHECK(is_graph(graph) && count, SIM_INVALID_VALUE);
    return sim_nodes_list(graph, nodes, count, false);
}

SIM_API(cudaGraphGetRootNodes, struct sim_graph *, graph, struct sim_node **, nodes, size_t *,
        count)
{
    SIM_CHECK(is_graph(graph) && count, SIM_INVALID_VALUE);
    return sim_nodes_list(graph, nodes, count, true);
}

SIM_API(cudaGraphGetEdges, struct sim_graph *, graph, struct sim_node **, from, struct sim_node **,
        to, void *, edges, size_t *, count)
{
    size_t found = 0;
    SIM_CHECK(is_graph(graph) && count && !edges, SIM_INVALID_VALUE);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t d = 0; d < graph->nodes[i]->dependency_count; d++, found++) {
            if (!from || !to || found >= *count)
                continue;
            from[found] = graph->nodes[i]->dependencies[d];
            to[found] = graph->nodes[i];
        }
    *count = from && to && found > *count ? *count : found;
    return SIM_OK;
}

SIM_API(cudaGraphAddDependencies, struct sim_graph *, graph, struct sim_node *const *, from,
        struct sim_node *const *, to, const void *, edges, size_t, count)
{
    (void)edges;
    SIM_CHECK(is_graph(graph) && (!count || (from && to)), SIM_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        SIM_CHECK(is_node(from[i]) && is_node(to[i]), SIM_INVALID_VALUE);
        SIM_TRY(sim_graph_connect(from[i], to[i]));
    }
    return SIM_OK;
}

SIM_API(cudaGraphRemoveDependencies, struct sim_graph *, graph, struct sim_node *const *, from,
        struct sim_node *const *, to, const void *, edges, size_t, count)
{
    (void)edges;
    SIM_CHECK(is_graph(graph) && (!count || (from && to)), SIM_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        SIM_CHECK(is_node(from[i]) && is_node(to[i]), SIM_INVALID_VALUE);
        SIM_TRY(sim_graph_disconnect(from[i], to[i]));
    }
    return SIM_OK;
}

/* ---- nodes ---- */

static int kernel_work(const struct sim_kernel_params *params, struct sim_work *work)
{
    SIM_CHECK(params, SIM_INVALID_VALUE);
    struct sim_function *function = sim_rt_function(params->function);
    SIM_CHECK(function, SIM_INVALID_DEVICE_FUNCTION);
    *work = (struct sim_work){.kind = SIM_WORK_KERNEL,
                              .kernel = {.function = function,
                                         .grid = params->grid,
                                         .block = params->block,
                                         .dynamic_shared = params->dynamic_shared}};
    return sim_launch_check(&work->kernel);
}

SIM_API(cudaGraphAddKernelNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct sim_kernel_params *,
        params)
{
    struct sim_work work;
    SIM_TRY(kernel_work(params, &work));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_KERNEL, &work);
}

SIM_API(cudaGraphKernelNodeSetParams, struct sim_node *, node, const struct sim_kernel_params *,
        params)
{
    struct sim_work work;
    SIM_CHECK(is_node(node), SIM_INVALID_VALUE);
    SIM_TRY(kernel_work(params, &work));
    return sim_graph_set(node, &work);
}

SIM_API(cudaGraphKernelNodeGetParams, struct sim_node *, node, struct sim_kernel_params *, params)
{
    SIM_CHECK(is_node(node) && params && node->work.kind == SIM_WORK_KERNEL, SIM_INVALID_VALUE);
    *params = (struct sim_kernel_params){.function = node->work.kernel.function,
                                         .grid = node->work.kernel.grid,
                                         .block = node->work.kernel.block,
                                         .dynamic_shared = node->work.kernel.dynamic_shared};
    return SIM_OK;
}

SIM_API(cudaGraphAddMemcpyNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct sim_copy_3d *, params)
{
    struct sim_work work;
    SIM_CHECK(params, SIM_INVALID_VALUE);
    SIM_TRY(sim_transfer_3d(&work, params, true));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_MEMCPY, &work);
}

SIM_API(cudaGraphAddMemcpyNode1D, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, void *, dst, const void *, src,
        size_t, bytes, int, kind)
{
    struct sim_work work;
    SIM_TRY(sim_transfer_copy(&work, dst, src, bytes, kind, true));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_MEMCPY, &work);
}

SIM_API(cudaGraphAddMemsetNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct sim_set_params *,
        params)
{
    struct sim_work work;
    SIM_TRY(sim_nodes_set_work(&work, params));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_MEMSET, &work);
}

SIM_API(cudaGraphAddHostNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct sim_host_params *,
        params)
{
    struct sim_work work;
    SIM_TRY(sim_nodes_host_work(&work, params));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_HOST, &work);
}

SIM_API(cudaGraphAddChildGraphNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, struct sim_graph *, child)
{
    const struct sim_work work = {.kind = SIM_WORK_CHILD, .child = child};
    SIM_CHECK(is_graph(child), SIM_INVALID_VALUE);
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_GRAPH, &work);
}

SIM_API(cudaGraphChildGraphNodeGetGraph, struct sim_node *, node, struct sim_graph **, child)
{
    SIM_CHECK(is_node(node) && child && node->work.kind == SIM_WORK_CHILD, SIM_INVALID_VALUE);
    *child = node->work.child;
    return SIM_OK;
}

SIM_API(cudaGraphAddEmptyNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count)
{
    const struct sim_work work = {.kind = SIM_WORK_EMPTY};
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_EMPTY, &work);
}

SIM_API(cudaGraphAddEventRecordNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, struct sim_event *, event)
{
    const struct sim_work work = {.kind = SIM_WORK_RECORD, .mark.event = event};
    SIM_CHECK(sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_VALUE);
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_EVENT_RECORD, &work);
}

SIM_API(cudaGraphAddEventWaitNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, struct sim_event *, event)
{
    const struct sim_work work = {.kind = SIM_WORK_WAIT, .mark.event = event};
    SIM_CHECK(sim_handle_is(event, SIM_HANDLE_EVENT), SIM_INVALID_VALUE);
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_WAIT_EVENT, &work);
}

SIM_API(cudaGraphNodeGetType, struct sim_node *, node, int *, type)
{
    SIM_CHECK(is_node(node) && type, SIM_INVALID_VALUE);
    *type = (int)node->type;
    return SIM_OK;
}

SIM_API(cudaGraphNodeGetDependencies, struct sim_node *, node, struct sim_node **, dependencies,
        void *, edges, size_t *, count)
{
    SIM_CHECK(is_node(node) && count && !edges, SIM_INVALID_VALUE);
    for (size_t i = 0; dependencies && i < *count; i++)
        dependencies[i] = i < node->dependency_count ? node->dependencies[i] : NULL;
    if (!dependencies || *count > node->dependency_count)
        *count = node->dependency_count;
    return SIM_OK;
}

SIM_API(cudaGraphNodeFindInClone, struct sim_node **, found, struct sim_node *, node,
        struct sim_graph *, clone)
{
    SIM_CHECK(found && is_node(node) && is_graph(clone), SIM_INVALID_VALUE);
    *found = sim_graph_find(clone, node);
    return *found ? SIM_OK : SIM_INVALID_VALUE;
}

SIM_API(cudaGraphDestroyNode, struct sim_node *, node)
{
    SIM_CHECK(is_node(node), SIM_INVALID_VALUE);
    sim_graph_remove(node);
    return SIM_OK;
}

/* ---- executable graphs ---- */

static int instantiate(struct sim_exec **exec, struct sim_graph *graph, unsigned long long flags)
{
    SIM_CHECK(exec && is_graph(graph), SIM_INVALID_VALUE);
    SIM_TRY(sim_rt_ready());
    return cuGraphInstantiateWithFlags(exec, graph, flags);
}

SIM_API(cudaGraphInstantiate, struct sim_exec **, exec, struct sim_graph *, graph,
        unsigned long long, flags)
{
    return instantiate(exec, graph, flags);
}

SIM_API(cudaGraphInstantiateWithFlags, struct sim_exec **, exec, struct sim_graph *, graph,
        unsigned long long, flags)
{
    return instantiate(exec, graph, flags);
}

struct instantiate_params {
    unsigned long long flags;
    void *upload_stream;
    struct sim_node *error_node;
    int result;
};

SIM_API_TWIN(cudaGraphInstantiateWithParams, _ptsz, struct sim_exec **, exec, struct sim_graph *,
             graph, struct instantiate_params *, params)
{
    SIM_CHECK(params, SIM_INVALID_VALUE);
    const int result = instantiate(exec, graph, params->flags);
    params->error_node = NULL;
    params->result = result == SIM_OK ? 0 : 1;
    return result;
}

SIM_API(cudaGraphExecGetFlags, struct sim_exec *, exec, unsigned long long *, flags)
{
    SIM_CHECK(is_exec(exec) && flags, SIM_INVALID_VALUE);
    *flags = exec->flags;
    return SIM_OK;
}

SIM_API_TWIN(cudaGraphUpload, _ptsz, struct sim_exec *, exec, void *, stream)
{
    (void)stream;
    return is_exec(exec) ? SIM_OK : SIM_INVALID_VALUE;
}

SIM_API_TWIN(cudaGraphLaunch, _ptsz, struct sim_exec *, exec, void *, stream)
{
    SIM_TRY(sim_rt_ready());
    return cuGraphLaunch(exec, sim_rt_stream(stream));
}

SIM_API(cudaGraphExecDestroy, struct sim_exec *, exec)
{
    SIM_CHECK(is_exec(exec), SIM_INVALID_VALUE);
    sim_exec_destroy(exec);
    return SIM_OK;
}

struct update_info {
    int result;
    struct sim_node *node, *from_node;
};

SIM_API(cudaGraphExecUpdate, struct sim_exec *, exec, struct sim_graph *, graph,
        struct update_info *, info)
{
    SIM_CHECK(is_exec(exec) && is_graph(graph), SIM_INVALID_VALUE);
    const int result = sim_exec_update(exec, graph);
    if (info)
        *info = (struct update_info){.result = result == SIM_OK ? 0 : 1};
    return result;
}

SIM_API(cudaGraphExecKernelNodeSetParams, struct sim_exec *, exec, struct sim_node *, node,
        const struct sim_kernel_params *, params)
{
    struct sim_work work;
    SIM_CHECK(is_exec(exec) && is_node(node), SIM_INVALID_VALUE);
    SIM_TRY(kernel_work(params, &work));
    return sim_exec_set(exec, node, &work);
}

SIM_API(cudaGraphExecMemcpyNodeSetParams1D, struct sim_exec *, exec, struct sim_node *, node,
        void *, dst, const void *, src, size_t, bytes, int, kind)
{
    struct sim_work work;
    SIM_CHECK(is_exec(exec) && is_node(node), SIM_INVALID_VALUE);
    SIM_TRY(sim_transfer_copy(&work, dst, src, bytes, kind, true));
    return sim_exec_set(exec, node, &work);
}

SIM_API(cudaGraphExecMemsetNodeSetParams, struct sim_exec *, exec, struct sim_node *, node,
        const struct sim_set_params *, params)
{
    struct sim_work work;
    SIM_CHECK(is_exec(exec) && is_node(node), SIM_INVALID_VALUE);
    SIM_TRY(sim_nodes_set_work(&work, params));
    return sim_exec_set(exec, node, &work);
}

SIM_API(cudaGraphNodeSetEnabled, struct sim_exec *, exec, struct sim_node *, node, unsigned,
        enabled)
{
    SIM_CHECK(is_exec(exec) && is_node(node), SIM_INVALID_VALUE);
    return sim_exec_enable(exec, node, enabled != 0);
}

SIM_API(cudaGraphNodeGetEnabled, struct sim_exec *, exec, struct sim_node *, node, unsigned *,
        enabled)
{
    SIM_CHECK(is_exec(exec) && is_node(node) && enabled, SIM_INVALID_VALUE);
    const struct sim_node *own = sim_graph_find(exec->graph, node);
    SIM_CHECK(own, SIM_INVALID_VALUE);
    *enabled = !own->disabled;
    return SIM_OK;
}
