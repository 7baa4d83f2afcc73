/* chrome.c - events of a Chrome trace in Kineto's dialect, one line each.
 *
 *     range, step      X  user_annotation
 *     Python call      X  python_function
 *     operator         X  cpu_op: a range of PyTorch's, see chrome_operators.h
 *     CUDA call        X  cuda_runtime, cuda_driver   + s  ac2g for each operation it launched
 *     kernel ...       X  kernel, gpu_memcpy, gpu_memset   + f  ac2g
 *     range on stream  X  gpu_user_annotation: from its first operation there to its last,
 *                         unless it is an operator; see stream_ranges.h
 *     timed range      X  gpu_user_annotation   + s, f  timed from the range on the CPU
 *     launched graph   X  gpu_graph, where it was recorded as a whole   + f  ac2g
 *     wait             X  cuda_sync
 *     overhead         X  overhead
 *     begin/end range  b, e  user_annotation: such ranges need not nest, and X of one row must
 *     mark             i  cpu_instant_event
 *     forward range    s, its backward passes f  fwdbwd
 *     counter          C
 *     memory           see chrome_memory.c
 *
 * How arrows bind: chrome_arrows.c.
 */
#include "chrome.h"

#include "chrome_rows.h"
#include "exporter.h"
#include "failed_calls.h"
#include "timeline.h"
#include "write.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Whether start + duration is beyond the end in the floating-point numbers that readers have. */
static bool sum_exceeds(int64_t start_ns, int64_t end_ns)
{
    return (double)start_ns / 1e3 + (double)(end_ns - start_ns) / 1e3 > (double)end_ns / 1e3;
}

/* The plugin adds start and duration, and takes for crossing what is a rounding error beyond the
 * range around it. So their sum is the end in its own numbers: the difference of two numbers is
 * exact if one is at most twice the other, see choose_shift(). */
static void write_exact_duration(struct json_out *out, int64_t start_ns, int64_t end_ns)
{
    json_double(out, end_ns > start_ns ? (double)end_ns / 1e3 - (double)start_ns / 1e3 : 0);
}

/* Each step begins as the one before it ends, and the TensorBoard plugin complains where they
 * overlap: its sums must not be more than the end. */
static void write_step_times(struct chrome *chrome, int64_t start_ns, int64_t end_ns)
{
    int64_t start = chrome_time(chrome, start_ns), end = chrome_time(chrome, end_ns);
    json_key(&chrome->out, "ts"), json_microseconds(&chrome->out, start);
    json_key(&chrome->out, "dur");
    if (chrome_for_tensorboard(chrome))
        write_exact_duration(&chrome->out, start, end);
    else if (end > start && sum_exceeds(start, end))
        json_microseconds_below(&chrome->out, end - start);
    else
        json_microseconds(&chrome->out, end > start ? end - start : 0);
}

static void write_times(struct chrome *chrome, int64_t start_ns, int64_t end_ns)
{
    int64_t start = chrome_time(chrome, start_ns), end = chrome_time(chrome, end_ns);
    json_key(&chrome->out, "ts"), json_microseconds(&chrome->out, start);
    json_key(&chrome->out, "dur");
    if (chrome_for_tensorboard(chrome))
        write_exact_duration(&chrome->out, start, end);
    else
        json_microseconds(&chrome->out, end > start ? end - start : 0);
}

static void write_name(struct chrome *chrome, uint32_t name)
{
    json_key(&chrome->out, "name"), quoted_names_write(&chrome->names, &chrome->out, name);
}

/* Which graph a call launched. */
static void write_graph_launch(struct chrome *chrome, const struct tl_slice *slice)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_graph_launch *launch =
        graph_launch_of(timeline, (uint32_t)(slice - timeline->slices.at));
    if (!launch)
        return;
    if (launch->graph != TL_NONE) {
        json_key(&chrome->out, "graph id");
        json_uint(&chrome->out, timeline->graphs.at[launch->graph].id);
    }
    if (launch->expected > launch->recorded)
        json_key(&chrome->out, "missing operations"),
            json_uint(&chrome->out, launch->expected - launch->recorded);
}

static void write_error(struct json_out *out, const struct tl_api *api)
{
    const char *error = cuda_error_name((enum prof_api_domain)api->domain, api->result);
    if (error)
        json_key(out, "error"), json_string(out, error);
}

static uint64_t correlation_of(const struct chrome *chrome, const struct tl_slice *slice,
                               const struct tl_api *api)
{
    uint32_t process = chrome->timeline->threads.at[slice->thread].process;
    return chrome_rows_id(&chrome->rows, process, api->correlation);
}

static void write_api_args(struct chrome *chrome, const struct tl_slice *slice)
{
    struct json_out *out = &chrome->out;
    if (slice->api >= chrome->timeline->apis.count)
        return;
    const struct tl_api *api = &chrome->timeline->apis.at[slice->api];
    if (api->cbid) /* CUPTI's own number: files of others do not have it */
        json_key(out, "cbid"), json_uint(out, api->cbid);
    json_key(out, "correlation"), json_uint(out, correlation_of(chrome, slice, api));
    if (api->result && api->result != TL_RESULT_UNKNOWN)
        json_key(out, "result"), json_int(out, api->result);
    if (failed_calls_is(chrome->timeline, slice))
        write_error(out, api);
    if (api->bytes)
        json_key(out, "bytes"), json_uint(out, api->bytes);
    if (slice->flags & TL_GRAPH)
        write_graph_launch(chrome, slice);
}

static bool is_driver_call(const struct chrome *chrome, const struct tl_slice *slice)
{
    return slice->api < chrome->timeline->apis.count &&
           chrome->timeline->apis.at[slice->api].domain == PROF_API_DRIVER;
}

/* Its begin was not recorded. */
static bool is_instant(const struct chrome *chrome, const struct tl_slice *slice)
{
    return slice->kind == TL_API && slice->api < chrome->timeline->apis.count &&
           chrome->timeline->apis.at[slice->api].failed_only;
}

static void begin_instant(struct chrome *chrome, const struct tl_slice *slice)
{
    if (is_driver_call(chrome, slice))
        chrome_event(&chrome->out, "\"ph\":\"i\",\"cat\":\"cuda_driver\",\"s\":\"t\"");
    else
        chrome_event(&chrome->out, "\"ph\":\"i\",\"cat\":\"cuda_runtime\",\"s\":\"t\"");
}

/* For TensorBoard, every range is one. */
static bool is_operator(const struct chrome *chrome, const struct tl_slice *slice)
{
    return chrome_for_tensorboard(chrome)
               ? slice->kind == TL_RANGE
               : chrome_operators_has(&chrome->operators,
                                      (uint32_t)(slice - chrome->timeline->slices.at));
}

static void begin_slice(struct chrome *chrome, const struct tl_slice *slice)
{
    if (is_instant(chrome, slice))
        begin_instant(chrome, slice);
    else if (chrome_for_tensorboard(chrome) && slice->kind == TL_API)
        chrome_event(&chrome->out, "\"ph\":\"X\",\"cat\":\"Runtime\"");
    else if (is_operator(chrome, slice))
        chrome_event(&chrome->out, "\"ph\":\"X\",\"cat\":\"cpu_op\"");
    else if (slice->kind != TL_API)
        chrome_event(&chrome->out, "\"ph\":\"X\",\"cat\":\"user_annotation\"");
    else if (is_driver_call(chrome, slice))
        chrome_event(&chrome->out, "\"ph\":\"X\",\"cat\":\"cuda_driver\"");
    else
        chrome_event(&chrome->out, "\"ph\":\"X\",\"cat\":\"cuda_runtime\"");
}

static void write_slice_name(struct chrome *chrome, uint32_t slice, struct tl_attrs attrs)
{
    const struct tl_slice *from = &chrome->timeline->slices.at[slice];
    const char *collective =
        chrome_for_tensorboard(chrome) ? chrome_tensorboard_collective(chrome, slice) : NULL;
    if (collective)
        json_key(&chrome->out, "name"), json_string(&chrome->out, collective);
    else if (chrome_for_tensorboard(chrome)) /* which shows no domains */
        write_name(chrome, tl_shown_name(chrome->timeline, from->name, tl_slice_label(from)));
    else if (attrs.count && chrome_operators_has(&chrome->operators, slice))
        chrome_args_operator_name(chrome, from->name, attrs);
    else
        write_name(chrome, from->name);
}

/* What only operators have, beside what PyTorch said of them. */
static void write_operator(struct chrome *chrome, uint32_t slice)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_fwdbwd *link = timeline_fwdbwd_of(timeline, slice);
    if (!chrome_for_tensorboard(chrome))
        chrome_args_external_id(chrome, slice);
    if (!link) {
        chrome_args_no_forward(chrome, slice);
        return;
    }
    uint32_t forward = timeline->slices.at[link->forward].thread;
    json_key(&chrome->out, "Fwd thread id"),
        json_uint(&chrome->out, timeline->threads.at[forward].tid);
    if (link->backward != slice)
        chrome_args_sequence(chrome, link->backward);
}

/* Every segment of a range or call, the first one too, has the first one's number. */
static void write_segment(struct chrome *chrome, uint32_t index)
{
    if (chrome->segment_of[index])
        json_key(&chrome->out, "piece of"), json_uint(&chrome->out, chrome->segment_of[index]);
}

static void write_state(struct json_out *out, uint8_t flags)
{
    if (flags & TL_CONTINUED)
        json_key(out, "continued"), json_bool(out, true);
    if (flags & TL_UNCLOSED)
        json_key(out, "unclosed"), json_bool(out, true);
}

/* A stack of Python functions alone is in the trace already: the slices around. As text at each
 * event it would be most of the file. */
static bool is_drawn(const struct timeline *timeline, uint32_t stack)
{
    return !timeline->stacks.at[stack].method && timeline->frames.count;
}

static void write_stack(struct chrome *chrome, uint32_t stack)
{
    json_key(&chrome->out, "Call stack"), json_string(&chrome->out, chrome->stacks[stack]);
}

/* The functions of a forward range are drawn elsewhere: the outermost backward range has them. */
static void write_slice_stack(struct chrome *chrome, uint32_t index)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_slice *slice = &timeline->slices.at[index];
    uint32_t stack = stack_of_slice(timeline, index), around = slice->parent;
    bool is_again = around != TL_NONE && timeline->slices.at[around].flags & TL_FORWARD_STACK &&
                    stack_of_slice(timeline, around) == stack;
    bool is_forwards = slice->flags & TL_FORWARD_STACK && !is_again;
    if (stack < timeline->stacks.count && (is_forwards || !is_drawn(timeline, stack)))
        write_stack(chrome, stack);
}

static bool is_of_pytorch(const struct chrome *chrome, uint32_t slice, struct tl_attrs attrs)
{
    return chrome_operators_has(&chrome->operators, slice) ||
           chrome_args_is_annotation(chrome, attrs);
}

static void chrome_slice(void *user, uint32_t index, const struct tl_attr *attrs,
                         uint32_t attr_count)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    const struct tl_slice *slice = &chrome->timeline->slices.at[index];
    const struct chrome_row *row = &chrome->rows.threads[slice->thread];
    const struct tl_attrs of = {attrs, attr_count};
    begin_slice(chrome, slice);
    write_slice_name(chrome, index, of);
    chrome_row_write(row, out);
    if (is_instant(chrome, slice))
        chrome_time_write(chrome, slice->start_ns);
    else if (slice->kind == TL_STEP)
        write_step_times(chrome, slice->start_ns, slice->end_ns);
    else
        write_times(chrome, slice->start_ns, slice->end_ns);
    json_key(out, "args"), json_object_begin(out);
    if (slice->kind != TL_API && chrome_for_tensorboard(chrome))
        chrome_tensorboard_args(chrome, index);
    if (slice->kind == TL_API)
        chrome_args_external_id(chrome, index), write_api_args(chrome, slice);
    else if (chrome_operators_has(&chrome->operators, index))
        write_operator(chrome, index);
    else if (chrome->operators.bits && !chrome_for_tensorboard(chrome))
        json_key(out, "External id"), json_uint(out, (uint64_t)index + 1);
    if (slice->kind != TL_API)
        chrome_attrs_write(chrome, slice->label, of, is_of_pytorch(chrome, index, of));
    if (chrome->segment_of)
        write_segment(chrome, index);
    if (slice->flags & (TL_CONTINUED | TL_UNCLOSED))
        write_state(out, slice->flags);
    if (chrome->stacks && !tl_attrs_state_stack(chrome->timeline, of))
        write_slice_stack(chrome, index);
    if (slice->kind != TL_API)
        chrome_args_index(chrome);
    json_object_end(out), json_object_end(out);
    if (slice->gpu_count)
        chrome_arrows_launches(chrome, row, index);
    if (chrome->timeline->timings.count)
        chrome_arrows_timed_from(chrome, row, index);
}

/* Kineto's words. Ids are those of calls, of which a range may leave several segments. */
static void chrome_frame(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    const struct tl_frame *frame = &chrome->timeline->frames.at[index];
    chrome_event(out, "\"ph\":\"X\",\"cat\":\"python_function\"");
    write_name(chrome, frame->name);
    chrome_row_write(&chrome->rows.threads[frame->thread], out);
    write_times(chrome, frame->start_ns, frame->end_ns);
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "Python id"), json_uint(out, (uint64_t)frame->call + 1);
    json_key(out, "Python parent id");
    if (frame->parent == TL_NONE)
        json_null(out);
    else
        json_uint(out, (uint64_t)frame->parent + 1);
    uint32_t module = tl_module_number(chrome->timeline, frame);
    if (module != TL_NONE)
        json_key(out, "Python module id"), json_uint(out, module);
    if (frame->flags & TL_FRAME_CONTINUED)
        json_key(out, "continued"), json_bool(out, true);
    if (frame->flags & TL_FRAME_UNCLOSED)
        json_key(out, "unclosed"), json_bool(out, true);
    json_object_end(out), json_object_end(out);
}

static void write_async_end(struct chrome *chrome, uint32_t index, const struct chrome_row *row,
                            int64_t time_ns)
{
    uint64_t id = (uint64_t)chrome->timeline->gpus.count + index + 1;
    json_key(&chrome->out, "id"), json_uint(&chrome->out, id);
    chrome_row_write(row, &chrome->out);
    chrome_time_write(chrome, time_ns);
}

static void chrome_async(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    const struct tl_async *async = &chrome->timeline->asyncs.at[index];
    int64_t end_ns = async->end_ns > async->start_ns ? async->end_ns : async->start_ns;
    chrome_event(out, "\"ph\":\"b\",\"cat\":\"user_annotation\"");
    write_name(chrome, async->name);
    write_async_end(chrome, index, &chrome->rows.threads[async->thread], async->start_ns);
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "range id"), json_uint(out, async->id);
    chrome_attrs_write(chrome, async->label, timeline_async_attrs(chrome->timeline, index), false);
    uint32_t stack = chrome->stacks ? stack_of_async(chrome->timeline, index) : TL_NONE;
    if (stack != TL_NONE && !is_drawn(chrome->timeline, stack))
        write_stack(chrome, stack);
    if (async->flags & TL_UNCLOSED)
        json_key(out, "unclosed"), json_bool(out, true);
    json_object_end(out), json_object_end(out);
    chrome_event(out, "\"ph\":\"e\",\"cat\":\"user_annotation\"");
    write_name(chrome, async->name);
    /* Both ends on the beginner's row: viewers pair them by process, and an end may be on any
     * thread. */
    write_async_end(chrome, index, &chrome->rows.threads[async->thread], end_ns);
    json_object_end(out);
}

static void chrome_mark(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    const struct tl_mark *mark = &chrome->timeline->marks.at[index];
    chrome_event(&chrome->out, "\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\"");
    write_name(chrome, mark->name);
    chrome_row_write(&chrome->rows.threads[mark->thread], &chrome->out);
    chrome_time_write(chrome, mark->time_ns);
    struct tl_attrs attrs = timeline_mark_attrs(chrome->timeline, index);
    if (mark->label != TL_NONE || attrs.count) {
        json_key(&chrome->out, "args"), json_object_begin(&chrome->out);
        chrome_attrs_write(chrome, mark->label, attrs, false);
        json_object_end(&chrome->out);
    }
    json_object_end(&chrome->out);
}

static void write_counter(struct chrome *chrome, const struct tl_counter *counter, int64_t time_ns)
{
    struct json_out *out = &chrome->out;
    chrome_event(out, "\"ph\":\"C\"");
    write_name(chrome, counter->name);
    chrome_row_write(&chrome->rows.threads[counter->thread], out);
    chrome_time_write(chrome, time_ns);
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "value"), json_double(out, counter->value);
    json_object_end(out), json_object_end(out);
}

static void chrome_counter(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    const struct tl_counter *counter = &chrome->timeline->counters.at[index];
    if (isfinite(counter->value))
        write_counter(chrome, counter, counter->time_ns);
    else
        chrome->skipped_counters++;
}

static void repeat_counter(void *user, uint32_t index, int64_t end_ns)
{
    struct chrome *chrome = user;
    write_counter(chrome, &chrome->timeline->counters.at[index], end_ns);
}

static void chrome_timing(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    const struct tl_timing *timing = &chrome->timeline->timings.at[index];
    bool is_new;
    const struct chrome_timed *timed = chrome_rows_timed(&chrome->rows, timing, &is_new);
    if (!timed) {
        out->error = ENOMEM;
        return;
    }
    if (is_new)
        chrome_labels_timed(&chrome->rows, out, timed);
    chrome_event(out, "\"ph\":\"X\",\"cat\":\"gpu_user_annotation\"");
    write_name(chrome, chrome->timeline->slices.at[timing->slice].name);
    chrome_row_write(&timed->row, out);
    write_times(chrome, timing->start_ns, timing->end_ns);
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "device"), json_uint(out, timing->device);
    json_key(out, "stream handle"), json_uint(out, timing->stream);
    json_key(out, "error ns"), json_uint(out, timing->error_ns);
    json_object_end(out), json_object_end(out);
    chrome_arrows_timed_to(chrome, &timed->row, index);
}

static void begin_gpu(struct json_out *out, uint8_t kind)
{
    switch (kind) {
    case TL_KERNEL:
        chrome_event(out, "\"ph\":\"X\",\"cat\":\"kernel\"");
        break;
    case TL_MEMCPY:
        chrome_event(out, "\"ph\":\"X\",\"cat\":\"gpu_memcpy\"");
        break;
    case TL_MEMSET:
        chrome_event(out, "\"ph\":\"X\",\"cat\":\"gpu_memset\"");
        break;
    case TL_GRAPH_RUN:
        chrome_event(out, "\"ph\":\"X\",\"cat\":\"gpu_graph\"");
        break;
    case TL_SYNC:
        chrome_event(out, "\"ph\":\"X\",\"cat\":\"cuda_sync\"");
        break;
    default:
        chrome_event(out, "\"ph\":\"X\",\"cat\":\"overhead\"");
    }
}

static void write_gpu_name(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct timeline *timeline = chrome->timeline;
    if (op->kind != TL_SYNC || op->detail >= timeline->syncs.count) {
        write_name(chrome, op->name);
        return;
    }
    json_key(&chrome->out, "name");
    json_string(&chrome->out, chrome_args_sync_name(timeline->syncs.at[op->detail].type));
}

/* Work has its stream's row; what may overlap shares spare ones. NULL when memory is short. */
static const struct chrome_row *row_of_gpu(struct chrome *chrome, const struct tl_gpu *op)
{
    if (op->kind <= TL_GRAPH_RUN && op->stream != TL_NONE)
        return chrome_rows_of_stream(&chrome->rows, op);
    struct chrome_spare *spare = chrome_rows_spare(&chrome->rows, op);
    if (!spare) {
        chrome->out.error = ENOMEM;
        return NULL;
    }
    chrome_labels_spare(&chrome->rows, &chrome->out, spare);
    return &spare->row;
}

/* A row's name precedes what is on it. NULL when memory is short. */
static const struct chrome_row *row_of_range(struct chrome *chrome,
                                             const struct stream_range *range)
{
    struct chrome_spare *spare = NULL;
    const struct chrome_row *row =
        chrome_rows_ranges(&chrome->rows, range->stream, range->lane, &spare);
    if (row)
        return row;
    if (!spare) {
        chrome->out.error = ENOMEM;
        return NULL;
    }
    chrome_labels_spare(&chrome->rows, &chrome->out, spare);
    return &spare->row;
}

/* Without the stream in args: HolisticTraceAnalysis takes whatever has one for an operation.
 * Operators are not annotations, on streams neither, and for TensorBoard all ranges are
 * operators. */
static void write_stream_range(struct chrome *chrome, const struct stream_range *range)
{
    struct json_out *out = &chrome->out;
    if (chrome_operators_has(&chrome->operators, range->slice) || chrome_for_tensorboard(chrome))
        return;
    const struct chrome_row *row = row_of_range(chrome, range);
    if (!row)
        return;
    chrome_event(out, "\"ph\":\"X\",\"cat\":\"gpu_user_annotation\"");
    write_name(chrome, chrome->timeline->slices.at[range->slice].name);
    chrome_row_write(row, out);
    write_times(chrome, range->start_ns, range->end_ns);
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "operations"), json_uint(out, range->operations);
    json_object_end(out), json_object_end(out);
}

/* Before the operation, so that an arrow to it binds to it and not to what is around it. */
static void write_stream_ranges(struct chrome *chrome, uint32_t op)
{
    const struct stream_ranges *ranges = &chrome->ranges;
    for (uint32_t i = stream_ranges_at(ranges, op); i != TL_NONE; i = ranges->all.at[i].next)
        write_stream_range(chrome, &ranges->all.at[i]);
}

static void chrome_gpu(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    const struct tl_gpu *op = &chrome->timeline->gpus.at[index];
    const struct chrome_row *row = row_of_gpu(chrome, op);
    if (!row)
        return;
    write_stream_ranges(chrome, index);
    begin_gpu(out, op->kind);
    write_gpu_name(chrome, op);
    chrome_row_write(row, out);
    write_times(chrome, op->start_ns, op->end_ns);
    json_key(out, "args"), json_object_begin(out);
    chrome_args_write(chrome, op);
    json_object_end(out), json_object_end(out);
    chrome_arrows_to(chrome, row, index);
}

static void chrome_begin(void *user, const struct timeline *timeline)
{
    struct chrome *chrome = user;
    (void)timeline;
    chrome_head_write(chrome);
}

static void chrome_end(void *user)
{
    struct chrome *chrome = user;
    chrome_arrows_fwdbwd(user);
    if (!exporter_visit_last_counters(chrome->timeline, repeat_counter, user))
        chrome->out.error = ENOMEM;
    chrome_memory_finish(user);
    chrome_head_finish(user);
}

/* False: no memory. */
static bool find_segments(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    if (!timeline->segments.count)
        return true;
    chrome->segment_of = calloc(timeline->slices.count, sizeof *chrome->segment_of);
    for (uint32_t i = 0; i < timeline->segments.count && chrome->segment_of; i++) {
        const struct tl_segment *segment = &timeline->segments.at[i];
        chrome->segment_of[segment->first] = chrome->segment_of[segment->slice] =
            segment->first + 1;
    }
    return chrome->segment_of != NULL;
}

static const struct exporter chrome_exporter = {
    .name = "chrome",
    .begin = chrome_begin,
    .slice = chrome_slice,
    .frame = chrome_frame,
    .async = chrome_async,
    .mark = chrome_mark,
    .counter = chrome_counter,
    .timing = chrome_timing,
    .gpu = chrome_gpu,
    .memory = chrome_memory_event,
    .migration = chrome_memory_migration,
    .end = chrome_end,
};

/* How much later than the timeline's the trace's times count. */
static int64_t choose_shift(const struct timeline *timeline, uint64_t base_ns, bool exact_ends)
{
    int64_t shift_ns = timeline->start_ns < 0 ? -timeline->start_ns : 0;
    if (exact_ends && timeline->end_ns - 2 * timeline->start_ns > shift_ns)
        shift_ns = timeline->end_ns - 2 * timeline->start_ns;
    uint64_t late = timeline->base_realtime_ns - base_ns;
    if (base_ns && base_ns <= timeline->base_realtime_ns && late <= INT64_MAX / 2 &&
        (int64_t)late > shift_ns)
        shift_ns = (int64_t)late;
    return shift_ns;
}

/* Where a trace goes: to the stream if there is one. */
struct target {
    int fd;
    FILE *stream;
    const char *name;
};

static bool json_begin(struct json_out *out, struct target target, bool behind)
{
    if (!json_out_init(out, target.fd, target.stream))
        return false;
    if (behind)
        json_out_write_behind(out);
    return true;
}

/* Returns 0 or an errno. */
static int write_trace(const struct timeline *timeline, char *const *stacks,
                       const struct write_chrome_more *more, struct target target)
{
    struct chrome chrome = {
        .timeline = timeline,
        .trace_name = target.name,
        .point_of = TL_NONE,
        .stacks = stacks,
        .more = more,
        .shift_ns = choose_shift(timeline, more ? more->base_ns : 0, more && more->for_tensorboard),
    };
    int error = ENOMEM;
    run_facts_init(&chrome.facts, timeline);
    if (!quoted_names_init(&chrome.names, timeline))
        return error;
    if (chrome_rows_init(&chrome.rows, timeline, CHROME_IDS_MAX)) {
        bool walked = chrome_attrs_init(&chrome) && find_segments(&chrome) &&
                      chrome_operators_init(&chrome.operators, timeline) &&
                      chrome_collectives_init(&chrome.collectives, timeline) &&
                      chrome_tensorboard_init(&chrome) &&
                      range_paths_init(&chrome.paths, timeline) &&
                      json_begin(&chrome.out, target, more && more->behind) &&
                      heap_levels_init(&chrome.heaps, timeline) &&
                      stream_ranges_init(&chrome.ranges, timeline) &&
                      exporter_walk(&chrome_exporter, &chrome, timeline);
        error = json_out_fini(&chrome.out);
        if ((!walked || chrome.paths.failed) && !error)
            error = ENOMEM;
        stream_ranges_fini(&chrome.ranges);
        range_paths_fini(&chrome.paths);
        chrome_tensorboard_fini(&chrome);
        chrome_collectives_fini(&chrome.collectives);
        chrome_operators_fini(&chrome.operators);
        chrome_attrs_fini(&chrome);
        free(chrome.segment_of);
        heap_levels_fini(&chrome.heaps);
        chrome_rows_fini(&chrome.rows);
    }
    quoted_names_fini(&chrome.names);
    return error;
}

bool write_chrome(const struct timeline *timeline, char *const *stacks,
                  const struct write_chrome_more *more, const char *path, struct write_error *error)
{
    struct out_file file;
    const char *slash = strrchr(path, '/');
    if (!out_file_open(&file, path, error))
        return false;
    struct target target = {file.fd, NULL, slash ? slash + 1 : path};
    errno = 0;
    if (more && more->pack)
        target.stream = more->pack(file.fd, path);
    int code = target.stream ? 0 : errno;
    if (!code)
        code = write_trace(timeline, stacks, more, target);
    if (target.stream && fclose(target.stream) != 0 && !code)
        code = errno;
    return out_file_commit(&file, code, error);
}
