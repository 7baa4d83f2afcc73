/* thread_walk.c - see thread_walk.h. */
#include "thread_walk.h"

/* The slice that began last before or at that time; the thread's first when all began later. */
static uint32_t find(const struct thread_walk *walk, uint32_t first, uint32_t near, int64_t from_ns)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    uint32_t at = near;
    while (at > first && slices[at].start_ns > from_ns)
        at--;
    while (at + 1 < walk->end && slices[at + 1].start_ns <= from_ns)
        at++;
    return at;
}

void thread_walk_begin(struct thread_walk *walk, const struct timeline *timeline, uint32_t near,
                       int64_t from_ns, int64_t to_ns)
{
    const struct tl_slice *slices = timeline->slices.at;
    const struct tl_thread *thread = &timeline->threads.at[slices[near].thread];
    *walk = (struct thread_walk){.timeline = timeline,
                                 .at_ns = from_ns,
                                 .to_ns = to_ns,
                                 .end = thread->first_slice + thread->slice_count};
    uint32_t at = find(walk, thread->first_slice, near, from_ns);
    bool begun = slices[at].start_ns <= from_ns;
    walk->next = begun ? at + 1 : at;
    walk->open = begun ? at : TL_NONE;
}

/* What has ended is left, what begins now is entered. */
static void settle(struct thread_walk *walk)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    while (walk->next < walk->end && slices[walk->next].start_ns <= walk->at_ns)
        walk->open = walk->next++;
    while (walk->open != TL_NONE && slices[walk->open].end_ns <= walk->at_ns)
        walk->open = slices[walk->open].parent;
}

static uint32_t shown(const struct thread_walk *walk)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    uint32_t slice = walk->open;
    while (slice != TL_NONE && slices[slice].flags & TL_INTERNAL)
        slice = slices[slice].parent;
    return slice;
}

bool thread_walk_next(struct thread_walk *walk, struct thread_piece *piece)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    if (walk->at_ns >= walk->to_ns)
        return false;
    settle(walk);
    int64_t end_ns = walk->to_ns;
    if (walk->open != TL_NONE && slices[walk->open].end_ns < end_ns)
        end_ns = slices[walk->open].end_ns;
    if (walk->next < walk->end && slices[walk->next].start_ns < end_ns)
        end_ns = slices[walk->next].start_ns;
    *piece = (struct thread_piece){walk->at_ns, end_ns, shown(walk)};
    walk->at_ns = end_ns;
    return true;
}
