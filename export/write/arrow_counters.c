/* arrow_counters.c - values over time: items are counters, then changes of memory. */
#include "arrow_columns.h"

/* NULL: the item is a change of memory. */
static const struct tl_counter *counter_at(const struct arrow_view *view, uint32_t item)
{
    return item < view->timeline->counters.count ? &view->timeline->counters.at[item] : NULL;
}

static const struct tl_memory_event *change_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->memory_events.at[item - view->timeline->counters.count];
}

static const struct tl_memory *memory_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->memories.at[change_at(view, item)->memory];
}

static const struct tl_heap *heap_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->heaps.at[memory_at(view, item)->heap];
}

/* TL_NONE: unknown. */
static uint32_t thread_at(const struct arrow_view *view, uint32_t item)
{
    const struct tl_counter *counter = counter_at(view, item);
    if (counter)
        return counter->thread;
    const struct tl_memory *memory = memory_at(view, item);
    return change_at(view, item)->is_end ? memory->end_thread : memory->thread;
}

static bool counter_pid(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct timeline *timeline = view->timeline;
    uint32_t process = counter_at(view, item) ? timeline->threads.at[thread_at(view, item)].process
                                              : heap_at(view, item)->process;
    return arrow_put_32(to, timeline->processes.at[process].info.pid);
}

static bool counter_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t thread = thread_at(view, item);
    return thread != TL_NONE && arrow_put_32(to, view->timeline->threads.at[thread].tid);
}

static bool counter_kind(const struct arrow_view *view, uint32_t item, void *to)
{
    return arrow_put_word(view, to, counter_at(view, item) ? ARROW_COUNTER : ARROW_MEMORY);
}

static bool counter_name(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_counter *counter = counter_at(view, item);
    return arrow_put_name(view, to, counter ? counter->name : heap_at(view, item)->name);
}

static bool counter_time(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_counter *counter = counter_at(view, item);
    return arrow_put_time(view, to, counter ? counter->time_ns : change_at(view, item)->time_ns);
}

static bool counter_value(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_counter *counter = counter_at(view, item);
    uint32_t counters = view->timeline->counters.count;
    return arrow_put_f64(to, counter ? counter->value : (double)view->levels[item - counters]);
}

static bool memory_device(const struct arrow_view *view, uint32_t item, void *to)
{
    return !counter_at(view, item) && arrow_put_known(to, heap_at(view, item)->device);
}

static bool memory_change(const struct arrow_view *view, uint32_t item, void *to)
{
    if (counter_at(view, item))
        return false;
    int64_t bytes = (int64_t)memory_at(view, item)->bytes;
    return arrow_put_64(to, change_at(view, item)->is_end ? -bytes : bytes);
}

static bool memory_address(const struct arrow_view *view, uint32_t item, void *to)
{
    if (counter_at(view, item) || !memory_at(view, item)->address)
        return false;
    return arrow_put_64(to, (int64_t)memory_at(view, item)->address);
}

static bool memory_event(const struct arrow_view *view, uint32_t item, void *to)
{
    if (counter_at(view, item))
        return false;
    const struct tl_memory *memory = memory_at(view, item);
    return arrow_put_event(view, to,
                           change_at(view, item)->is_end ? memory->end_slice : memory->slice);
}

static bool is_row(const struct arrow_view *view, uint32_t item)
{
    (void)view, (void)item;
    return true;
}

static uint32_t row_count(const struct timeline *timeline)
{
    uint64_t count = (uint64_t)timeline->counters.count + timeline->memory_events.count;
    return count < TL_NONE ? (uint32_t)count : TL_NONE;
}

static const struct arrow_column columns[] = {
    ARROW_U32("pid", counter_pid),
    ARROW_U32_NULL("tid", counter_tid),
    ARROW_NAME("kind", counter_kind),
    ARROW_NAME("name", counter_name),
    ARROW_TIME("time", counter_time),
    ARROW_F64("value", counter_value),
    ARROW_U32_NULL("device", memory_device),
    ARROW_I64_NULL("bytes", memory_change),
    ARROW_U64_NULL("address", memory_address),
    ARROW_I64_NULL("event", memory_event),
};

const struct arrow_rows arrow_counter_rows = {columns, sizeof columns / sizeof *columns, is_row,
                                              row_count, NULL};
