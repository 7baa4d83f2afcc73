/* check_frames.c - Python calls: ordered, nested among each other and with slices. */
#include "check_find.h"

#include <inttypes.h>

static bool frame_is_valid(const struct timeline *timeline, uint32_t i)
{
    const struct tl_frame *frame = &timeline->frames.at[i];
    return frame->thread < timeline->threads.count && frame->name < timeline->names.count &&
           frame->call <= i && (frame->parent == TL_NONE || frame->parent < i) &&
           (frame->flags & TL_FRAME_CONTINUED ? frame->call < i : frame->call == i);
}

static bool frame_is_at_home(const struct timeline *timeline, uint32_t i)
{
    const struct tl_thread *thread = &timeline->threads.at[timeline->frames.at[i].thread];
    return i >= thread->first_frame && i - thread->first_frame < thread->frame_count;
}

static void check_frame(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_frame *frame = &timeline->frames.at[i], *previous = i ? frame - 1 : NULL;
    if (!frame_is_valid(timeline, i)) {
        check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, 1,
                  "Python call %" PRIu32 " refers to things that do not exist", i);
        return;
    }
    struct text name = check_name(check, frame->name);
    bool same_thread = previous && previous->thread == frame->thread;
    bool ordered = frame_is_at_home(timeline, i) && frame->end_ns >= frame->start_ns &&
                   (!same_thread || previous->start_ns <= frame->start_ns);
    check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, !ordered,
              "Python call %" PRIu32 " \"%.*s\" is out of order at %" PRId64 " ns", i,
              CHECK_TEXT(name), frame->start_ns);
    /* Of two that follow each other the second lies in the first or behind it. */
    bool nested =
        !same_thread || frame->start_ns >= previous->end_ns || frame->end_ns <= previous->end_ns;
    check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, !nested,
              "Python call %" PRIu32 " \"%.*s\" does not nest in its thread at %" PRId64 " ns", i,
              CHECK_TEXT(name), frame->start_ns);
}

/* A call must not cross the slices that begin in it: those are looked at from the call's begin on until one
 * begins behind it. Slices of calls that follow each other are looked at once for each that is open. */
static void check_crossing(struct check *check, const struct tl_thread *thread)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_slice *slices = timeline->slices.at + thread->first_slice;
    uint32_t next = 0;
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        const struct tl_frame *frame = &timeline->frames.at[thread->first_frame + i];
        while (next < thread->slice_count && slices[next].start_ns <= frame->start_ns)
            next++;
        bool crossed = next < thread->slice_count && !(slices[next].flags & TL_INTERNAL) &&
                       slices[next].start_ns < frame->end_ns && slices[next].end_ns > frame->end_ns;
        check_add(check, CHECK_RULE_FRAMES, CHECK_ERROR, crossed,
                  "Python call %" PRIu32 " crosses a range at %" PRId64 " ns",
                  thread->first_frame + i, frame->end_ns);
    }
}

static void check_odd(struct check *check, const struct tl_process *process)
{
    const struct tl_oddities *odd = &process->odd;
    check_add(check, CHECK_RULE_ODD_FRAMES, CHECK_WARNING, odd->unopened_frames + odd->uncut_frames,
              "%s: %" PRIu64 " ends of Python calls without a begin, %" PRIu64
              " Python calls cut short by ranges",
              process->path, odd->unopened_frames, odd->uncut_frames);
}

void check_frames(struct check *check)
{
    for (uint32_t i = 0; i < check->timeline->frames.count; i++)
        check_frame(check, i);
    for (uint32_t i = 0; i < check->timeline->threads.count; i++)
        check_crossing(check, &check->timeline->threads.at[i]);
    for (uint32_t i = 0; i < check->timeline->processes.count; i++)
        check_odd(check, &check->timeline->processes.at[i]);
}
