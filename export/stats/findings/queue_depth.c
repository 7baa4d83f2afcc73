/* queue_depth.c - see queue_depth.h. */
#include "queue_depth.h"

#include "operation_totals.h"
#include "radix.h"

#include <math.h>
#include <stdlib.h>

struct series {
    struct queue_row *row;
    int64_t depth, full;
    int64_t first_ns, last_ns;
    double sum, area;
};

static void change(struct series *series, int64_t time_ns, int64_t by)
{
    struct queue_row *row = series->row;
    if (row->changes++ == 0)
        series->first_ns = series->last_ns = time_ns;
    int64_t passed_ns = time_ns - series->last_ns;
    series->area += (double)series->depth * (double)passed_ns;
    row->full_ns += series->depth >= series->full ? passed_ns : 0;
    series->last_ns = time_ns;
    series->depth += by;
    series->sum += (double)series->depth;
    if (series->depth > row->most) {
        row->most = series->depth;
        row->most_at_ns = time_ns;
    }
    row->least = series->depth < row->least ? series->depth : row->least;
}

static int64_t time_of(const struct radix_item *item)
{
    return (int64_t)(item->key ^ UINT64_C(1) << 63);
}

/* At the same time the launch comes first. */
static void follow(struct series *series, const struct timeline *timeline,
                   const struct tl_stream *stream, const struct radix_item *launches, size_t count)
{
    size_t launch = 0;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation) || !operation_call(timeline, operation))
            continue;
        for (; launch < count && time_of(&launches[launch]) <= operation->start_ns; launch++)
            change(series, time_of(&launches[launch]), 1);
        change(series, operation->start_ns, -1);
    }
    for (; launch < count; launch++)
        change(series, time_of(&launches[launch]), 1);
}

static size_t collect(const struct timeline *timeline, const struct tl_stream *stream,
                      struct radix_item *launches)
{
    size_t count = 0;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        const struct tl_slice *call =
            tl_is_work(operation) ? operation_call(timeline, operation) : NULL;
        if (call)
            launches[count++] = (struct radix_item){radix_key(call->start_ns), i};
    }
    return count;
}

static void close_row(const struct series *series)
{
    struct queue_row *row = series->row;
    row->span_ns = series->last_ns - series->first_ns;
    row->mean = series->sum / (double)row->changes;
    row->mean_in_time = row->span_ns > 0 ? series->area / (double)row->span_ns : (double)NAN;
}

static bool add_stream(struct queue_depth *depth, const struct timeline *timeline, uint32_t index,
                       uint32_t full)
{
    const struct tl_stream *stream = &timeline->streams.at[index];
    struct queue_row row = {.stream = index};
    struct series series = {.row = &row, .full = full};
    if (stream->gpu_count == 0)
        return true;
    struct radix_item *launches = malloc(stream->gpu_count * sizeof *launches);
    size_t count = launches ? collect(timeline, stream, launches) : 0;
    bool sorted = launches && radix_sort(launches, count);
    if (sorted && count) {
        follow(&series, timeline, stream, launches, count);
        close_row(&series);
        depth->at[depth->count++] = row;
    }
    free(launches);
    return sorted;
}

bool queue_depth_init(struct queue_depth *depth, const struct timeline *timeline, uint32_t full)
{
    *depth = (struct queue_depth){
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *depth->at)};
    bool done = depth->at != NULL;
    for (uint32_t i = 0; i < timeline->streams.count && done; i++)
        done = add_stream(depth, timeline, i, full);
    if (!done)
        queue_depth_fini(depth);
    return done;
}

void queue_depth_fini(struct queue_depth *depth)
{
    free(depth->at);
    *depth = (struct queue_depth){0};
}
