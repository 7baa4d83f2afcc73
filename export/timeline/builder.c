/* builder.c - a builder's life: begin and end of a process, and of the whole; the slices of one
 * thread side by side. */
#include "builder.h"

#include "array.h"
#include "build_unordered.h"

#include <stdlib.h>
#include <string.h>

/* A builder's life: begin and end of a process, and of the whole. */

/* The longest distance of two starts that is believed: beyond it, times would leave the timeline's
 * range. */
#define SHIFT_MAX (TL_TIME_MAX_NS)

static void forget_process(struct builder *builder)
{
    for (uint32_t i = 0; i < builder->threads.count; i++)
        free(builder->threads.at[i].stack.at), free(builder->threads.at[i].frames.at);
    builder->threads.count = 0;
    builder->runs.count = 0;
    builder->frame_ends.count = 0;
    builder->current_thread = TL_NONE;
#define RESET(part) build_##part##_reset(builder);
    BUILD_PARTS(RESET)
#undef RESET
}

static void note_first(struct builder *builder)
{
#define NOTE_FIRST(type, member) builder->first.member = builder->timeline->member.count;
    TL_ARRAYS(NOTE_FIRST)
#undef NOTE_FIRST
}

void builder_begin_process(struct builder *builder, const char *path, int64_t shift_ns)
{
    struct timeline *timeline = builder->timeline;
    forget_process(builder);
    note_first(builder);
    struct text kept = text_pool_copy(&builder->timeline->names, (struct text){path, strlen(path)});
    struct tl_process *process = kept.bytes ? ARRAY_ADD(&timeline->processes) : NULL;
    if (!process) {
        builder->failed = true;
        return;
    }
    *process = (struct tl_process){
        .path = kept.bytes,
        .first_thread = timeline->threads.count,
        .first_stack = timeline->stacks.count,
        .first_module = timeline->modules.count,
    };
    builder->process = timeline->processes.count - 1;
    builder->left_out = (struct build_extent){0};
    builder->file = NULL;
    builder->origin_ns = 0;
    builder->shift_ns = shift_ns > SHIFT_MAX ? SHIFT_MAX : shift_ns;
}

static void widen(struct build_extent *extent, int64_t start_ns, int64_t end_ns)
{
    if (!extent->any || start_ns < extent->start_ns)
        extent->start_ns = start_ns;
    if (!extent->any || end_ns > extent->end_ns)
        extent->end_ns = end_ns;
    extent->any = true;
}

static struct build_extent measure(const struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    struct build_extent extent = builder->left_out;
    for (uint32_t i = builder->first.slices; i < timeline->slices.count; i++)
        if (!(timeline->slices.at[i].flags & TL_INTERNAL))
            widen(&extent, timeline->slices.at[i].start_ns, timeline->slices.at[i].end_ns);
    for (uint32_t i = builder->first.frames; i < timeline->frames.count && !builder->file; i++)
        widen(&extent, timeline->frames.at[i].start_ns, timeline->frames.at[i].end_ns);
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++)
        if (!(timeline->gpus.at[i].flags & TL_GPU_INTERNAL))
            widen(&extent, timeline->gpus.at[i].start_ns, timeline->gpus.at[i].end_ns);
    for (uint32_t i = builder->first.timings; i < timeline->timings.count; i++)
        widen(&extent, timeline->timings.at[i].start_ns, timeline->timings.at[i].end_ns);
    for (uint32_t i = builder->first.asyncs; i < timeline->asyncs.count; i++)
        widen(&extent, timeline->asyncs.at[i].start_ns, timeline->asyncs.at[i].end_ns);
    for (uint32_t i = builder->first.marks; i < timeline->marks.count; i++)
        widen(&extent, timeline->marks.at[i].time_ns, timeline->marks.at[i].time_ns);
    for (uint32_t i = builder->first.samples; i < timeline->samples.count; i++)
        widen(&extent, timeline->samples.at[i].time_ns, timeline->samples.at[i].time_ns);
    for (uint32_t i = builder->first.counters; i < timeline->counters.count; i++)
        widen(&extent, timeline->counters.at[i].time_ns, timeline->counters.at[i].time_ns);
    for (uint32_t i = builder->first.memory_events; i < timeline->memory_events.count; i++)
        widen(&extent, timeline->memory_events.at[i].time_ns,
              timeline->memory_events.at[i].time_ns);
    for (uint32_t i = builder->first.migrations; i < timeline->migrations.count; i++)
        widen(&extent, timeline->migrations.at[i].start_ns, timeline->migrations.at[i].end_ns);
    return extent;
}

static int64_t within(const struct build_extent *extent, int64_t time_ns)
{
    int64_t least = time_ns < extent->start_ns ? extent->start_ns : time_ns;
    return least > extent->end_ns ? extent->end_ns : least;
}

/* In other formats, callers of the profiler itself are there, too. Python code also runs before the
 * first event and after the last one, so the window that the file states counts as well. */
static void clip_frames(struct builder *builder, struct build_extent extent)
{
    struct timeline *timeline = builder->timeline;
    if (!builder->file)
        return;
    const struct unordered_window *window = &builder->file->window;
    if (window->any)
        widen(&extent, build_time(builder, window->start_ns), build_time(builder, window->end_ns));
    for (uint32_t i = builder->first.frames; i < timeline->frames.count && extent.any; i++) {
        struct tl_frame *frame = &timeline->frames.at[i];
        frame->start_ns = within(&extent, frame->start_ns);
        frame->end_ns = within(&extent, frame->end_ns);
    }
}

static void note_extent(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    struct tl_process *process = build_process(builder);
    struct build_extent extent = measure(builder);
    if (extent.any && process->info.span_ns > extent.end_ns - extent.start_ns)
        extent.end_ns = extent.start_ns + process->info.span_ns;
    process->start_ns = extent.start_ns;
    process->end_ns = extent.end_ns;
    clip_frames(builder, extent);
    if (!extent.any)
        return;
    bool first = timeline->start_ns > timeline->end_ns;
    if (first || extent.start_ns < timeline->start_ns)
        timeline->start_ns = extent.start_ns;
    if (first || extent.end_ns > timeline->end_ns)
        timeline->end_ns = extent.end_ns;
}

/* gpu_by_slice[]: the process's operations, by the call that launched them. */
static bool group_by_slice(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t next = timeline->gpu_by_slice.count;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++)
        if (timeline->gpus.at[i].slice != TL_NONE)
            timeline->slices.at[timeline->gpus.at[i].slice].gpu_count++;
    for (uint32_t i = builder->first.slices; i < timeline->slices.count; i++) {
        struct tl_slice *slice = &timeline->slices.at[i];
        slice->gpu_first = slice->gpu_count ? next : 0;
        next += slice->gpu_count;
        slice->gpu_count = 0;
    }
    while (timeline->gpu_by_slice.capacity < next)
        if (!array_grow(&timeline->gpu_by_slice.at, &timeline->gpu_by_slice.capacity,
                        sizeof(uint32_t)))
            return false;
    timeline->gpu_by_slice.count = next;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        if (timeline->gpus.at[i].slice == TL_NONE)
            continue;
        struct tl_slice *slice = &timeline->slices.at[timeline->gpus.at[i].slice];
        timeline->gpu_by_slice.at[slice->gpu_first + slice->gpu_count++] = i;
    }
    return true;
}

/* Brings the slices of each thread together.
 *
 * A log that was handed from thread to thread holds them in turns, so their slices were appended in
 * runs. Here the runs are put in the order of the threads; references to slices get their new
 * places.
 */

void build_run_begin(struct builder *builder, uint32_t thread)
{
    uint32_t count = builder->runs.count;
    if (count && builder->runs.at[count - 1].thread == thread)
        return;
    struct build_run *run = ARRAY_ADD(&builder->runs);
    if (!run) {
        builder->failed = true;
        return;
    }
    *run = (struct build_run){thread, builder->timeline->slices.count};
}

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
    uint32_t first = builder->first.slices, next = 0;
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

static void tell_new_places(struct builder *builder, struct tl_slice *slices, uint32_t count,
                            const struct build_places *places)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = 0; i < count; i++)
        slices[i].parent = build_moved(places, slices[i].parent);
    for (uint32_t i = builder->first.marks; i < timeline->marks.count; i++)
        timeline->marks.at[i].slice = build_moved(places, timeline->marks.at[i].slice);
    for (uint32_t i = builder->first.attrs; i < timeline->attrs.count; i++)
        timeline->attrs.at[i].slice = build_moved(places, timeline->attrs.at[i].slice);
    for (uint32_t i = builder->first.segments; i < timeline->segments.count; i++) {
        struct tl_segment *segment = &timeline->segments.at[i];
        *segment = (struct tl_segment){build_moved(places, segment->slice),
                                       build_moved(places, segment->first),
                                       build_moved(places, segment->before)};
    }
    for (uint32_t i = builder->first.slice_stacks; i < timeline->slice_stacks.count; i++) {
        struct tl_stack_of *of = &timeline->slice_stacks.at[i];
        of->owner = build_moved(places, of->owner);
    }
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++)
        timeline->gpus.at[i].slice = build_moved(places, timeline->gpus.at[i].slice);
    build_join_move(builder, places);
    build_graphs_move(builder, places);
    build_memory_move(builder, places);
}

static int by_slice(const void *left, const void *right)
{
    const struct tl_segment *a = left, *b = right;
    return (a->slice > b->slice) - (a->slice < b->slice);
}

static void sort_segments(struct builder *builder)
{
    uint32_t first = builder->first.segments, count = builder->timeline->segments.count - first;
    if (count > 1)
        qsort(builder->timeline->segments.at + first, count, sizeof *builder->timeline->segments.at,
              by_slice);
}

static bool move_slices(struct builder *builder)
{
    uint32_t first = builder->first.slices, count = builder->timeline->slices.count - first;
    struct tl_slice *slices = builder->timeline->slices.at + first;
    struct radix_item *runs = sort_runs(builder);
    uint32_t *place = calloc((size_t)count + 1, sizeof *place);
    bool ready = runs && place;
    if (ready) {
        find_places(builder, runs, place);
        tell_new_places(builder, slices, count, &(struct build_places){place, first});
        reorder(slices, place, count);
        sort_segments(builder);
    }
    free(place);
    free(runs);
    return ready;
}

static void number_threads(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.slices; i < timeline->slices.count; i++) {
        struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[i].thread];
        if (thread->slice_count++ == 0)
            thread->first_slice = i;
    }
}

static bool regroup(struct builder *builder)
{
    if (!is_grouped(builder) && !move_slices(builder))
        return false;
    number_threads(builder);
    return true;
}

void builder_end_process(struct builder *builder, const struct tl_health *health)
{
    if (builder->failed)
        return;
    build_process(builder)->health = *health;
    build_whole_end(builder);
    build_slices_end(builder);
    build_asyncs_end(builder);
    build_attrs_end(builder);
    build_nvtx_end(builder);
    bool built = !builder->failed && regroup(builder) && build_frame_segments(builder) &&
                 build_attrs_sort(builder) && build_whole_stacks(builder) &&
                 build_stacks_sort(builder) && build_samples_end(builder) &&
                 build_streams(builder) && build_gpus_sort(builder) && build_join(builder) &&
                 build_lanes(builder) && group_by_slice(builder) && build_waits(builder) &&
                 build_graphs(builder) && build_backward(builder) && build_memory_end(builder) &&
                 build_blocks(builder) && build_timings(builder) && build_ledger(builder);
    builder->failed |= !built;
    if (builder->failed)
        return;
    build_given(builder);
    note_extent(builder);
}

static struct timeline *create_timeline(void)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return NULL;
    timeline->start_ns = INT64_MAX; /* nothing seen yet */
    return timeline;
}

static void free_parts(struct builder *builder)
{
#define FREE(part) free(builder->part);
    BUILD_PARTS(FREE)
#undef FREE
}

struct builder *builder_begin(void)
{
    struct builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return NULL;
    builder->timeline = create_timeline();
    bool complete = builder->timeline != NULL;
#define CREATE(part) complete &= (builder->part = build_##part##_create()) != NULL;
    BUILD_PARTS(CREATE)
#undef CREATE
    if (complete)
        return builder;
    timeline_destroy(builder->timeline);
    free_parts(builder);
    free(builder);
    return NULL;
}

void builder_set_base(struct builder *builder, uint64_t base_realtime_ns, uint32_t file_count)
{
    builder->timeline->base_realtime_ns = base_realtime_ns;
    builder->timeline->file_count = file_count;
}

void builder_set_window(struct builder *builder, int64_t from_ns, int64_t to_ns)
{
    builder->has_window = true;
    builder->from_ns = from_ns;
    builder->to_ns = to_ns;
}

/* Of times beyond what a timeline has, there are none. */
static int64_t file_time(const struct builder *builder, int64_t time_ns)
{
    int64_t in_file_ns;
    if (__builtin_sub_overflow(time_ns, builder->shift_ns - builder->origin_ns, &in_file_ns))
        return time_ns < 0 ? INT64_MIN : INT64_MAX;
    return in_file_ns;
}

bool builder_window(const struct builder *builder, int64_t *from_ns, int64_t *to_ns)
{
    *from_ns = file_time(builder, builder->from_ns);
    *to_ns = file_time(builder, builder->to_ns);
    return builder->has_window;
}

void builder_note_left_out(struct builder *builder, int64_t start_ns, int64_t end_ns)
{
    widen(&builder->left_out, build_time(builder, start_ns), build_time(builder, end_ns));
}

bool builder_failed(const struct builder *builder)
{
    return builder->failed;
}

static void destroy_builder(struct builder *builder)
{
    for (uint32_t i = 0; i < builder->files.count; i++)
        unordered_destroy(builder->files.at[i]);
    free(builder->files.at);
    forget_process(builder);
    free(builder->threads.at);
    free(builder->runs.at);
    free(builder->frame_ends.at);
    idmap_fini(&builder->demangled);
    keymap_fini(&builder->frame_paths);
    free_parts(builder);
    free(builder);
}

void builder_abandon(struct builder *builder)
{
    if (!builder)
        return;
    timeline_destroy(builder->timeline);
    destroy_builder(builder);
}

struct timeline *builder_end(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    if (timeline->start_ns > timeline->end_ns)
        timeline->start_ns = timeline->end_ns = 0;
    timeline->origin_ns = timeline->start_ns;
    if (builder->failed || !build_children_find(builder)) {
        builder_abandon(builder);
        return NULL;
    }
    text_pool_seal(&timeline->names);
    destroy_builder(builder);
    return timeline;
}
