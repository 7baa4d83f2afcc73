/* sim_graph.c - graphs: nodes, edges, clones. */
#include "sim_graph.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim_context.h"
#include "sim_handle.h"
#include "sim_tools.h"

static atomic_uint last_id;

static void tell(enum sim_resource_id id, struct sim_graph *graph, struct sim_node *node,
                 struct sim_node *dependency)
{
    sim_tools_resource(id, &(struct sim_resource){
                               .context = sim_context_current(),
                               .graph = graph,
                               .original_graph = graph ? graph->original : NULL,
                               .node = node,
                               .original_node = node ? node->original : NULL,
                               .dependency = dependency,
                               .node_type = node ? (int)node->type : 0,
                           });
}

static struct sim_graph *make(struct sim_graph *original)
{
    struct sim_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return NULL;
    graph->id = atomic_fetch_add(&last_id, 1) + 1;
    graph->original = original;
    sim_handle_add(graph, SIM_HANDLE_GRAPH);
    tell(SIM_GRAPH_CREATED, graph, NULL, NULL);
    return graph;
}

struct sim_graph *sim_graph_create(void)
{
    return make(NULL);
}

static void free_node(struct sim_node *node)
{
    tell(SIM_NODE_DESTROY_STARTING, node->graph, node, NULL);
    sim_handle_remove(node);
    if (node->work.kind == SIM_WORK_CHILD)
        sim_graph_destroy(node->work.child);
    free(node->dependencies);
    free(node);
}

void sim_graph_destroy(struct sim_graph *graph)
{
    if (!graph)
        return;
    tell(SIM_GRAPH_DESTROY_STARTING, graph, NULL, NULL);
    sim_handle_remove(graph);
    for (size_t i = 0; i < graph->count; i++)
        free_node(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

/* ---- nodes ---- */

static bool reserve(struct sim_graph *graph)
{
    if (graph->count < graph->capacity)
        return true;
    const size_t wanted = graph->capacity ? graph->capacity * 2 : 16;
    struct sim_node **larger = realloc(graph->nodes, wanted * sizeof(struct sim_node *));
    if (!larger)
        return false;
    graph->nodes = larger;
    graph->capacity = wanted;
    return true;
}

static bool copy_dependencies(struct sim_node *node, struct sim_node *const *from, size_t count)
{
    node->dependencies = malloc((count + 1) * sizeof(struct sim_node *));
    if (!node->dependencies)
        return false;
    if (count)
        memcpy(node->dependencies, from, count * sizeof(struct sim_node *));
    node->dependency_count = count;
    return true;
}

/* A child graph in a node is the node's own clone, as in CUDA. */
static bool own_child(struct sim_node *node)
{
    if (node->work.kind != SIM_WORK_CHILD)
        return true;
    node->work.child = sim_graph_clone(node->work.child);
    if (node->work.child)
        node->work.child->owned = true;
    return node->work.child != NULL;
}

static struct sim_node *make_node(struct sim_graph *graph, enum sim_node_type type,
                                  const struct sim_work *work)
{
    struct sim_node *node = calloc(1, sizeof *node);
    if (!node || !reserve(graph)) {
        free(node);
        return NULL;
    }
    node->graph = graph;
    node->type = type;
    node->work = *work;
    node->id = (uint64_t)graph->id << 32 | ++graph->nodes_made;
    return node;
}

static void notify_created(struct sim_node *node)
{
    tell(SIM_NODE_CREATED, node->graph, node, NULL);
    for (size_t i = 0; i < node->dependency_count; i++)
        tell(SIM_NODE_DEPENDENCY_CREATED, node->graph, node, node->dependencies[i]);
    if (node->original)
        tell(SIM_NODE_CLONED, node->graph, node, NULL);
}

static struct sim_node *add(struct sim_graph *graph, enum sim_node_type type,
                            const struct sim_work *work, struct sim_node *const *dependencies,
                            size_t count, struct sim_node *original)
{
    tell(SIM_NODE_CREATE_STARTING, graph, NULL, NULL);
    struct sim_node *node = make_node(graph, type, work);
    if (!node)
        return NULL;
    if (!own_child(node) || !copy_dependencies(node, dependencies, count)) {
        free(node);
        return NULL;
    }
    node->original = original;
    graph->nodes[graph->count++] = node;
    sim_handle_add(node, SIM_HANDLE_NODE);
    notify_created(node);
    return node;
}

struct sim_node *sim_graph_add(struct sim_graph *graph, enum sim_node_type type,
                               const struct sim_work *work, struct sim_node *const *dependencies,
                               size_t count)
{
    return add(graph, type, work, dependencies, count, NULL);
}

int sim_graph_connect(struct sim_node *from, struct sim_node *to)
{
    struct sim_node **larger =
        realloc(to->dependencies, (to->dependency_count + 1) * sizeof(struct sim_node *));
    if (!larger)
        return SIM_OUT_OF_MEMORY;
    to->dependencies = larger;
    to->dependencies[to->dependency_count++] = from;
    tell(SIM_NODE_DEPENDENCY_CREATED, to->graph, to, from);
    return SIM_OK;
}

int sim_graph_disconnect(struct sim_node *from, struct sim_node *to)
{
    for (size_t i = 0; i < to->dependency_count; i++) {
        if (to->dependencies[i] != from)
            continue;
        tell(SIM_NODE_DEPENDENCY_DESTROY_STARTING, to->graph, to, from);
        to->dependencies[i] = to->dependencies[--to->dependency_count];
        return SIM_OK;
    }
    return SIM_INVALID_VALUE;
}

void sim_graph_remove(struct sim_node *node)
{
    struct sim_graph *graph = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->count; i++) {
        struct sim_node *other = graph->nodes[i];
        sim_graph_disconnect(node, other);
        if (other != node)
            graph->nodes[kept++] = other;
    }
    graph->count = kept;
    free_node(node);
}

int sim_graph_set(struct sim_node *node, const struct sim_work *work)
{
    if (node->work.kind != work->kind)
        return SIM_INVALID_VALUE;
    tell(SIM_NODE_SET_PARAMS, node->graph, node, NULL);
    struct sim_work before = node->work;
    node->work = *work;
    if (!own_child(node)) {
        node->work = before;
        return SIM_OUT_OF_MEMORY;
    }
    if (before.kind == SIM_WORK_CHILD)
        sim_graph_destroy(before.child);
    return SIM_OK;
}

/* ---- clones ---- */

static struct sim_node *clone_node(struct sim_graph *clone, const struct sim_graph *graph,
                                   size_t at)
{
    struct sim_node *node = graph->nodes[at];
    struct sim_node *made = add(clone, node->type, &node->work, NULL, 0, node);
    if (made)
        made->disabled = node->disabled;
    return made;
}

static bool clone_edges(struct sim_graph *clone, const struct sim_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        for (size_t d = 0; d < graph->nodes[i]->dependency_count; d++) {
            struct sim_node *from = sim_graph_find(clone, graph->nodes[i]->dependencies[d]);
            if (!from || sim_graph_connect(from, clone->nodes[i]) != SIM_OK)
                return false;
        }
    return true;
}

struct sim_graph *sim_graph_clone(struct sim_graph *graph)
{
    struct sim_graph *clone = make(graph);
    bool good = clone != NULL;
    if (good)
        tell(SIM_GRAPH_CLONED, clone, NULL, NULL);
    for (size_t i = 0; good && i < graph->count; i++) {
        graph->nodes[i]->index = i;
        good = clone_node(clone, graph, i) != NULL;
    }
    if (good && clone_edges(clone, graph))
        return clone;
    sim_graph_destroy(clone);
    return NULL;
}

struct sim_node *sim_graph_find(const struct sim_graph *clone, const struct sim_node *node)
{
    /* Clones keep the order: the index the clone was made with is right unless nodes were
     * removed. */
    if (node->index < clone->count && clone->nodes[node->index]->original == node)
        return clone->nodes[node->index];
    for (size_t i = 0; i < clone->count; i++)
        if (clone->nodes[i]->original == node)
            return clone->nodes[i];
    return NULL;
}
