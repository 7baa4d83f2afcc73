/* build_graphs.c - graphs, their launches, and how many operations each launch was to give.
 *
 * A graph's kernels and sets run at every launch, each with a record; a launch carries their number.
 * A copy may be the host's to make: as many are expected as the fullest launch of the graph had. */
#include "build.h"
#include "gpu_labels.h"

#include <stdlib.h>

/* ---- while a file is walked ---- */

uint32_t build_graph_of(struct builder *builder, uint32_t id)
{
    struct timeline *timeline = builder->timeline;
    uint32_t known = keymap_find(&builder->graphs.graphs, id);
    if (known != KEYMAP_NONE)
        return known;
    struct tl_graph *graph = ARRAY_ADD(&timeline->graphs);
    if (!graph || !keymap_set(&builder->graphs.graphs, id, timeline->graphs.count - 1)) {
        builder->failed = true;
        return TL_NONE;
    }
    *graph = (struct tl_graph){.process = builder->process, .id = id};
    return timeline->graphs.count - 1;
}

void timeline_define_graph(struct builder *builder, int64_t time_ns, const struct read_graph *from)
{
    uint32_t index = builder->failed ? TL_NONE : build_graph_of(builder, from->graph);
    if (index == TL_NONE)
        return;
    builder->timeline->graphs.at[index] = (struct tl_graph){
        .made_ns = build_time(builder, time_ns),
        .process = builder->process,
        .id = from->graph,
        .source = from->source,
        .kernels = from->kernels,
        .memcpys = from->memcpys,
        .memsets = from->memsets,
        .others = from->others,
        .flags = from->flags,
        .known = true,
    };
}

void build_graph_launch(struct builder *builder, const struct read_api *api, uint32_t slice)
{
    struct build_graph_launch *launch = ARRAY_ADD(&builder->graphs.launches);
    if (!launch) {
        builder->failed = true;
        return;
    }
    *launch = (struct build_graph_launch){
        .slice = slice,
        .graph = api->graph,
        .operations = api->operations,
        .whole = api->flags & PROF_API_WHOLE_GRAPH,
    };
}

static uint32_t innermost(struct builder *builder, uint32_t thread)
{
    const struct build_thread *stack = build_stack(builder, thread);
    return stack->stack.count ? stack->stack.at[stack->stack.count - 1].slice : TL_NONE;
}

static uint32_t stack_of(struct builder *builder, const struct read_graph_node *from)
{
    struct tl_oddities *odd = &build_process(builder)->odd;
    uint32_t stack = from->stack ? idmap_find(&builder->stack_ids, from->stack) : IDMAP_NONE;
    if (!from->has_stack)
        return TL_NONE;
    odd->untaken_stacks += from->stack == 0;
    odd->missing_stacks += from->stack && stack == IDMAP_NONE;
    return stack == IDMAP_NONE ? TL_NONE : stack;
}

void timeline_append_graph_node(struct builder *builder, uint32_t number, int64_t time_ns,
                                const struct read_graph_node *from)
{
    uint32_t thread = number ? build_place(builder, number, &time_ns) : TL_NONE;
    if (!number)
        time_ns = build_time(builder, time_ns);
    struct build_node_fact *fact = builder->failed ? NULL : ARRAY_ADD(&builder->graphs.facts);
    if (!fact) {
        builder->failed = true;
        return;
    }
    *fact = (struct build_node_fact){
        .time_ns = time_ns,
        .node = from->node,
        .original = from->original,
        .graph = from->graph,
        .slice = thread == TL_NONE ? TL_NONE : innermost(builder, thread),
        .stack = number ? build_frames_stack(builder, thread, stack_of(builder, from))
                        : stack_of(builder, from),
        .origin = TL_NONE,
        .type = from->type,
        .flags = from->flags,
        .earlier = !number,
    };
}

/* ---- launches ---- */

static uint32_t graph_of_op(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    if (gpu->kind == TL_KERNEL)
        return timeline->kernels.at[gpu->detail].graph;
    if (gpu->kind == TL_MEMCPY)
        return timeline->memcpys.at[gpu->detail].graph;
    if (gpu->kind == TL_MEMSET)
        return timeline->memsets.at[gpu->detail].graph;
    return gpu->kind == TL_GRAPH_RUN ? timeline->graph_runs.at[gpu->detail].graph : 0;
}

/* What was recorded under a launch. */
struct tally {
    uint32_t all, copies;
    uint32_t graph; /* that the operations name; 0 none */
};

static struct tally tally_of(const struct timeline *timeline, const struct tl_slice *slice)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        if (!tl_is_work(gpu))
            continue;
        tally.all++;
        tally.copies += gpu->kind == TL_MEMCPY;
        tally.graph = tally.graph ? tally.graph : graph_of_op(timeline, gpu);
    }
    return tally;
}

static bool add_launch(struct builder *builder, const struct build_graph_launch *from)
{
    struct timeline *timeline = builder->timeline;
    const struct tl_slice *slice = &timeline->slices.at[from->slice];
    struct tally tally = tally_of(timeline, slice);
    uint32_t id = from->graph ? from->graph : tally.graph;
    uint32_t graph = id ? build_graph_of(builder, id) : TL_NONE;
    struct tl_graph_launch *launch = ARRAY_ADD(&timeline->graph_launches);
    if (!launch || builder->failed)
        return false;
    *launch = (struct tl_graph_launch){
        .slice = from->slice,
        .graph = graph,
        .expected = timeline->apis.at[slice->api].result == 0 ? from->operations : 0,
        .recorded = tally.all,
        .copies = tally.copies,
        .whole = from->whole,
    };
    if (graph != TL_NONE && tally.copies > timeline->graphs.at[graph].copies)
        timeline->graphs.at[graph].copies = tally.copies;
    return true;
}

/* Copies are expected where something else is, or where there is nothing else. */
static void expect_copies(const struct timeline *timeline, struct tl_graph_launch *launch)
{
    if (launch->graph == TL_NONE || launch->whole ||
        timeline->apis.at[timeline->slices.at[launch->slice].api].result != 0)
        return;
    const struct tl_graph *graph = &timeline->graphs.at[launch->graph];
    uint32_t copies = graph->copies < graph->memcpys ? graph->copies : graph->memcpys;
    bool only_copies = graph->known && !(graph->flags & PROF_GRAPH_VARIES) && graph->kernels == 0 &&
                       graph->memsets == 0;
    if ((launch->expected || only_copies) && launch->expected <= UINT32_MAX - copies)
        launch->expected += copies;
}

static int by_slice(const void *left, const void *right)
{
    const struct build_graph_launch *a = left, *b = right;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

bool build_graphs(struct builder *builder)
{
    struct build_graphs *graphs = &builder->graphs;
    struct timeline *timeline = builder->timeline;
    if (graphs->launches.count > 1)
        qsort(graphs->launches.at, graphs->launches.count, sizeof *graphs->launches.at, by_slice);
    for (uint32_t i = 0; i < graphs->launches.count; i++)
        if (!add_launch(builder, &graphs->launches.at[i]))
            return false;
    for (uint32_t i = graphs->first_launch; i < timeline->graph_launches.count; i++)
        expect_copies(timeline, &timeline->graph_launches.at[i]);
    return build_graph_nodes(builder);
}

/* ---- life ---- */

void build_graphs_begin(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    builder->graphs.first_graph = timeline->graphs.count;
    builder->graphs.first_node = timeline->graph_nodes.count;
    builder->graphs.first_captured = timeline->captured.count;
    builder->graphs.first_launch = timeline->graph_launches.count;
}

void build_graphs_forget(struct builder *builder)
{
    struct build_graphs *graphs = &builder->graphs;
    graphs->facts.count = graphs->launches.count = graphs->runs.count = 0;
    free(graphs->order);
    graphs->order = NULL;
    keymap_fini(&graphs->nodes);
    keymap_fini(&graphs->graphs);
}

void build_graphs_fini(struct builder *builder)
{
    build_graphs_forget(builder);
    free(builder->graphs.facts.at);
    free(builder->graphs.launches.at);
    free(builder->graphs.runs.at);
}
