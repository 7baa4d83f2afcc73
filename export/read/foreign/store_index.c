/* store_index.c - everything of a store by thread or process, so that telling a process costs what it has
 * and not what the file has.
 */
#include "event_store_inside.h"

#include <stdlib.h>

/* In the number of a slice that is being sorted: it is a call. */
#define IS_CALL (UINT32_C(1) << 31)

/* Slices that begin at one time: the longer first, and calls inside ranges that are as long. There are few at
 * a time, unless a file is made to be slow; then a stable merge would be needed, which qsort of glibc is. */
static int longer_first(const void *left, const void *right)
{
    const struct radix_item *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static void sort_equal_starts(const struct event_store *store, struct radix_item *items,
                              uint32_t count)
{
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && items[end].key == items[first].key; end++) {
        }
        if (end - first < 2)
            continue;
        uint64_t key = items[first].key;
        for (uint32_t i = first; i < end; i++) {
            const struct store_slice *slice = &store->slices.at[items[i].value];
            items[i].key = radix_key(slice->end_ns);
            items[i].value |= slice->kind == SLICE_API ? IS_CALL : 0;
        }
        qsort(items + first, end - first, sizeof *items, longer_first);
        for (uint32_t i = first; i < end; i++) {
            items[i].key = key;
            items[i].value &= ~IS_CALL;
        }
    }
}

typedef uint32_t group_of_item(const struct event_store *store, uint32_t index);
typedef int64_t time_of_item(const struct event_store *store, uint32_t index);

static uint32_t slice_thread(const struct event_store *store, uint32_t index)
{
    return store->slices.at[index].thread;
}

static int64_t slice_time(const struct event_store *store, uint32_t index)
{
    return store->slices.at[index].start_ns;
}

static uint32_t instant_thread(const struct event_store *store, uint32_t index)
{
    return store->instants.at[index].thread;
}

static int64_t instant_time(const struct event_store *store, uint32_t index)
{
    return store->instants.at[index].time_ns;
}

static uint32_t process_of_thread(const struct event_store *store, uint32_t index)
{
    return store->threads.at[index].process;
}

static uint32_t process_of_gpu(const struct event_store *store, uint32_t index)
{
    return store->gpus.at[index].process;
}

static uint32_t process_of_range(const struct event_store *store, uint32_t index)
{
    uint32_t thread = store->ranges.at[index].thread;
    return thread && thread <= store->threads.count ? store->threads.at[thread - 1].process
                                                    : EVENT_NO_PROCESS;
}

/* Counts the items of each group, gives each its part, and fills the parts in the order of the file: starts
 * has one more group at its end. What is of no group is left out. */
static bool group(const struct event_store *store, uint32_t count, uint32_t groups,
                  group_of_item *group_of, struct store_groups *grouped)
{
    uint32_t *starts = calloc((size_t)groups + 3, sizeof *starts);
    grouped->starts = starts;
    grouped->items = malloc(((size_t)count + 1) * sizeof *grouped->items);
    if (!starts || !grouped->items)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (group_of(store, i) < groups)
            starts[group_of(store, i) + 2]++;
    for (uint32_t i = 1; i < groups + 3; i++)
        starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < count; i++)
        if (group_of(store, i) < groups)
            grouped->items[starts[group_of(store, i) + 1]++] = i;
    return true;
}

/* By thread, then by time. */
static bool sort(const struct event_store *store, uint32_t count, group_of_item *thread_of,
                 time_of_item *time_of, struct store_sorted *sorted)
{
    uint32_t threads = store->threads.count + 1; /* numbers count from 1 */
    struct store_groups groups = {0};
    bool done = group(store, count, threads, thread_of, &groups);
    sorted->starts = groups.starts;
    sorted->items = done ? malloc(((size_t)count + 1) * sizeof *sorted->items) : NULL;
    done = sorted->items != NULL;
    for (uint32_t i = 0; done && i < groups.starts[threads]; i++)
        sorted->items[i] =
            (struct radix_item){radix_key(time_of(store, groups.items[i])), groups.items[i]};
    for (uint32_t i = 0; i < threads && done; i++)
        done =
            radix_sort(sorted->items + groups.starts[i], groups.starts[i + 1] - groups.starts[i]);
    free(groups.items);
    return done;
}

static bool fill(struct event_store *store, struct store_index *index)
{
    uint32_t processes = store->processes.count;
    index->names = calloc((size_t)store->names.count + 1, sizeof *index->names);
    index->labels = calloc((size_t)store->labels.count + 1, sizeof *index->labels);
    if (store->has_origins)
        index->numbers = calloc((size_t)store->slices.count + 1, sizeof *index->numbers);
    if (!index->names || !index->labels || (store->has_origins && !index->numbers))
        return false;
    return group(store, store->threads.count, processes, process_of_thread, &index->threads) &&
           group(store, store->gpus.count, processes, process_of_gpu, &index->gpus) &&
           group(store, store->ranges.count, processes, process_of_range, &index->ranges) &&
           sort(store, store->slices.count, slice_thread, slice_time, &index->slices) &&
           sort(store, store->instants.count, instant_thread, instant_time, &index->instants);
}

bool store_index(struct event_store *store)
{
    store->index = calloc(1, sizeof *store->index);
    if (!store->index || !fill(store, store->index)) {
        store_index_destroy(store->index);
        store->index = NULL;
        return false;
    }
    const struct store_sorted *slices = &store->index->slices;
    for (uint32_t i = 0; i <= store->threads.count; i++)
        sort_equal_starts(store, slices->items + slices->starts[i],
                          slices->starts[i + 1] - slices->starts[i]);
    return true;
}

void store_index_destroy(struct store_index *index)
{
    if (!index)
        return;
    free(index->slices.items), free(index->slices.starts);
    free(index->instants.items), free(index->instants.starts);
    free(index->threads.items), free(index->threads.starts);
    free(index->gpus.items), free(index->gpus.starts);
    free(index->ranges.items), free(index->ranges.starts);
    free(index->names);
    free(index->labels);
    free(index->numbers);
    free(index);
}
