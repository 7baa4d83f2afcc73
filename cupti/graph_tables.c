/* graph_tables.c - what is known of CUDA graphs: see graphs.h. */
#include "atomic.h"
#include "graphs.h"
#include "memory.h"

/* ---- places by key ---- */

/* How far from its place a key is looked for. */
#define REACH 32u
#define NO_PLACE UINT32_MAX

/* Ids of nodes and handles, which are addresses of structs, are above these. */
#define KEY_EMPTY 0u
#define KEY_LEFT 1u /* free, but what was placed after it may be beyond */
#define KEY_BUSY 2u

/* Which place belongs to which key; the caller stores the entries, by the same index. */
struct places {
    uint64_t *keys; /* memory_once(); stored when the place is filled in, release -> acquire */
    const uint32_t count; /* a power of two */
};

static uint32_t graph_tables_find(const struct places *places, uint32_t first, uint64_t key)
{
    const uint64_t *keys = load_acquire(&places->keys);
    for (uint32_t i = 0; keys && i < REACH; i++) {
        uint32_t at = (first + i) % places->count;
        uint64_t found = load_acquire(&keys[at]);
        if (found == key)
            return at;
        if (found == KEY_EMPTY)
            return NO_PLACE;
    }
    return NO_PLACE;
}

/* A place that nobody else fills; NO_PLACE when there is none within reach, or no memory. */
static uint32_t graph_tables_claim(struct places *places, uint32_t first)
{
    uint64_t *keys = MEMORY_ONCE(&places->keys, places->count);
    for (uint32_t i = 0; keys && i < REACH; i++) {
        uint64_t *key = &keys[(first + i) % places->count];
        uint64_t found = load_relaxed(key);
        if (found <= KEY_LEFT && cas_acq_rel(key, &found, (uint64_t)KEY_BUSY))
            return (first + i) % places->count;
    }
    return NO_PLACE;
}

/* ---- nodes ---- */

struct node {
    uint64_t original, ticks;
    uint32_t graph;
    uint8_t type, flags;
    bool emitted; /* is in the file; stored by the thread that emits it */
};

static struct places node_places = {.count = GRAPH_TABLES_NODES_MAX};
static struct node *nodes;   /* memory_once(), before the first key */
static uint32_t nodes_used;  /* places that hold a node */
static uint32_t nodes_fresh; /* of them, not in the file */
static uint64_t nodes_unplaced;

/* Ids of one graph follow each other, and so do their places: a few pages hold a graph. */
static uint32_t graph_tables_first_of_node(uint64_t node)
{
    return (uint32_t)node + (uint32_t)(node >> 32) * 0x9e3779b1u;
}

void graph_tables_add_node(const struct prof_rec_earlier_node *node)
{
    if (node->node <= KEY_BUSY)
        return;
    graph_tables_remove_node(node->node);
    bool room = MEMORY_ONCE(&nodes, GRAPH_TABLES_NODES_MAX) != NULL;
    uint32_t at =
        room ? graph_tables_claim(&node_places, graph_tables_first_of_node(node->node)) : NO_PLACE;
    if (at == NO_PLACE) {
        fetch_add_relaxed(&nodes_unplaced, 1u);
        return;
    }
    nodes[at].original = node->original;
    nodes[at].ticks = node->ticks;
    nodes[at].graph = node->graph;
    nodes[at].type = node->type;
    nodes[at].flags = node->flags;
    store_relaxed(&nodes[at].emitted, false);
    fetch_add_relaxed(&nodes_used, 1u);
    fetch_add_relaxed(&nodes_fresh, 1u);
    store_release(&node_places.keys[at], node->node);
}

void graph_tables_remove_node(uint64_t node)
{
    uint32_t at = load_relaxed(&nodes_used)
                      ? graph_tables_find(&node_places, graph_tables_first_of_node(node), node)
                      : NO_PLACE;
    if (at != NO_PLACE && cas_acq_rel(&node_places.keys[at], &node, (uint64_t)KEY_LEFT))
        fetch_add_relaxed(&nodes_used, UINT32_MAX);
}

uint64_t graph_tables_unplaced_nodes(void)
{
    return load_relaxed(&nodes_unplaced);
}

static void graph_tables_emit_node(uint32_t at, uint64_t node)
{
    const struct prof_rec_earlier_node record = {
        .node = node,
        .original = nodes[at].original,
        .ticks = nodes[at].ticks,
        .graph = nodes[at].graph,
        .type = nodes[at].type,
        .flags = nodes[at].flags,
    };
    if (load_acquire(&node_places.keys[at]) == node &&
        meta_append(PROF_REC_EARLIER_NODE, &record, sizeof record, NULL, 0))
        store_relaxed(&nodes[at].emitted, true);
}

void graph_tables_emit_nodes(bool again)
{
    if (!load_relaxed(&nodes_used) || (!again && !load_relaxed(&nodes_fresh)))
        return;
    store_relaxed(&nodes_fresh, 0u);
    for (uint32_t at = 0; at < GRAPH_TABLES_NODES_MAX; at++) {
        uint64_t node = load_acquire(&node_places.keys[at]);
        if (node > KEY_BUSY && (again || !load_relaxed(&nodes[at].emitted)))
            graph_tables_emit_node(at, node);
    }
}

/* ---- graphs that can be launched ---- */

struct exec {
    struct prof_rec_graph facts;
    bool emitted;
};

static struct places exec_places = {.count = GRAPH_TABLES_EXECS_MAX};
static struct exec *execs;   /* memory_once(), before the first key */
static uint32_t execs_fresh; /* not in the file */

static uint64_t graph_tables_key_of_exec(const void *exec)
{
    return (uintptr_t)exec;
}

static uint32_t graph_tables_first_of_exec(const void *exec)
{
    return (uint32_t)((graph_tables_key_of_exec(exec) >> 4) * 0x9e3779b97f4a7c15u >> 40);
}

static uint32_t graph_tables_place_of_exec(const void *exec)
{
    return graph_tables_find(&exec_places, graph_tables_first_of_exec(exec),
                             graph_tables_key_of_exec(exec));
}

void graph_tables_add_exec(const void *exec, const struct prof_rec_graph *facts)
{
    if (graph_tables_key_of_exec(exec) <= KEY_BUSY)
        return;
    graph_tables_remove_exec(exec); /* whose end was not seen */
    if (!MEMORY_ONCE(&execs, GRAPH_TABLES_EXECS_MAX))
        return;
    uint32_t at = graph_tables_claim(&exec_places, graph_tables_first_of_exec(exec));
    if (at == NO_PLACE)
        return;
    execs[at].facts = *facts;
    execs[at].facts.header = 0;
    store_relaxed(&execs[at].emitted, false);
    fetch_add_relaxed(&execs_fresh, 1u);
    store_release(&exec_places.keys[at], graph_tables_key_of_exec(exec));
}

void graph_tables_remove_exec(const void *exec)
{
    uint32_t at = graph_tables_place_of_exec(exec);
    if (at != NO_PLACE)
        store_release(&exec_places.keys[at], (uint64_t)KEY_LEFT);
}

void graph_tables_flag_exec(const void *exec, uint32_t flags)
{
    uint32_t at = graph_tables_place_of_exec(exec);
    if (at == NO_PLACE || (load_relaxed(&execs[at].facts.flags) & flags) == flags)
        return;
    fetch_or_relaxed(&execs[at].facts.flags, flags);
    store_relaxed(&execs[at].emitted, false);
    fetch_add_relaxed(&execs_fresh, 1u);
}

static struct prof_rec_graph graph_tables_facts_at(uint32_t at)
{
    struct prof_rec_graph facts = execs[at].facts;
    facts.flags = load_relaxed(&execs[at].facts.flags);
    return facts;
}

bool graph_tables_find_exec(const void *exec, struct prof_rec_graph *facts)
{
    uint32_t at = graph_tables_place_of_exec(exec);
    if (at == NO_PLACE)
        return false;
    *facts = graph_tables_facts_at(at);
    return true;
}

static void graph_tables_emit_exec(uint32_t at)
{
    struct prof_rec_graph facts = graph_tables_facts_at(at);
    if (meta_append(PROF_REC_GRAPH, &facts, sizeof facts, NULL, 0))
        store_relaxed(&execs[at].emitted, true);
}

void graph_tables_emit_execs(bool again)
{
    if (!load_acquire(&exec_places.keys) || (!again && !load_relaxed(&execs_fresh)))
        return;
    store_relaxed(&execs_fresh, 0u);
    for (uint32_t at = 0; at < GRAPH_TABLES_EXECS_MAX; at++)
        if (load_acquire(&exec_places.keys[at]) > KEY_BUSY &&
            (again || !load_relaxed(&execs[at].emitted)))
            graph_tables_emit_exec(at);
}
