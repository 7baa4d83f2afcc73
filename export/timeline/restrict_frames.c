/* restrict_frames.c - calls of Python functions. Unlike ranges, those that were open when the window began stay, cut:
 * they are the call stack of what happens in it. */
#include "restrict.h"

static bool stays(const struct restriction *with, const struct tl_frame *frame)
{
    bool overlaps = frame->end_ns > with->from_ns && frame->start_ns < with->to_ns;
    return overlaps || restrict_has(with, frame->start_ns);
}

/* A call whose first piece goes is known by its first that stays. Of pieces and of calls around others, the first is
 * before them, so that its place is known. */
void restrict_find_frames(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        const struct tl_frame *frame = &timeline->frames.at[i];
        with->frames[i] = TL_NONE;
        if (!stays(with, frame))
            continue;
        if (with->frames[frame->call] == TL_NONE)
            with->frames[frame->call] = next;
        with->frames[i] = next++;
    }
}

/* Frames are by thread, and stay so. */
static void tell_threads(struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        timeline->threads.at[i].frame_count = 0;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        struct tl_thread *thread = &timeline->threads.at[timeline->frames.at[i].thread];
        if (thread->frame_count++ == 0)
            thread->first_frame = i;
    }
}

void restrict_frames(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        struct tl_frame frame = timeline->frames.at[i];
        if (!stays(with, &frame))
            continue;
        frame.start_ns = frame.start_ns > with->from_ns ? frame.start_ns : with->from_ns;
        frame.end_ns = frame.end_ns < with->to_ns ? frame.end_ns : with->to_ns;
        frame.call = with->frames[frame.call];
        if (frame.call == next)
            frame.flags &= ~(uint32_t)TL_FRAME_CONTINUED;
        frame.parent = frame.parent == TL_NONE ? TL_NONE : with->frames[frame.parent];
        timeline->frames.at[next++] = frame;
    }
    timeline->frames.count = next;
    tell_threads(timeline);
}
