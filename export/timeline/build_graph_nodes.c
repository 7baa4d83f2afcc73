/* build_graph_nodes.c - who captured the nodes that devices ran.
 *
 * Device records carry ids of nodes of executable graphs. Those are clones, of clones perhaps, and an
 * update lets one do what another does from then on. So what was said of nodes is taken in order of
 * time, each naming the fact in which its chain began; an operation finds what was last said of its
 * node before its launch. */
#include "build.h"
#include "radix.h"
#include "stack_of.h"

#include <stdlib.h>

/* "From here on nobody knows" is said of a graph; kept as if of a node with an id that none has. */
#define NODE_OF_GRAPH(graph) (UINT64_C(0xffffffff) << 32 | (graph))

static uint64_t key_of(const struct build_node_fact *fact)
{
    return fact->flags & PROF_GRAPH_NODE_UNKNOWN ? NODE_OF_GRAPH(fact->graph) : fact->node;
}

/* Graphs that were updated while recording was off, and nobody saw which node took over. */
static bool add_unknown(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->graphs.first_graph; i < timeline->graphs.count; i++) {
        const struct tl_graph *graph = &timeline->graphs.at[i];
        if (!(graph->flags & PROF_GRAPH_ELSEWHERE))
            continue;
        struct build_node_fact *fact = ARRAY_ADD(&builder->graphs.facts);
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
    struct build_node_fact *facts = builder->graphs.facts.at;
    struct keymap latest = {0};
    bool stored = true;
    for (uint32_t i = 0; i < builder->graphs.facts.count && stored; i++) {
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
    struct build_graphs *graphs = &builder->graphs;
    struct build_node_run *run = ARRAY_ADD(&graphs->runs);
    if (!run)
        return false;
    *run = (struct build_node_run){first, count};
    return keymap_set(&graphs->nodes, key, graphs->runs.count - 1);
}

/* `items` are the facts by node, then time. */
static bool find_runs(struct builder *builder, const struct radix_item *items, uint32_t count)
{
    struct build_graphs *graphs = &builder->graphs;
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
    struct build_graphs *graphs = &builder->graphs;
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

/* What was last said at or before a time; NULL: nothing. */
static const struct build_node_fact *said_before(const struct builder *builder, uint64_t key,
                                                 int64_t time_ns)
{
    const struct build_graphs *graphs = &builder->graphs;
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
    const struct build_node_fact *fact = said_before(builder, node, time_ns);
    const struct build_node_fact *unknown = said_before(builder, NODE_OF_GRAPH(graph), time_ns);
    if (!fact || fact->origin == TL_NONE || (unknown && unknown->time_ns >= fact->time_ns))
        return NULL;
    return &builder->graphs.facts.at[fact->origin];
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
    const struct build_graphs *graphs = &builder->graphs;
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

bool build_graph_nodes(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    if (!add_unknown(builder) || !sort_facts(builder))
        return false;
    for (uint32_t i = 0; i < builder->graphs.runs.count; i++)
        if (!add_node(builder, &builder->graphs.runs.at[i]))
            return false;
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++)
        if (!add_captured(builder, i))
            return false;
    return true;
}
