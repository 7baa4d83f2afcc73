/* arrow_kernels.c - what devices did, and values over time. */
#include "arrow_columns.h"
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

ARROW_CELL(kernels_pid, arrow_put_pid(view, to, gpu_at(view, item)->process))

static bool kernels_kind(const struct arrow_view *view, uint32_t item, void *to)
{
    static const enum arrow_word words[] = {[TL_KERNEL] = ARROW_KERNEL,
                                            [TL_MEMCPY] = ARROW_MEMCPY,
                                            [TL_MEMSET] = ARROW_MEMSET,
                                            [TL_GRAPH_RUN] = ARROW_GRAPH};
    return arrow_put_word(view, to, words[gpu_at(view, item)->kind]);
}

ARROW_CELL(kernels_name, arrow_put_name(view, to, gpu_at(view, item)->name))
ARROW_CELL(kernels_range,
           arrow_put_known(to, tl_range_name(view->timeline, gpu_at(view, item)->slice)))
ARROW_CELL(kernels_device, arrow_put_known(to, gpu_at(view, item)->device))

static bool kernels_context(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_stream *stream = stream_at(view, item);
    return stream && arrow_put_32(to, stream->context);
}

static bool kernels_stream(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_stream *stream = stream_at(view, item);
    return stream && arrow_put_32(to, stream->stream);
}

ARROW_CELL(kernels_start, arrow_put_time(view, to, gpu_at(view, item)->start_ns))

static bool kernels_duration_ns(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_gpu *gpu = gpu_at(view, item);
    return arrow_put_64(to, gpu->end_ns - gpu->start_ns);
}

ARROW_CELL(kernels_correlation, arrow_put_32(to, gpu_at(view, item)->correlation))

static bool kernels_bytes(const struct arrow_view *view, uint32_t item, void *to)
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
KERNEL_CELL(kernels_grid_x, kernel->grid_x)
KERNEL_CELL(kernels_grid_y, kernel->grid_y)
KERNEL_CELL(kernels_grid_z, kernel->grid_z)
KERNEL_CELL(kernels_block_x, kernel->block_x)
KERNEL_CELL(kernels_block_y, kernel->block_y)
KERNEL_CELL(kernels_block_z, kernel->block_z)
KERNEL_CELL(kernels_registers, kernel->registers)
KERNEL_CELL(kernels_shared_bytes, kernel->static_shared_memory + kernel->dynamic_shared_memory)

ARROW_CELL(kernels_event, arrow_put_event(view, to, gpu_at(view, item)->slice))

static bool kernels_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_slice *launch = launch_at(view, item);
    return launch && arrow_put_u64(to, view->timeline->threads.at[launch->thread].tid);
}

/* If the file names a range as the origin instead of a call, the time of the launch is unknown. */
static bool kernels_queue_ns(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_slice *launch = launch_at(view, item);
    if (!launch || launch->kind != TL_API)
        return false;
    int64_t queue_ns = gpu_at(view, item)->start_ns - launch->end_ns;
    return arrow_put_64(to, queue_ns > 0 ? queue_ns : 0);
}

static bool kernels_graph(const struct arrow_view *view, uint32_t item, void *to)
{
    uint64_t node;
    uint32_t graph = timeline_graph_of(view->timeline, gpu_at(view, item), &node);
    return graph && arrow_put_32(to, graph);
}

static bool kernels_node(const struct arrow_view *view, uint32_t item, void *to)
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

ARROW_KERNELS_COLUMNS(ARROW_FILLS)

static const struct arrow_column kernel_columns[] = {ARROW_KERNELS_COLUMNS(ARROW_ENTRY)};

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

static bool counters_pid(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct timeline *timeline = view->timeline;
    uint32_t process = counter_at(view, item) ? timeline->threads.at[thread_at(view, item)].process
                                              : heap_at(view, item)->process;
    return arrow_put_u64(to, timeline->processes.at[process].info.pid);
}

static bool counters_tid(const struct arrow_view *view, uint32_t item, void *to)
{
    uint32_t thread = thread_at(view, item);
    return thread != TL_NONE && arrow_put_u64(to, view->timeline->threads.at[thread].tid);
}

ARROW_CELL(counters_kind,
           arrow_put_word(view, to, counter_at(view, item) ? ARROW_COUNTER : ARROW_MEMORY))

static bool counters_name(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_counter *counter = counter_at(view, item);
    return arrow_put_name(view, to, counter ? counter->name : heap_at(view, item)->name);
}

static bool counters_time(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_counter *counter = counter_at(view, item);
    return arrow_put_time(view, to, counter ? counter->time_ns : change_at(view, item)->time_ns);
}

static bool counters_value(const struct arrow_view *view, uint32_t item, void *to)
{
    const struct tl_counter *counter = counter_at(view, item);
    uint32_t counters = view->timeline->counters.count;
    return arrow_put_f64(to, counter ? counter->value : (double)view->levels[item - counters]);
}

ARROW_CELL(counters_device,
           !counter_at(view, item) && arrow_put_known(to, heap_at(view, item)->device))

static bool counters_bytes(const struct arrow_view *view, uint32_t item, void *to)
{
    if (counter_at(view, item))
        return false;
    int64_t bytes = (int64_t)memory_at(view, item)->bytes;
    return arrow_put_64(to, change_at(view, item)->is_end ? -bytes : bytes);
}

static bool counters_address(const struct arrow_view *view, uint32_t item, void *to)
{
    if (counter_at(view, item) || !memory_at(view, item)->address)
        return false;
    return arrow_put_64(to, (int64_t)memory_at(view, item)->address);
}

static bool counters_event(const struct arrow_view *view, uint32_t item, void *to)
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

ARROW_COUNTERS_COLUMNS(ARROW_FILLS)

static const struct arrow_column counter_columns[] = {ARROW_COUNTERS_COLUMNS(ARROW_ENTRY)};

const struct arrow_rows arrow_counter_rows = {
    counter_columns, sizeof counter_columns / sizeof *counter_columns, NULL, row_count, NULL};
