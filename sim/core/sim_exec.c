/* sim_exec.c - executable graphs: cloning a graph, flattening it into a plan, launching it. */
#include <stdlib.h>
#include <string.h>

#include "sim_call.h"
#include "sim_capture.h"
#include "sim_clock.h"
#include "sim_config.h"
#include "sim_context.h"
#include "sim_core.h"
#include "sim_event.h"
#include "sim_graph.h"
#include "sim_handle.h"
#include "sim_run.h"
#include "sim_timeline.h"
#include "sim_tools.h"

/* ---- the plan ---- */

static size_t count_nodes(const struct sim_graph *graph)
{
    size_t count = graph->count;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->work.kind == SIM_WORK_CHILD)
            count += count_nodes(graph->nodes[i]->work.child);
    return count;
}

static size_t count_edges(const struct sim_graph *graph, size_t inherited)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const struct sim_node *node = graph->nodes[i];
        const size_t own = node->dependency_count + inherited;
        count += own;
        if (node->work.kind == SIM_WORK_CHILD)
            count += count_edges(node->work.child, own) + node->work.child->count;
    }
    return count;
}

struct builder {
    struct sim_plan *plan;
    uint32_t edges;
};

/* The nodes before a graph's first ones: what a child graph's node depends on. */
struct before {
    const uint32_t *indices;
    size_t count;
};

static void add_edge(struct builder *builder, struct sim_plan_node *to, uint32_t from)
{
    builder->plan->dependencies[builder->edges++] = from;
    to->dependencies++;
}

static struct sim_plan_node *add_node(struct builder *builder, const struct sim_node *node,
                                      const struct before *before)
{
    struct sim_plan_node *made = &builder->plan->nodes[builder->plan->count];
    *made = (struct sim_plan_node){.work = node->work,
                                   .node_id = node->id,
                                   .source = node,
                                   .first_dependency = builder->edges};
    if (node->disabled || made->work.kind == SIM_WORK_CHILD)
        made->work.kind = SIM_WORK_EMPTY;
    for (size_t i = 0; i < node->dependency_count; i++)
        add_edge(builder, made, (uint32_t)node->dependencies[i]->index);
    for (size_t i = 0; !node->dependency_count && i < before->count; i++)
        add_edge(builder, made, before->indices[i]);
    return made;
}

static bool is_placed(const struct sim_node *node)
{
    return node->index != SIZE_MAX;
}

static bool is_next(const struct sim_node *node)
{
    for (size_t i = 0; i < node->dependency_count; i++)
        if (!is_placed(node->dependencies[i]))
            return false;
    return !is_placed(node);
}

static void flatten(struct builder *builder, struct sim_graph *graph, const struct before *before);

/* A child's nodes come first, then its node itself, empty, which waits for all of them. */
static void place(struct builder *builder, struct sim_node *node, const struct before *before)
{
    if (node->work.kind != SIM_WORK_CHILD) {
        add_node(builder, node, before);
        node->index = builder->plan->count++;
        return;
    }
    uint32_t indices[256];
    struct before inner = {.indices = indices};
    for (; inner.count < node->dependency_count && inner.count < SIM_COUNT(indices); inner.count++)
        indices[inner.count] = (uint32_t)node->dependencies[inner.count]->index;
    struct sim_graph *child = node->work.child;
    flatten(builder, child, inner.count ? &inner : before);
    struct sim_plan_node *made = add_node(builder, node, before);
    for (size_t i = 0; i < child->count; i++)
        add_edge(builder, made, (uint32_t)child->nodes[i]->index);
    node->index = builder->plan->count++;
}

/* Kahn's order by repeated passes: captured graphs are already in order, so one pass is the rule. A
 * cycle leaves its nodes out. */
static void flatten(struct builder *builder, struct sim_graph *graph, const struct before *before)
{
    bool moved = true;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->index = SIZE_MAX;
    while (moved) {
        moved = false;
        for (size_t i = 0; i < graph->count; i++) {
            if (!is_next(graph->nodes[i]))
                continue;
            place(builder, graph->nodes[i], before);
            moved = true;
        }
    }
}

static struct sim_plan *make_plan(struct sim_graph *graph)
{
    struct sim_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->references = 1;
    plan->nodes = calloc(count_nodes(graph) + 1, sizeof *plan->nodes);
    plan->dependencies = calloc(count_edges(graph, 0) + 1, sizeof *plan->dependencies);
    if (!plan->nodes || !plan->dependencies) {
        sim_plan_drop(plan);
        return NULL;
    }
    flatten(&(struct builder){.plan = plan}, graph, &(struct before){0});
    return plan;
}

void sim_plan_drop(struct sim_plan *plan)
{
    if (!plan || --plan->references)
        return;
    free(plan->nodes);
    free(plan->dependencies);
    free(plan);
}

/* ---- life ---- */

static void tell(enum sim_resource_id id, struct sim_graph *graph, struct sim_exec *exec)
{
    sim_tools_resource(
        id, &(struct sim_resource){.context = sim_context_current(), .graph = graph, .exec = exec});
}

static int replan(struct sim_exec *exec)
{
    struct sim_plan *plan = make_plan(exec->graph);
    if (!plan)
        return SIM_OUT_OF_MEMORY;
    sim_core_lock();
    sim_plan_drop(exec->plan);
    exec->plan = plan;
    sim_core_unlock();
    return SIM_OK;
}

int sim_exec_create(struct sim_graph *graph, unsigned long long flags, struct sim_exec **exec)
{
    struct sim_exec *made = calloc(1, sizeof *made);
    if (!made)
        return SIM_OUT_OF_MEMORY;
    tell(SIM_EXEC_CREATE_STARTING, graph, NULL);
    made->graph = sim_graph_clone(graph);
    made->flags = flags;
    if (!made->graph || replan(made) != SIM_OK || made->plan->count < made->graph->count) {
        sim_exec_destroy(made);
        return SIM_INVALID_VALUE;
    }
    made->graph->owned = true;
    sim_handle_add(made, SIM_HANDLE_EXEC);
    tell(SIM_EXEC_CREATED, made->graph, made);
    *exec = made;
    return SIM_OK;
}

void sim_exec_destroy(struct sim_exec *exec)
{
    if (!exec)
        return;
    if (sim_handle_is(exec, SIM_HANDLE_EXEC))
        tell(SIM_EXEC_DESTROY_STARTING, exec->graph, exec);
    sim_handle_remove(exec);
    sim_graph_destroy(exec->graph);
    sim_core_lock();
    sim_plan_drop(exec->plan);
    sim_core_unlock();
    free(exec);
}

/* ---- launch ---- */

static struct sim_op *run_op(struct sim_stream *stream, struct sim_run *run, uint32_t graph_id,
                             const struct sim_work *work)
{
    struct sim_op *op = sim_timeline_op(stream, work);
    if (!op)
        abort(); /* a simulation out of memory has nothing left to simulate */
    op->run = run;
    op->graph_id = graph_id;
    return op;
}

/* Event nodes get the event's point of this launch. */
static struct sim_work node_work(const struct sim_plan_node *node)
{
    struct sim_work work = node->work;
    if (work.kind == SIM_WORK_RECORD) {
        work.mark.point = sim_event_renew_locked(work.mark.event);
        work.mark.event_id = work.mark.event->id;
    }
    if (work.kind == SIM_WORK_WAIT)
        work.mark.point = sim_event_point_locked(work.mark.event);
    return work;
}

static void add_node_op(struct sim_stream *stream, struct sim_run *run, uint32_t graph_id,
                        uint32_t at)
{
    const struct sim_work work = node_work(&run->plan->nodes[at]);
    struct sim_op *op = run_op(stream, run, graph_id, &work);
    op->run_index = at;
    op->node_id = run->plan->nodes[at].node_id;
    sim_timeline_add(op);
}

static void launch_locked(struct sim_exec *exec, struct sim_stream *stream, struct sim_run *run)
{
    const uint32_t id = exec->graph->id;
    const uint32_t count = exec->plan->count;
    run->plan = exec->plan;
    run->plan->references++;
    run->open = count + 2;
    struct sim_op *begin =
        run_op(stream, run, id, &(struct sim_work){.kind = SIM_WORK_GRAPH_BEGIN});
    sim_stream_barrier_locked(begin);
    sim_timeline_add(begin);
    for (uint32_t i = 0; i < count; i++)
        add_node_op(stream, run, id, i);
    struct sim_op *end = run_op(stream, run, id, &(struct sim_work){.kind = SIM_WORK_GRAPH_END});
    end->not_before_ns = 0;
    sim_timeline_add(end);
}

/* In a capture the launch becomes a child graph node. */
int sim_exec_launch(struct sim_exec *exec, struct sim_stream *stream)
{
    int result = sim_capture_check_legacy(stream);
    if (result != SIM_OK)
        return result;
    if (stream->capture)
        return sim_capture_add(stream,
                               &(struct sim_work){.kind = SIM_WORK_CHILD, .child = exec->graph});
    sim_core_lock();
    struct sim_run *run = calloc(1, sizeof *run + exec->plan->count * sizeof(uint64_t));
    if (run)
        launch_locked(exec, stream, run);
    sim_core_unlock();
    return run ? SIM_OK : SIM_OUT_OF_MEMORY;
}

/* ---- update ---- */

static bool same_shape(const struct sim_graph *a, const struct sim_graph *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->nodes[i]->type != b->nodes[i]->type ||
            a->nodes[i]->dependency_count != b->nodes[i]->dependency_count)
            return false;
    return true;
}

int sim_exec_update(struct sim_exec *exec, const struct sim_graph *graph)
{
    int result = SIM_OK;
    if (!same_shape(exec->graph, graph))
        return SIM_EXEC_UPDATE_FAILURE;
    for (size_t i = 0; result == SIM_OK && i < graph->count; i++) {
        struct sim_node *node = exec->graph->nodes[i];
        result = sim_graph_set(node, &graph->nodes[i]->work);
        sim_tools_resource(SIM_NODE_UPDATED,
                           &(struct sim_resource){.context = sim_context_current(),
                                                  .exec = exec,
                                                  .graph = exec->graph,
                                                  .node = node,
                                                  .original_node = graph->nodes[i],
                                                  .node_type = (int)node->type});
    }
    return result == SIM_OK ? replan(exec) : result;
}

int sim_exec_set(struct sim_exec *exec, const struct sim_node *node, const struct sim_work *work)
{
    struct sim_node *own = sim_graph_find(exec->graph, node);
    const int result = own ? sim_graph_set(own, work) : SIM_INVALID_VALUE;
    return result == SIM_OK ? replan(exec) : result;
}

int sim_exec_enable(struct sim_exec *exec, const struct sim_node *node, bool enabled)
{
    struct sim_node *own = sim_graph_find(exec->graph, node);
    if (!own)
        return SIM_INVALID_VALUE;
    own->disabled = !enabled;
    return replan(exec);
}
