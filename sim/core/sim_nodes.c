#include "sim_nodes.h"

#include "sim_handle.h"
#include "sim_transfer.h"

static bool all_nodes(struct sim_node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sim_handle_is(nodes[i], SIM_HANDLE_NODE))
            return false;
    return true;
}

int sim_nodes_add(struct sim_node **node, struct sim_graph *graph,
                  struct sim_node *const *dependencies, size_t count, enum sim_node_type type,
                  const struct sim_work *work)
{
    if (!node || !sim_handle_is(graph, SIM_HANDLE_GRAPH) || (count && !dependencies) ||
        !all_nodes(dependencies, count))
        return SIM_INVALID_VALUE;
    *node = sim_graph_add(graph, type, work, dependencies, count);
    return *node ? SIM_OK : SIM_OUT_OF_MEMORY;
}

int sim_nodes_set_work(struct sim_work *work, const struct sim_set_params *params)
{
    return params ? sim_transfer_set(work, params) : SIM_INVALID_VALUE;
}

int sim_nodes_host_work(struct sim_work *work, const struct sim_host_params *params)
{
    if (!params || !params->function)
        return SIM_INVALID_VALUE;
    *work = (struct sim_work){.kind = SIM_WORK_HOST,
                              .host = {.function = params->function, .user = params->user}};
    return SIM_OK;
}

int sim_nodes_list(const struct sim_graph *graph, struct sim_node **out, size_t *count,
                   bool roots_only)
{
    size_t found = 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (roots_only && graph->nodes[i]->dependency_count)
            continue;
        if (out && found < *count)
            out[found] = graph->nodes[i];
        found++;
    }
    for (size_t i = found; out && i < *count; i++)
        out[i] = NULL;
    *count = out && found > *count ? *count : found;
    return SIM_OK;
}
