/* key_launches.c - sums over the calls of the timeline, so that any stretch of a thread is one
 * difference. */
#include "key_launches.h"

#include <stdlib.h>

static uint32_t count_launches(const struct timeline *timeline)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        count += timeline->slices.at[i].gpu_count != 0;
    return count;
}

bool key_launches_init(struct key_launches *launches, const struct timeline *timeline)
{
    size_t room = (size_t)count_launches(timeline) + 1;
    *launches = (struct key_launches){
        .timeline = timeline,
        .slices = malloc(room * sizeof *launches->slices),
        .sums_ns = malloc(room * sizeof *launches->sums_ns),
    };
    if (!launches->slices || !launches->sums_ns) {
        key_launches_fini(launches);
        return false;
    }
    launches->sums_ns[0] = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (!slice->gpu_count)
            continue;
        uint32_t n = launches->count++;
        launches->slices[n] = i;
        launches->sums_ns[n + 1] = launches->sums_ns[n] + key_launched_ns(timeline, slice);
    }
    return true;
}

void key_launches_fini(struct key_launches *launches)
{
    free(launches->slices);
    free(launches->sums_ns);
    *launches = (struct key_launches){0};
}

/* How many of the calls come before this time of the thread. */
static uint32_t count_before(const struct key_launches *launches, const struct tl_thread *thread,
                             int64_t time_ns)
{
    const struct tl_slice *slices = launches->timeline->slices.at;
    uint32_t low = 0, high = launches->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, slice = launches->slices[middle];
        bool before = slice < thread->first_slice;
        if (slice >= thread->first_slice && slice - thread->first_slice < thread->slice_count)
            before = slices[slice].start_ns < time_ns;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t key_launches_within(const struct key_launches *launches, const struct tl_async *async)
{
    const struct tl_thread *thread = &launches->timeline->threads.at[async->thread];
    if (async->thread != async->end_thread || async->end_ns < async->start_ns)
        return 0;
    uint32_t first = count_before(launches, thread, async->start_ns);
    uint32_t end = count_before(launches, thread, async->end_ns);
    return launches->sums_ns[end] - launches->sums_ns[first];
}
