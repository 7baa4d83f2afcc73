/* kineto_pairs.c - see kineto_pairs.h. */
#include "kineto_pairs.h"

#include "radix.h"

#include <stdlib.h>

bool kineto_ends_add(struct kineto_ends *ends, const struct kineto_end *end)
{
    struct kineto_end *added = ARRAY_ADD(ends);
    if (added)
        *added = *end;
    return added != NULL;
}

/* By owner, then time; NULL: no memory. */
static struct radix_item *sort_ends(const struct kineto_ends *ends)
{
    struct radix_item *items = calloc((size_t)ends->count + 1, sizeof *items);
    bool sorted = items != NULL;
    for (uint32_t i = 0; i < ends->count && sorted; i++)
        items[i] = (struct radix_item){radix_key(ends->at[i].time_ns), i};
    sorted = sorted && radix_sort(items, ends->count);
    for (uint32_t i = 0; i < ends->count && sorted; i++)
        items[i].key = ends->at[items[i].value].owner;
    sorted = sorted && radix_sort(items, ends->count);
    if (sorted)
        return items;
    free(items);
    return NULL;
}

/* What is open, as indexes of begins. */
struct open_ends {
    uint32_t *at;
    uint32_t count, capacity;
};

typedef void tell_pair(const struct kineto_end *begin, const struct kineto_end *end,
                       struct event_store *store, int64_t last_ns);

static void tell_slice(const struct kineto_end *begin, const struct kineto_end *end,
                       struct event_store *store, int64_t last_ns)
{
    struct read_slice slice = {
        .start_ns = begin->time_ns,
        .end_ns = end                        ? end->time_ns
                  : last_ns > begin->time_ns ? last_ns
                                             : begin->time_ns,
        .thread = begin->thread,
        .name = begin->name,
        .correlation = begin->correlation,
        .result = READ_RESULT_UNKNOWN,
        .kind = begin->kind,
        .flags = (uint8_t)(begin->flags | (end ? 0 : READ_SLICE_UNCLOSED)),
    };
    event_store_slice(store, &slice);
}

static void tell_range(const struct kineto_end *begin, const struct kineto_end *end,
                       struct event_store *store, int64_t last_ns)
{
    (void)last_ns;
    uint64_t id = event_store_range_count(store) + 1;
    event_store_range(store, begin->thread, end ? end->thread : 0, begin->time_ns,
                      end ? end->time_ns : begin->time_ns, begin->name, id);
}

static void tell_open(const struct kineto_ends *ends, struct open_ends *open, tell_pair *tell,
                      struct event_store *store, int64_t last_ns)
{
    while (open->at && open->count)
        tell(&ends->at[open->at[--open->count]], NULL, store, last_ns);
}

static bool pair(const struct kineto_ends *ends, const struct radix_item *items, tell_pair *tell,
                 struct event_store *store, int64_t last_ns)
{
    struct open_ends open = {0};
    uint64_t without_begin = 0;
    bool paired = true;
    for (uint32_t i = 0; i < ends->count && paired; i++) {
        const struct kineto_end *end = &ends->at[items[i].value];
        if (i && end->owner != ends->at[items[i - 1].value].owner)
            tell_open(ends, &open, tell, store, last_ns);
        if (end->is_end && open.count == 0) {
            without_begin++;
        } else if (end->is_end) {
            tell(&ends->at[open.at[--open.count]], end, store, last_ns);
        } else {
            uint32_t *place = ARRAY_ADD(&open);
            paired = place != NULL;
            if (place)
                *place = items[i].value;
        }
    }
    tell_open(ends, &open, tell, store, last_ns);
    event_store_warn(store, "ends of events without a begin", without_begin);
    free(open.at);
    return paired;
}

static bool pair_all(struct kineto_ends *ends, tell_pair *tell, struct event_store *store,
                     int64_t last_ns)
{
    if (ends->count == 0)
        return true;
    struct radix_item *items = sort_ends(ends);
    bool paired = items && pair(ends, items, tell, store, last_ns);
    free(items);
    return paired;
}

bool kineto_pairs_slices(struct kineto_ends *ends, struct event_store *store, int64_t last_ns)
{
    return pair_all(ends, tell_slice, store, last_ns);
}

bool kineto_pairs_ranges(struct kineto_ends *ends, struct event_store *store)
{
    return pair_all(ends, tell_range, store, 0);
}
