/* arrow_events.c - what threads did, and which of it launched: items are slices, begin/end ranges,
 * marks. Calls of Python functions: items are frames. */
#include "array.h"
#include "arrow_columns.h"
#include "arrow_view.h"
#include "timeline.h"

enum events_kind { EVENT_SLICE, EVENT_ASYNC, EVENT_MARK };

struct event {
    enum events_kind kind;
    uint32_t index; /* in its array */
    union {
        const struct tl_slice *slice;
        const struct tl_async *async;
        const struct tl_mark *mark;
    };
};

static inline struct event event_at(const struct arrow_view *view, uint32_t item)
{
    const struct timeline *timeline = view->timeline;
    struct event event = {.kind = EVENT_SLICE, .index = item};
    if (item < timeline->slices.count) {
        event.slice = &timeline->slices.at[item];
        return event;
    }
    event.index -= timeline->slices.count;
    if (event.index < timeline->asyncs.count) {
        event.kind = EVENT_ASYNC;
        event.async = &timeline->asyncs.at[event.index];
        return event;
    }
    event.index -= timeline->asyncs.count;
    event.kind = EVENT_MARK;
    event.mark = &timeline->marks.at[event.index];
    return event;
}

static inline const struct tl_slice *slice_at(const struct arrow_view *view, uint32_t item)
{
    return item < view->timeline->slices.count ? &view->timeline->slices.at[item] : NULL;
}

static const struct tl_api *api_at(const struct arrow_view *view, uint32_t item)
{
    const struct tl_slice *slice = slice_at(view, item);
    return slice && slice->kind == TL_API ? &view->timeline->apis.at[slice->api] : NULL;
}

static const struct tl_thread *thread_at(const struct arrow_view *view, uint32_t item)
{
    struct event event = event_at(view, item);
    uint32_t thread = event.kind == EVENT_SLICE   ? event.slice->thread
                      : event.kind == EVENT_ASYNC ? event.async->thread
                                                  : event.mark->thread;
    return &view->timeline->threads.at[thread];
}

static uint32_t label_at(const struct arrow_view *view, uint32_t item)
{
    struct event event = event_at(view, item);
    return event.kind == EVENT_SLICE   ? tl_slice_label(event.slice)
           : event.kind == EVENT_ASYNC ? event.async->label
                                       : event.mark->label;
}

static struct tl_attrs attrs_at(const struct arrow_view *view, uint32_t item)
{
    struct event event = event_at(view, item);
    return event.kind == EVENT_SLICE   ? arrow_attrs_of_slice(view, event.index)
           : event.kind == EVENT_ASYNC ? timeline_async_attrs(view->timeline, event.index)
                                       : timeline_mark_attrs(view->timeline, event.index);
}

/* ---- who, what, when ---- */

ARROW_CELL(events_pid, arrow_put_pid(view, to, thread_at(view, item)->process))
ARROW_CELL(events_tid, arrow_put_u64(to, thread_at(view, item)->tid))
ARROW_CELL(events_thread_name, arrow_put_known(to, thread_at(view, item)->name))

static bool events_kind(const struct arrow_view *view, uint32_t item, void *to)
{
    static const enum arrow_word words[] = {
        [TL_RANGE] = ARROW_RANGE, [TL_STEP] = ARROW_STEP, [TL_API] = ARROW_CALL};
    struct event event = event_at(view, item);
    return arrow_put_word(view, to,
                          event.kind == EVENT_SLICE   ? words[event.slice->kind]
                          : event.kind == EVENT_ASYNC ? ARROW_ASYNC
                                                      : ARROW_MARK);
}

static bool events_name(const struct arrow_view *view, uint32_t item, void *to)
{
    struct event event = event_at(view, item);
    uint32_t name = event.kind == EVENT_SLICE   ? event.slice->name
                    : event.kind == EVENT_ASYNC ? event.async->name
                                                : event.mark->name;
    return arrow_put_name(view, to, tl_shown_name(view->timeline, name, label_at(view, item)));
}

static bool events_start(const struct arrow_view *view, uint32_t item, void *to)
{
    struct event event = event_at(view, item);
    return arrow_put_time(view, to,
                          event.kind == EVENT_SLICE   ? event.slice->start_ns
                          : event.kind == EVENT_ASYNC ? event.async->start_ns
                                                      : event.mark->time_ns);
}

static bool events_duration_ns(const struct arrow_view *view, uint32_t item, void *to)
{
    struct event event = event_at(view, item);
    return arrow_put_64(to, event.kind == EVENT_SLICE ? event.slice->end_ns - event.slice->start_ns
                            : event.kind == EVENT_ASYNC
                                ? event.async->end_ns - event.async->start_ns
                                : 0);
}

static bool events_depth(const struct arrow_view *view, uint32_t item, void *to)
{
    struct event event = event_at(view, item);
    uint32_t around = event.kind == EVENT_MARK ? event.mark->slice : TL_NONE;
    uint16_t depth =
        around == TL_NONE ? 0 : (uint16_t)(view->timeline->slices.at[around].depth + 1);
    return arrow_put_16(to, event.kind == EVENT_SLICE ? event.slice->depth : depth);
}

static bool events_correlation(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_api *api = api_at(view, item);
    return api && arrow_put_32(to, api->correlation);
}

static bool events_result(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_api *api = api_at(view, item);
    return api && api->result != TL_RESULT_UNKNOWN && arrow_put_32(to, (uint32_t)api->result);
}

/* ---- the tree ---- */

static bool events_parent(const struct arrow_view *view, uint32_t item, void *to)
{
    struct event event = event_at(view, item);
    return arrow_put_event(view, to,
                           event.kind == EVENT_SLICE  ? event.slice->parent
                           : event.kind == EVENT_MARK ? event.mark->slice
                                                      : TL_NONE);
}

static bool events_continues(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct timeline *timeline = view->timeline;
    const struct tl_slice *slice = slice_at(view, item);
    if (!slice || !(slice->flags & TL_CONTINUED))
        return false;
    uint32_t at =
        array_lower_bound(timeline->segments.at, timeline->segments.count,
                          sizeof *timeline->segments.at, offsetof(struct tl_segment, slice), item);
    bool found = at < timeline->segments.count && timeline->segments.at[at].slice == item;
    return found && arrow_put_event(view, to, timeline->segments.at[at].before);
}

/* Begin/end ranges need not nest, so no time is their own. */
ARROW_CELL(events_self_ns, slice_at(view, item) && arrow_put_64(to, view->sums[item].self_ns))
ARROW_CELL(events_device_ns, slice_at(view, item) && arrow_put_64(to, view->sums[item].device_ns))
ARROW_CELL(events_self_device_ns,
           slice_at(view, item) && arrow_put_64(to, view->sums[item].self_device_ns))

static bool put_memory(const struct arrow_view *view, uint32_t item, enum memory_side side,
                       void *to)
{
    const struct tl_slice *slice = slice_at(view, item);
    return slice && view->memory.is_known[side] &&
           view->memory.is_known[side][view->timeline->threads.at[slice->thread].process] &&
           arrow_put_64(to, view->memory.bytes[side][item]);
}

ARROW_CELL(events_host_bytes, put_memory(view, item, MEMORY_CPU, to))
ARROW_CELL(events_device_bytes, put_memory(view, item, MEMORY_CUDA, to))

/* ---- what came with it ---- */

static bool events_domain(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t label = label_at(view, item);
    if (label == TL_NONE)
        return false;
    return arrow_put_known(
        to, view->timeline->domains.at[view->timeline->labels.at[label].domain].name);
}

static bool events_category(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t label = label_at(view, item);
    uint32_t category = label == TL_NONE ? TL_NONE : view->timeline->labels.at[label].category;
    if (category == TL_NONE)
        return false;
    uint32_t name = view->timeline->categories.at[category].name;
    return arrow_put_32(to, name == TL_NONE ? view->first_category + category : name);
}

static bool events_attributes(const struct arrow_view *view, uint32_t item, void *to)
{
    return view->first_attr && arrow_attrs_json(view, attrs_at(view, item), to);
}

static struct arrow_attrs_own own_at(const struct arrow_view *view, uint32_t item)
{
    if (!view->first_attr)
        return (struct arrow_attrs_own){0};
    return arrow_attrs_own(view, attrs_at(view, item));
}

static bool events_shapes(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_attr *shapes = own_at(view, item).shapes;
    return shapes && arrow_put_32(to, (uint32_t)shapes->value);
}

/* The engine's range around a backward function has that one's number. */
static bool events_sequence(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_attr *sequence = own_at(view, item).sequence;
    const struct tl_fwdbwd *link =
        sequence || !slice_at(view, item) ? NULL : timeline_fwdbwd_of(view->timeline, item);
    if (link)
        sequence = own_at(view, link->backward).sequence;
    return sequence && arrow_put_64(to, (int64_t)sequence->value);
}

static bool events_flops(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_slice *slice = slice_at(view, item);
    if (slice && view->flops && view->flops[item] >= 0)
        return arrow_put_f64(to, view->flops[item]);
    const struct tl_attr *flops = view->given.flops ? own_at(view, item).flops : NULL;
    return flops && arrow_put_f64(to, tl_attr_number(flops));
}

static bool events_forward_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct timeline *timeline = view->timeline;
    const struct tl_fwdbwd *link = slice_at(view, item) ? timeline_fwdbwd_of(timeline, item) : NULL;
    if (!link)
        return false;
    uint32_t forward = timeline->slices.at[link->forward].thread;
    return arrow_put_u64(to, timeline->threads.at[forward].tid);
}

/* Text in the file takes precedence over stacks of addresses. */
static bool events_stack(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_attr *words = view->given.stack ? own_at(view, item).stack : NULL;
    if (words)
        return arrow_put_32(to, (uint32_t)words->value);
    if (!view->timeline->stacks.count)
        return false;
    struct event event = event_at(view, item);
    uint32_t stack = event.kind == EVENT_SLICE   ? stack_of_slice(view->timeline, event.index)
                     : event.kind == EVENT_ASYNC ? stack_of_async(view->timeline, event.index)
                                                 : TL_NONE;
    return stack < view->timeline->stacks.count && arrow_put_32(to, view->first_stack + stack);
}

/* Most recordings lack most of what can come with an event. */
static bool is_absent(const struct arrow_view *view, arrow_cell *cell)
{
    const struct timeline *timeline = view->timeline;
    bool attrs = view->first_attr != NULL;
    return cell == events_domain || cell == events_category      ? !timeline->labels.count
           : cell == events_correlation || cell == events_result ? !timeline->apis.count
           : cell == events_continues                            ? !timeline->segments.count
           : cell == events_host_bytes                           ? !view->memory.bytes[MEMORY_CPU]
           : cell == events_device_bytes                         ? !view->memory.bytes[MEMORY_CUDA]
           : cell == events_forward_tid                          ? !timeline->fwdbwds.count
           : cell == events_stack    ? !timeline->stacks.count && !view->given.stack
           : cell == events_shapes   ? !view->given.shapes
           : cell == events_sequence ? !view->given.sequence
           : cell == events_flops    ? !view->flops && !view->given.flops
                                     : cell == events_attributes && !attrs;
}

static bool is_event(const struct arrow_view *view, uint32_t item)
{
    return item >= view->timeline->slices.count || arrow_view_is_event(view, item);
}

static uint32_t event_count(const struct timeline *timeline)
{
    uint64_t count =
        (uint64_t)timeline->slices.count + timeline->asyncs.count + timeline->marks.count;
    return count < TL_NONE ? (uint32_t)count : TL_NONE;
}

/* ---- launches ---- */

ARROW_CELL(launches_range, arrow_put_known(to, tl_range_name(view->timeline, item)))
ARROW_CELL(launches_operations,
           arrow_put_32(to, arrow_view_launched(view->timeline, slice_at(view, item))))
ARROW_CELL(launches_device_ns,
           arrow_put_64(to, slice_launched_ns(view->timeline, slice_at(view, item))))
ARROW_CELL(launches_event, arrow_put_event(view, to, item))

static bool is_launch(const struct arrow_view *view, uint32_t item)
{
    const struct tl_slice *slice = slice_at(view, item);
    return slice->kind == TL_API && !(slice->flags & TL_INTERNAL) &&
           arrow_view_launched(view->timeline, slice) > 0;
}

static uint32_t slice_count(const struct timeline *timeline)
{
    return timeline->slices.count;
}

ARROW_EVENTS_COLUMNS(ARROW_FILLS)

static const struct arrow_column event_columns[] = {ARROW_EVENTS_COLUMNS(ARROW_ENTRY)};

#define launches_pid events_pid
#define launches_tid events_tid
#define launches_name events_name
#define launches_start events_start
#define launches_duration_ns events_duration_ns
#define launches_correlation events_correlation

ARROW_LAUNCHES_COLUMNS(ARROW_FILLS)

static const struct arrow_column launch_columns[] = {ARROW_LAUNCHES_COLUMNS(ARROW_ENTRY)};

const struct arrow_rows arrow_event_rows = {
    event_columns, sizeof event_columns / sizeof *event_columns, is_event, event_count, is_absent};
const struct arrow_rows arrow_launch_rows = {
    launch_columns, sizeof launch_columns / sizeof *launch_columns, is_launch, slice_count, NULL};

/* ---- calls of Python functions ---- */

static const struct tl_frame *frame_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->frames.at[item];
}

static const struct tl_thread *frame_thread_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->threads.at[frame_at(view, item)->thread];
}

ARROW_CELL(functions_pid, arrow_put_pid(view, to, frame_thread_at(view, item)->process))
ARROW_CELL(functions_tid, arrow_put_u64(to, frame_thread_at(view, item)->tid))
ARROW_CELL(functions_name, arrow_put_name(view, to, frame_at(view, item)->name))
ARROW_CELL(functions_start, arrow_put_time(view, to, frame_at(view, item)->start_ns))

static bool functions_duration_ns(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_frame *frame = frame_at(view, item);
    return arrow_put_64(to, frame->end_ns - frame->start_ns);
}

ARROW_CELL(functions_call, arrow_put_64(to, frame_at(view, item)->call))

static bool functions_parent(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t parent = frame_at(view, item)->parent;
    return parent != TL_NONE && arrow_put_64(to, parent);
}

static bool functions_module(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t module = tl_module_number(view->timeline, frame_at(view, item));
    return module != TL_NONE && arrow_put_32(to, module);
}

static uint32_t frames_count(const struct timeline *timeline)
{
    return timeline->frames.count;
}

ARROW_FUNCTIONS_COLUMNS(ARROW_FILLS)

static const struct arrow_column function_columns[] = {ARROW_FUNCTIONS_COLUMNS(ARROW_ENTRY)};

const struct arrow_rows arrow_function_rows = {
    function_columns, sizeof function_columns / sizeof *function_columns, NULL, frames_count, NULL};
