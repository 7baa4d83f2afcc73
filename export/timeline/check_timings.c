/* check_timings.c - ranges timed by CUDA events: each time belongs to a range, nests like it, and
 * ends after it. */
#include "check_find.h"

#include <inttypes.h>

/* What CLOCK_REALTIME can drift from a device's clock in the second between two looks. */
#define DRIFT_NS 200000

static bool is_valid(const struct timeline *timeline, uint32_t i)
{
    const struct tl_timing *timing = &timeline->timings.at[i];
    bool ordered = i == 0 || timeline->timings.at[i - 1].slice < timing->slice;
    return ordered && timing->slice < timeline->slices.count &&
           timeline->slices.at[timing->slice].kind != TL_API && timing->end_ns >= timing->start_ns;
}

/* The innermost enclosing slice that was timed on the same device; TL_NONE: none. */
static uint32_t find_outer(const struct timeline *timeline, uint32_t i)
{
    const struct tl_timing *timing = &timeline->timings.at[i];
    uint32_t slice = timeline->slices.at[timing->slice].parent;
    for (int depth = 0; slice < timeline->slices.count && depth < 256; depth++) {
        uint32_t outer = timeline_timing_of(timeline, slice);
        if (outer != TL_NONE && timeline->timings.at[outer].device == timing->device)
            return outer;
        slice = timeline->slices.at[slice].parent;
    }
    return TL_NONE;
}

static bool is_nested(const struct timeline *timeline, uint32_t i)
{
    const struct tl_timing *timing = &timeline->timings.at[i];
    uint32_t outer = find_outer(timeline, i);
    return outer == TL_NONE || (timeline->timings.at[outer].start_ns <= timing->start_ns &&
                                timing->end_ns <= timeline->timings.at[outer].end_ns);
}

/* The second event is recorded after the pop is, and happens later still. */
static bool is_early(const struct check *check, const struct tl_timing *timing)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_slice *slice = &timeline->slices.at[timing->slice];
    uint32_t process = timeline->threads.at[slice->thread].process;
    int64_t clock_error_ns = timeline->processes.at[process].health.clock_error_ns;
    return timing->end_ns < slice->end_ns - DRIFT_NS - (int64_t)timing->error_ns - clock_error_ns;
}

static void check_timing(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_timing *timing = &timeline->timings.at[i];
    if (!is_valid(timeline, i)) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "CUDA time %" PRIu32 " belongs to no range, or is out of order", i);
        return;
    }
    struct text name = check_name(check, timeline->slices.at[timing->slice].name);
    check_add(check, CHECK_RULE_TIMINGS, CHECK_ERROR, !is_nested(timeline, i),
              "the CUDA time of \"%.*s\" at %" PRId64 " ns is not within that of its parent",
              CHECK_TEXT(name), timing->start_ns);
    check_add(check, CHECK_RULE_TIMINGS, CHECK_WARNING, is_early(check, timing),
              "the CUDA time of \"%.*s\" ends at %" PRId64
              " ns, before the range, by more than the clocks' error",
              CHECK_TEXT(name), timing->end_ns);
}

static void check_odd(struct check *check, const struct tl_process *process)
{
    const struct tl_oddities *odd = &process->odd;
    check_add(check, CHECK_RULE_TIMINGS, CHECK_WARNING, odd->moved_timings,
              "%s: %" PRIu64 " CUDA times of ranges did not nest and were cut", process->path,
              odd->moved_timings);
    check_add(check, CHECK_RULE_TIMINGS, process->info.ring ? CHECK_NOTE : CHECK_WARNING,
              odd->stray_timings, "%s: %" PRIu64 " CUDA times belong to no range of the trace",
              process->path, odd->stray_timings);
    check_add(check, CHECK_RULE_TIMINGS, CHECK_NOTE, odd->unread_timings,
              "%s: %" PRIu64 " ranges were being timed when they or the trace ended", process->path,
              odd->unread_timings);
}

void check_timings(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->timings.count; i++)
        check_timing(check, i);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        check_odd(check, &timeline->processes.at[i]);
}
