/* key_python.c - Python functions as rows of the averages: see key_averages.h.
 *
 * Calls of functions nest with the slices of their thread (timeline.h), so both are walked by time
 * with one stack of what is open. A call that was cut is one call: its segments add up.
 */
#include "key_rows.h"

#include "array.h"
#include "memory_use.h"
#include "slice_sums.h"

#include <stdlib.h>

/* A call, or a range or CUDA call. */
struct open_item {
    int64_t end_ns, start_ns;
    int64_t inside_ns;                 /* of what is directly inside */
    int64_t functions_ns;              /* of functions inside, without the slices inside of them */
    int64_t device_self_ns, device_ns; /* launched with no function in between, and at any depth */
    int64_t bytes[MEMORY_SIDES];       /* of the ranges inside */
    uint32_t frame;                    /* TL_NONE: a slice */
    uint32_t row, slice;
};

/* By first segment: a call whose segments are summed up. */
struct call_sum {
    int64_t ns;
    uint32_t row;
};

struct walk {
    struct key_rows *rows;
    TL_ARRAY(struct open_item) open;
    struct call_sum *calls; /* by frame */
    struct key_group group;
};

static struct open_item *push_item(struct walk *walk, int64_t start_ns, int64_t end_ns)
{
    struct open_item *item = ARRAY_ADD(&walk->open);
    walk->rows->failed |= !item;
    if (item)
        *item = (struct open_item){.start_ns = start_ns, .end_ns = end_ns, .frame = TL_NONE};
    return item;
}

static void close_call(struct walk *walk, const struct open_item *item)
{
    const struct tl_frame *frame = &walk->rows->timeline->frames.at[item->frame];
    struct key_average *row = &walk->rows->averages->rows[item->row];
    int64_t ns = item->end_ns - item->start_ns;
    bool is_first = !(frame->flags & TL_FRAME_CONTINUED);
    bool is_outermost = --walk->rows->states[item->row].open == 0;
    walk->calls[frame->call].ns += ns;
    walk->calls[frame->call].row = item->row;
    row->count += is_first;
    row->outer_count += is_first && is_outermost;
    row->self_cpu_total_ns += ns - item->inside_ns;
    walk->rows->averages->self_cpu_total_ns += ns - item->inside_ns;
    row->cpu_total_ns += is_outermost ? ns : 0;
    row->self_cuda_total_ns += item->device_self_ns;
    row->cuda_total_ns += is_outermost ? item->device_ns : 0;
    for (int side = 0; side < MEMORY_SIDES; side++)
        row->memory_bytes[2 * side] += is_outermost ? item->bytes[side] : 0;
}

static void close_item(struct walk *walk)
{
    struct open_item item = walk->open.at[--walk->open.count];
    bool is_call = item.frame != TL_NONE;
    if (is_call)
        close_call(walk, &item);
    else
        walk->rows->functions_ns[item.slice] = item.functions_ns;
    if (!walk->open.count)
        return;
    struct open_item *around = &walk->open.at[walk->open.count - 1];
    around->inside_ns += item.end_ns - item.start_ns;
    around->functions_ns +=
        is_call ? item.functions_ns + item.end_ns - item.start_ns - item.inside_ns : 0;
    around->device_ns += item.device_ns;
    around->device_self_ns += is_call ? 0 : item.device_self_ns;
    for (int side = 0; side < MEMORY_SIDES && around->frame != TL_NONE; side++)
        around->bytes[side] += item.bytes[side];
}

static void close_until(struct walk *walk, int64_t time_ns)
{
    while (walk->open.count && walk->open.at[walk->open.count - 1].end_ns <= time_ns)
        close_item(walk);
}

static void open_slice(struct walk *walk, uint32_t index)
{
    const struct tl_slice *slice = &walk->rows->timeline->slices.at[index];
    if (slice->flags & TL_INTERNAL)
        return;
    close_until(walk, slice->start_ns);
    struct open_item *item = push_item(walk, slice->start_ns, slice->end_ns);
    if (item)
        item->slice = index;
    if (item && slice->gpu_count)
        item->device_ns = item->device_self_ns = slice_launched_ns(walk->rows->timeline, slice);
    const struct memory_slices *memory = walk->rows->options->memory;
    for (int side = 0; item && memory && side < MEMORY_SIDES; side++)
        item->bytes[side] = memory->bytes[side] ? memory->bytes[side][index] : 0;
}

static void open_call(struct walk *walk, uint32_t index)
{
    const struct tl_frame *frame = &walk->rows->timeline->frames.at[index];
    close_until(walk, frame->start_ns);
    uint32_t row = key_rows_find(walk->rows, frame->name, KEY_PYTHON, &walk->group);
    struct open_item *item =
        walk->rows->failed ? NULL : push_item(walk, frame->start_ns, frame->end_ns);
    if (!item)
        return;
    item->frame = index;
    item->row = row;
    key_row_begins(&walk->rows->averages->rows[row], frame->start_ns);
    walk->rows->states[row].open++;
}

static void sample_calls(struct walk *walk, const struct tl_thread *thread)
{
    for (uint32_t i = thread->first_frame; i < thread->first_frame + thread->frame_count; i++)
        if (walk->rows->timeline->frames.at[i].call == i)
            key_rows_sample(walk->rows, walk->calls[i].row, thread->process,
                            walk->rows->timeline->frames.at[i].start_ns, walk->calls[i].ns);
}

static void add_thread(struct walk *walk, const struct tl_thread *thread)
{
    const struct timeline *timeline = walk->rows->timeline;
    uint32_t slice = thread->first_slice, slices = slice + thread->slice_count;
    uint32_t frame = thread->first_frame, frames = frame + thread->frame_count;
    while (frame < frames && !walk->rows->failed) {
        bool is_slice = slice < slices &&
                        tl_slice_is_first(&timeline->slices.at[slice], &timeline->frames.at[frame]);
        if (is_slice)
            open_slice(walk, slice++);
        else
            open_call(walk, frame++);
    }
    for (; slice < slices && walk->open.count && !walk->rows->failed; slice++)
        open_slice(walk, slice);
    while (walk->open.count && !walk->rows->failed)
        close_item(walk);
    if (!walk->rows->failed)
        sample_calls(walk, thread);
}

bool key_rows_add_python(struct key_rows *rows)
{
    const struct timeline *timeline = rows->timeline;
    struct walk walk = {.rows = rows,
                        .calls = calloc((size_t)timeline->frames.count + 1, sizeof *walk.calls)};
    rows->functions_ns = calloc((size_t)timeline->slices.count + 1, sizeof *rows->functions_ns);
    rows->failed |= !walk.calls || !rows->functions_ns;
    for (uint32_t i = 0; i < timeline->threads.count && !rows->failed; i++) {
        const struct tl_thread *thread = &timeline->threads.at[i];
        if (!thread->frame_count)
            continue;
        walk.group =
            (struct key_group){TL_NONE, TL_NONE,         i,       TL_NONE, TL_NONE, TL_NONE,
                               TL_NONE, thread->process, TL_NONE, TL_NONE};
        int32_t rank = timeline->processes.at[thread->process].info.rank;
        if (rank >= 0)
            walk.group.rank = (uint32_t)rank;
        add_thread(&walk, thread);
    }
    free(walk.calls);
    free(walk.open.at);
    return !rows->failed;
}
