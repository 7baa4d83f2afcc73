/* perfetto.c - the events of a Perfetto trace: see perfetto.h. */
#include "perfetto.h"

#include "array.h"
#include "chrome.h"
#include "exporter.h"
#include "formats.h"
#include "packed_out.h"
#include "timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- slices that are open ---- */

static void open_fini(struct perfetto_open *open)
{
    free(open->heap);
    *open = (struct perfetto_open){0};
}

static bool is_before(const struct perfetto_open_slice *a, const struct perfetto_open_slice *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order > b->order;
}

static bool grow(struct perfetto_open *open)
{
    uint32_t capacity = open->capacity ? open->capacity * 2 : 64;
    struct perfetto_open_slice *heap = realloc(open->heap, capacity * sizeof *heap);
    if (!heap)
        return false;
    open->heap = heap;
    open->capacity = capacity;
    return true;
}

/* `order` of the slice is given here. False: no memory. By pointer, member by member: a copy of
 * what was just written piecewise stalls for longer than all the rest takes. */
static bool open_add(struct perfetto_open *open, const struct perfetto_open_slice *slice)
{
    if (open->count == open->capacity && !grow(open))
        return false;
    uint32_t at = open->count++;
    for (; at > 0 && slice->end_ns <= open->heap[(at - 1) / 2].end_ns; at = (at - 1) / 2)
        open->heap[at] = open->heap[(at - 1) / 2];
    struct perfetto_open_slice *place = &open->heap[at];
    place->end_ns = slice->end_ns;
    place->order = open->order++;
    place->track = slice->track;
    place->depth = slice->depth;
    place->lane = slice->lane;
    return true;
}

/* Removes the one that ends first, heap[0]. There must be one. */
static void open_remove(struct perfetto_open *open)
{
    const struct perfetto_open_slice last = open->heap[--open->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < open->count; child = 2 * at + 1) {
        if (child + 1 < open->count && is_before(&open->heap[child + 1], &open->heap[child]))
            child++;
        if (!is_before(&open->heap[child], &last))
            break;
        open->heap[at] = open->heap[child];
        at = child;
    }
    open->heap[at] = last;
}

/* Whether one ends before something begins at `time_ns` on that track and depth: what ends at that
 * very moment does, unless the new one lies inside it. */
static inline bool open_is_due(const struct perfetto_open *open, int64_t time_ns, uint32_t track,
                               uint32_t depth)
{
    if (open->count == 0 || open->heap[0].end_ns > time_ns)
        return false;
    const struct perfetto_open_slice *first = &open->heap[0];
    return first->end_ns < time_ns || first->track != track || first->depth >= depth;
}

/* ---- events ---- */

/* Time since the packet before, for one at that time. */
static inline uint64_t step_to(struct perfetto *perfetto, int64_t time_ns)
{
    int64_t now_ns = time_ns > perfetto->last_ns ? time_ns : perfetto->last_ns;
    uint64_t delta_ns = (uint64_t)(now_ns - perfetto->last_ns);
    perfetto->last_ns = now_ns;
    return delta_ns;
}

/* Opens a packet with an event; nothing else is ended. */
static inline void begin_event(struct perfetto *perfetto, unsigned type, uint32_t track,
                               int64_t time_ns)
{
    uint64_t delta_ns = step_to(perfetto, time_ns);
    perfetto->at = perfetto_packet_begin(&perfetto->out, delta_ns, type, track);
}

void perfetto_end(struct perfetto *perfetto)
{
    struct proto_out *out = &perfetto->out;
    proto_end(out, perfetto->at.event);
    perfetto_names_put(&perfetto->names, out);
    proto_end(out, perfetto->at.packet);
    proto_may_flush(out);
}

/* Ends the open slice that ends first. */
static void end_first(struct perfetto *perfetto)
{
    const struct perfetto_open_slice *slice = perfetto->open.heap;
    begin_event(perfetto, TYPE_SLICE_END, slice->track, slice->end_ns);
    proto_may_flush(&perfetto->out);
    if (slice->lane != TL_NONE)
        perfetto_tracks_release(&perfetto->tracks, slice->lane);
    open_remove(&perfetto->open);
}

static inline void end_due(struct perfetto *perfetto, int64_t time_ns, uint32_t track,
                           uint32_t depth)
{
    while (open_is_due(&perfetto->open, time_ns, track, depth))
        end_first(perfetto);
}

/* What happens when a slice ends happens inside it. */
void perfetto_begin(struct perfetto *perfetto, unsigned type, uint32_t track, int64_t time_ns)
{
    int64_t shifted_ns = perfetto_time(perfetto, time_ns);
    end_due(perfetto, shifted_ns - 1, TL_NONE, 0);
    begin_event(perfetto, type, track, shifted_ns);
}

void perfetto_begin_gpu(struct perfetto *perfetto, int64_t time_ns)
{
    int64_t shifted_ns = perfetto_time(perfetto, time_ns);
    end_due(perfetto, shifted_ns - 1, TL_NONE, 0);
    perfetto->at = perfetto_packet_begin_timed(&perfetto->out, step_to(perfetto, shifted_ns),
                                               PACKET_GPU_STAGE);
}

void perfetto_name(struct perfetto *perfetto, enum perfetto_category category, uint32_t name_iid)
{
    uint32_t category_iid = perfetto_names_category(&perfetto->names, category);
    char *p = proto_put_tag(proto_room(&perfetto->out), EVENT_NAME_IID, PROTO_VARINT);
    p = proto_put_varint(p, name_iid);
    p = proto_put_tag(p, EVENT_CATEGORY_IID, PROTO_VARINT);
    perfetto->out.at = proto_put_varint(p, category_iid);
}

/* `slice` has its end as the timeline has it. */
static void begin_slice(struct perfetto *perfetto, int64_t start_ns,
                        struct perfetto_open_slice *slice)
{
    start_ns = perfetto_time(perfetto, start_ns);
    int64_t end_ns = perfetto_time(perfetto, slice->end_ns);
    slice->end_ns = end_ns > start_ns ? end_ns : start_ns;
    end_due(perfetto, start_ns, slice->track, slice->depth);
    if (!open_add(&perfetto->open, slice))
        perfetto->out.error = ENOMEM;
    begin_event(perfetto, TYPE_SLICE_BEGIN, slice->track, start_ns);
}

void perfetto_begin_slice(struct perfetto *perfetto, uint32_t track, int64_t start_ns,
                          int64_t end_ns)
{
    struct perfetto_open_slice slice = {.end_ns = end_ns, .track = track, .lane = TL_NONE};
    begin_slice(perfetto, start_ns, &slice);
}

/* Ids of arrows: of operations, then of timed ranges, then from forward to backward. */

static uint64_t timing_flow(const struct perfetto *perfetto, uint32_t timing)
{
    return (uint64_t)perfetto->timeline->gpus.count + timing + 1;
}

static uint64_t fwdbwd_flow(const struct perfetto *perfetto, uint32_t fwdbwd)
{
    return (uint64_t)perfetto->timeline->gpus.count + perfetto->timeline->timings.count + fwdbwd +
           1;
}

/* Whether Perfetto's GPU tables have it. */
static bool is_stage(const struct tl_gpu *op)
{
    return op->kind <= TL_GRAPH_RUN && op->stream != TL_NONE;
}

/* To operations in Perfetto's GPU tables, and to others: each list is left out where it is
 * empty. */
static void put_launch_flows(struct perfetto *perfetto, const struct tl_slice *slice)
{
    const struct timeline *timeline = perfetto->timeline;
    struct proto_out *out = &perfetto->out;
    const uint32_t *ops = timeline->gpu_by_slice.at + slice->gpu_first;
    uint32_t stages = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *op = &timeline->gpus.at[ops[i]];
        if (is_stage(op))
            stages++;
        else if (exporter_has_arrow(timeline, op))
            proto_fixed64(out, EVENT_FLOW, (uint64_t)ops[i] + 1);
    }
    size_t correlation = stages ? proto_begin(out, EVENT_GPU_CORRELATION) : 0;
    for (uint32_t i = 0; i < slice->gpu_count && stages; i++)
        if (is_stage(&timeline->gpus.at[ops[i]]) &&
            exporter_has_arrow(timeline, &timeline->gpus.at[ops[i]]))
            proto_uint(out, CORRELATION_SUBMITTED, (uint64_t)ops[i] + 1);
    if (stages)
        proto_end(out, correlation);
}

static void put_timing_flow(struct perfetto *perfetto, uint32_t slice)
{
    uint32_t timing = timeline_timing_of(perfetto->timeline, slice);
    if (timing != TL_NONE)
        proto_fixed64(&perfetto->out, EVENT_FLOW, timing_flow(perfetto, timing));
}

/* First of forwards[] whose forward is not before the slice. */
static uint32_t find_forward(const struct perfetto *perfetto, uint32_t slice)
{
    uint32_t low = 0, high = perfetto->timeline->fwdbwds.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (perfetto->timeline->fwdbwds.at[perfetto->forwards[middle]].forward < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_fwdbwd_flows(struct perfetto *perfetto, uint32_t slice)
{
    const struct timeline *timeline = perfetto->timeline;
    uint32_t count = timeline->fwdbwds.count;
    for (uint32_t i = find_forward(perfetto, slice); i < count; i++) {
        uint32_t pair = perfetto->forwards[i];
        if (timeline->fwdbwds.at[pair].forward != slice)
            break;
        proto_fixed64(&perfetto->out, EVENT_FLOW, fwdbwd_flow(perfetto, pair));
    }
    for (uint32_t i = ARRAY_LOWER_BOUND(&timeline->fwdbwds, struct tl_fwdbwd, backward, 0, slice);
         i < count && timeline->fwdbwds.at[i].backward == slice; i++)
        proto_fixed64(&perfetto->out, EVENT_FLOW_END, fwdbwd_flow(perfetto, i));
}

static enum perfetto_category slice_category(const struct perfetto *perfetto, uint32_t index)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_slice *slice = &timeline->slices.at[index];
    if (slice->kind != TL_API)
        return chrome_operators_has(&perfetto->operators, index) ? PERFETTO_CATEGORY_OPERATOR
                                                                 : PERFETTO_CATEGORY_RANGE;
    if (slice->api < timeline->apis.count &&
        timeline->apis.at[slice->api].domain == PROF_API_DRIVER)
        return PERFETTO_CATEGORY_DRIVER;
    return PERFETTO_CATEGORY_RUNTIME;
}

/* Its begin was not recorded. */
static bool is_instant(const struct timeline *timeline, const struct tl_slice *slice)
{
    return slice->kind == TL_API && slice->api < timeline->apis.count &&
           timeline->apis.at[slice->api].failed_only;
}

static void put_slice_facts(struct perfetto *perfetto, uint32_t index, struct tl_attrs attrs)
{
    const struct tl_slice *slice = &perfetto->timeline->slices.at[index];
    if (slice->kind == TL_API)
        perfetto_args_api(perfetto, slice);
    else
        perfetto_args_attrs(perfetto, slice->label, attrs);
    if (slice->flags & TL_CONTINUED)
        perfetto_bool(perfetto, PERFETTO_KEY_CONTINUED);
    if (slice->flags & TL_UNCLOSED)
        perfetto_bool(perfetto, PERFETTO_KEY_UNCLOSED);
    if (perfetto->stacks && !tl_attrs_state_stack(perfetto->timeline, attrs))
        perfetto_args_stack(perfetto, stack_of_slice(perfetto->timeline, index));
}

static void perfetto_slice(void *user, uint32_t index, const struct tl_attr *attrs,
                           uint32_t attr_count)
{
    struct perfetto *perfetto = user;
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_slice *slice = &timeline->slices.at[index];
    uint32_t track = perfetto_tracks_thread(&perfetto->tracks, slice->thread);
    if (is_instant(timeline, slice))
        perfetto_begin(perfetto, TYPE_INSTANT, track, slice->start_ns);
    else
        begin_slice(perfetto, slice->start_ns,
                    &(struct perfetto_open_slice){slice->end_ns, 0, track, slice->depth, TL_NONE});
    perfetto_name(perfetto, slice_category(perfetto, index),
                  perfetto_names_event(&perfetto->names, slice->name));
    put_slice_facts(perfetto, index, (struct tl_attrs){attrs, attr_count});
    if (slice->gpu_count)
        put_launch_flows(perfetto, slice);
    if (timeline->timings.count)
        put_timing_flow(perfetto, index);
    if (timeline->fwdbwds.count)
        put_fwdbwd_flows(perfetto, index);
    perfetto_end(perfetto);
}

/* On the thread's track. What ends when a slice begins there ends first, however deep the slice
 * is. */
static void perfetto_frame(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_frame *frame = &perfetto->timeline->frames.at[index];
    uint32_t track = perfetto_tracks_thread(&perfetto->tracks, frame->thread);
    end_due(perfetto, perfetto_time(perfetto, frame->start_ns), track, 0);
    begin_slice(perfetto, frame->start_ns,
                &(struct perfetto_open_slice){frame->end_ns, 0, track, UINT32_MAX, TL_NONE});
    perfetto_name(perfetto, PERFETTO_CATEGORY_PYTHON,
                  perfetto_names_event(&perfetto->names, frame->name));
    perfetto_uint(perfetto, PERFETTO_KEY_PYTHON_ID, (uint64_t)frame->call + 1);
    if (frame->parent != TL_NONE)
        perfetto_uint(perfetto, PERFETTO_KEY_PYTHON_PARENT, (uint64_t)frame->parent + 1);
    uint32_t module = tl_module_number(perfetto->timeline, frame);
    if (module != TL_NONE)
        perfetto_uint(perfetto, PERFETTO_KEY_PYTHON_MODULE, module);
    if (frame->flags & TL_FRAME_CONTINUED)
        perfetto_bool(perfetto, PERFETTO_KEY_CONTINUED);
    if (frame->flags & TL_FRAME_UNCLOSED)
        perfetto_bool(perfetto, PERFETTO_KEY_UNCLOSED);
    perfetto_end(perfetto);
}

static void perfetto_async(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_async *async = &perfetto->timeline->asyncs.at[index];
    end_due(perfetto, perfetto_time(perfetto, async->start_ns), TL_NONE, 0);
    uint32_t lane = perfetto_tracks_take_range(&perfetto->tracks, async->thread);
    if (lane == TL_NONE)
        return;
    begin_slice(perfetto, async->start_ns,
                &(struct perfetto_open_slice){.end_ns = async->end_ns,
                                              .track = perfetto->tracks.ranges[lane].track,
                                              .lane = lane});
    perfetto_name(perfetto, PERFETTO_CATEGORY_RANGE,
                  perfetto_names_event(&perfetto->names, async->name));
    perfetto_uint(perfetto, PERFETTO_KEY_RANGE_ID, async->id);
    perfetto_args_attrs(perfetto, async->label, timeline_async_attrs(perfetto->timeline, index));
    if (perfetto->stacks)
        perfetto_args_stack(perfetto, stack_of_async(perfetto->timeline, index));
    if (async->flags & TL_UNCLOSED)
        perfetto_bool(perfetto, PERFETTO_KEY_UNCLOSED);
    perfetto_end(perfetto);
}

static void perfetto_mark(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_mark *mark = &perfetto->timeline->marks.at[index];
    perfetto_begin(perfetto, TYPE_INSTANT, perfetto_tracks_thread(&perfetto->tracks, mark->thread),
                   mark->time_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_INSTANT,
                  perfetto_names_event(&perfetto->names, mark->name));
    perfetto_args_attrs(perfetto, mark->label, timeline_mark_attrs(perfetto->timeline, index));
    perfetto_end(perfetto);
}

static void put_counter(struct perfetto *perfetto, const struct tl_counter *counter,
                        int64_t time_ns)
{
    perfetto_begin(perfetto, TYPE_COUNTER, perfetto_tracks_counter(&perfetto->tracks, counter),
                   time_ns);
    proto_double(&perfetto->out, EVENT_COUNTER_DOUBLE, counter->value);
    perfetto_end(perfetto);
}

static void perfetto_counter(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_counter *counter = &perfetto->timeline->counters.at[index];
    if (isfinite(counter->value))
        put_counter(perfetto, counter, counter->time_ns);
    else
        perfetto->skipped_counters++;
}

static void repeat_counter(void *user, uint32_t index, int64_t end_ns)
{
    struct perfetto *perfetto = user;
    put_counter(perfetto, &perfetto->timeline->counters.at[index], end_ns);
}

static void perfetto_timing(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_timing *timing = &perfetto->timeline->timings.at[index];
    uint32_t name = perfetto->timeline->slices.at[timing->slice].name;
    perfetto_begin_slice(perfetto, perfetto_tracks_of_timing(&perfetto->tracks, timing),
                         timing->start_ns, timing->end_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_TIMED, perfetto_names_event(&perfetto->names, name));
    perfetto_uint(perfetto, PERFETTO_KEY_DEVICE, timing->device);
    perfetto_pointer(perfetto, PERFETTO_KEY_STREAM_HANDLE, timing->stream);
    perfetto_uint(perfetto, PERFETTO_KEY_ERROR_NS, timing->error_ns);
    proto_fixed64(&perfetto->out, EVENT_FLOW_END, timing_flow(perfetto, index));
    perfetto_end(perfetto);
}

static enum perfetto_category gpu_category(const struct tl_gpu *op)
{
    static const enum perfetto_category categories[] = {
        [TL_KERNEL] = PERFETTO_CATEGORY_KERNEL, [TL_MEMCPY] = PERFETTO_CATEGORY_MEMCPY,
        [TL_MEMSET] = PERFETTO_CATEGORY_MEMSET, [TL_GRAPH_RUN] = PERFETTO_CATEGORY_GRAPH_RUN,
        [TL_SYNC] = PERFETTO_CATEGORY_SYNC,     [TL_OVERHEAD] = PERFETTO_CATEGORY_OVERHEAD,
    };
    return categories[op->kind];
}

static uint32_t gpu_name(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct timeline *timeline = perfetto->timeline;
    if (op->kind != TL_SYNC || op->detail >= timeline->syncs.count)
        return perfetto_names_event(&perfetto->names, op->name);
    return perfetto_names_word(&perfetto->names,
                               chrome_args_sync_name(timeline->syncs.at[op->detail].type));
}

/* Waits and overhead, which may overlap, share spare tracks. */
static void put_wait(struct perfetto *perfetto, uint32_t index)
{
    const struct tl_gpu *op = &perfetto->timeline->gpus.at[index];
    struct perfetto_tracks *tracks = &perfetto->tracks;
    uint32_t track = perfetto_tracks_of_spare(tracks, chrome_rows_spare(&tracks->rows, op));
    perfetto_begin_slice(perfetto, track, op->start_ns, op->end_ns);
    perfetto_name(perfetto, gpu_category(op), gpu_name(perfetto, op));
    if (op->kind == TL_SYNC && op->detail < perfetto->timeline->syncs.count)
        perfetto_args_sync(perfetto, op);
    if (exporter_has_arrow(perfetto->timeline, op))
        proto_fixed64(&perfetto->out, EVENT_FLOW_END, (uint64_t)index + 1);
    perfetto_end(perfetto);
}

/* From the first operation that was launched within a range to the last, on a track of its own
 * beside the stream. Operators are left out, as in the Chrome trace. */
static void put_stream_range(struct perfetto *perfetto, const struct stream_range *range)
{
    struct perfetto_tracks *tracks = &perfetto->tracks;
    uint32_t name = perfetto->timeline->slices.at[range->slice].name;
    if (chrome_operators_has(&perfetto->operators, range->slice))
        return;
    uint32_t track = perfetto_tracks_of_spare(
        tracks, chrome_rows_range_spare(&tracks->rows, range->stream, range->lane));
    perfetto_begin_slice(perfetto, track, range->start_ns, range->end_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_TIMED, perfetto_names_event(&perfetto->names, name));
    perfetto_uint(perfetto, PERFETTO_KEY_OPERATIONS, range->operations);
    perfetto_end(perfetto);
}

static void put_stream_ranges(struct perfetto *perfetto, uint32_t op)
{
    const struct stream_ranges *ranges = &perfetto->ranges;
    for (uint32_t i = stream_ranges_at(ranges, op); i != TL_NONE; i = ranges->all.at[i].next)
        put_stream_range(perfetto, &ranges->all.at[i]);
}

static void perfetto_gpu(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    put_stream_ranges(perfetto, index);
    if (is_stage(&perfetto->timeline->gpus.at[index]))
        perfetto_gpu_put(perfetto, index);
    else
        put_wait(perfetto, index);
}

/* ---- the file ---- */

static void perfetto_start(void *user, const struct timeline *timeline)
{
    (void)timeline;
    perfetto_head_write(user);
}

/* Values that JSON cannot represent either; on the first process, as the other facts of the run. */
static void put_skipped(struct perfetto *perfetto)
{
    static const char word[] = "libprof: counters without a number, left out";
    perfetto_begin(perfetto, TYPE_INSTANT, perfetto_tracks_process(&perfetto->tracks, 0),
                   perfetto->last_ns - perfetto->shift_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_INSTANT, perfetto_names_word(&perfetto->names, word));
    perfetto_uint(perfetto, PERFETTO_KEY_VALUE, perfetto->skipped_counters);
    perfetto_end(perfetto);
}

static void perfetto_finish(void *user)
{
    struct perfetto *perfetto = user;
    while (perfetto->open.count)
        end_first(perfetto);
    if (!exporter_visit_last_counters(perfetto->timeline, repeat_counter, perfetto))
        perfetto->out.error = ENOMEM;
    perfetto_memory_finish(perfetto);
    if (perfetto->skipped_counters)
        put_skipped(perfetto);
}

static const struct exporter perfetto_exporter = {
    .name = "perfetto",
    .begin = perfetto_start,
    .slice = perfetto_slice,
    .frame = perfetto_frame,
    .async = perfetto_async,
    .mark = perfetto_mark,
    .counter = perfetto_counter,
    .timing = perfetto_timing,
    .gpu = perfetto_gpu,
    .memory = perfetto_memory_event,
    .migration = perfetto_memory_migration,
    .end = perfetto_finish,
};

static int compare_forwards(const void *left, const void *right, void *user)
{
    const struct timeline *timeline = user;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint32_t forward_a = timeline->fwdbwds.at[a].forward,
             forward_b = timeline->fwdbwds.at[b].forward;
    if (forward_a != forward_b)
        return forward_a < forward_b ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool sort_forwards(struct perfetto *perfetto)
{
    uint32_t count = perfetto->timeline->fwdbwds.count;
    perfetto->forwards = malloc((count + (size_t)1) * sizeof *perfetto->forwards);
    if (!perfetto->forwards)
        return false;
    for (uint32_t i = 0; i < count; i++)
        perfetto->forwards[i] = i;
    if (count > 1)
        qsort_r(perfetto->forwards, count, sizeof *perfetto->forwards, compare_forwards,
                (void *)perfetto->timeline);
    return true;
}

static void perfetto_fini(struct perfetto *perfetto)
{
    range_paths_fini(&perfetto->paths);
    stream_ranges_fini(&perfetto->ranges);
    chrome_operators_fini(&perfetto->operators);
    perfetto_names_fini(&perfetto->names);
    perfetto_tracks_fini(&perfetto->tracks);
    perfetto_gpus_fini(&perfetto->gpus);
    open_fini(&perfetto->open);
    heap_levels_fini(&perfetto->heaps);
    free(perfetto->forwards);
}

/* Returns 0 or an errno. */
static int write_trace(const struct timeline *timeline, char *const *stacks,
                       struct symbols *symbols, const struct export_file *file)
{
    struct perfetto perfetto = {
        .timeline = timeline,
        .stacks = stacks,
        .shift_ns = timeline->start_ns < 0 ? -timeline->start_ns : 0,
    };
    bool walked = proto_out_init(&perfetto.out, file->file.fd, file->stream) &&
                  perfetto_names_init(&perfetto.names, timeline) &&
                  perfetto_tracks_init(&perfetto.tracks, timeline, &perfetto.out) &&
                  perfetto_gpus_init(&perfetto.gpus, timeline) &&
                  range_paths_init(&perfetto.paths, timeline) &&
                  chrome_operators_init(&perfetto.operators, timeline) &&
                  stream_ranges_init(&perfetto.ranges, timeline) &&
                  heap_levels_init(&perfetto.heaps, timeline) && sort_forwards(&perfetto) &&
                  exporter_walk(&perfetto_exporter, &perfetto, timeline);
    if (walked)
        perfetto_samples_put(&perfetto, symbols);
    bool complete = walked && !perfetto.paths.failed && !perfetto.names.fresh.error;
    int error = proto_out_fini(&perfetto.out);
    perfetto_fini(&perfetto);
    return complete || error ? error : ENOMEM;
}

bool write_perfetto(const struct timeline *timeline, char *const *stacks, struct symbols *symbols,
                    const char *path, struct write_error *error)
{
    struct export_file file;
    if (!export_file_open(&file, path, packed_out_open, error))
        return false;
    return export_file_close(&file, write_trace(timeline, stacks, symbols, &file), error);
}
