/* restrict_slices.c - ranges, steps and calls of a window, and what belongs to them. */
#include "restrict.h"

/* When the range or call began that the slice is a piece of. `next` is the place in pieces[]. */
static int64_t began(const struct timeline *timeline, uint32_t slice, uint32_t *next)
{
    while (*next < timeline->pieces.count && timeline->pieces.at[*next].slice < slice)
        ++*next;
    if (*next < timeline->pieces.count && timeline->pieces.at[*next].slice == slice)
        slice = timeline->pieces.at[*next].first;
    return timeline->slices.at[slice].start_ns;
}

void restrict_find_slices(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0, next_piece = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        bool stays =
            restrict_has(with, began(timeline, i, &next_piece)) && slice->start_ns < with->to_ns;
        with->slice_stays[i] = stays;
        with->slices[i] = stays ? next++ : restrict_slice(with, slice->parent);
    }
}

/* The range or call of which nobody saw the end is not in the window, or its end is not. */
static void forget_unclosed(struct timeline *timeline, const struct tl_slice *slice)
{
    struct tl_thread *thread = &timeline->threads.at[slice->thread];
    struct tl_oddities *odd = &timeline->processes.at[thread->process].odd;
    if (slice->kind == TL_API && odd->open_api_calls)
        odd->open_api_calls--;
    else if (thread->unclosed)
        thread->unclosed--;
}

static void cut_end(const struct restriction *with, struct tl_slice *slice)
{
    if (slice->end_ns <= with->to_ns)
        return;
    if (slice->flags & TL_UNCLOSED)
        forget_unclosed(with->timeline, slice);
    slice->flags &= (uint8_t)~TL_UNCLOSED;
    slice->end_ns = with->to_ns;
}

/* All operations of a slice stay with it. */
static void move_launches(const struct restriction *with, struct tl_slice *slice, uint32_t *next)
{
    uint32_t *at = with->timeline->gpu_by_slice.at;
    for (uint32_t i = 0; i < slice->gpu_count; i++)
        at[*next + i] = with->gpus[at[slice->gpu_first + i]];
    slice->gpu_first = slice->gpu_count ? *next : 0;
    *next += slice->gpu_count;
}

static void put_on_thread(struct timeline *timeline, uint32_t index)
{
    struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[index].thread];
    if (thread->slice_count++ == 0)
        thread->first_slice = index;
}

static void move_slices(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0, next_gpu = 0;
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        timeline->threads.at[i].first_slice = timeline->threads.at[i].slice_count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        struct tl_slice slice = timeline->slices.at[i];
        if (!with->slice_stays[i]) {
            if (slice.flags & TL_UNCLOSED)
                forget_unclosed(timeline, &slice);
            continue;
        }
        slice.parent = restrict_slice(with, slice.parent);
        uint32_t above = slice.parent == TL_NONE ? 0 : timeline->slices.at[slice.parent].depth + 1u;
        slice.depth = (uint16_t)(above < UINT16_MAX ? above : UINT16_MAX);
        cut_end(with, &slice);
        move_launches(with, &slice, &next_gpu);
        timeline->slices.at[next] = slice;
        put_on_thread(timeline, next++);
    }
    timeline->slices.count = next;
    timeline->gpu_by_slice.count = next_gpu;
}

/* ---- what belongs to slices ---- */

static void move_pieces(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->pieces.count; i++) {
        struct tl_piece piece = timeline->pieces.at[i];
        if (with->slice_stays[piece.slice])
            timeline->pieces.at[next++] = (struct tl_piece){
                with->slices[piece.slice], with->slices[piece.first], with->slices[piece.before]};
    }
    timeline->pieces.count = next;
}

static void move_attrs(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->attrs.count; i++) {
        struct tl_attr attr = timeline->attrs.at[i];
        if (!with->slice_stays[attr.slice])
            continue;
        attr.slice = with->slices[attr.slice];
        timeline->attrs.at[next++] = attr;
    }
    timeline->attrs.count = next;
}

static void move_stacks(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->slice_stacks.count; i++) {
        struct tl_stack_of of = timeline->slice_stacks.at[i];
        if (!with->slice_stays[of.owner])
            continue;
        of.owner = with->slices[of.owner];
        timeline->slice_stacks.at[next++] = of;
    }
    timeline->slice_stacks.count = next;
}

static void move_fwdbwds(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->fwdbwds.count; i++) {
        struct tl_fwdbwd link = timeline->fwdbwds.at[i];
        if (with->slice_stays[link.forward] && with->slice_stays[link.backward])
            timeline->fwdbwds.at[next++] =
                (struct tl_fwdbwd){with->slices[link.forward], with->slices[link.backward]};
    }
    timeline->fwdbwds.count = next;
}

static void move_timings(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->timings.count; i++) {
        struct tl_timing timing = timeline->timings.at[i];
        if (!with->slice_stays[timing.slice])
            continue;
        timing.slice = with->slices[timing.slice];
        timeline->timings.at[next++] = timing;
    }
    timeline->timings.count = next;
}

static void move_lacks(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->lacks.count; i++) {
        struct tl_lack lack = timeline->lacks.at[i];
        if (!with->slice_stays[lack.slice])
            continue;
        lack.slice = with->slices[lack.slice];
        timeline->lacks.at[next++] = lack;
    }
    timeline->lacks.count = next;
}

void restrict_slices(struct restriction *with)
{
    move_slices(with);
    move_pieces(with);
    move_attrs(with);
    move_stacks(with);
    move_fwdbwds(with);
    move_timings(with);
    move_lacks(with);
}
