/* store_times.c - where a file's time begins and ends. */
#include "event_store_inside.h"

struct span {
    int64_t first_ns, last_ns;
};

static void widen(struct span *span, int64_t start_ns, int64_t end_ns)
{
    span->first_ns = start_ns < span->first_ns ? start_ns : span->first_ns;
    span->last_ns = end_ns > span->last_ns ? end_ns : span->last_ns;
}

/* The end of a slice that has none is not an event. */
static struct span span_of(const struct event_store *store)
{
    struct span span = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < store->slices.count; i++) {
        const struct store_slice *slice = &store->slices.at[i];
        widen(&span, slice->start_ns,
              slice->flags & SLICE_UNCLOSED ? slice->start_ns : slice->end_ns);
    }
    for (uint32_t i = 0; i < store->instants.count; i++)
        widen(&span, store->instants.at[i].time_ns, store->instants.at[i].time_ns);
    for (uint32_t i = 0; i < store->ranges.count; i++)
        widen(&span, store->ranges.at[i].start_ns, store->ranges.at[i].end_ns);
    for (uint32_t i = 0; i < store->gpus.count; i++)
        widen(&span, store->gpus.at[i].start_ns, store->gpus.at[i].end_ns);
    for (uint32_t i = 0; i < store->memories.count; i++)
        if (store->memories.at[i].place == STORE_BY_CALL)
            widen(&span, store->memories.at[i].time_ns, store->memories.at[i].time_ns);
    return span;
}

int64_t event_store_end(struct event_store *store)
{
    struct span span = span_of(store);
    for (uint32_t i = 0; i < store->slices.count; i++)
        if (store->slices.at[i].flags & SLICE_UNCLOSED)
            store->slices.at[i].end_ns = span.last_ns;
    return span.first_ns == INT64_MAX ? 0 : span.first_ns;
}

void event_store_shift(struct event_store *store, int64_t origin_ns)
{
    for (uint32_t i = 0; i < store->slices.count; i++) {
        store->slices.at[i].start_ns -= origin_ns;
        store->slices.at[i].end_ns -= origin_ns;
    }
    for (uint32_t i = 0; i < store->instants.count; i++)
        store->instants.at[i].time_ns -= origin_ns;
    for (uint32_t i = 0; i < store->memories.count; i++)
        if (store->memories.at[i].place == STORE_BY_CALL)
            store->memories.at[i].time_ns -= origin_ns;
    for (uint32_t i = 0; i < store->ranges.count; i++) {
        store->ranges.at[i].start_ns -= origin_ns;
        store->ranges.at[i].end_ns -= origin_ns;
    }
    for (uint32_t i = 0; i < store->gpus.count; i++) {
        store->gpus.at[i].start_ns -= origin_ns;
        store->gpus.at[i].end_ns -= origin_ns;
    }
}
