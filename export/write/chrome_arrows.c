/* chrome_arrows.c - how arrows bind.
 *
 * Viewers bind an arrow's end to the slice that is open on its row at its time, and know the two
 * ends of an arrow by (id, cat, name). So both ends have the same three, an X stands in the file
 * before the s or f that shares its time, f has bp:e (bind to the enclosing slice, not to the
 * next), and the id is a number of its own for every arrow: correlation ids repeat across processes
 * and wrap after 2^32, and a graph launch starts many arrows, of which viewers would close all at
 * the first f. The id is the operation's place in the timeline, so nothing must be remembered; ids
 * of timed ranges, of begin/end ranges and of arrows from forward to backward have numbers beyond
 * those. The latter arrows come after all other events, so their X stand before them.
 *
 * As Kineto does, an end is put where its slice starts. To chrome://tracing a slice is open at its
 * end, too: where another one ends in that nanosecond, it would have the arrow, so the end is put
 * one nanosecond into the slice. Not so from forward to backward: the TensorBoard plugin finds
 * operators by the time at which such an arrow begins and ends.
 */
#include "chrome.h"
#include "exporter.h"

static bool same_thread(const struct timeline *timeline, uint32_t slice, uint32_t other)
{
    return timeline->slices.at[slice].thread == timeline->slices.at[other].thread;
}

/* Whether a slice of the same thread ends where this one starts. What is before it in the array
 * starts no later: ranges around it that start with it are passed over. Going up from there, ends
 * only become later. */
static bool find_touching(const struct chrome *chrome, uint32_t index)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_slice *all = timeline->slices.at;
    int64_t start_ns = all[index].start_ns;
    uint32_t i = index;
    do {
        if (i == 0 || !same_thread(timeline, i - 1, index))
            return false;
        i--;
        if (all[i].start_ns != start_ns || all[i].end_ns == start_ns)
            break;
    } while (i != chrome->point_of);
    if (i == chrome->point_of && all[i].start_ns == start_ns && all[i].end_ns != start_ns)
        return chrome->point_touches; /* it asks the same */
    while (i != TL_NONE && all[i].end_ns < start_ns)
        i = all[i].parent;
    return i != TL_NONE && all[i].end_ns == start_ns;
}

static bool slice_touches(struct chrome *chrome, uint32_t index)
{
    chrome->point_touches = find_touching(chrome, index);
    chrome->point_of = index;
    return chrome->point_touches;
}

/* Nothing inside of it starts by then. */
static bool is_free(const struct timeline *timeline, uint32_t index, int64_t time_ns)
{
    uint32_t next = index + 1;
    return timeline->slices.at[index].end_ns > time_ns &&
           (next == timeline->slices.count || timeline->slices.at[next].parent != index ||
            timeline->slices.at[next].start_ns > time_ns);
}

static int64_t point_in_slice(struct chrome *chrome, uint32_t index)
{
    const struct timeline *timeline = chrome->timeline;
    int64_t start_ns = timeline->slices.at[index].start_ns;
    bool moves = slice_touches(chrome, index) && is_free(timeline, index, start_ns + 1);
    return start_ns + moves;
}

/* Lanes beside each other: what ended in another lane does no harm here. */
#define LOOK_BACK 16u

static bool op_touches(const struct timeline *timeline, uint32_t index)
{
    const struct tl_gpu *op = &timeline->gpus.at[index];
    for (uint32_t i = index; i-- > 0 && index - i <= LOOK_BACK;) {
        const struct tl_gpu *before = &timeline->gpus.at[i];
        if (before->stream != op->stream)
            return false;
        if (before->end_ns == op->start_ns)
            return true;
    }
    return false;
}

static int64_t point_in_op(const struct timeline *timeline, uint32_t index)
{
    const struct tl_gpu *op = &timeline->gpus.at[index];
    return op->start_ns + (op->end_ns - op->start_ns > 1 && op_touches(timeline, index));
}

static void write_end(struct chrome *chrome, const struct chrome_row *row, uint64_t id,
                      int64_t time_ns)
{
    json_key(&chrome->out, "id"), json_uint(&chrome->out, id);
    chrome_row_write(row, &chrome->out);
    chrome_time_write(chrome, time_ns);
    json_object_end(&chrome->out);
}

void chrome_arrows_launches(struct chrome *chrome, const struct chrome_row *row, uint32_t index)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_slice *slice = &timeline->slices.at[index];
    int64_t time_ns = point_in_slice(chrome, index);
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        uint32_t op = timeline->gpu_by_slice.at[slice->gpu_first + i];
        if (!exporter_has_arrow(chrome->timeline, &timeline->gpus.at[op]))
            continue;
        chrome_event(&chrome->out, "\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\"");
        write_end(chrome, row, (uint64_t)op + 1, time_ns);
    }
}

void chrome_arrows_to(struct chrome *chrome, const struct chrome_row *row, uint32_t op)
{
    if (!exporter_has_arrow(chrome->timeline, &chrome->timeline->gpus.at[op]))
        return;
    chrome_event(&chrome->out, "\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"ac2g\",\"name\":\"ac2g\"");
    write_end(chrome, row, (uint64_t)op + 1, point_in_op(chrome->timeline, op));
}

/* Ids of these arrows follow those of device operations. */
static uint64_t timed_id(const struct chrome *chrome, uint32_t timing)
{
    return (uint64_t)chrome->timeline->gpus.count + timing + 1;
}

void chrome_arrows_timed_from(struct chrome *chrome, const struct chrome_row *row, uint32_t slice)
{
    uint32_t timing = timeline_timing_of(chrome->timeline, slice);
    if (timing == TL_NONE)
        return;
    chrome_event(&chrome->out, "\"ph\":\"s\",\"cat\":\"timed\",\"name\":\"timed\"");
    write_end(chrome, row, timed_id(chrome, timing), point_in_slice(chrome, slice));
}

void chrome_arrows_timed_to(struct chrome *chrome, const struct chrome_row *row, uint32_t timing)
{
    chrome_event(&chrome->out, "\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"timed\",\"name\":\"timed\"");
    write_end(chrome, row, timed_id(chrome, timing), chrome->timeline->timings.at[timing].start_ns);
}

static void write_fwdbwd_end(struct chrome *chrome, uint64_t id, uint32_t slice)
{
    uint32_t thread = chrome->timeline->slices.at[slice].thread;
    write_end(chrome, &chrome->rows.threads[thread], id,
              chrome->timeline->slices.at[slice].start_ns);
}

static void write_kind(struct json_out *out, const char *category)
{
    json_key(out, "cat"), json_string(out, category);
    json_key(out, "name"), json_constant(out, "fwdbwd");
}

void chrome_arrows_fwdbwd(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    const char *category = chrome_for_tensorboard(chrome) ? "forward_backward" : "fwdbwd";
    uint64_t id = (uint64_t)timeline->gpus.count + timeline->asyncs.count + 1;
    for (uint32_t i = 0; i < timeline->fwdbwds.count; i++, id++) {
        chrome_event(&chrome->out, "\"ph\":\"s\"");
        write_kind(&chrome->out, category);
        write_fwdbwd_end(chrome, id, timeline->fwdbwds.at[i].forward);
        chrome_event(&chrome->out, "\"ph\":\"f\",\"bp\":\"e\"");
        write_kind(&chrome->out, category);
        write_fwdbwd_end(chrome, id, timeline->fwdbwds.at[i].backward);
    }
}
