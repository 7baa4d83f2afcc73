/* idle_breakdown.c - see idle_breakdown.h. */
#include "idle_breakdown.h"

#include <stdlib.h>

static enum idle_cause cause_of(const struct timeline *timeline, const struct tl_gpu *operation,
                                int64_t free_since_ns, int64_t kernel_wait_ns)
{
    if (operation->slice == TL_NONE)
        return IDLE_UNKNOWN;
    if (timeline->slices.at[operation->slice].start_ns > free_since_ns)
        return IDLE_HOST_WAIT;
    return operation->start_ns - free_since_ns < kernel_wait_ns ? IDLE_KERNEL_WAIT : IDLE_OTHER;
}

static void add_gap(struct idle_row *row, enum idle_cause cause, int64_t gap_ns)
{
    row->total_ns += gap_ns;
    row->cause_ns[cause] += gap_ns;
    row->count[cause]++;
    if (gap_ns > row->longest_ns[cause])
        row->longest_ns[cause] = gap_ns;
}

/* Returns how many operations the stream had. */
static uint64_t add_stream(const struct timeline *timeline, struct idle_row *row,
                           int64_t kernel_wait_ns)
{
    const struct tl_stream *stream = &timeline->streams.at[row->stream];
    int64_t free_since_ns = 0;
    uint64_t operations = 0;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        if (operations > 0 && operation->start_ns > free_since_ns)
            add_gap(row, cause_of(timeline, operation, free_since_ns, kernel_wait_ns),
                    operation->start_ns - free_since_ns);
        if (operations++ == 0 || operation->end_ns > free_since_ns)
            free_since_ns = operation->end_ns;
    }
    return operations;
}

bool idle_breakdown_init(struct idle_breakdown *breakdown, const struct timeline *timeline,
                         int64_t kernel_wait_ns)
{
    *breakdown = (struct idle_breakdown){
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *breakdown->at)};
    for (uint32_t i = 0; i < timeline->streams.count && breakdown->at; i++) {
        struct idle_row row = {.stream = i};
        if (add_stream(timeline, &row, kernel_wait_ns) > 1)
            breakdown->at[breakdown->count++] = row;
    }
    return breakdown->at != NULL;
}

void idle_breakdown_fini(struct idle_breakdown *breakdown)
{
    free(breakdown->at);
    *breakdown = (struct idle_breakdown){0};
}

const char *idle_cause_name(enum idle_cause cause)
{
    static const char *const names[] = {"host wait", "kernel wait", "other", "unknown"};
    return names[cause];
}
