/* key_averages.c - one pass over the slices with a stack of open ones; device operations are added
 * where the slice that launched them opens, so that what is around it is known.
 *
 * Everything of one process comes before anything of the next, for the sake of cold calls.
 */
#include "key_averages.h"

#include "key_rows.h"
#include "memory_use.h"
#include "slice_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names: each is classified once ---- */

static const char step_name[] = "ProfilerStep*";
static const char unnamed_name[] = "(unnamed)";

static uint32_t key_of(const struct key_names *keys, uint32_t name)
{
    struct text text = keys->timeline->names.at[name];
    if (text.size == 0)
        return keys->key_unnamed;
    return tl_step_number(text) >= 0 ? keys->key_step : name;
}

bool key_names_init(struct key_names *keys, const struct timeline *timeline)
{
    uint32_t count = timeline->names.count;
    *keys = (struct key_names){
        .timeline = timeline,
        .name_count = count,
        .key_step = count,
        .key_unnamed = count + 1,
        .key_count = count + 2,
    };
    keys->key_of_name = malloc((count + (size_t)1) * sizeof *keys->key_of_name);
    if (!keys->key_of_name)
        return false;
    for (uint32_t name = 0; name < count; name++)
        keys->key_of_name[name] = key_of(keys, name);
    return true;
}

void key_names_fini(struct key_names *keys)
{
    free(keys->key_of_name);
    *keys = (struct key_names){0};
}

struct text key_names_text(const struct key_names *keys, uint32_t key)
{
    if (key == keys->key_step)
        return (struct text){step_name, sizeof step_name - 1};
    if (key >= keys->name_count)
        return (struct text){unnamed_name, sizeof unnamed_name - 1};
    return keys->timeline->names.at[key];
}

/* ---- device time of begin/end ranges: prefix sums over the launching calls ---- */

/* Calls with device work, in the order of their slices, and the device time up to each. */
struct key_launches {
    const struct timeline *timeline;
    uint32_t *slices;
    int64_t *sums_ns; /* sums_ns[i]: of the first i calls */
    uint32_t count;
};

static uint32_t count_launches(const struct timeline *timeline)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        count += timeline->slices.at[i].gpu_count != 0;
    return count;
}

static void key_launches_fini(struct key_launches *launches)
{
    free(launches->slices);
    free(launches->sums_ns);
    *launches = (struct key_launches){0};
}

/* Returns false when memory is short; fini is not needed then. */
static bool key_launches_init(struct key_launches *launches, const struct timeline *timeline)
{
    size_t room = (size_t)count_launches(timeline) + 1;
    *launches = (struct key_launches){
        .timeline = timeline,
        .slices = malloc(room * sizeof *launches->slices),
        .sums_ns = malloc(room * sizeof *launches->sums_ns),
    };
    if (!launches->slices || !launches->sums_ns) {
        key_launches_fini(launches);
        return false;
    }
    launches->sums_ns[0] = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (!slice->gpu_count)
            continue;
        uint32_t n = launches->count++;
        launches->slices[n] = i;
        launches->sums_ns[n + 1] = launches->sums_ns[n] + slice_launched_ns(timeline, slice);
    }
    return true;
}

/* How many of the calls come before this time of the thread. */
static uint32_t count_before(const struct key_launches *launches, const struct tl_thread *thread,
                             int64_t time_ns)
{
    const struct tl_slice *slices = launches->timeline->slices.at;
    uint32_t low = 0, high = launches->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, slice = launches->slices[middle];
        bool before = slice < thread->first_slice;
        if (slice >= thread->first_slice && slice - thread->first_slice < thread->slice_count)
            before = slices[slice].start_ns < time_ns;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What the thread of a begin/end range launched within it; 0 when it ended on another thread. */
static int64_t key_launches_within(const struct key_launches *launches,
                                   const struct tl_async *async)
{
    const struct tl_thread *thread = &launches->timeline->threads.at[async->thread];
    if (async->thread != async->end_thread || async->end_ns < async->start_ns)
        return 0;
    uint32_t first = count_before(launches, thread, async->start_ns);
    uint32_t end = count_before(launches, thread, async->end_ns);
    return launches->sums_ns[end] - launches->sums_ns[first];
}

/* ---- the pass ---- */

#define NO_ROW UINT32_MAX

static const struct key_group no_group = {TL_NONE, TL_NONE, TL_NONE, TL_NONE, TL_NONE,
                                          TL_NONE, TL_NONE, TL_NONE, TL_NONE, TL_NONE};

/* An open slice. `row` is NO_ROW for libprof's own, which are transparent. */
struct frame {
    int64_t child_ns;    /* CPU time of the slices directly inside */
    int64_t gpu_self_ns; /* device time launched with no other range in between */
    int64_t gpu_total_ns;
    int64_t inner_ns; /* timed: CUDA time of the timed ranges inside, same device */
    int64_t timed_ns; /* timed: self CUDA time */
    int64_t child_bytes[MEMORY_SIDES]; /* memory of the ranges directly inside */
    struct key_span device;            /* of what was launched within */
    const struct tl_timing *timing;    /* NULL: not timed by events */
    struct key_call *call;             /* the call that this is a segment of; NULL: a whole call */
    uint32_t slice;
    uint32_t row;
    uint32_t path;       /* into paths[] */
    uint32_t range_path; /* of the innermost range */
    bool counts;         /* its row takes its numbers */
};

struct builder {
    const struct timeline *timeline;
    const struct key_options *options;
    struct key_averages *averages;
    struct key_rows rows;
    struct key_calls calls;
    struct key_launches launches; /* for begin/end ranges */
    struct key_context context;
    struct frame *stack;
    size_t depth, stack_capacity;
    size_t visible; /* open slices that are not libprof's own */
    uint32_t next_slice, next_async, next_gpu;
    uint32_t next_timing; /* into timeline->timings: first that is not before the current slice */
    uint32_t thread, process, rank; /* of the current slice */
};

static int64_t duration(int64_t start_ns, int64_t end_ns)
{
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static uint32_t rank_of(const struct timeline *timeline, uint32_t process)
{
    bool known =
        process < timeline->processes.count && timeline->processes.at[process].info.rank >= 0;
    return known ? (uint32_t)timeline->processes.at[process].info.rank : TL_NONE;
}

/* What has no parent frame ends here: only device time outside of every range is worth keeping. */
static void pass_up(struct builder *b, const struct frame *frame, int64_t cpu_ns,
                    int64_t gpu_self_ns)
{
    if (b->depth == 0) {
        b->averages->cuda_outside_ns += gpu_self_ns;
        return;
    }
    struct frame *parent = &b->stack[b->depth - 1];
    parent->child_ns += cpu_ns;
    parent->gpu_self_ns += gpu_self_ns;
    parent->gpu_total_ns += frame->gpu_total_ns;
    key_span_widen(&parent->device, frame->device);
}

/* A range timed by events has no operations of its own: its CUDA time is its own interval, and self
 * is what the timed ranges inside leave of it. */
static void use_timing(struct builder *b, struct frame *frame)
{
    const struct tl_timing *timing = frame->timing;
    int64_t total_ns = duration(timing->start_ns, timing->end_ns);
    frame->gpu_total_ns = total_ns;
    frame->gpu_self_ns = frame->timed_ns = duration(frame->inner_ns, total_ns);
    key_span_widen(&frame->device, (struct key_span){timing->start_ns, timing->end_ns});
    b->averages->self_cuda_total_ns += frame->gpu_self_ns;
    b->averages->has_timed = true;
    for (size_t i = b->depth; i-- > 0;)
        if (b->stack[i].timing && b->stack[i].timing->device == timing->device) {
            b->stack[i].inner_ns += total_ns;
            return;
        }
}

/* One duration and one projection for each call, whole or in segments. */
static void close_call(struct builder *b, struct frame *frame, const struct tl_slice *slice,
                       bool outermost)
{
    struct key_call *call = frame->call;
    int64_t start_ns = slice->start_ns;
    uint32_t row = frame->row;
    if (call) {
        key_span_widen(&call->device, frame->device);
        call->device_ns += frame->gpu_total_ns;
        if (call->last != frame->slice || call->row == NO_ROW)
            return;
        start_ns = call->start_ns;
        row = call->row;
    }
    key_rows_sample(&b->rows, row, b->process, start_ns, duration(start_ns, slice->end_ns));
    if (outermost && b->averages->rows[row].kind == KEY_RANGE)
        key_rows_device_sample(&b->rows, row, call ? call->device_ns : frame->gpu_total_ns);
    const struct key_span *device = call ? &call->device : &frame->device;
    struct key_average *into = &b->averages->rows[row];
    if (into->kind != KEY_RANGE || device->end_ns < device->start_ns)
        return;
    if (!outermost)
        return;
    into->projected_count++;
    into->projected_ns += device->end_ns - device->start_ns;
}

/* A CUDA call is not a range: its memory counts for the enclosing range. */
static void add_memory(struct builder *b, const struct frame *frame, bool is_range, bool outermost)
{
    const struct memory_slices *memory = b->options->memory;
    if (!memory)
        return;
    struct frame *parent = b->depth ? &b->stack[b->depth - 1] : NULL;
    for (int side = 0; side < MEMORY_SIDES; side++) {
        int64_t bytes = memory->bytes[side] ? memory->bytes[side][frame->slice] : 0;
        if (parent)
            parent->child_bytes[side] += is_range ? bytes : frame->child_bytes[side];
        if (!is_range || !frame->counts)
            continue;
        int64_t *into = &b->averages->rows[frame->row].memory_bytes[2 * side];
        into[0] += outermost ? bytes : 0;
        into[1] += bytes - frame->child_bytes[side];
    }
}

static void add_flops(const struct builder *b, const struct frame *frame, struct key_average *row)
{
    double flops = b->options->flops ? b->options->flops[frame->slice] : NAN;
    if (isnan(flops))
        return;
    row->flops += flops;
    row->has_flops = true;
}

static void close_visible(struct builder *b, struct frame *frame)
{
    const struct tl_slice *slice = &b->timeline->slices.at[frame->slice];
    struct key_average *row = &b->averages->rows[frame->row];
    int64_t cpu_ns = duration(slice->start_ns, slice->end_ns);
    int64_t self_ns = duration(frame->child_ns, cpu_ns);
    if (b->rows.functions_ns)
        self_ns -= b->rows.functions_ns[frame->slice];
    bool is_range = slice->kind != TL_API;
    bool outermost = --b->rows.states[frame->row].open == 0;
    b->visible--;
    b->averages->self_cpu_total_ns += self_ns;
    if (frame->counts) {
        row->count += !(slice->flags & TL_CONTINUED);
        row->outer_count += outermost && !(slice->flags & TL_CONTINUED);
        row->self_cpu_total_ns += self_ns;
        row->cpu_total_ns += outermost ? cpu_ns : 0;
        row->self_cuda_total_ns += is_range ? frame->gpu_self_ns : 0;
        row->cuda_total_ns += is_range && outermost ? frame->gpu_total_ns : 0;
        row->timed_self_ns += frame->timed_ns;
        add_flops(b, frame, row);
        close_call(b, frame, slice, outermost);
    }
    add_memory(b, frame, is_range, outermost);
    pass_up(b, frame, cpu_ns, is_range ? 0 : frame->gpu_self_ns);
}

static void close_frame(struct builder *b)
{
    struct frame *frame = &b->stack[--b->depth];
    if (frame->timing)
        use_timing(b, frame);
    if (frame->row == NO_ROW) {
        add_memory(b, frame, false, false);
        pass_up(b, frame, frame->child_ns, frame->gpu_self_ns);
    } else {
        close_visible(b, frame);
    }
}

static bool grow_stack(struct builder *b)
{
    size_t capacity = b->stack_capacity ? b->stack_capacity * 2 : 256;
    struct frame *stack = realloc(b->stack, capacity * sizeof *stack);
    if (!stack)
        return false;
    b->stack = stack;
    b->stack_capacity = capacity;
    return true;
}

static const struct tl_timing *timing_of(struct builder *b, uint32_t slice)
{
    const struct timeline *timeline = b->timeline;
    while (b->next_timing < timeline->timings.count &&
           timeline->timings.at[b->next_timing].slice < slice)
        b->next_timing++;
    const struct tl_timing *timing = &timeline->timings.at[b->next_timing];
    return b->next_timing < timeline->timings.count && timing->slice == slice ? timing : NULL;
}

/* Neither the time nor the number of all such calls is known. */
static bool is_failed_only(const struct timeline *timeline, const struct tl_slice *slice)
{
    return slice->kind == TL_API && slice->api < timeline->apis.count &&
           timeline->apis.at[slice->api].failed_only;
}

/* A call's first segment has its attributes and its stack. */
static void share_segments(struct key_call *call, const struct tl_slice *slice,
                           struct key_group *group)
{
    if (slice->flags & TL_CONTINUED) {
        group->shape = call->shape;
        group->stack = call->stack;
        group->step = call->step;
        group->overload = call->overload;
    } else {
        call->shape = group->shape;
        call->stack = group->stack;
        call->step = group->step;
        call->overload = group->overload;
    }
}

static struct key_group group_of(struct builder *b, const struct frame *frame,
                                 const struct tl_slice *slice)
{
    struct key_group group = no_group;
    uint32_t by = b->options->group_by;
    group.thread = b->thread;
    group.process = b->process;
    group.rank = b->rank;
    if (by & (KEY_BY_SHAPE | KEY_BY_OVERLOAD))
        key_context_attrs(&b->context, frame->slice, &group);
    if (by & KEY_BY_STACK)
        group.stack = key_context_stack(&b->context, frame->slice);
    group.step = key_context_step(&b->context, b->process, slice->start_ns);
    if (frame->call)
        share_segments(frame->call, slice, &group);
    return group;
}

static enum key_kind kind_of_gpu(uint8_t kind)
{
    return kind == TL_KERNEL   ? KEY_KERNEL
           : kind == TL_MEMCPY ? KEY_MEMCPY
           : kind == TL_MEMSET ? KEY_MEMSET
                               : KEY_GRAPH;
}

static void add_operation(struct builder *b, const struct tl_gpu *op, struct key_group group,
                          uint32_t range_path)
{
    enum key_kind kind = kind_of_gpu(op->kind);
    if (!b->rows.by_key) {
        group.stream = op->stream;
        group.device = key_context_device(&b->context, op->stream);
        group.path = key_rows_path(&b->rows, op->name, kind, range_path);
        group.shape = group.overload = TL_NONE;
    }
    uint32_t index = key_rows_find(&b->rows, op->name, kind, &group);
    if (b->rows.failed)
        return;
    struct key_average *row = &b->averages->rows[index];
    int64_t ns = duration(op->start_ns, op->end_ns);
    key_row_begins(row, op->start_ns);
    row->count++;
    row->outer_count++;
    row->cuda_total_ns += ns;
    row->self_cuda_total_ns += ns;
    row->bytes += op->bytes;
    b->averages->self_cuda_total_ns += ns;
    b->averages->has_device = true;
    key_rows_sample(&b->rows, index, b->process, op->start_ns, ns);
}

static void add_launched(struct builder *b, struct frame *frame, const struct tl_slice *slice,
                         const struct key_group *group)
{
    const struct timeline *timeline = b->timeline;
    for (uint32_t i = 0; i < slice->gpu_count && !b->rows.failed; i++) {
        const struct tl_gpu *op =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        if (!tl_is_work(op))
            continue;
        int64_t end_ns = op->end_ns > op->start_ns ? op->end_ns : op->start_ns;
        frame->gpu_self_ns += end_ns - op->start_ns;
        key_span_widen(&frame->device, (struct key_span){op->start_ns, end_ns});
        add_operation(b, op, *group, frame->range_path);
    }
    frame->gpu_total_ns = frame->gpu_self_ns;
}

static void find_row(struct builder *b, struct frame *frame, const struct tl_slice *slice,
                     struct key_group *group)
{
    enum key_kind kind = slice->kind == TL_API ? KEY_API : KEY_RANGE;
    uint32_t name = tl_shown_name(b->timeline, slice->name, tl_slice_label(slice));
    if (b->options->group_by & KEY_BY_PATH) {
        group->path = frame->path = key_rows_path(&b->rows, name, kind, frame->path);
        frame->range_path = kind == KEY_RANGE ? frame->path : frame->range_path;
    }
    frame->row = key_rows_find(&b->rows, name, kind, group);
    if (b->rows.failed)
        return;
    frame->counts = !b->options->top_level || b->visible == 0;
    b->visible++;
    b->rows.states[frame->row].open++;
    if (frame->counts)
        key_row_begins(&b->averages->rows[frame->row], slice->start_ns);
    if (frame->call && !(slice->flags & TL_CONTINUED) && frame->counts) {
        frame->call->row = frame->row;
        frame->call->start_ns = slice->start_ns;
    }
}

static void open_frame(struct builder *b, uint32_t index)
{
    const struct tl_slice *slice = &b->timeline->slices.at[index];
    if (b->depth == b->stack_capacity && !grow_stack(b)) {
        b->rows.failed = true;
        return;
    }
    struct frame *frame = &b->stack[b->depth];
    *frame = (struct frame){.slice = index,
                            .row = NO_ROW,
                            .device = KEY_SPAN_EMPTY,
                            .call = key_calls_find(&b->calls, index),
                            .path = b->depth ? frame[-1].path : TL_NONE,
                            .range_path = b->depth ? frame[-1].range_path : TL_NONE};
    struct key_group group = b->rows.by_key ? no_group : group_of(b, frame, slice);
    if (!(slice->flags & TL_INTERNAL) && !is_failed_only(b->timeline, slice))
        find_row(b, frame, slice, &group);
    if (b->timeline->timings.count)
        frame->timing = timing_of(b, index);
    if (slice->gpu_count)
        add_launched(b, frame, slice, &group);
    b->depth++;
}

/* False: the slice is of a later process than `last`. */
static bool enter_thread(struct builder *b, uint32_t thread, uint32_t last)
{
    if (thread == b->thread)
        return true;
    uint32_t process = b->timeline->threads.at[thread].process;
    if (process > last)
        return false;
    b->thread = thread;
    b->process = process;
    b->rank = rank_of(b->timeline, process);
    return true;
}

static void add_slices(struct builder *b, uint32_t last_process)
{
    const struct tl_slice *slices = b->timeline->slices.at;
    uint32_t i = b->next_slice;
    b->thread = TL_NONE;
    for (; i < b->timeline->slices.count && !b->rows.failed; i++) {
        if (!enter_thread(b, slices[i].thread, last_process))
            break;
        while (b->depth && b->stack[b->depth - 1].slice != slices[i].parent)
            close_frame(b);
        open_frame(b, i);
    }
    while (b->depth && !b->rows.failed)
        close_frame(b);
    b->next_slice = i;
}

static void add_async(struct builder *b, uint32_t index)
{
    const struct timeline *timeline = b->timeline;
    const struct tl_async *async = &timeline->asyncs.at[index];
    uint32_t name = tl_shown_name(timeline, async->name, async->label);
    struct key_group group = no_group;
    group.thread = async->thread;
    group.process = timeline->threads.at[async->thread].process;
    group.rank = rank_of(timeline, group.process);
    group.path = key_rows_path(&b->rows, name, KEY_RANGE, TL_NONE);
    group.step = key_context_step(&b->context, group.process, async->start_ns);
    uint32_t row = key_rows_find(&b->rows, name, KEY_RANGE, &group);
    if (b->rows.failed)
        return;
    int64_t ns = duration(async->start_ns, async->end_ns);
    struct key_average *into = &b->averages->rows[row];
    key_row_begins(into, async->start_ns);
    into->count++;
    into->outer_count++;
    into->cpu_total_ns += ns;
    int64_t device_ns = key_launches_within(&b->launches, async);
    into->cuda_total_ns += device_ns;
    key_rows_sample(&b->rows, row, group.process, async->start_ns, ns);
    key_rows_device_sample(&b->rows, row, device_ns);
}

static void add_asyncs(struct builder *b, uint32_t last_process)
{
    const struct timeline *timeline = b->timeline;
    for (; b->next_async < timeline->asyncs.count && !b->rows.failed; b->next_async++) {
        uint32_t thread = timeline->asyncs.at[b->next_async].thread;
        if (timeline->threads.at[thread].process > last_process)
            break;
        add_async(b, b->next_async);
    }
}

/* Those whose launch is not in the trace. */
static void add_orphans(struct builder *b, uint32_t last_process)
{
    const struct timeline *timeline = b->timeline;
    for (; b->next_gpu < timeline->gpus.count && !b->rows.failed; b->next_gpu++) {
        const struct tl_gpu *op = &timeline->gpus.at[b->next_gpu];
        if (op->process > last_process)
            break;
        if (op->slice != TL_NONE || !tl_is_work(op))
            continue;
        struct key_group group = no_group;
        b->process = group.process = op->process;
        group.step = key_context_step(&b->context, group.process, op->start_ns);
        group.rank = rank_of(timeline, op->process);
        add_operation(b, op, group, TL_NONE);
    }
}

static void add_marks(struct builder *b)
{
    const struct timeline *timeline = b->timeline;
    for (uint32_t i = 0; i < timeline->marks.count && !b->rows.failed; i++) {
        const struct tl_mark *mark = &timeline->marks.at[i];
        if (b->options->top_level && mark->slice != TL_NONE)
            continue;
        struct key_group group = no_group;
        uint32_t name = tl_shown_name(timeline, mark->name, mark->label);
        group.thread = mark->thread;
        group.process = timeline->threads.at[mark->thread].process;
        group.rank = rank_of(timeline, group.process);
        group.path = key_rows_path(&b->rows, name, KEY_MARK, TL_NONE);
        group.step = key_context_step(&b->context, group.process, mark->time_ns);
        uint32_t row = key_rows_find(&b->rows, name, KEY_MARK, &group);
        if (b->rows.failed)
            return;
        key_row_begins(&b->averages->rows[row], mark->time_ns);
        b->averages->rows[row].count++, b->averages->rows[row].outer_count++;
    }
}

/* Rows that exist only for what they did not count. */
static void drop_empty(struct key_averages *averages)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < averages->count; i++)
        if (averages->rows[i].count || averages->rows[i].cpu_total_ns)
            averages->rows[kept++] = averages->rows[i];
    averages->count = kept;
}

static bool prepare(struct builder *b)
{
    if (!key_rows_init(&b->rows, b->averages, b->timeline, b->options))
        return false;
    if (!key_calls_init(&b->calls, b->timeline))
        return false;
    if (b->timeline->asyncs.count && !key_launches_init(&b->launches, b->timeline))
        return false;
    return key_context_init(&b->context, b->timeline, b->options);
}

static bool add_all(struct builder *b)
{
    if (b->options->python && !key_rows_add_python(&b->rows))
        return false;
    for (uint32_t process = 0; process <= b->timeline->processes.count; process++) {
        bool is_rest = process == b->timeline->processes.count;
        uint32_t last = is_rest ? UINT32_MAX : process;
        add_slices(b, last);
        add_asyncs(b, last);
        add_orphans(b, last);
    }
    add_marks(b);
    if (b->rows.failed || !key_rows_measure(&b->rows))
        return false;
    if (b->options->top_level)
        drop_empty(b->averages);
    b->averages->has_device |= b->averages->has_timed;
    return true;
}

void key_options_default(struct key_options *options)
{
    *options = (struct key_options){.size_bytes = sizeof *options, .group_by = KEY_BY_KEY};
}

bool key_averages_init_by(struct key_averages *averages, const struct timeline *timeline,
                          const struct key_options *options)
{
    struct builder b = {.timeline = timeline, .options = options, .averages = averages};
    *averages =
        (struct key_averages){.group_by = options->group_by, .has_memory = options->memory != NULL};
    bool added = prepare(&b) && add_all(&b);
    key_rows_fini(&b.rows);
    key_calls_fini(&b.calls);
    key_launches_fini(&b.launches);
    key_context_fini(&b.context);
    free(b.stack);
    if (!added)
        key_averages_fini(averages);
    return added;
}

bool key_averages_init(struct key_averages *averages, const struct timeline *timeline)
{
    struct key_options options;
    key_options_default(&options);
    return key_averages_init_by(averages, timeline, &options);
}

void key_averages_fini(struct key_averages *averages)
{
    free(averages->rows);
    free(averages->paths);
    key_samples_fini(&averages->samples);
    key_samples_fini(&averages->device_samples);
    *averages = (struct key_averages){0};
}

static void add_spread(struct key_spread *to, const struct key_spread *from)
{
    if (!from->count)
        return;
    to->min_ns = !to->count || from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
    to->max_ns = !to->count || from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
    to->count += from->count;
    to->sum_ns += from->sum_ns;
    to->cold_count += from->cold_count;
    to->cold_ns += from->cold_ns;
}

struct key_average key_averages_total(const struct key_averages *averages)
{
    struct key_average total = {.name = {"Total", 5}, .group = no_group, .key = UINT32_MAX};
    for (uint32_t i = 0; i < averages->count; i++) {
        const struct key_average *row = &averages->rows[i];
        total.count += row->count;
        total.outer_count += row->outer_count;
        total.cpu_total_ns += row->cpu_total_ns;
        total.self_cpu_total_ns += row->self_cpu_total_ns;
        total.self_cuda_total_ns +=
            key_kind_is_device(row->kind) ? row->self_cuda_total_ns : row->timed_self_ns;
        total.timed_self_ns += row->timed_self_ns;
        total.projected_count += row->projected_count;
        total.projected_ns += row->projected_ns;
        total.bytes += row->bytes;
        total.flops += row->flops;
        total.has_flops |= row->has_flops;
        add_spread(&total.spread, &row->spread);
        for (unsigned side = 0; side < 4; side++)
            total.memory_bytes[side] += row->memory_bytes[side];
    }
    total.cuda_total_ns = total.self_cuda_total_ns;
    return total;
}

const char *key_kind_name(enum key_kind kind)
{
    static const char *const names[] = {"range",  "cuda_api", "mark",   "python",
                                        "kernel", "memcpy",   "memset", "graph"};
    return names[kind];
}

bool key_kind_is_device(enum key_kind kind)
{
    return kind == KEY_KERNEL || kind == KEY_MEMCPY || kind == KEY_MEMSET || kind == KEY_GRAPH;
}
