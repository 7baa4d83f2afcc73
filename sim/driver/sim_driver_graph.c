/* sim_driver_graph.c - graphs. */
#include <string.h>

#include "sim_driver.h"
#include "sim_graph.h"
#include "sim_launch.h"
#include "sim_module.h"
#include "sim_nodes.h"

static bool is_graph(const void *handle)
{
    return sim_handle_is(handle, SIM_HANDLE_GRAPH);
}

SIM_API(cuGraphCreate, struct sim_graph **, graph, unsigned, flags)
{
    SIM_CHECK(graph && flags == 0, SIM_INVALID_VALUE);
    *graph = sim_graph_create();
    return *graph ? SIM_OK : SIM_OUT_OF_MEMORY;
}

SIM_API(cuGraphDestroy, struct sim_graph *, graph)
{
    SIM_CHECK(is_graph(graph) && !graph->owned, SIM_INVALID_VALUE);
    sim_graph_destroy(graph);
    return SIM_OK;
}

SIM_API(cuGraphClone, struct sim_graph **, clone, struct sim_graph *, graph)
{
    SIM_CHECK(clone && is_graph(graph), SIM_INVALID_VALUE);
    *clone = sim_graph_clone(graph);
    return *clone ? SIM_OK : SIM_OUT_OF_MEMORY;
}

/* CUDA_KERNEL_NODE_PARAMS_v2. */
struct kernel_params {
    struct sim_function *function;
    struct sim_dim3 grid, block;
    unsigned dynamic_shared;
    void **arguments;
    void **extra;
    struct sim_function *kernel;
    struct sim_context *context;
};

static int kernel_work(const struct kernel_params *params, struct sim_work *work)
{
    SIM_CHECK(params, SIM_INVALID_VALUE);
    struct sim_function *function =
        sim_function_of(params->function ? params->function : params->kernel);
    SIM_CHECK(function, SIM_INVALID_VALUE);
    *work = (struct sim_work){.kind = SIM_WORK_KERNEL,
                              .kernel = {.function = function,
                                         .grid = params->grid,
                                         .block = params->block,
                                         .dynamic_shared = params->dynamic_shared}};
    return sim_launch_check(&work->kernel);
}

SIM_API(cuGraphAddKernelNode_v2, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct kernel_params *, params)
{
    struct sim_work work;
    SIM_TRY(kernel_work(params, &work));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_KERNEL, &work);
}

SIM_API(cuGraphAddMemsetNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct sim_set_params *,
        params, struct sim_context *, context)
{
    struct sim_work work;
    (void)context;
    SIM_TRY(sim_nodes_set_work(&work, params));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_MEMSET, &work);
}

SIM_API(cuGraphAddHostNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, const struct sim_host_params *,
        params)
{
    struct sim_work work;
    SIM_TRY(sim_nodes_host_work(&work, params));
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_HOST, &work);
}

SIM_API(cuGraphAddChildGraphNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count, struct sim_graph *, child)
{
    const struct sim_work work = {.kind = SIM_WORK_CHILD, .child = child};
    SIM_CHECK(is_graph(child), SIM_INVALID_VALUE);
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_GRAPH, &work);
}

SIM_API(cuGraphAddEmptyNode, struct sim_node **, node, struct sim_graph *, graph,
        struct sim_node *const *, dependencies, size_t, count)
{
    const struct sim_work work = {.kind = SIM_WORK_EMPTY};
    return sim_nodes_add(node, graph, dependencies, count, SIM_NODE_EMPTY, &work);
}

SIM_API(cuGraphNodeGetType, struct sim_node *, node, int *, type)
{
    SIM_CHECK(type && sim_handle_is(node, SIM_HANDLE_NODE), SIM_INVALID_VALUE);
    *type = (int)node->type;
    return SIM_OK;
}

SIM_API(cuGraphGetNodes, struct sim_graph *, graph, struct sim_node **, nodes, size_t *, count)
{
    SIM_CHECK(is_graph(graph) && count, SIM_INVALID_VALUE);
    return sim_nodes_list(graph, nodes, count, false);
}

SIM_API(cuGraphGetRootNodes, struct sim_graph *, graph, struct sim_node **, nodes, size_t *, count)
{
    SIM_CHECK(is_graph(graph) && count, SIM_INVALID_VALUE);
    return sim_nodes_list(graph, nodes, count, true);
}

SIM_API(cuGraphDestroyNode, struct sim_node *, node)
{
    SIM_CHECK(sim_handle_is(node, SIM_HANDLE_NODE), SIM_INVALID_VALUE);
    sim_graph_remove(node);
    return SIM_OK;
}

SIM_API(cuGraphInstantiateWithFlags, struct sim_exec **, exec, struct sim_graph *, graph,
        unsigned long long, flags)
{
    SIM_CHECK(exec && is_graph(graph), SIM_INVALID_VALUE);
    return sim_exec_create(graph, flags, exec);
}

SIM_API_TWIN(cuGraphUpload, _ptsz, struct sim_exec *, exec, void *, handle)
{
    SIM_CHECK(sim_handle_is(exec, SIM_HANDLE_EXEC), SIM_INVALID_VALUE);
    return sim_stream_of(handle) ? SIM_OK : SIM_INVALID_HANDLE;
}

SIM_API_TWIN(cuGraphLaunch, _ptsz, struct sim_exec *, exec, void *, handle)
{
    struct sim_stream *stream = sim_stream_of(handle);
    SIM_CHECK(sim_handle_is(exec, SIM_HANDLE_EXEC), SIM_INVALID_VALUE);
    SIM_CHECK(stream, SIM_INVALID_HANDLE);
    return sim_exec_launch(exec, stream);
}

SIM_API(cuGraphExecDestroy, struct sim_exec *, exec)
{
    SIM_CHECK(sim_handle_is(exec, SIM_HANDLE_EXEC), SIM_INVALID_VALUE);
    sim_exec_destroy(exec);
    return SIM_OK;
}

SIM_API(cuGraphExecUpdate_v2, struct sim_exec *, exec, struct sim_graph *, graph, int *, info)
{
    SIM_CHECK(sim_handle_is(exec, SIM_HANDLE_EXEC) && is_graph(graph), SIM_INVALID_VALUE);
    const int result = sim_exec_update(exec, graph);
    if (info)
        *info = result == SIM_OK ? 0 : 1;
    return result;
}

SIM_API(cuGraphExecKernelNodeSetParams_v2, struct sim_exec *, exec, struct sim_node *, node,
        const struct kernel_params *, params)
{
    struct sim_work work;
    SIM_CHECK(sim_handle_is(exec, SIM_HANDLE_EXEC), SIM_INVALID_VALUE);
    SIM_CHECK(sim_handle_is(node, SIM_HANDLE_NODE), SIM_INVALID_VALUE);
    SIM_TRY(kernel_work(params, &work));
    return sim_exec_set(exec, node, &work);
}
