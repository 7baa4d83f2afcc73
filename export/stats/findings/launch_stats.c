/* launch_stats.c - see launch_stats.h. */
#include "launch_stats.h"

#include "operation_totals.h"

#include <stdlib.h>

struct limits {
    int64_t slow_call_ns, late_start_ns;
};

static void add_some(struct launch_some *some, uint32_t operation, int64_t ns, int64_t limit_ns)
{
    if (ns <= limit_ns)
        return;
    some->count++;
    some->excess_ns += ns - limit_ns;
    if (ns > some->worst_ns) {
        some->worst_ns = ns;
        some->worst = operation;
    }
}

/* `free_since_ns`: when what came before on the stream had ended. */
static void add_operation(struct launch_row *row, const struct timeline *timeline, uint32_t index,
                          int64_t free_since_ns, const struct limits *limits)
{
    const struct tl_gpu *operation = &timeline->gpus.at[index];
    const struct tl_slice *call = operation_call(timeline, operation);
    if (!call) {
        row->others++;
        return;
    }
    int64_t call_ns = operation_call_end_ns(timeline, call) - call->start_ns;
    int64_t delay_ns = operation_delay_ns(timeline, operation, call);
    int64_t duration_ns =
        operation->end_ns > operation->start_ns ? operation->end_ns - operation->start_ns : 0;
    int64_t starved_ns = operation->start_ns - free_since_ns;
    row->launched++;
    row->call_ns += call_ns;
    row->delay_ns += delay_ns;
    row->duration_ns += duration_ns;
    add_some(&row->slow, index, call_ns, limits->slow_call_ns);
    add_some(&row->late, index, delay_ns, limits->late_start_ns);
    add_some(&row->starved, index, starved_ns < delay_ns ? starved_ns : delay_ns,
             limits->late_start_ns);
    add_some(&row->shorter, index, call_ns - duration_ns, 0);
}

static void add_stream(struct launch_row *row, const struct timeline *timeline,
                       const struct tl_stream *stream, const struct limits *limits)
{
    int64_t free_since_ns = timeline->start_ns;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        add_operation(row, timeline, i, free_since_ns, limits);
        if (operation->end_ns > free_since_ns)
            free_since_ns = operation->end_ns;
    }
}

static struct launch_row *row_of(struct launch_stats *stats, const struct tl_stream *stream)
{
    struct launch_row *last = stats->count ? &stats->at[stats->count - 1] : NULL;
    if (last && last->process == stream->process && last->device == stream->device)
        return last;
    struct launch_some none = {.worst = TL_NONE};
    stats->at[stats->count] = (struct launch_row){.process = stream->process,
                                                  .device = stream->device,
                                                  .slow = none,
                                                  .late = none,
                                                  .starved = none,
                                                  .shorter = none};
    return &stats->at[stats->count++];
}

bool launch_stats_init(struct launch_stats *stats, const struct timeline *timeline,
                       int64_t slow_call_ns, int64_t late_start_ns)
{
    const struct limits limits = {slow_call_ns, late_start_ns};
    *stats = (struct launch_stats){
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *stats->at)};
    for (uint32_t i = 0; i < timeline->streams.count && stats->at; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        if (stream->gpu_count)
            add_stream(row_of(stats, stream), timeline, stream, &limits);
    }
    return stats->at != NULL;
}

void launch_stats_fini(struct launch_stats *stats)
{
    free(stats->at);
    *stats = (struct launch_stats){0};
}
