/* build_waits.c - what waits for events were for.
 *
 * An event is recorded again and again. A wait is for what was recorded last when it was called for, not when it
 * took place, and CUPTI's record of it names only the event. Correlation ids are given to a process's calls in
 * their order, so it is the last recording with a smaller one.
 */
#include "build.h"

#include <stdlib.h>

enum { WAITS_EVENT_SYNC = 1, WAITS_STREAM_WAIT = 2 }; /* CUpti_ActivitySynchronizationType */

void timeline_append_cuda_event(struct builder *builder, uint32_t correlation,
                                const struct read_cuda_event *event)
{
    if (builder->failed)
        return;
    struct build_cuda_event *kept = ARRAY_ADD(&builder->cuda_events);
    if (kept)
        *kept = (struct build_cuda_event){event->context, event->event, correlation, event->stream};
    else
        builder->failed = true;
}

static int in_order(const struct build_cuda_event *a, const struct build_cuda_event *b)
{
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static int compare(const void *left, const void *right)
{
    return in_order(left, right);
}

/* The last that is before `wanted`, of the same event; NULL none. */
static const struct build_cuda_event *find_before(const struct builder *builder,
                                                  const struct build_cuda_event *wanted)
{
    uint32_t low = 0, high = builder->cuda_events.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (in_order(&builder->cuda_events.at[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct build_cuda_event *found = low ? &builder->cuda_events.at[low - 1] : NULL;
    return found && found->context == wanted->context && found->event == wanted->event ? found
                                                                                       : NULL;
}

static bool add_wait(struct builder *builder, uint32_t gpu)
{
    const struct timeline *timeline = builder->timeline;
    const struct tl_gpu *op = &timeline->gpus.at[gpu];
    const struct tl_sync *sync = &timeline->syncs.at[op->detail];
    if (sync->type != WAITS_EVENT_SYNC && sync->type != WAITS_STREAM_WAIT)
        return true;
    const struct build_cuda_event *event = find_before(
        builder, &(struct build_cuda_event){sync->context, sync->event, op->correlation, 0});
    if (!event)
        return true;
    struct tl_wait *wait = ARRAY_ADD(&builder->timeline->waits);
    if (wait)
        *wait = (struct tl_wait){gpu, event->correlation, event->stream};
    return wait != NULL;
}

bool build_waits(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    if (builder->cuda_events.count == 0)
        return true;
    qsort(builder->cuda_events.at, builder->cuda_events.count, sizeof *builder->cuda_events.at,
          compare);
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++)
        if (timeline->gpus.at[i].kind == TL_SYNC && !add_wait(builder, i))
            return false;
    return true;
}
