/* build_graphs.c - CUDA graphs: what a launch was to give, and who captured which node. */
#include "build.h"

#include "array.h"
#include "timeline.h"

#include <stdlib.h>

/* What was said about a node at one time. */
struct build_node_fact {
    int64_t time_ns;
    uint64_t node, original;
    uint32_t graph;
    uint32_t slice;  /* innermost open when it was made, TL_NONE */
    uint32_t stack;  /* into stacks[], TL_NONE */
    uint32_t origin; /* the fact of the node that was captured or added, TL_NONE unknown */
    uint8_t type, flags;
    bool earlier;
};

/* A call that launches a graph. */
struct build_graph_launch {
    uint32_t slice;
    uint32_t graph; /* the file's id, 0 unknown */
    uint32_t operations;
    bool whole;
};

/* The facts of one node, in order of time: a stretch of an array of places. */
struct build_node_run {
    uint32_t first, count;
};

struct build_graphs {
    TL_ARRAY(struct build_node_fact) facts;
    TL_ARRAY(struct build_graph_launch) launches;
    TL_ARRAY(struct build_node_run) runs;
    uint32_t *order;      /* facts by node, then time */
    struct keymap nodes;  /* node -> runs[] */
    struct keymap graphs; /* the file's id -> graphs[] */
};

BUILD_PART(graphs, free(graphs->facts.at), free(graphs->launches.at), free(graphs->runs.at),
           free(graphs->order), keymap_fini(&graphs->nodes), keymap_fini(&graphs->graphs))

void build_graphs_move(struct builder *builder, const struct build_places *places)
{
    struct build_graphs *graphs = builder->graphs;
    for (uint32_t i = 0; i < graphs->launches.count; i++)
        graphs->launches.at[i].slice = build_moved(places, graphs->launches.at[i].slice);
    for (uint32_t i = 0; i < graphs->facts.count; i++)
        graphs->facts.at[i].slice = build_moved(places, graphs->facts.at[i].slice);
}

/* Graphs, their launches, and how many operations each launch was to give.
 *
 * A graph's kernels and sets run at every launch, each with a record; a launch carries their
 * number. A copy may be the host's to make: as many are expected as the fullest launch of the graph
 * had. */

/* ---- while a file is walked ---- */

static uint32_t build_graph_of(struct builder *builder, uint32_t id)
{
    struct timeline *timeline = builder->timeline;
    uint32_t known = keymap_find(&builder->graphs->graphs, id);
    if (known != KEYMAP_NONE)
        return known;
    struct tl_graph *graph = ARRAY_ADD(&timeline->graphs);
    if (!graph || !keymap_set(&builder->graphs->graphs, id, timeline->graphs.count - 1)) {
        builder->failed = true;
        return TL_NONE;
    }
    *graph = (struct tl_graph){.process = builder->process, .id = id};
    return timeline->graphs.count - 1;
}

void builder_define_graph(struct builder *builder, int64_t time_ns, const struct cuda_graph *from)
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

void build_graph_launch(struct builder *builder, const struct api_call *api, uint32_t slice)
{
    struct build_graph_launch *launch = ARRAY_ADD(&builder->graphs->launches);
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

void builder_append_graph_node(struct builder *builder, uint32_t number, int64_t time_ns,
                               const struct graph_node *from)
{
    uint32_t thread = number ? build_place(builder, number, &time_ns) : TL_NONE;
    if (!number)
        time_ns = build_time(builder, time_ns);
    struct build_node_fact *fact = builder->failed ? NULL : ARRAY_ADD(&builder->graphs->facts);
    if (!fact) {
        builder->failed = true;
        return;
    }
    uint32_t stack = from->has_stack ? build_stack_of_id(builder, from->stack) : TL_NONE;
    *fact = (struct build_node_fact){
        .time_ns = time_ns,
        .node = from->node,
        .original = from->original,
        .graph = from->graph,
        .slice = thread == TL_NONE ? TL_NONE : innermost(builder, thread),
        .stack = number ? build_frames_stack(builder, thread, stack) : stack,
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

/* Copies are expected if the launch must produce other operations, or if the graph consists of
 * copies alone. */
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

/* Who captured the nodes that devices ran.
 *
 * Device records carry ids of nodes of executable graphs. Those are clones, of clones perhaps, and
 * an update lets one do what another does from then on. So what was said of nodes is taken in order
 * of time, each naming the fact in which its chain began; an operation finds what was last said of
 * its node before its launch. */

/* "Unknown from here on" applies to a graph; it is kept under a node id that no node has. */
#define NODE_OF_GRAPH(graph) (UINT64_C(0xffffffff) << 32 | (graph))

static uint64_t key_of(const struct build_node_fact *fact)
{
    return fact->flags & PROF_GRAPH_NODE_UNKNOWN ? NODE_OF_GRAPH(fact->graph) : fact->node;
}

/* Graphs that were updated while recording was off: it is unknown which node replaced which. */
static bool add_unknown(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.graphs; i < timeline->graphs.count; i++) {
        const struct tl_graph *graph = &timeline->graphs.at[i];
        if (!(graph->flags & PROF_GRAPH_ELSEWHERE))
            continue;
        struct build_node_fact *fact = ARRAY_ADD(&builder->graphs->facts);
        if (!fact)
            return false;
        *fact = (struct build_node_fact){.time_ns = graph->made_ns,
                                         .graph = graph->id,
                                         .slice = TL_NONE,
                                         .stack = TL_NONE,
                                         .origin = TL_NONE,
                                         .flags = PROF_GRAPH_NODE_UNKNOWN,
                                         .earlier = true};
    }
    return true;
}

/* In order of time: what a fact refers to has been resolved. */
static bool resolve(struct builder *builder, const struct radix_item *by_time)
{
    struct build_node_fact *facts = builder->graphs->facts.at;
    struct keymap latest = {0};
    bool stored = true;
    for (uint32_t i = 0; i < builder->graphs->facts.count && stored; i++) {
        uint32_t index = by_time[i].value;
        struct build_node_fact *fact = &facts[index];
        uint32_t from = fact->original ? keymap_find(&latest, fact->original) : KEYMAP_NONE;
        if (fact->flags & PROF_GRAPH_NODE_UNKNOWN)
            continue;
        if (fact->original)
            fact->origin = from == KEYMAP_NONE ? TL_NONE : facts[from].origin;
        else
            fact->origin = index;
        stored = keymap_set(&latest, fact->node, index);
    }
    keymap_fini(&latest);
    return stored;
}

static bool add_run(struct builder *builder, uint64_t key, uint32_t first, uint32_t count)
{
    struct build_graphs *graphs = builder->graphs;
    struct build_node_run *run = ARRAY_ADD(&graphs->runs);
    if (!run)
        return false;
    *run = (struct build_node_run){first, count};
    return keymap_set(&graphs->nodes, key, graphs->runs.count - 1);
}

/* `items` are the facts by node, then time. */
static bool find_runs(struct builder *builder, const struct radix_item *items, uint32_t count)
{
    struct build_graphs *graphs = builder->graphs;
    graphs->order = calloc(count + (size_t)1, sizeof *graphs->order);
    bool stored = graphs->order != NULL;
    for (uint32_t i = 0, first = 0; i < count && stored; i++) {
        graphs->order[i] = items[i].value;
        if (i + 1 < count && items[i + 1].key == items[i].key)
            continue;
        stored = add_run(builder, items[i].key, first, i + 1 - first);
        first = i + 1;
    }
    return stored;
}

static bool sort_facts(struct builder *builder)
{
    struct build_graphs *graphs = builder->graphs;
    uint32_t count = graphs->facts.count;
    struct radix_item *items = calloc(count + (size_t)1, sizeof *items);
    bool sorted = items != NULL;
    for (uint32_t i = 0; i < count && sorted; i++)
        items[i] = (struct radix_item){radix_key(graphs->facts.at[i].time_ns), i};
    sorted = sorted && radix_sort(items, count) && resolve(builder, items);
    for (uint32_t i = 0; i < count && sorted; i++)
        items[i].key = key_of(&graphs->facts.at[items[i].value]);
    sorted = sorted && radix_sort(items, count) && find_runs(builder, items, count);
    free(items);
    return sorted;
}

/* The latest fact at or before a time; NULL: there is none. */
static const struct build_node_fact *latest_fact(const struct builder *builder, uint64_t key,
                                                 int64_t time_ns)
{
    const struct build_graphs *graphs = builder->graphs;
    uint32_t found = keymap_find(&graphs->nodes, key);
    if (found == KEYMAP_NONE)
        return NULL;
    const struct build_node_run *run = &graphs->runs.at[found];
    uint32_t low = 0, high = run->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (graphs->facts.at[graphs->order[run->first + middle]].time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &graphs->facts.at[graphs->order[run->first + low - 1]] : NULL;
}

/* The fact of the capture that a node came from, at a time; NULL: it is not known. */
static const struct build_node_fact *captured_as(const struct builder *builder, uint64_t node,
                                                 uint32_t graph, int64_t time_ns)
{
    const struct build_node_fact *fact = latest_fact(builder, node, time_ns);
    const struct build_node_fact *unknown = latest_fact(builder, NODE_OF_GRAPH(graph), time_ns);
    if (!fact || fact->origin == TL_NONE || (unknown && unknown->time_ns >= fact->time_ns))
        return NULL;
    return &builder->graphs->facts.at[fact->origin];
}

static uint32_t stack_of_origin(const struct timeline *timeline,
                                const struct build_node_fact *origin)
{
    if (origin->stack != TL_NONE || origin->slice == TL_NONE)
        return origin->stack;
    return stack_of_slice(timeline, origin->slice);
}

static bool add_captured(struct builder *builder, uint32_t index)
{
    struct timeline *timeline = builder->timeline;
    const struct tl_gpu *gpu = &timeline->gpus.at[index];
    uint64_t node;
    uint32_t graph = timeline_graph_of(timeline, gpu, &node);
    if (!node)
        return true;
    int64_t launched_ns =
        gpu->slice == TL_NONE ? gpu->start_ns : timeline->slices.at[gpu->slice].start_ns;
    const struct build_node_fact *origin = captured_as(builder, node, graph, launched_ns);
    struct tl_captured *captured = ARRAY_ADD(&timeline->captured);
    if (!captured)
        return false;
    *captured = (struct tl_captured){
        .gpu = index,
        .slice = origin ? origin->slice : TL_NONE,
        .stack = origin ? stack_of_origin(timeline, origin) : TL_NONE,
        .when = (uint8_t)(!origin           ? TL_CAPTURED_UNKNOWN
                          : origin->earlier ? TL_CAPTURED_EARLIER
                                            : TL_CAPTURED_RECORDED),
    };
    return true;
}

/* The nodes of a graph that can be launched, as they were in the end. */
static bool add_node(struct builder *builder, const struct build_node_run *run)
{
    struct timeline *timeline = builder->timeline;
    const struct build_graphs *graphs = builder->graphs;
    const struct build_node_fact *last =
        &graphs->facts.at[graphs->order[run->first + run->count - 1]];
    uint32_t graph = keymap_find(&graphs->graphs, last->graph);
    if (graph == KEYMAP_NONE || last->flags & PROF_GRAPH_NODE_UNKNOWN)
        return true;
    const struct build_node_fact *origin = captured_as(builder, last->node, last->graph, INT64_MAX);
    struct tl_graph_node *node = ARRAY_ADD(&timeline->graph_nodes);
    if (!node)
        return false;
    *node = (struct tl_graph_node){
        .node = last->node,
        .graph = graph,
        .slice = origin ? origin->slice : TL_NONE,
        .stack = origin ? stack_of_origin(timeline, origin) : TL_NONE,
        .type = last->type,
        .when = (uint8_t)(!origin           ? TL_CAPTURED_UNKNOWN
                          : origin->earlier ? TL_CAPTURED_EARLIER
                                            : TL_CAPTURED_RECORDED),
    };
    return true;
}

/* Who captured which node. */
static bool build_graph_nodes(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    if (!add_unknown(builder) || !sort_facts(builder))
        return false;
    for (uint32_t i = 0; i < builder->graphs->runs.count; i++)
        if (!add_node(builder, &builder->graphs->runs.at[i]))
            return false;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++)
        if (!add_captured(builder, i))
            return false;
    return true;
}

bool build_graphs(struct builder *builder)
{
    struct build_graphs *graphs = builder->graphs;
    struct timeline *timeline = builder->timeline;
    if (graphs->launches.count > 1)
        qsort(graphs->launches.at, graphs->launches.count, sizeof *graphs->launches.at, by_slice);
    for (uint32_t i = 0; i < graphs->launches.count; i++)
        if (!add_launch(builder, &graphs->launches.at[i]))
            return false;
    for (uint32_t i = builder->first.graph_launches; i < timeline->graph_launches.count; i++)
        expect_copies(timeline, &timeline->graph_launches.at[i]);
    return build_graph_nodes(builder);
}
