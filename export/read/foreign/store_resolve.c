/* store_resolve.c - which process an operation belongs to, and which range it comes from.
 *
 * Calls are found by their correlation id, ranges by the id that is in the same place. Each id is
 * looked up in a table that has the ids of operations alone, so what this costs depends on them.
 */
#include "event_store_inside.h"

#include <stdlib.h>
#include <string.h>

/* An id that operations have, and the first slice that has it; 1 + index, 0 none. */
struct wanted {
    uint32_t id, slice;
};

struct wanted_ids {
    struct wanted *at; /* open addressing; id 0 is empty */
    uint32_t mask;
    uint64_t again; /* slices whose id another had before */
};

static bool wanted_init(struct wanted_ids *ids, uint32_t count)
{
    uint32_t size = 64;
    while (size / 2 < count && size < UINT32_C(1) << 31)
        size *= 2;
    *ids = (struct wanted_ids){calloc(size, sizeof *ids->at), size - 1, 0};
    return ids->at != NULL;
}

static struct wanted *wanted_slot(const struct wanted_ids *ids, uint32_t id)
{
    uint32_t at = (id * UINT32_C(2654435769)) >> 4 & ids->mask;
    while (ids->at[at].id && ids->at[at].id != id)
        at = (at + 1) & ids->mask;
    return &ids->at[at];
}

static void want(struct wanted_ids *ids, uint32_t id)
{
    if (id)
        wanted_slot(ids, id)->id = id;
}

/* 1 + index of the slice; 0 none. */
static uint32_t wanted_find(const struct wanted_ids *ids, uint32_t id)
{
    return id ? wanted_slot(ids, id)->slice : 0;
}

static void offer(struct wanted_ids *ids, const struct event_store *store, bool calls)
{
    for (uint32_t i = 0; i < store->slices.count; i++) {
        const struct store_slice *slice = &store->slices.at[i];
        if (!slice->correlation || (slice->kind == READ_SLICE_API) != calls)
            continue;
        struct wanted *wanted = wanted_slot(ids, slice->correlation);
        if (!wanted->id)
            continue;
        ids->again += wanted->slice != 0;
        if (!wanted->slice)
            wanted->slice = i + 1;
    }
}

static uint32_t process_of(const struct event_store *store, uint32_t slice)
{
    uint32_t thread = store->slices.at[slice - 1].thread;
    return thread && thread <= store->threads.count ? store->threads.at[thread - 1].process : 0;
}

/* Every operation has its call's process, or `main`; an origin that a call makes needless goes. */
static void use_calls(struct event_store *store, const struct wanted_ids *calls, bool place,
                      uint32_t main)
{
    for (uint32_t i = 0; i < store->gpus.count; i++) {
        struct store_gpu *gpu = &store->gpus.at[i];
        uint32_t call = wanted_find(calls, gpu->correlation);
        if (place)
            gpu->process = call ? process_of(store, call) : main;
        gpu->origin = call ? 0 : gpu->origin;
    }
}

static void use_origins(struct event_store *store, const struct wanted_ids *origins, bool place)
{
    for (uint32_t i = 0; i < store->gpus.count; i++) {
        struct store_gpu *gpu = &store->gpus.at[i];
        gpu->origin = wanted_find(origins, gpu->origin);
        if (gpu->origin && place)
            gpu->process = process_of(store, gpu->origin);
        if (gpu->origin && gpu->process != process_of(store, gpu->origin))
            gpu->origin = 0;
        store->has_origins |= gpu->origin != 0;
    }
}

void event_store_resolve(struct event_store *store, bool place, uint32_t main)
{
    struct wanted_ids calls = {0}, origins = {0};
    bool ready = wanted_init(&calls, store->gpus.count) && wanted_init(&origins, store->gpus.count);
    store->failed |= !ready;
    for (uint32_t i = 0; i < store->gpus.count && ready; i++)
        want(&calls, store->gpus.at[i].correlation);
    if (ready) {
        offer(&calls, store, true);
        use_calls(store, &calls, place, main);
    }
    uint32_t without = 0;
    for (uint32_t i = 0; i < store->gpus.count && ready; i++) {
        want(&origins, store->gpus.at[i].origin);
        without += store->gpus.at[i].origin != 0;
    }
    if (ready && without) {
        offer(&origins, store, false);
        use_origins(store, &origins, place);
        event_store_warn(store,
                         "ids that several ranges have, of which the first is taken for the "
                         "origin of device operations",
                         origins.again);
    }
    free(calls.at);
    free(origins.at);
}
