/* arrow_functions.c - calls of Python functions; items are frames, and all are rows. */
#include "arrow_view.h"
#include "timeline.h"

static const struct tl_frame *frame_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->frames.at[item];
}

static const struct tl_thread *thread_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->threads.at[frame_at(view, item)->thread];
}

static bool function_pid(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t process = thread_at(view, item)->process;
    return arrow_put_32(to, view->timeline->processes.at[process].info.pid);
}

static bool function_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    return arrow_put_32(to, thread_at(view, item)->tid);
}

static bool function_name(const struct arrow_view *view, uint32_t item, void *to)
{
    return arrow_put_name(view, to, frame_at(view, item)->name);
}

static bool function_start(const struct arrow_view *view, uint32_t item, void *to)
{
    return arrow_put_time(view, to, frame_at(view, item)->start_ns);
}

static bool function_duration(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_frame *frame = frame_at(view, item);
    return arrow_put_64(to, frame->end_ns - frame->start_ns);
}

static bool function_call(const struct arrow_view *view, uint32_t item, void *to)
{
    return arrow_put_64(to, frame_at(view, item)->call);
}

static bool function_parent(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t parent = frame_at(view, item)->parent;
    return parent != TL_NONE && arrow_put_64(to, parent);
}

static bool function_module(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t module = tl_module_number(view->timeline, frame_at(view, item));
    return module != TL_NONE && arrow_put_32(to, module);
}

static bool is_row(const struct arrow_view *view, uint32_t item)
{
    (void)view, (void)item;
    return true;
}

static uint32_t frame_count(const struct timeline *timeline)
{
    return timeline->frames.count;
}

#define FUNCTIONS_COLUMNS(X)                            \
    X(functions, U32, "pid", function_pid)              \
    X(functions, U32, "tid", function_tid)              \
    X(functions, NAME, "name", function_name)           \
    X(functions, TIME, "start", function_start)         \
    X(functions, I64, "duration_ns", function_duration) \
    X(functions, I64, "call", function_call)            \
    X(functions, I64_NULL, "parent", function_parent)   \
    X(functions, U32_NULL, "module", function_module)

FUNCTIONS_COLUMNS(ARROW_FILLS)

static const struct arrow_column function_columns[] = {FUNCTIONS_COLUMNS(ARROW_ENTRY)};

const struct arrow_rows arrow_function_rows = {function_columns,
                                               sizeof function_columns / sizeof *function_columns,
                                               is_row, frame_count, NULL};
