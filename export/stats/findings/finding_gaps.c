#include "finding_gaps.h"

#include "array.h"
#include "device_time.h"

#include <stdlib.h>
#include <string.h>

struct thread_walk {
    const struct timeline *timeline;
    int64_t at_ns, to_ns;
    uint32_t open; /* innermost slice at `at_ns`; TL_NONE */
    uint32_t next; /* begins later */
    uint32_t end;  /* after the thread's last */
};

struct thread_segment {
    int64_t start_ns, end_ns;
    uint32_t slice; /* not one of libprof's own; TL_NONE outside of all */
};

struct gap_segment {
    int64_t ns;
    uint32_t slice; /* range or call, TL_NONE */
    uint8_t cause;  /* enum gap_cause */
};

struct gap_segments {
    const struct finding_context *context;
    TL_ARRAY(struct gap_segment) segments;
    uint32_t *host_functions; /* calls that have the host called from a stream, by start */
    uint32_t host_function_count;
    /* Of the current gap. */
    int64_t start_ns, end_ns;
    uint32_t before, next; /* operations around it, TL_NONE */
    uint32_t launch;       /* the call that launched `next`, TL_NONE */
    uint32_t blocker;      /* see struct finding_gap */
};

/* ---- what a thread did in a stretch of time ----
 *
 * Segments of the innermost open slice, without gaps. */

/* The slice that began last before or at that time; the thread's first when all began later. */
static uint32_t find_slice_at(const struct thread_walk *walk, uint32_t first, uint32_t near,
                              int64_t from_ns)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    uint32_t at = near;
    while (at > first && slices[at].start_ns > from_ns)
        at--;
    while (at + 1 < walk->end && slices[at + 1].start_ns <= from_ns)
        at++;
    return at;
}

/* `near` is a slice of the thread: to find the beginning costs as many steps as there are slices
 * between the two. */
static void thread_walk_begin(struct thread_walk *walk, const struct timeline *timeline,
                              uint32_t near, int64_t from_ns, int64_t to_ns)
{
    const struct tl_slice *slices = timeline->slices.at;
    const struct tl_thread *thread = &timeline->threads.at[slices[near].thread];
    *walk = (struct thread_walk){.timeline = timeline,
                                 .at_ns = from_ns,
                                 .to_ns = to_ns,
                                 .end = thread->first_slice + thread->slice_count};
    uint32_t at = find_slice_at(walk, thread->first_slice, near, from_ns);
    bool begun = slices[at].start_ns <= from_ns;
    walk->next = begun ? at + 1 : at;
    walk->open = begun ? at : TL_NONE;
}

/* What has ended is left, what begins now is entered. */
static void settle_walk(struct thread_walk *walk)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    while (walk->next < walk->end && slices[walk->next].start_ns <= walk->at_ns)
        walk->open = walk->next++;
    while (walk->open != TL_NONE && slices[walk->open].end_ns <= walk->at_ns)
        walk->open = slices[walk->open].parent;
}

static uint32_t shown_slice(const struct thread_walk *walk)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    uint32_t slice = walk->open;
    unsigned calls = 0;
    while (slice != TL_NONE && slices[slice].flags & TL_INTERNAL)
        slice = calls++ < TL_CALLS_AROUND_MAX ? slices[slice].parent : TL_NONE;
    return slice;
}

/* False: that was all. */
static bool thread_walk_next(struct thread_walk *walk, struct thread_segment *segment)
{
    const struct tl_slice *slices = walk->timeline->slices.at;
    if (walk->at_ns >= walk->to_ns)
        return false;
    settle_walk(walk);
    int64_t end_ns = walk->to_ns;
    if (walk->open != TL_NONE && slices[walk->open].end_ns < end_ns)
        end_ns = slices[walk->open].end_ns;
    if (walk->next < walk->end && slices[walk->next].start_ns < end_ns)
        end_ns = slices[walk->next].start_ns;
    *segment = (struct thread_segment){walk->at_ns, end_ns, shown_slice(walk)};
    walk->at_ns = end_ns;
    return true;
}

/* ---- functions of the host ---- */

static bool list_host_functions(struct gap_segments *segments)
{
    const struct timeline *timeline = segments->context->timeline;
    const struct cuda_calls *calls = segments->context->calls;
    uint32_t count = 0;
    struct radix_item *items = malloc((calls->listed_count + (size_t)1) * sizeof *items);
    for (uint32_t i = 0; i < calls->listed_count && items; i++) {
        const struct tl_slice *slice = &timeline->slices.at[calls->listed[i]];
        if (cuda_call_of(calls, slice) == CUDA_CALL_HOST_FUNCTION)
            items[count++] = (struct radix_item){radix_key(slice->start_ns), calls->listed[i]};
    }
    segments->host_functions = malloc((count + (size_t)1) * sizeof *segments->host_functions);
    bool sorted = items && segments->host_functions && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted; i++)
        segments->host_functions[i] = items[i].value;
    segments->host_function_count = sorted ? count : 0;
    free(items);
    return sorted;
}

/* False: no memory; fini is not needed then. */
static void gap_segments_fini(struct gap_segments *segments)
{
    free(segments->segments.at);
    free(segments->host_functions);
    *segments = (struct gap_segments){0};
}

static bool gap_segments_init(struct gap_segments *segments, const struct finding_context *context)
{
    *segments = (struct gap_segments){.context = context};
    if (list_host_functions(segments))
        return true;
    gap_segments_fini(segments);
    return false;
}

static const struct tl_slice *slice_at(const struct gap_segments *segments, uint32_t slice)
{
    return &segments->context->timeline->slices.at[slice];
}

static uint32_t process_of(const struct gap_segments *segments, uint32_t slice)
{
    return segments->context->timeline->threads.at[slice_at(segments, slice)->thread].process;
}

static uint64_t stream_handle(const struct gap_segments *segments, uint32_t slice)
{
    const struct timeline *timeline = segments->context->timeline;
    uint32_t api = slice_at(segments, slice)->api;
    return api < timeline->apis.count ? timeline->apis.at[api].stream_handle : 0;
}

/* How many host functions were requested before that time. */
static uint32_t host_functions_before(const struct gap_segments *segments, int64_t time_ns)
{
    uint32_t low = 0, high = segments->host_function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slice_at(segments, segments->host_functions[middle])->start_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* When the operation was launched that is in front of `next` in its stream; waits are not
 * operations. */
static int64_t launched_before_ns(const struct gap_segments *segments)
{
    const struct tl_gpu *gpus = segments->context->timeline->gpus.at;
    uint32_t stream = gpus[segments->next].stream;
    for (uint32_t i = segments->next; i-- > 0 && gpus[i].stream == stream;)
        if (tl_is_work(&gpus[i]))
            return gpus[i].slice == TL_NONE ? INT64_MIN
                                            : slice_at(segments, gpus[i].slice)->start_ns;
    return INT64_MIN;
}

/* The latest function of the host that stands between the two in that stream; TL_NONE. Where
 * streams are not known, all count as one. */
static uint32_t host_function_of(const struct gap_segments *segments)
{
    int64_t from_ns = launched_before_ns(segments);
    uint32_t launch = segments->launch;
    for (uint32_t i = host_functions_before(segments, slice_at(segments, launch)->start_ns);
         i-- > 0;) {
        uint32_t call = segments->host_functions[i];
        if (slice_at(segments, call)->start_ns < from_ns)
            break;
        if (process_of(segments, call) == process_of(segments, launch) &&
            stream_handle(segments, call) == stream_handle(segments, launch))
            return call;
    }
    return TL_NONE;
}

/* ---- segments ---- */

static bool add_segment(struct gap_segments *segments, enum gap_cause cause, uint32_t slice,
                        int64_t ns)
{
    if (ns <= 0)
        return true;
    struct gap_segment *segment = ARRAY_ADD(&segments->segments);
    if (segment)
        *segment = (struct gap_segment){ns, slice, (uint8_t)cause};
    return segment != NULL;
}

/* The host stages pageable memory, so a copy of it waits even where it is called asynchronous. */
static bool launched_pageable_copy(const struct timeline *timeline, const struct tl_slice *call)
{
    for (uint32_t i = 0; i < call->gpu_count; i++)
        if (operation_is_pageable_copy(
                timeline, &timeline->gpus.at[timeline->gpu_by_slice.at[call->gpu_first + i]]))
            return true;
    return false;
}

static enum gap_cause cause_of_call(const struct gap_segments *segments, uint32_t slice)
{
    const struct tl_slice *call = slice_at(segments, slice);
    switch (cuda_call_of(segments->context->calls, call)) {
    case CUDA_CALL_NONE:
        return GAP_CPU;
    case CUDA_CALL_LAUNCH:
    case CUDA_CALL_HOST_FUNCTION:
        return GAP_LAUNCH;
    case CUDA_CALL_COPY:
        return GAP_COPY;
    case CUDA_CALL_COPY_ASYNC:
        return launched_pageable_copy(segments->context->timeline, call) ? GAP_COPY : GAP_LAUNCH;
    case CUDA_CALL_ALLOCATE:
    case CUDA_CALL_FREE:
    case CUDA_CALL_ALLOCATE_ASYNC:
    case CUDA_CALL_FREE_ASYNC:
        return GAP_ALLOCATE;
    case CUDA_CALL_SYNC_DEVICE:
    case CUDA_CALL_SYNC_STREAM:
    case CUDA_CALL_SYNC_EVENT:
        return GAP_SYNC;
    default:
        return GAP_OTHER_CALL;
    }
}

/* Who owns time of a call: launches belong to the range that makes them, together with what is
 * between them; other calls are named. */
static uint32_t owner_of(const struct gap_segments *segments, enum gap_cause cause, uint32_t slice)
{
    uint32_t range =
        cause == GAP_LAUNCH ? tl_range_around(segments->context->timeline, slice) : TL_NONE;
    return range == TL_NONE ? slice : range;
}

/* The thread was in no range: the one that launched the operation before may have been. */
static bool add_other_thread(struct gap_segments *segments, int64_t from_ns, int64_t to_ns)
{
    const struct timeline *timeline = segments->context->timeline;
    uint32_t other =
        segments->before == TL_NONE ? TL_NONE : timeline->gpus.at[segments->before].slice;
    struct thread_walk walk;
    struct thread_segment segment;
    bool added = true;
    if (other == TL_NONE ||
        slice_at(segments, other)->thread == slice_at(segments, segments->launch)->thread)
        return add_segment(segments, GAP_CPU, TL_NONE, to_ns - from_ns);
    thread_walk_begin(&walk, timeline, other, from_ns, to_ns);
    while (added && thread_walk_next(&walk, &segment))
        added = add_segment(segments, GAP_CPU, tl_range_around(timeline, segment.slice),
                            segment.end_ns - segment.start_ns);
    return added;
}

static bool add_thread_segment(struct gap_segments *segments, const struct thread_segment *segment)
{
    if (segment->slice == TL_NONE)
        return add_other_thread(segments, segment->start_ns, segment->end_ns);
    uint32_t slice = cuda_call_outermost(segments->context->timeline, segment->slice);
    enum gap_cause cause = cause_of_call(segments, slice);
    if (segment->start_ns == segments->start_ns &&
        (cause == GAP_SYNC || cause == GAP_COPY || cause == GAP_ALLOCATE))
        segments->blocker = slice;
    return add_segment(segments, cause, owner_of(segments, cause, slice),
                       segment->end_ns - segment->start_ns);
}

/* What the thread of the launch did before it. */
static bool add_before_launch(struct gap_segments *segments, int64_t from_ns, int64_t to_ns)
{
    struct thread_walk walk;
    struct thread_segment segment;
    bool added = true;
    thread_walk_begin(&walk, segments->context->timeline, segments->launch, from_ns, to_ns);
    while (added && thread_walk_next(&walk, &segment))
        added = add_thread_segment(segments, &segment);
    return added;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* In the call, on its way, and waiting. */
static bool add_after_launch(struct gap_segments *segments, int64_t from_ns, int64_t to_ns)
{
    const struct tl_slice *call = slice_at(segments, segments->launch);
    int64_t returned_ns = clamp(call->end_ns, from_ns, to_ns);
    int64_t due_ns =
        clamp(call->start_ns + segments->context->limits->launch_ns, returned_ns, to_ns);
    enum gap_cause waiting = GAP_QUEUED;
    uint32_t owner = segments->launch;
    uint32_t function = due_ns < to_ns ? host_function_of(segments) : TL_NONE;
    if (function != TL_NONE) {
        waiting = GAP_HOST_FUNCTION;
        owner = function;
    }
    enum gap_cause cause = cause_of_call(segments, segments->launch);
    return add_segment(segments, cause, owner_of(segments, cause, segments->launch),
                       returned_ns - from_ns) &&
           add_segment(segments, GAP_LAUNCH, owner_of(segments, GAP_LAUNCH, segments->launch),
                       due_ns - returned_ns) &&
           add_segment(segments, waiting, owner, to_ns - due_ns);
}

/* A part in which recording was on. */
static bool add_recorded(struct gap_segments *segments, int64_t from_ns, int64_t to_ns)
{
    const struct timeline *timeline = segments->context->timeline;
    uint32_t origin = segments->next == TL_NONE ? TL_NONE : timeline->gpus.at[segments->next].slice;
    if (segments->launch == TL_NONE)
        return add_segment(segments, GAP_UNKNOWN, origin, to_ns - from_ns);
    if (segments->next == TL_NONE)
        return add_before_launch(segments, from_ns, to_ns);
    int64_t launched_ns = clamp(slice_at(segments, segments->launch)->start_ns, from_ns, to_ns);
    return add_before_launch(segments, from_ns, launched_ns) &&
           add_after_launch(segments, launched_ns, to_ns);
}

/* The first of the process's windows; `*end` after its last. */
static uint32_t windows_of(const struct timeline *timeline, uint32_t process, uint32_t *end)
{
    uint32_t first = ARRAY_LOWER_BOUND(&timeline->windows, struct tl_window, process, 0, process);
    for (*end = first;
         *end < timeline->windows.count && timeline->windows.at[*end].process == process;)
        ++*end;
    return first;
}

/* Outside the windows in which recording was on. Without windows it was always on. */
static bool add_windows(struct gap_segments *segments, uint32_t process)
{
    const struct timeline *timeline = segments->context->timeline;
    uint32_t end, i = windows_of(timeline, process, &end);
    int64_t at_ns = segments->start_ns;
    bool added = true;
    if (i == end)
        return add_recorded(segments, at_ns, segments->end_ns);
    for (; i < end && at_ns < segments->end_ns && added; i++) {
        const struct tl_window *window = &timeline->windows.at[i];
        int64_t to_ns = window->end_ns == TL_NO_TIME ? INT64_MAX : window->end_ns;
        int64_t on_ns = clamp(window->start_ns, at_ns, segments->end_ns);
        int64_t off_ns = clamp(to_ns, on_ns, segments->end_ns);
        added = add_segment(segments, GAP_OFF, TL_NONE, on_ns - at_ns) &&
                (off_ns == on_ns || add_recorded(segments, on_ns, off_ns));
        at_ns = off_ns;
    }
    return added && add_segment(segments, GAP_OFF, TL_NONE, segments->end_ns - at_ns);
}

/* ---- the gap as a whole ---- */

static void sum_causes(const struct gap_segments *segments, int64_t sums[GAP_CAUSES])
{
    memset(sums, 0, GAP_CAUSES * sizeof *sums);
    for (uint32_t i = 0; i < segments->segments.count; i++)
        sums[segments->segments.at[i].cause] += segments->segments.at[i].ns;
}

static void replace_cause(struct gap_segments *segments, int from, enum gap_cause to)
{
    for (uint32_t i = 0; i < segments->segments.count; i++) {
        struct gap_segment *segment = &segments->segments.at[i];
        if (segment->cause == from || (from < 0 && segment->cause != GAP_OFF))
            segment->cause = (uint8_t)to;
    }
}

/* What has a cause as a whole, whatever its segments are. */
static void settle_cause(struct gap_segments *segments)
{
    int64_t sums[GAP_CAUSES];
    sum_causes(segments, sums);
    if (segments->before == TL_NONE)
        replace_cause(segments, -1, GAP_START);
    else if (segments->next == TL_NONE)
        replace_cause(segments, -1, GAP_END);
    else if (sums[GAP_LAUNCH] >= sums[GAP_CPU])
        replace_cause(segments, GAP_CPU, GAP_LAUNCH);
}

/* A range is not a launch: when it launched is not known. */
static uint32_t launch_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t slice = gpu == TL_NONE ? TL_NONE : timeline->gpus.at[gpu].slice;
    if (slice == TL_NONE || timeline->slices.at[slice].kind != TL_API)
        return TL_NONE;
    return cuda_call_outermost(timeline, slice);
}

/* Explains the gap between two operations of a process, one of which may be missing; the segments
 * add up to its length. False: no memory. */
static bool gap_segments_of(struct gap_segments *segments, uint32_t process, uint32_t before,
                            uint32_t next, int64_t start_ns, int64_t end_ns)
{
    const struct timeline *timeline = segments->context->timeline;
    bool is_inside = before != TL_NONE && next != TL_NONE;
    segments->segments.count = 0;
    segments->before = before, segments->next = next;
    segments->start_ns = start_ns, segments->end_ns = end_ns;
    segments->blocker = TL_NONE;
    segments->launch = launch_of(timeline, next == TL_NONE ? before : next);
    if (is_inside && end_ns - start_ns < segments->context->limits->least_gap_ns)
        return add_segment(segments, GAP_SHORT, segments->launch, end_ns - start_ns);
    if (!add_windows(segments, process))
        return false;
    settle_cause(segments);
    return true;
}

/* The cause of most of it. */
static enum gap_cause gap_segments_main(const struct gap_segments *segments)
{
    int64_t sums[GAP_CAUSES];
    unsigned main = GAP_SHORT;
    sum_causes(segments, sums);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        if (sums[cause] > sums[main])
            main = cause;
    return (enum gap_cause)main;
}

/* ---- all gaps: one walk over each device ---- */

struct gap_search {
    struct finding_gaps *gaps;
    struct gap_segments segments;
    struct device_walk walk;
    bool failed;
};

static const struct {
    const char *name, *words;
} causes[GAP_CAUSES] = {
    [GAP_SHORT] = {"short", "between operations, too short to tell"},
    [GAP_LAUNCH] = {"launch-bound", "launching"},
    [GAP_CPU] = {"cpu-bound", "the CPU did something else"},
    [GAP_SYNC] = {"synchronization", "in calls that wait for a device"},
    [GAP_COPY] = {"copy", "in synchronous or pageable copies"},
    [GAP_ALLOCATE] = {"allocation", "in calls that allocate or free"},
    [GAP_OTHER_CALL] = {"other-calls", NULL},
    [GAP_HOST_FUNCTION] = {"host-function", "a stream waited for a host function"},
    [GAP_QUEUED] = {"queued", "launched, but waited for something"},
    [GAP_START] = {"start", "before its first operation"},
    [GAP_END] = {"end", "after its last operation"},
    [GAP_OFF] = {"off", "recording was off"},
    [GAP_UNKNOWN] = {"unknown", "unknown: the launch is not in the trace"},
};

const char *gap_cause_name(enum gap_cause cause)
{
    return causes[cause].name;
}

const char *gap_cause_words(enum gap_cause cause, enum tl_device_api api)
{
    static const char *const other_calls[] = {[TL_API_CUDA] = "in other CUDA calls",
                                              [TL_API_HIP] = "in other HIP calls",
                                              [TL_API_OTHER] = "in other GPU calls"};
    return cause == GAP_OTHER_CALL ? other_calls[api] : causes[cause].words;
}

int64_t gap_device_idle(const struct gap_device *device)
{
    return device->window_ns - device->busy_ns;
}

int64_t finding_gaps_bound(const struct finding_gaps *gaps, uint32_t process)
{
    return gaps->bounds[process];
}

/* The least idle time of the process's devices; without one, its whole time. */
static bool find_bounds(struct finding_gaps *gaps, const struct timeline *timeline)
{
    gaps->bounds = calloc((size_t)timeline->processes.count + 1, sizeof *gaps->bounds);
    for (uint32_t i = 0; i < timeline->processes.count && gaps->bounds; i++)
        gaps->bounds[i] = timeline->processes.at[i].end_ns - timeline->processes.at[i].start_ns;
    for (uint32_t i = 0; i < gaps->devices.count && gaps->bounds; i++) {
        int64_t idle_ns = gap_device_idle(&gaps->devices.at[i]);
        int64_t *bound_ns = &gaps->bounds[gaps->devices.at[i].process];
        *bound_ns = idle_ns < *bound_ns ? idle_ns : *bound_ns;
    }
    return gaps->bounds != NULL;
}

/* Example calls: of the range, the launch that ended the gap has a call stack if any has. */
static void add_owner(struct gap_search *search, struct gap_device *device,
                      const struct gap_segment *segment, int64_t start_ns)
{
    struct finding_owner *owner = finding_owners_add_time(
        &search->gaps->owners[segment->cause], search->segments.context, device->process,
        device->device, segment->slice, start_ns, start_ns + segment->ns);
    if (!owner)
        search->failed = true;
    else if (owner->largest_ns == segment->ns)
        owner->call = search->segments.launch;
}

static void keep_gap(struct gap_search *search)
{
    const struct gap_segments *segments = &search->segments;
    struct finding_gap *gap = ARRAY_ADD(&search->gaps->gaps);
    search->failed |= !gap;
    if (gap)
        *gap = (struct finding_gap){.start_ns = segments->start_ns,
                                    .end_ns = segments->end_ns,
                                    .next = segments->next,
                                    .blocker = segments->blocker,
                                    .device = search->gaps->devices.count - 1,
                                    .cause = (uint8_t)gap_segments_main(segments)};
}

/* Short gaps have no owner: nothing can be done about them. */
static void add_gap(struct gap_search *search, uint32_t before, uint32_t next, int64_t start_ns,
                    int64_t end_ns)
{
    struct gap_device *device = &search->gaps->devices.at[search->gaps->devices.count - 1];
    struct gap_segments *segments = &search->segments;
    int64_t at_ns = start_ns; /* segments follow one another */
    if (end_ns <= start_ns || search->failed)
        return;
    search->failed = !gap_segments_of(segments, device->process, before, next, start_ns, end_ns);
    for (uint32_t i = 0; i < segments->segments.count && !search->failed; i++) {
        const struct gap_segment *segment = &segments->segments.at[i];
        device->idle_ns[segment->cause] += segment->ns;
        finding_parts_add_time(segments->context->steps, &device->idle_parts[segment->cause],
                               device->process, at_ns, at_ns + segment->ns,
                               (struct finding_amounts){.cost_ns = 1});
        if (segment->cause != GAP_SHORT)
            add_owner(search, device, segment, at_ns);
        at_ns += segment->ns;
    }
    bool is_short = segments->segments.count && segments->segments.at[0].cause == GAP_SHORT;
    if (before != TL_NONE && next != TL_NONE && !is_short && !search->failed)
        keep_gap(search);
}

/* Operations in order; what one has in common with those before is busy already. */
static void walk_device(struct gap_search *search, struct gap_device *device, uint32_t first)
{
    const struct timeline *timeline = search->walk.timeline;
    const struct tl_process *process = &timeline->processes.at[device->process];
    int64_t busy_until_ns = process->start_ns;
    uint32_t last = TL_NONE; /* the operation that ended latest */
    for (uint32_t next = first; next != TL_NONE && !search->failed;
         next = device_walk_next(&search->walk)) {
        const struct tl_gpu *gpu = &timeline->gpus.at[next];
        if (gpu->start_ns > busy_until_ns)
            add_gap(search, last, next, busy_until_ns, gpu->start_ns);
        int64_t from_ns = gpu->start_ns > busy_until_ns ? gpu->start_ns : busy_until_ns;
        device->operations++;
        if (gpu->end_ns > from_ns)
            device->busy_ns += gpu->end_ns - from_ns;
        if (gpu->end_ns >= busy_until_ns || last == TL_NONE)
            last = next;
        busy_until_ns = gpu->end_ns > from_ns ? gpu->end_ns : from_ns;
    }
    add_gap(search, last, TL_NONE, busy_until_ns, process->end_ns);
}

static uint32_t add_device(struct gap_search *search, uint32_t stream)
{
    const struct timeline *timeline = search->walk.timeline;
    const struct tl_stream *of = &timeline->streams.at[stream];
    const struct tl_process *process = &timeline->processes.at[of->process];
    uint32_t after = device_walk_begin(&search->walk, stream);
    uint32_t first = device_walk_next(&search->walk);
    struct gap_device *device = first == TL_NONE ? NULL : ARRAY_ADD(&search->gaps->devices);
    if (device) {
        *device = (struct gap_device){.process = of->process,
                                      .device = of->device,
                                      .window_ns = process->end_ns - process->start_ns};
        walk_device(search, device, first);
    }
    search->failed |= first != TL_NONE && !device;
    return after;
}

bool finding_gaps_init(struct finding_gaps *gaps, const struct finding_context *context)
{
    struct gap_search search = {.gaps = gaps};
    *gaps = (struct finding_gaps){0};
    if (!gap_segments_init(&search.segments, context))
        return false;
    search.failed = !device_walk_init(&search.walk, context->timeline);
    for (uint32_t i = 0; i < context->timeline->streams.count && !search.failed;)
        i = add_device(&search, i);
    device_walk_fini(&search.walk);
    gap_segments_fini(&search.segments);
    search.failed = search.failed || !find_bounds(gaps, context->timeline);
    if (search.failed)
        finding_gaps_fini(gaps);
    return !search.failed;
}

void finding_gaps_fini(struct finding_gaps *gaps)
{
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        finding_owners_fini(&gaps->owners[cause]);
    free(gaps->gaps.at);
    free(gaps->devices.at);
    free(gaps->bounds);
    *gaps = (struct finding_gaps){0};
}
