/* build_regroup.c - brings the slices of each thread together.
 *
 * A log that was handed from thread to thread holds them in turns, so their slices were appended in
 * runs. Here the runs are put in the order of the threads; whatever refers to a slice is told its
 * new place.
 */
#include "build.h"
#include "radix.h"

#include <stdlib.h>

static uint32_t run_end(const struct builder *builder, uint32_t run)
{
    return run + 1 < builder->runs.count ? builder->runs.at[run + 1].first
                                         : builder->timeline->slices.count;
}

static bool is_grouped(const struct builder *builder)
{
    for (uint32_t i = 1; i < builder->runs.count; i++)
        if (builder->runs.at[i].thread <= builder->runs.at[i - 1].thread)
            return false;
    return true;
}

/* The runs by thread, in order within a thread. */
static struct radix_item *sort_runs(const struct builder *builder)
{
    struct radix_item *items = calloc(builder->runs.count + 1, sizeof *items);
    if (!items)
        return NULL;
    for (uint32_t i = 0; i < builder->runs.count; i++)
        items[i] = (struct radix_item){builder->runs.at[i].thread, i};
    if (radix_sort(items, builder->runs.count))
        return items;
    free(items);
    return NULL;
}

/* Fills `place`: by old place, the new one. Both count from the process's first slice. */
static void find_places(const struct builder *builder, const struct radix_item *runs,
                        uint32_t *place)
{
    uint32_t first = builder->first.slice, next = 0;
    for (uint32_t i = 0; i < builder->runs.count; i++) {
        uint32_t from = builder->runs.at[runs[i].value].first,
                 end = run_end(builder, runs[i].value);
        for (uint32_t j = from; j < end; j++)
            place[j - first] = next++;
    }
}

/* Moves each slice to its place, without a second copy of all. `place` is used up. */
static void reorder(struct tl_slice *slices, uint32_t *place, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        while (place[i] != i) {
            uint32_t to = place[i];
            struct tl_slice moved = slices[i];
            slices[i] = slices[to];
            slices[to] = moved;
            place[i] = place[to];
            place[to] = to;
        }
}

static uint32_t moved(const struct builder *builder, const uint32_t *place, uint32_t slice)
{
    return slice == TL_NONE ? TL_NONE : place[slice - builder->first.slice] + builder->first.slice;
}

static void tell_new_places(struct builder *builder, struct tl_slice *slices, uint32_t count,
                            const uint32_t *place)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = 0; i < count; i++)
        slices[i].parent = moved(builder, place, slices[i].parent);
    for (uint32_t i = builder->first.mark; i < timeline->marks.count; i++)
        timeline->marks.at[i].slice = moved(builder, place, timeline->marks.at[i].slice);
    for (uint32_t i = builder->first.attr; i < timeline->attrs.count; i++)
        timeline->attrs.at[i].slice = moved(builder, place, timeline->attrs.at[i].slice);
    for (uint32_t i = builder->first.piece; i < timeline->pieces.count; i++) {
        struct tl_piece *piece = &timeline->pieces.at[i];
        *piece = (struct tl_piece){moved(builder, place, piece->slice),
                                   moved(builder, place, piece->first),
                                   moved(builder, place, piece->before)};
    }
    for (uint32_t i = builder->first.slice_stack; i < timeline->slice_stacks.count; i++) {
        struct tl_stack_of *of = &timeline->slice_stacks.at[i];
        of->owner = moved(builder, place, of->owner);
    }
    for (uint32_t i = 0; i < builder->timed.count; i++)
        builder->timed.at[i].slice = moved(builder, place, builder->timed.at[i].slice);
    for (uint32_t i = 0; i < builder->launches.count; i++)
        builder->launches.at[i].slice = moved(builder, place, builder->launches.at[i].slice);
    for (uint32_t i = 0; i < builder->graphs.launches.count; i++)
        builder->graphs.launches.at[i].slice =
            moved(builder, place, builder->graphs.launches.at[i].slice);
    for (uint32_t i = 0; i < builder->graphs.facts.count; i++)
        builder->graphs.facts.at[i].slice =
            moved(builder, place, builder->graphs.facts.at[i].slice);
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++)
        timeline->gpus.at[i].slice = moved(builder, place, timeline->gpus.at[i].slice);
    for (uint32_t i = 0; i < builder->memory.ops.count; i++)
        builder->memory.ops.at[i].slice = moved(builder, place, builder->memory.ops.at[i].slice);
}

static int by_slice(const void *left, const void *right)
{
    const struct tl_piece *a = left, *b = right;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

static void sort_pieces(struct builder *builder)
{
    uint32_t first = builder->first.piece, count = builder->timeline->pieces.count - first;
    if (count > 1)
        qsort(builder->timeline->pieces.at + first, count, sizeof *builder->timeline->pieces.at,
              by_slice);
}

static bool move_slices(struct builder *builder)
{
    uint32_t first = builder->first.slice, count = builder->timeline->slices.count - first;
    struct tl_slice *slices = builder->timeline->slices.at + first;
    struct radix_item *runs = sort_runs(builder);
    uint32_t *place = calloc((size_t)count + 1, sizeof *place);
    bool ready = runs && place;
    if (ready) {
        find_places(builder, runs, place);
        tell_new_places(builder, slices, count, place);
        reorder(slices, place, count);
        sort_pieces(builder);
    }
    free(place);
    free(runs);
    return ready;
}

static void number_threads(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.slice; i < timeline->slices.count; i++) {
        struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[i].thread];
        if (thread->slice_count++ == 0)
            thread->first_slice = i;
    }
}

bool build_regroup(struct builder *builder)
{
    if (!is_grouped(builder) && !move_slices(builder))
        return false;
    number_threads(builder);
    return true;
}
