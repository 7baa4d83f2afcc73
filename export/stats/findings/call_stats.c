/* call_stats.c - see call_stats.h. */
#include "call_stats.h"

#include "array.h"

#include <stdlib.h>

struct adding {
    const struct timeline *timeline;
    struct call_stats *stats;
    struct key_samples samples;
    uint32_t *row_of_name; /* 1 + row */
};

static struct call_stat *row_of(struct adding *adding, uint32_t name, uint32_t slice)
{
    uint32_t *row = &adding->row_of_name[name];
    if (*row)
        return &adding->stats->at[*row - 1];
    struct call_stat *added = ARRAY_ADD(adding->stats);
    if (!added)
        return NULL;
    *added = (struct call_stat){.name = name, .slowest = slice};
    *row = adding->stats->count;
    return added;
}

static bool is_timed(const struct timeline *timeline, const struct tl_slice *slice)
{
    return slice->kind == TL_API && !(slice->flags & TL_INTERNAL) &&
           slice->name < timeline->names.count &&
           !(slice->api < timeline->apis.count && timeline->apis.at[slice->api].failed_only);
}

static bool add_calls(struct adding *adding)
{
    const struct timeline *timeline = adding->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (!is_timed(timeline, slice))
            continue;
        int64_t ns = slice->end_ns - slice->start_ns;
        struct call_stat *row = row_of(adding, slice->name, i);
        if (!row)
            return false;
        row->count++;
        row->sum_ns += ns;
        if (ns > row->max_ns) {
            row->max_ns = ns;
            row->slowest = i;
        }
        key_samples_add(&adding->samples, (uint32_t)(row - adding->stats->at), ns);
    }
    return true;
}

/* `sorted_ns`: of one name, ascending. */
static void find_outliers(struct call_stat *row, const int64_t *sorted_ns, size_t count)
{
    row->median_ns = sorted_ns[count / 2];
    for (size_t i = count; i-- > 0 && sorted_ns[i] / CALL_OUTLIER_TIMES > row->median_ns;) {
        row->outliers++;
        row->outliers_ns += sorted_ns[i] - row->median_ns;
    }
}

static bool measure(struct adding *adding)
{
    struct call_stats *stats = adding->stats;
    size_t *starts = key_samples_sort(&adding->samples, stats->count);
    for (uint32_t i = 0; i < stats->count && starts; i++)
        if (starts[i + 1] > starts[i])
            find_outliers(&stats->at[i], adding->samples.ns + starts[i], starts[i + 1] - starts[i]);
    free(starts);
    return starts != NULL;
}

static int longest_first(const void *left, const void *right)
{
    const struct call_stat *a = left, *b = right;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

bool call_stats_init(struct call_stats *stats, const struct timeline *timeline)
{
    struct adding adding = {.timeline = timeline, .stats = stats};
    *stats = (struct call_stats){0};
    adding.row_of_name = calloc((size_t)timeline->names.count + 1, sizeof *adding.row_of_name);
    bool ready = adding.row_of_name && key_samples_init(&adding.samples, timeline->apis.count);
    bool done = ready && add_calls(&adding) && measure(&adding);
    if (ready)
        key_samples_fini(&adding.samples);
    free(adding.row_of_name);
    if (!done)
        call_stats_fini(stats);
    else if (stats->count)
        qsort(stats->at, stats->count, sizeof *stats->at, longest_first);
    return done;
}

void call_stats_fini(struct call_stats *stats)
{
    free(stats->at);
    *stats = (struct call_stats){0};
}
