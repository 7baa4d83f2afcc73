/* slice_sums.c - sums go from the innermost slices to the outermost: children stand behind their parents, so one
 * pass from the end is enough. */
#include "slice_sums.h"

#include <stdlib.h>

static int64_t duration(int64_t start_ns, int64_t end_ns)
{
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

int64_t slice_launched_ns(const struct timeline *timeline, const struct tl_slice *slice)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        sum_ns += tl_is_work(gpu) ? duration(gpu->start_ns, gpu->end_ns) : 0;
    }
    return sum_ns;
}

/* The range's time is its own interval; of that the timed ranges inside, which have been subtracted already,
 * are not its own. The next timed range around it on the same device loses it in turn. */
static void use_timing(const struct timeline *timeline, struct slice_sums *sums,
                       const struct tl_timing *timing)
{
    struct slice_sums *own = &sums[timing->slice];
    int64_t total_ns = duration(timing->start_ns, timing->end_ns);
    own->device_ns = total_ns;
    own->self_device_ns = total_ns + own->self_device_ns;
    if (own->self_device_ns < 0)
        own->self_device_ns = 0;
    uint32_t up = timeline->slices.at[timing->slice].parent;
    for (; up != TL_NONE; up = timeline->slices.at[up].parent) {
        uint32_t around = timeline_timing_of(timeline, up);
        if (around == TL_NONE || timeline->timings.at[around].device != timing->device)
            continue;
        sums[up].self_device_ns -= total_ns;
        return;
    }
}

/* What is not shown hands up what is inside of it. A call's device time is that of the range around it. */
static void hand_up(const struct timeline *timeline, struct slice_sums *sums, uint32_t index)
{
    const struct tl_slice *slice = &timeline->slices.at[index];
    struct slice_sums *own = &sums[index];
    int64_t inside_ns = -own->self_ns, cpu_ns = duration(slice->start_ns, slice->end_ns);
    bool shown = slice_is_shown(timeline, slice), is_range = slice->kind != TL_API;
    own->self_ns = duration(inside_ns, cpu_ns);
    if (slice->parent != TL_NONE) {
        struct slice_sums *to = &sums[slice->parent];
        to->self_ns -= shown ? cpu_ns : inside_ns;
        to->device_ns += own->device_ns;
        to->self_device_ns += shown && is_range ? 0 : own->self_device_ns;
    }
    if (!is_range)
        own->self_device_ns = 0;
}

struct slice_sums *slice_sums_create(const struct timeline *timeline)
{
    uint32_t timing = timeline->timings.count;
    struct slice_sums *sums = calloc(timeline->slices.count + (size_t)1, sizeof *sums);
    for (uint32_t i = sums ? timeline->slices.count : 0; i-- > 0;) {
        int64_t own_ns = slice_launched_ns(timeline, &timeline->slices.at[i]);
        sums[i].device_ns += own_ns;
        sums[i].self_device_ns += own_ns;
        while (timing && timeline->timings.at[timing - 1].slice > i)
            timing--;
        if (timing && timeline->timings.at[timing - 1].slice == i)
            use_timing(timeline, sums, &timeline->timings.at[timing - 1]);
        hand_up(timeline, sums, i);
    }
    return sums;
}
