/* arrow_kernels.c - what devices did, and values over time. */
#include "arrow_view.h"

/* ---- what devices did ---- */

static const struct tl_gpu *gpu_at(const struct arrow_view *view, uint32_t item)
{
    return &view->timeline->gpus.at[item];
}

static const struct tl_kernel *kernel_at(const struct arrow_view *view, uint32_t item)
{
    const struct tl_gpu *gpu = gpu_at(view, item);
    return gpu->kind == TL_KERNEL ? &view->timeline->kernels.at[gpu->detail] : NULL;
}

static const struct tl_stream *stream_at(const struct arrow_view *view, uint32_t item)
{
    uint32_t stream = gpu_at(view, item)->stream;
    return stream == TL_NONE ? NULL : &view->timeline->streams.at[stream];
}

static const struct tl_slice *launch_at(const struct arrow_view *view, uint32_t item)
{
    uint32_t slice = gpu_at(view, item)->slice;
    return slice == TL_NONE ? NULL : &view->timeline->slices.at[slice];
}

ARROW_CELL(gpu_pid, arrow_put_pid(view, to, gpu_at(view, item)->process))

static bool gpu_kind(const struct arrow_view *view, uint32_t item, void *to)
{
    static const enum arrow_word words[] = {[TL_KERNEL] = ARROW_KERNEL,
                                            [TL_MEMCPY] = ARROW_MEMCPY,
                                            [TL_MEMSET] = ARROW_MEMSET,
                                            [TL_GRAPH_RUN] = ARROW_GRAPH};
    return arrow_put_word(view, to, words[gpu_at(view, item)->kind]);
}

ARROW_CELL(gpu_name, arrow_put_name(view, to, gpu_at(view, item)->name))
ARROW_CELL(gpu_range, arrow_put_known(to, tl_range_name(view->timeline, gpu_at(view, item)->slice)))
ARROW_CELL(gpu_device, arrow_put_known(to, gpu_at(view, item)->device))

static bool gpu_context(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_stream *stream = stream_at(view, item);
    return stream && arrow_put_32(to, stream->context);
}

static bool gpu_stream(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_stream *stream = stream_at(view, item);
    return stream && arrow_put_32(to, stream->stream);
}

ARROW_CELL(gpu_start, arrow_put_time(view, to, gpu_at(view, item)->start_ns))

static bool gpu_duration(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_gpu *gpu = gpu_at(view, item);
    return arrow_put_64(to, gpu->end_ns - gpu->start_ns);
}

ARROW_CELL(gpu_correlation, arrow_put_32(to, gpu_at(view, item)->correlation))

static bool gpu_bytes(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_gpu *gpu = gpu_at(view, item);
    return (gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET) &&
           arrow_put_64(to, (int64_t)gpu->bytes);
}

#define KERNEL_CELL(function, value)                                             \
    static bool function(const struct arrow_view *view, uint32_t item, void *to) \
    {                                                                            \
        const struct tl_kernel *kernel = kernel_at(view, item);                  \
        return kernel && arrow_put_32(to, value);                                \
    }
KERNEL_CELL(kernel_grid_x, kernel->grid_x)
KERNEL_CELL(kernel_grid_y, kernel->grid_y)
KERNEL_CELL(kernel_grid_z, kernel->grid_z)
KERNEL_CELL(kernel_block_x, kernel->block_x)
KERNEL_CELL(kernel_block_y, kernel->block_y)
KERNEL_CELL(kernel_block_z, kernel->block_z)
KERNEL_CELL(kernel_registers, kernel->registers)
KERNEL_CELL(kernel_shared, kernel->static_shared_memory + kernel->dynamic_shared_memory)

ARROW_CELL(gpu_event, arrow_put_event(view, to, gpu_at(view, item)->slice))

static bool gpu_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_slice *launch = launch_at(view, item);
    return launch && arrow_put_u64(to, view->timeline->threads.at[launch->thread].tid);
}

/* If the file names a range as the origin instead of a call, the time of the launch is unknown. */
static bool gpu_queue(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_slice *launch = launch_at(view, item);
    if (!launch || launch->kind != TL_API)
        return false;
    int64_t queue_ns = gpu_at(view, item)->start_ns - launch->end_ns;
    return arrow_put_64(to, queue_ns > 0 ? queue_ns : 0);
}

static bool gpu_graph(const struct arrow_view *view, uint32_t item, void *to)
{
    uint64_t node;
    uint32_t graph = timeline_graph_of(view->timeline, gpu_at(view, item), &node);
    return graph && arrow_put_32(to, graph);
}

static bool gpu_node(const struct arrow_view *view, uint32_t item, void *to)
{
    uint64_t node;
    timeline_graph_of(view->timeline, gpu_at(view, item), &node);
    return node && arrow_put_64(to, (int64_t)node);
}

static bool is_operation(const struct arrow_view *view, uint32_t item)
{
    return tl_is_work(gpu_at(view, item));
}

static uint32_t gpu_count(const struct timeline *timeline)
{
    return timeline->gpus.count;
}

#define KERNELS_COLUMNS(X)                              \
    X(kernels, U64, "pid", gpu_pid)                     \
    X(kernels, NAME, "kind", gpu_kind)                  \
    X(kernels, NAME, "name", gpu_name)                  \
    X(kernels, NAME_NULL, "range", gpu_range)           \
    X(kernels, U32_NULL, "device", gpu_device)          \
    X(kernels, U32_NULL, "context", gpu_context)        \
    X(kernels, U32_NULL, "stream", gpu_stream)          \
    X(kernels, TIME, "start", gpu_start)                \
    X(kernels, I64, "duration_ns", gpu_duration)        \
    X(kernels, U32, "correlation", gpu_correlation)     \
    X(kernels, U64_NULL, "bytes", gpu_bytes)            \
    X(kernels, U32_NULL, "grid_x", kernel_grid_x)       \
    X(kernels, U32_NULL, "grid_y", kernel_grid_y)       \
    X(kernels, U32_NULL, "grid_z", kernel_grid_z)       \
    X(kernels, U32_NULL, "block_x", kernel_block_x)     \
    X(kernels, U32_NULL, "block_y", kernel_block_y)     \
    X(kernels, U32_NULL, "block_z", kernel_block_z)     \
    X(kernels, U32_NULL, "registers", kernel_registers) \
    X(kernels, U32_NULL, "shared_bytes", kernel_shared) \
    X(kernels, I64_NULL, "event", gpu_event)            \
    X(kernels, U64_NULL, "tid", gpu_tid)                \
    X(kernels, I64_NULL, "queue_ns", gpu_queue)         \
    X(kernels, U32_NULL, "graph", gpu_graph)            \
    X(kernels, U64_NULL, "node", gpu_node)

KERNELS_COLUMNS(ARROW_FILLS)

static const struct arrow_column kernel_columns[] = {KERNELS_COLUMNS(ARROW_ENTRY)};

const struct arrow_rows arrow_kernel_rows = {
    kernel_columns, sizeof kernel_columns / sizeof *kernel_columns, is_operation, gpu_count, NULL};

/* ---- values over time: items are counters, then changes of memory ---- */

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
    return arrow_put_u64(to, timeline->processes.at[process].info.pid);
}

static bool counter_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t thread = thread_at(view, item);
    return thread != TL_NONE && arrow_put_u64(to, view->timeline->threads.at[thread].tid);
}

ARROW_CELL(counter_kind,
           arrow_put_word(view, to, counter_at(view, item) ? ARROW_COUNTER : ARROW_MEMORY))

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

ARROW_CELL(memory_device,
           !counter_at(view, item) && arrow_put_known(to, heap_at(view, item)->device))

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

static uint32_t row_count(const struct timeline *timeline)
{
    uint64_t count = (uint64_t)timeline->counters.count + timeline->memory_events.count;
    return count < TL_NONE ? (uint32_t)count : TL_NONE;
}

#define COUNTERS_COLUMNS(X)                          \
    X(counters, U64, "pid", counter_pid)             \
    X(counters, U64_NULL, "tid", counter_tid)        \
    X(counters, NAME, "kind", counter_kind)          \
    X(counters, NAME, "name", counter_name)          \
    X(counters, TIME, "time", counter_time)          \
    X(counters, F64, "value", counter_value)         \
    X(counters, U32_NULL, "device", memory_device)   \
    X(counters, I64_NULL, "bytes", memory_change)    \
    X(counters, U64_NULL, "address", memory_address) \
    X(counters, I64_NULL, "event", memory_event)

COUNTERS_COLUMNS(ARROW_FILLS)

static const struct arrow_column counter_columns[] = {COUNTERS_COLUMNS(ARROW_ENTRY)};

const struct arrow_rows arrow_counter_rows = {
    counter_columns, sizeof counter_columns / sizeof *counter_columns, NULL, row_count, NULL};
