#include "graph_execs.h"

#include "atomic.h"

#define REACH 32u

/* Handles are addresses of structs, above these. */
#define KEY_EMPTY 0u
#define KEY_LEFT 1u
#define KEY_BUSY 2u

struct place {
    uint64_t key; /* handle, or KEY_*; stored last, release -> acquire by readers */
    struct prof_rec_graph facts;
    bool stated;
};

static struct place places[GRAPH_EXECS_MAX];
static uint32_t fresh; /* not in the file */

static struct place *place_at(const void *exec, uint32_t step)
{
    uint64_t handle = (uintptr_t)exec;
    uint64_t first = (handle >> 4) * 0x9e3779b97f4a7c15u >> 40;
    return &places[(first + step) % GRAPH_EXECS_MAX];
}

static struct place *find(const void *exec)
{
    for (uint32_t i = 0; i < REACH; i++) {
        struct place *place = place_at(exec, i);
        uint64_t key = load_acquire(&place->key);
        if (key == (uintptr_t)exec)
            return place;
        if (key == KEY_EMPTY)
            return NULL;
    }
    return NULL;
}

static struct place *claim(const void *exec)
{
    for (uint32_t i = 0; i < REACH; i++) {
        struct place *place = place_at(exec, i);
        uint64_t key = load_relaxed(&place->key);
        if (key <= KEY_LEFT && cas_acq_rel(&place->key, &key, (uint64_t)KEY_BUSY))
            return place;
    }
    return NULL;
}

void graph_execs_add(const void *exec, const struct prof_rec_graph *facts)
{
    if ((uintptr_t)exec <= KEY_BUSY)
        return;
    graph_execs_remove(exec); /* whose end was not seen */
    struct place *place = claim(exec);
    if (!place)
        return;
    place->facts = *facts;
    place->facts.header = 0;
    store_relaxed(&place->stated, false);
    fetch_add_relaxed(&fresh, 1u);
    store_release(&place->key, (uint64_t)(uintptr_t)exec);
}

void graph_execs_remove(const void *exec)
{
    struct place *place = find(exec);
    if (place)
        store_release(&place->key, (uint64_t)KEY_LEFT);
}

void graph_execs_flag(const void *exec, uint32_t flags)
{
    struct place *place = find(exec);
    if (!place || (load_relaxed(&place->facts.flags) & flags) == flags)
        return;
    fetch_or_relaxed(&place->facts.flags, flags);
    store_relaxed(&place->stated, false);
    fetch_add_relaxed(&fresh, 1u);
}

bool graph_execs_find(const void *exec, struct prof_rec_graph *facts)
{
    const struct place *place = find(exec);
    if (!place)
        return false;
    *facts = place->facts;
    facts->flags = load_relaxed(&place->facts.flags);
    return true;
}

static void state(struct place *place)
{
    struct prof_rec_graph facts = place->facts;
    facts.flags = load_relaxed(&place->facts.flags);
    if (meta_append(PROF_REC_GRAPH, &facts, sizeof facts, NULL, 0))
        store_relaxed(&place->stated, true);
}

void graph_execs_state(bool again)
{
    if (!again && !load_relaxed(&fresh))
        return;
    store_relaxed(&fresh, 0u);
    for (uint32_t i = 0; i < GRAPH_EXECS_MAX; i++)
        if (load_acquire(&places[i].key) > KEY_BUSY && (again || !load_relaxed(&places[i].stated)))
            state(&places[i]);
}
