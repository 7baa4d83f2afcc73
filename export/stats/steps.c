#include "steps.h"

#include "array.h"

#include <stdlib.h>

static int by_start(const void *left, const void *right)
{
    int64_t a = ((const struct step *)left)->start_ns, b = ((const struct step *)right)->start_ns;
    return a < b ? -1 : a > b;
}

/* Slice `later` is a segment of a step of the thread, whose steps from `first` on are by slice. The
 * step lasts until the end of its last segment. */
static void extend(struct steps *steps, uint32_t first, const struct timeline *timeline,
                   uint32_t later)
{
    uint32_t at = ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice, 0, later);
    if (at == timeline->segments.count || timeline->segments.at[at].slice != later)
        return;
    uint32_t slice = timeline->segments.at[at].first;
    uint32_t step = ARRAY_LOWER_BOUND(&steps->at, struct step, slice, first, slice);
    if (step < steps->at.count && steps->at.at[step].slice == slice)
        steps->at.at[step].end_ns = timeline->slices.at[later].end_ns;
}

static bool add_thread(struct steps *steps, const struct timeline *timeline,
                       const struct tl_thread *thread)
{
    uint32_t first = steps->at.count;
    for (uint32_t i = thread->first_slice; i < thread->first_slice + thread->slice_count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind != TL_STEP || slice->flags & TL_INTERNAL)
            continue;
        if (slice->flags & TL_CONTINUED) {
            extend(steps, first, timeline, i);
            continue;
        }
        struct step *step = ARRAY_ADD(&steps->at);
        if (!step)
            return false;
        *step = (struct step){slice->start_ns, slice->end_ns, slice->name, i};
    }
    return true;
}

bool steps_init(struct steps *steps, const struct timeline *timeline)
{
    uint32_t processes = timeline->processes.count, thread = 0;
    *steps = (struct steps){.first = calloc((size_t)processes + 1, sizeof *steps->first)};
    bool added = steps->first != NULL;
    for (uint32_t process = 0; process < processes && added; process++) {
        uint32_t first = steps->first[process] = steps->at.count;
        for (; thread < timeline->threads.count && timeline->threads.at[thread].process <= process;
             thread++)
            if (steps->at.count == first && added)
                added = add_thread(steps, timeline, &timeline->threads.at[thread]);
        if (steps->at.count > first)
            qsort(steps->at.at + first, steps->at.count - first, sizeof *steps->at.at, by_start);
    }
    if (added)
        steps->first[processes] = steps->at.count;
    else
        steps_fini(steps);
    return added;
}

void steps_fini(struct steps *steps)
{
    free(steps->at.at);
    free(steps->first);
    *steps = (struct steps){0};
}

uint32_t steps_first_after(const struct steps *steps, uint32_t process, int64_t time_ns)
{
    uint32_t low = steps->first[process], high = steps->first[process + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (steps->at.at[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t steps_find(const struct steps *steps, uint32_t process, int64_t time_ns)
{
    uint32_t next = steps_first_after(steps, process, time_ns);
    return next > steps->first[process] && steps->at.at[next - 1].end_ns > time_ns ? next - 1
                                                                                   : TL_NONE;
}
