/* query_threads.c - what threads did, as tables: slices, what came with them, begin/end ranges,
 * marks, counters, samples. */
#include "query_table.h"

#include "array.h"
#include "failed_calls.h"

/* ---- who ---- */

static const struct tl_thread *thread_at(const struct query_data *data, uint32_t thread)
{
    return &data->timeline->threads.at[thread];
}

static int64_t tid_of(const struct query_data *data, uint32_t thread)
{
    return thread == TL_NONE ? QUERY_NULL : (int64_t)thread_at(data, thread)->tid;
}

static int64_t process_of(const struct query_data *data, uint32_t thread)
{
    return thread == TL_NONE ? QUERY_NULL : (int64_t)thread_at(data, thread)->process;
}

static int64_t pid_of(const struct query_data *data, uint32_t thread)
{
    int64_t process = process_of(data, thread);
    return process == QUERY_NULL ? QUERY_NULL
                                 : (int64_t)data->timeline->processes.at[process].info.pid;
}

static int64_t thread_name_of(const struct query_data *data, uint32_t thread)
{
    return thread == TL_NONE ? QUERY_NULL : query_name(data, thread_at(data, thread)->name);
}

#define WHO(prefix, array, member)                                   \
    QUERY_GET(prefix##_thread, array, query_known(of->member))       \
    QUERY_GET(prefix##_tid, array, tid_of(data, of->member))         \
    QUERY_GET(prefix##_process, array, process_of(data, of->member)) \
    QUERY_GET(prefix##_pid, array, pid_of(data, of->member))         \
    QUERY_GET(prefix##_thread_name, array, thread_name_of(data, of->member))

/* clang-format off */
#define WHO_COLUMNS(prefix)                                           \
    QUERY_INT_BY_SPAN("process", "", "processes.id", prefix##_process), \
    QUERY_INT_BY_SPAN("pid", "", "of its process", prefix##_pid),     \
    QUERY_INT_BY_SPAN("thread", "", "threads.id", prefix##_thread),   \
    QUERY_INT_BY_SPAN("tid", "", "of its thread", prefix##_tid),      \
    QUERY_NAMED("thread_name", "", prefix##_thread_name)
/* clang-format on */

/* ---- NVTX ---- */

static const struct tl_label *label_at(const struct query_data *data, uint32_t label)
{
    return label == TL_NONE ? NULL : &data->timeline->labels.at[label];
}

static int64_t domain_of(const struct query_data *data, uint32_t label)
{
    const struct tl_label *of = label_at(data, label);
    return of ? query_name(data, data->timeline->domains.at[of->domain].name) : QUERY_NULL;
}

static int64_t category_of(const struct query_data *data, uint32_t label)
{
    const struct tl_label *of = label_at(data, label);
    if (!of || of->category == TL_NONE)
        return QUERY_NULL;
    return query_name(data, data->timeline->categories.at[of->category].name);
}

static int64_t color_of(const struct query_data *data, uint32_t label)
{
    const struct tl_label *of = label_at(data, label);
    return of && of->flags & TL_LABEL_COLORED ? (int64_t)of->color : QUERY_NULL;
}

static int64_t shown_name(const struct query_data *data, uint32_t name, uint32_t label)
{
    return query_name(data, tl_shown_name(data->timeline, name, label));
}

/* clang-format off */
#define LABEL_COLUMNS(prefix)                                                             \
    QUERY_NAMED("domain", "of NVTX; NULL: the default domain, or none", prefix##_domain), \
    QUERY_NAMED("category", "of NVTX", prefix##_category),                                \
    QUERY_INT("color", "", "0xAARRGGBB, where NVTX was given one", prefix##_color)
/* clang-format on */

/* ---- slices ---- */

static const char *const slice_kinds[] = {
    [TL_RANGE] = "range", [TL_STEP] = "step", [TL_API] = "call", [TL_API + 1] = NULL};

static const struct tl_api *api_of(const struct query_data *data, const struct tl_slice *slice)
{
    return slice->kind == TL_API ? &data->timeline->apis.at[slice->api] : NULL;
}

static int64_t result_of(const struct tl_api *api)
{
    return !api || api->result == TL_RESULT_UNKNOWN ? QUERY_NULL : (int64_t)api->result;
}

static int64_t correlation_of(const struct tl_api *api)
{
    return api ? (int64_t)api->correlation : QUERY_NULL;
}

static struct text slice_error(const struct query_data *data, uint32_t item)
{
    const struct tl_slice *slice = &data->timeline->slices.at[item];
    const struct tl_api *api = api_of(data, slice);
    bool known = api && api->result != TL_RESULT_UNKNOWN;
    const char *name =
        known ? cuda_error_name((enum prof_api_domain)api->domain, api->result) : NULL;
    return (struct text){name, name ? strlen(name) : 0};
}

/* The segment that this one continues. */
static int64_t slice_continues(const struct query_data *data, uint32_t item)
{
    const struct timeline *timeline = data->timeline;
    if (!(timeline->slices.at[item].flags & TL_CONTINUED))
        return QUERY_NULL;
    uint32_t at = ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice, 0, item);
    bool found = at < timeline->segments.count && timeline->segments.at[at].slice == item;
    return found ? (int64_t)timeline->segments.at[at].before : QUERY_NULL;
}

static int64_t launched_by(const struct query_data *data, const struct tl_slice *slice)
{
    const struct timeline *timeline = data->timeline;
    int64_t count = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++)
        count += tl_is_work(&timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]]);
    return count;
}

WHO(slice, slices, thread)
QUERY_GET(slice_kind, slices, of->kind)
QUERY_GET(slice_name, slices, shown_name(data, of->name, tl_slice_label(of)))
QUERY_GET(slice_start, slices, of->start_ns)
QUERY_GET(slice_end, slices, of->end_ns)
QUERY_GET(slice_duration, slices, of->end_ns - of->start_ns)
QUERY_GET(slice_depth, slices, of->depth)
QUERY_GET(slice_parent, slices, query_known(of->parent))
QUERY_GET(slice_correlation, slices, correlation_of(api_of(data, of)))
QUERY_GET(slice_result, slices, result_of(api_of(data, of)))
QUERY_GET(slice_domain, slices, domain_of(data, tl_slice_label(of)))
QUERY_GET(slice_category, slices, category_of(data, tl_slice_label(of)))
QUERY_GET(slice_color, slices, color_of(data, tl_slice_label(of)))
QUERY_GET(slice_unclosed, slices, (of->flags & TL_UNCLOSED) != 0)
QUERY_GET(slice_operations, slices, launched_by(data, of))
QUERY_GET(slice_self, slices, data->sums[item].self_ns)
QUERY_GET(slice_device, slices, data->sums[item].device_ns)
QUERY_GET(slice_self_device, slices, data->sums[item].self_device_ns)
QUERY_COUNT(slice_count, slices)

static bool slice_shown(const struct query_data *data, uint32_t item)
{
    return slice_is_shown(data->timeline, &data->timeline->slices.at[item]);
}

/* A thread's slices, by start. */
bool query_slice_span(const struct query_data *data, uint32_t number, struct query_span *span)
{
    const struct timeline *timeline = data->timeline;
    if (number >= timeline->threads.count)
        return false;
    const struct tl_thread *thread = &timeline->threads.at[number];
    *span =
        (struct query_span){thread->first_slice, thread->first_slice + thread->slice_count, true};
    return true;
}

static const struct query_column slice_columns[] = {
    QUERY_ID("by thread, then in order: parents before their children"),
    QUERY_WORDS("kind", "range, step (ProfilerStep#N), call (of CUDA)", slice_kind, slice_kinds),
    QUERY_NAMED("name", "with its NVTX domain in front, as tables show it", slice_name),
    QUERY_INT("start", "ns", "since `base_utc_ns` of meta", slice_start),
    QUERY_INT("end", "ns", "", slice_end),
    QUERY_INT("duration", "ns", "end - start", slice_duration),
    WHO_COLUMNS(slice),
    QUERY_INT("depth", "", "0 outermost", slice_depth),
    QUERY_INT("parent", "", "slices.id of the slice around it", slice_parent),
    QUERY_INT("continues", "",
              "slices.id of the piece that this one goes on from, where a range was cut because "
              "one of another NVTX "
              "domain ended inside of it; calls are counted by `continues IS NULL`",
              slice_continues),
    QUERY_INT("unclosed", "", "1: thread, trace or recording ended before it did", slice_unclosed),
    QUERY_SUM("self", "ns", "duration without the slices directly inside", slice_self),
    QUERY_SUM("device", "ns", "of operations launched inside, at any depth", slice_device),
    QUERY_SUM("self_device", "ns", "of a range: of those whose innermost range it is",
              slice_self_device),
    QUERY_INT("operations", "", "kernels, copies, sets and graphs that it launched itself",
              slice_operations),
    QUERY_INT("correlation", "", "of a call: correlation id shared with what it launched",
              slice_correlation),
    QUERY_INT("result", "", "of a call that returned: 0 is success", slice_result),
    QUERY_STRING("error", "name of the result, where it is an error", slice_error),
    LABEL_COLUMNS(slice),
};
const struct query_table query_slices = {
    .name = "slices",
    .meaning =
        "what threads did: ranges, steps and CUDA calls, which nest; the view calls has only "
        "the calls, the view ranges the others",
    QUERY_COLUMNS(slice_columns),
    .count = slice_count,
    .is_row = slice_shown,
    .span = query_slice_span,
    .sorted_by = slice_start,
};

/* ---- begin/end ranges ---- */

WHO(async, asyncs, thread)
QUERY_GET(async_name, asyncs, shown_name(data, of->name, of->label))
QUERY_GET(async_start, asyncs, of->start_ns)
QUERY_GET(async_end, asyncs, of->flags &TL_UNCLOSED ? QUERY_NULL : of->end_ns)
QUERY_GET(async_duration, asyncs, of->flags &TL_UNCLOSED ? QUERY_NULL : of->end_ns - of->start_ns)
QUERY_GET(async_end_thread, asyncs, query_known(of->end_thread))
QUERY_GET(async_domain, asyncs, domain_of(data, of->label))
QUERY_GET(async_category, asyncs, category_of(data, of->label))
QUERY_GET(async_color, asyncs, color_of(data, of->label))
QUERY_COUNT(async_count, asyncs)

static const struct query_column async_columns[] = {
    QUERY_ID(""),
    QUERY_NAMED("name", "with its NVTX domain in front", async_name),
    QUERY_INT("start", "ns", "", async_start),
    QUERY_INT("end", "ns", "NULL: it did not end", async_end),
    QUERY_INT("duration", "ns", "", async_duration),
    WHO_COLUMNS(async),
    QUERY_INT("end_thread", "", "threads.id of the thread that ended it", async_end_thread),
    LABEL_COLUMNS(async),
};
const struct query_table query_async_ranges = {
    .name = "async_ranges",
    .meaning = "begin/end ranges, which need not nest and may end on another thread",
    QUERY_COLUMNS(async_columns),
    .count = async_count,
};

/* ---- marks, counters ---- */

WHO(mark, marks, thread)
QUERY_GET(mark_name, marks, shown_name(data, of->name, of->label))
QUERY_GET(mark_time, marks, of->time_ns)
QUERY_GET(mark_slice, marks, query_known(of->slice))
QUERY_GET(mark_domain, marks, domain_of(data, of->label))
QUERY_GET(mark_category, marks, category_of(data, of->label))
QUERY_GET(mark_color, marks, color_of(data, of->label))
QUERY_COUNT(mark_count, marks)

static const struct query_column mark_columns[] = {
    QUERY_ID(""),
    QUERY_NAMED("name", "with its NVTX domain in front", mark_name),
    QUERY_INT("time", "ns", "", mark_time),
    WHO_COLUMNS(mark),
    QUERY_INT("slice", "", "slices.id of the innermost range that was open", mark_slice),
    LABEL_COLUMNS(mark),
};
const struct query_table query_marks = {
    .name = "marks",
    .meaning = "instants that the program marked",
    QUERY_COLUMNS(mark_columns),
    .count = mark_count,
};

WHO(counter, counters, thread)
QUERY_GET(counter_name, counters, query_name(data, of->name))
QUERY_GET(counter_time, counters, of->time_ns)
QUERY_GET(counter_value, counters, query_real(of->value))
QUERY_COUNT(counter_count, counters)

static const struct query_column counter_columns[] = {
    QUERY_ID(""),
    QUERY_NAMED("name", "", counter_name),
    QUERY_INT("time", "ns", "", counter_time),
    QUERY_DOUBLE("value", "", "from this time on", counter_value),
    WHO_COLUMNS(counter),
};
const struct query_table query_counters = {
    .name = "counters",
    .meaning = "values that the program counted, over time",
    QUERY_COLUMNS(counter_columns),
    .count = counter_count,
};

/* ---- attributes: of slices, then of marks, then of begin/end ranges ---- */

static const char *const attr_owners[] = {"slice", "mark", "async_range", NULL};

static const struct tl_attr *attr_at(const struct query_data *data, uint32_t item, int *owner)
{
    const struct timeline *timeline = data->timeline;
    *owner = 0;
    if (item < timeline->attrs.count)
        return &timeline->attrs.at[item];
    item -= timeline->attrs.count;
    *owner = 1;
    if (item < timeline->mark_attrs.count)
        return &timeline->mark_attrs.at[item];
    *owner = 2;
    return &timeline->async_attrs.at[item - timeline->mark_attrs.count];
}

static int64_t attr_of(const struct query_data *data, uint32_t item)
{
    int owner;
    attr_at(data, item, &owner);
    return owner;
}

static int64_t attr_owner(const struct query_data *data, uint32_t item)
{
    int owner;
    return attr_at(data, item, &owner)->slice;
}

static int64_t attr_key(const struct query_data *data, uint32_t item)
{
    int owner;
    return query_name(data, attr_at(data, item, &owner)->key);
}

static int64_t attr_value(const struct query_data *data, uint32_t item)
{
    int owner;
    return (int64_t)(intptr_t)attr_at(data, item, &owner);
}

static uint32_t attr_count(const struct query_data *data)
{
    const struct timeline *timeline = data->timeline;
    return timeline->attrs.count + timeline->mark_attrs.count + timeline->async_attrs.count;
}

static const struct query_column attr_columns[] = {
    QUERY_ID(""),
    QUERY_WORDS("of", "slice, mark, async_range: whose `owner` is the id", attr_of, attr_owners),
    QUERY_INT("owner", "", "id in that table", attr_owner),
    QUERY_NAMED("key", "if a key repeats, the last one counts", attr_key),
    {"value", "", "integer, real or text, as it was given", QUERY_VALUE, false, attr_value, NULL,
     NULL, false},
};
const struct query_table query_attributes = {
    .name = "attributes",
    .meaning = "attributes of slices, marks and begin/end ranges",
    QUERY_COLUMNS(attr_columns),
    .count = attr_count,
};

/* ---- Python ---- */

WHO(frame, frames, thread)
QUERY_GET(frame_name, frames, query_name(data, of->name))
QUERY_GET(frame_start, frames, of->start_ns)
QUERY_GET(frame_end, frames, of->end_ns)
QUERY_GET(frame_duration, frames, of->end_ns - of->start_ns)
QUERY_GET(frame_call, frames, of->call)
QUERY_GET(frame_parent, frames, query_known(of->parent))
QUERY_COUNT(frame_count, frames)

static bool frame_span(const struct query_data *data, uint32_t number, struct query_span *span)
{
    const struct timeline *timeline = data->timeline;
    if (number >= timeline->threads.count)
        return false;
    const struct tl_thread *thread = &timeline->threads.at[number];
    *span =
        (struct query_span){thread->first_frame, thread->first_frame + thread->frame_count, true};
    return true;
}

static const struct query_column frame_columns[] = {
    QUERY_ID("by thread, then in order"),
    QUERY_NAMED("name", "\"file.py(LINE): function\"", frame_name),
    QUERY_INT("start", "ns", "", frame_start),
    QUERY_INT("end", "ns", "", frame_end),
    QUERY_INT("duration", "ns", "end - start", frame_duration),
    WHO_COLUMNS(frame),
    QUERY_INT("call", "",
              "frames.id of the call's first piece: itself, unless a range cut the call",
              frame_call),
    QUERY_INT("parent", "", "frames.id of the first piece of the call around it", frame_parent),
};
const struct query_table query_frames = {
    .name = "frames",
    .meaning = "calls of Python functions",
    QUERY_COLUMNS(frame_columns),
    .count = frame_count,
    .span = frame_span,
    .sorted_by = frame_start,
};

/* ---- ranges timed by CUDA events, launches of graphs ---- */

QUERY_GET(timing_slice, timings, of->slice)
QUERY_GET(timing_start, timings, of->start_ns)
QUERY_GET(timing_end, timings, of->end_ns)
QUERY_GET(timing_duration, timings, of->end_ns - of->start_ns)
QUERY_GET(timing_device, timings, query_known(of->device))
QUERY_GET(timing_error, timings, of->error_ns)
QUERY_COUNT(timing_count, timings)

static const struct query_column timing_columns[] = {
    QUERY_ID(""),
    QUERY_INT("slice", "", "slices.id", timing_slice),
    QUERY_INT("start", "ns", "of the first event, on the device", timing_start),
    QUERY_INT("end", "ns", "", timing_end),
    QUERY_INT("duration", "ns", "end - start", timing_duration),
    QUERY_INT("device", "", "ordinal in its process", timing_device),
    QUERY_INT("error", "ns", "error bar of the times", timing_error),
};
const struct query_table query_timings = {
    .name = "timings",
    .meaning = "device time of ranges that CUDA events timed, without CUPTI",
    QUERY_COLUMNS(timing_columns),
    .count = timing_count,
};

static int64_t launched_graph(const struct query_data *data, uint32_t graph)
{
    return graph == TL_NONE ? QUERY_NULL : (int64_t)data->timeline->graphs.at[graph].id;
}

QUERY_GET(launch_slice, graph_launches, of->slice)
QUERY_GET(launch_graph, graph_launches, launched_graph(data, of->graph))
QUERY_GET(launch_expected, graph_launches, of->expected ? (int64_t)of->expected : QUERY_NULL)
QUERY_GET(launch_recorded, graph_launches, of->recorded)
QUERY_GET(launch_whole, graph_launches, of->whole)
QUERY_COUNT(launch_count, graph_launches)

static const struct query_column launch_columns[] = {
    QUERY_ID(""),
    QUERY_INT("slice", "", "slices.id of the call", launch_slice),
    QUERY_INT("graph", "", "CUPTI's id of the graph", launch_graph),
    QUERY_INT("expected", "", "operations at least", launch_expected),
    QUERY_INT("recorded", "", "operations", launch_recorded),
    QUERY_INT("whole", "", "1: one operation per graph is expected (graph_runs)", launch_whole),
};
const struct query_table query_graph_launches = {
    .name = "graph_launches",
    .meaning = "calls that launched a CUDA graph",
    QUERY_COLUMNS(launch_columns),
    .count = launch_count,
};

/* ---- what threads were doing (PROF_SAMPLE) ---- */

static const char *const sample_states[] = {"runs", "waits", NULL};

QUERY_GET(sample_time, samples, of->time_ns)
QUERY_GET(sample_weight, samples, (int64_t)of->weight_ns)
QUERY_GET(sample_queued, samples, (int64_t)of->queued_ns)
QUERY_GET(sample_process, samples, of->process)
QUERY_GET(sample_pid, samples, query_pid(data, of->process))
QUERY_GET(sample_tid, samples, of->tid)
QUERY_GET(sample_thread, samples, query_known(of->thread))
QUERY_GET(sample_state, samples, of->waits)
QUERY_GET(sample_stack, samples, query_known(of->stack))
QUERY_COUNT(sample_count, samples)

static const struct query_column sample_columns[] = {
    QUERY_ID(""),
    QUERY_INT("time", "ns", "of a wait: when it began", sample_time),
    QUERY_INT("weight", "ns",
              "CPU time of the thread since its previous sample; of a wait: its duration",
              sample_weight),
    QUERY_INT("queued", "ns", "since that sample, the thread could run but had no processor",
              sample_queued),
    QUERY_INT("process", "", "processes.id", sample_process),
    QUERY_INT("pid", "", "", sample_pid),
    QUERY_INT("tid", "", "", sample_tid),
    QUERY_INT("thread", "", "threads.id; NULL: the thread recorded nothing else", sample_thread),
    QUERY_WORDS("state", "runs, waits", sample_state, sample_states),
    QUERY_INT("stack", "", "number of the call stack", sample_stack),
};
const struct query_table query_samples = {
    .name = "samples",
    .meaning = "what threads were doing, as PROF_SAMPLE recorded it",
    QUERY_COLUMNS(sample_columns),
    .count = sample_count,
};

/* ---- how the thread of each step spent it ---- */

#define STEP_TIME(function, expression)                                      \
    static int64_t function(const struct query_data *data, uint32_t item)    \
    {                                                                        \
        const struct step_time *of = &data->steps.at[item];                  \
        const struct tl_slice *step = &data->timeline->slices.at[of->slice]; \
        (void)step;                                                          \
        return (int64_t)(expression);                                        \
    }
STEP_TIME(step_time_slice, of->slice)
STEP_TIME(step_time_name, query_name(data, step->name))
STEP_TIME(step_time_thread, step->thread)
STEP_TIME(step_time_start, step->start_ns)
STEP_TIME(step_time_duration, of->end_ns - step->start_ns)
STEP_TIME(step_time_run, of->run_ns)
STEP_TIME(step_time_queued, of->queued_ns)
STEP_TIME(step_time_off_cpu, of->off_cpu_ns)
STEP_TIME(step_time_longest, of->longest_ns)
STEP_TIME(step_time_stack, query_known(of->wait_stack))

static uint32_t step_time_count(const struct query_data *data)
{
    return data->steps.count;
}

static const struct query_column step_time_columns[] = {
    QUERY_INT("slice", "", "slices.id of the step", step_time_slice),
    QUERY_NAMED("name", "", step_time_name),
    QUERY_INT("thread", "", "threads.id", step_time_thread),
    QUERY_INT("start", "ns", "", step_time_start),
    QUERY_INT("duration", "ns", "", step_time_duration),
    QUERY_INT("run", "ns", "the step's thread ran", step_time_run),
    QUERY_INT("queued", "ns", "it waited for a processor", step_time_queued),
    QUERY_INT("off_cpu", "ns", "the rest: it waited for something else", step_time_off_cpu),
    QUERY_INT("longest_wait", "ns",
              "the longest wait in the step, if it lasted two sampling periods or more",
              step_time_longest),
    QUERY_INT("wait_stack", "", "number of the call stack of that wait", step_time_stack),
};
const struct query_table query_step_times = {
    .name = "step_times",
    .meaning =
        "how each step's thread spent the step, from PROF_SAMPLE; accurate to one sampling period",
    QUERY_COLUMNS(step_time_columns),
    .count = step_time_count,
};
