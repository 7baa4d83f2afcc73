#include "graph_nodes.h"

#include "atomic.h"

#include <string.h>

/* How far from its place a node is looked for. */
#define REACH 32u

/* Ids of nodes are above these. */
#define KEY_EMPTY 0u
#define KEY_LEFT 1u /* its node is gone: free, but what was placed behind it may be beyond */
#define KEY_BUSY 2u

struct place {
    uint64_t key; /* node, or KEY_*; stored last, release -> acquire by readers */
    uint64_t original, ticks;
    uint32_t graph;
    uint8_t type, flags;
    bool stated; /* is in the file; whoever states it stores */
};

static struct place places[GRAPH_NODES_MAX];
static uint32_t used;  /* places that hold a node */
static uint32_t fresh; /* of them, not in the file */
static uint64_t unplaced;

/* Ids of one graph follow each other, and so do their places: a few pages hold a graph. */
static uint32_t place_of(uint64_t node, uint32_t step)
{
    uint32_t first = (uint32_t)node + (uint32_t)(node >> 32) * 0x9e3779b1u;
    return (first + step) % GRAPH_NODES_MAX;
}

static struct place *find(uint64_t node)
{
    for (uint32_t i = 0; i < REACH; i++) {
        struct place *place = &places[place_of(node, i)];
        uint64_t key = load_acquire(&place->key);
        if (key == node)
            return place;
        if (key == KEY_EMPTY)
            return NULL;
    }
    return NULL;
}

/* A place that nobody else fills; NULL when there is none within reach. */
static struct place *claim(uint64_t node)
{
    for (uint32_t i = 0; i < REACH; i++) {
        struct place *place = &places[place_of(node, i)];
        uint64_t key = load_relaxed(&place->key);
        if (key <= KEY_LEFT && cas_acq_rel(&place->key, &key, (uint64_t)KEY_BUSY))
            return place;
    }
    return NULL;
}

void graph_nodes_remember(const struct prof_rec_earlier_node *node)
{
    if (node->node <= KEY_BUSY)
        return;
    graph_nodes_forget(node->node);
    struct place *place = claim(node->node);
    if (!place) {
        fetch_add_relaxed(&unplaced, 1u);
        return;
    }
    place->original = node->original;
    place->ticks = node->ticks;
    place->graph = node->graph;
    place->type = node->type;
    place->flags = node->flags;
    store_relaxed(&place->stated, false);
    fetch_add_relaxed(&used, 1u);
    fetch_add_relaxed(&fresh, 1u);
    store_release(&place->key, node->node);
}

void graph_nodes_forget(uint64_t node)
{
    struct place *place = load_relaxed(&used) ? find(node) : NULL;
    uint64_t key = node;
    if (place && cas_acq_rel(&place->key, &key, (uint64_t)KEY_LEFT))
        fetch_add_relaxed(&used, UINT32_MAX);
}

static void state(struct place *place, uint64_t node)
{
    const struct prof_rec_earlier_node record = {
        .node = node,
        .original = place->original,
        .ticks = place->ticks,
        .graph = place->graph,
        .type = place->type,
        .flags = place->flags,
    };
    if (load_acquire(&place->key) == node &&
        meta_append(PROF_REC_EARLIER_NODE, &record, sizeof record, NULL, 0))
        store_relaxed(&place->stated, true);
}

void graph_nodes_state(bool again)
{
    if (!load_relaxed(&used) || (!again && !load_relaxed(&fresh)))
        return;
    store_relaxed(&fresh, 0u);
    for (uint32_t i = 0; i < GRAPH_NODES_MAX; i++) {
        uint64_t node = load_acquire(&places[i].key);
        if (node > KEY_BUSY && (again || !load_relaxed(&places[i].stated)))
            state(&places[i], node);
    }
}

uint64_t graph_nodes_unplaced(void)
{
    return load_relaxed(&unplaced);
}
