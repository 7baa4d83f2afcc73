/* arrow_columns.c - see arrow_columns.h. */
#include "arrow_columns.h"

#include <string.h>

enum word { RANGE, STEP, CALL, KERNEL, MEMCPY, MEMSET, GRAPH, WORDS };
const char *const arrow_words[] = {"range", "step", "call", "kernel", "memcpy", "memset", "graph"};
const uint32_t arrow_word_count = WORDS;

static bool put_16(void *to, uint16_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static bool put_32(void *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

/* Null where nothing is known. */
static bool put_known(void *to, uint32_t value)
{
    return put_32(to, value) && value != TL_NONE;
}

static bool put_64(void *to, int64_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static bool put_word(const struct timeline *timeline, void *to, enum word word)
{
    return put_32(to, timeline->names.count + word);
}

static bool put_time(const struct timeline *timeline, void *to, int64_t time_ns)
{
    return put_64(to, (int64_t)timeline->base_realtime_ns + time_ns);
}

static const struct tl_slice *slice_at(const struct timeline *timeline, uint32_t index)
{
    return &timeline->slices.at[index];
}

static const struct tl_api *api_of(const struct timeline *timeline, uint32_t index)
{
    const struct tl_slice *slice = slice_at(timeline, index);
    return slice->kind == TL_API ? &timeline->apis.at[slice->api] : NULL;
}

/* What tables call the innermost range around a slice, itself included. */
static uint32_t range_name(const struct timeline *timeline, uint32_t index)
{
    while (index != TL_NONE && slice_at(timeline, index)->kind == TL_API)
        index = slice_at(timeline, index)->parent;
    if (index == TL_NONE)
        return TL_NONE;
    const struct tl_slice *slice = slice_at(timeline, index);
    return tl_shown_name(timeline, slice->name, tl_slice_label(slice));
}

/* ---- slices ---- */

static bool slice_pid(const struct timeline *timeline, uint32_t index, void *to)
{
    uint32_t process = timeline->threads.at[slice_at(timeline, index)->thread].process;
    return put_32(to, timeline->processes.at[process].info.pid);
}

static bool slice_tid(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_32(to, timeline->threads.at[slice_at(timeline, index)->thread].tid);
}

static bool slice_kind(const struct timeline *timeline, uint32_t index, void *to)
{
    uint8_t kind = slice_at(timeline, index)->kind;
    return put_word(timeline, to, kind == TL_API ? CALL : kind == TL_STEP ? STEP : RANGE);
}

static bool slice_name(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_slice *slice = slice_at(timeline, index);
    return put_32(to, tl_shown_name(timeline, slice->name, tl_slice_label(slice)));
}

static bool slice_start(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_time(timeline, to, slice_at(timeline, index)->start_ns);
}

static bool slice_duration(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_slice *slice = slice_at(timeline, index);
    return put_64(to, slice->end_ns - slice->start_ns);
}

static bool slice_depth(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_16(to, slice_at(timeline, index)->depth);
}

static bool slice_correlation(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_api *api = api_of(timeline, index);
    return api && put_32(to, api->correlation);
}

static bool slice_result(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_api *api = api_of(timeline, index);
    return api && api->result != TL_RESULT_UNKNOWN && put_32(to, (uint32_t)api->result);
}

static bool launch_range(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_known(to, range_name(timeline, index));
}

static bool launch_operations(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_32(to, slice_at(timeline, index)->gpu_count);
}

static bool launch_device_time(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_slice *slice = slice_at(timeline, index);
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        sum_ns += tl_is_work(gpu) ? gpu->end_ns - gpu->start_ns : 0;
    }
    return put_64(to, sum_ns);
}

static bool is_event(const struct timeline *timeline, uint32_t index)
{
    const struct tl_api *api = api_of(timeline, index);
    return !(slice_at(timeline, index)->flags & TL_INTERNAL) && !(api && api->failed_only);
}

static bool is_launch(const struct timeline *timeline, uint32_t index)
{
    const struct tl_slice *slice = slice_at(timeline, index);
    return slice->kind == TL_API && slice->gpu_count && !(slice->flags & TL_INTERNAL);
}

static uint32_t slice_count(const struct timeline *timeline)
{
    return timeline->slices.count;
}

/* ---- operations ---- */

static const struct tl_gpu *gpu_at(const struct timeline *timeline, uint32_t index)
{
    return &timeline->gpus.at[index];
}

static const struct prof_rec_kernel *kernel_of(const struct timeline *timeline, uint32_t index)
{
    const struct tl_gpu *gpu = gpu_at(timeline, index);
    return gpu->kind == TL_KERNEL ? &timeline->kernels.at[gpu->detail] : NULL;
}

static const struct tl_stream *stream_of(const struct timeline *timeline, uint32_t index)
{
    uint32_t stream = gpu_at(timeline, index)->stream;
    return stream == TL_NONE ? NULL : &timeline->streams.at[stream];
}

static bool gpu_pid(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_32(to, timeline->processes.at[gpu_at(timeline, index)->process].info.pid);
}

static bool gpu_kind(const struct timeline *timeline, uint32_t index, void *to)
{
    static const enum word words[] = {
        [TL_KERNEL] = KERNEL, [TL_MEMCPY] = MEMCPY, [TL_MEMSET] = MEMSET, [TL_GRAPH_RUN] = GRAPH};
    return put_word(timeline, to, words[gpu_at(timeline, index)->kind]);
}

static bool gpu_name(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_32(to, gpu_at(timeline, index)->name);
}

static bool gpu_range(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_known(to, range_name(timeline, gpu_at(timeline, index)->slice));
}

static bool gpu_device(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_known(to, gpu_at(timeline, index)->device);
}

static bool gpu_context(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_stream *stream = stream_of(timeline, index);
    return stream && put_32(to, stream->context);
}

static bool gpu_stream(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_stream *stream = stream_of(timeline, index);
    return stream && put_32(to, stream->stream);
}

static bool gpu_start(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_time(timeline, to, gpu_at(timeline, index)->start_ns);
}

static bool gpu_duration(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_gpu *gpu = gpu_at(timeline, index);
    return put_64(to, gpu->end_ns - gpu->start_ns);
}

static bool gpu_correlation(const struct timeline *timeline, uint32_t index, void *to)
{
    return put_32(to, gpu_at(timeline, index)->correlation);
}

static bool gpu_bytes(const struct timeline *timeline, uint32_t index, void *to)
{
    const struct tl_gpu *gpu = gpu_at(timeline, index);
    return (gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET) && put_64(to, (int64_t)gpu->bytes);
}

#define KERNEL_CELL(function, value)                                                \
    static bool function(const struct timeline *timeline, uint32_t index, void *to) \
    {                                                                               \
        const struct prof_rec_kernel *kernel = kernel_of(timeline, index);          \
        return kernel && put_32(to, value);                                         \
    }
KERNEL_CELL(kernel_grid_x, kernel->grid_x)
KERNEL_CELL(kernel_grid_y, kernel->grid_y)
KERNEL_CELL(kernel_grid_z, kernel->grid_z)
KERNEL_CELL(kernel_block_x, kernel->block_x)
KERNEL_CELL(kernel_block_y, kernel->block_y)
KERNEL_CELL(kernel_block_z, kernel->block_z)
KERNEL_CELL(kernel_registers, kernel->registers)
KERNEL_CELL(kernel_shared, kernel->static_shared_memory + kernel->dynamic_shared_memory)

static bool is_operation(const struct timeline *timeline, uint32_t index)
{
    return tl_is_work(gpu_at(timeline, index));
}

static uint32_t gpu_count(const struct timeline *timeline)
{
    return timeline->gpus.count;
}

/* ---- tables ---- */

#define U16(name, cell)                  \
    {                                    \
        name, "S", 2, false, false, cell \
    }
#define U32(name, cell)                  \
    {                                    \
        name, "I", 4, false, false, cell \
    }
#define U32_NULL(name, cell)            \
    {                                   \
        name, "I", 4, true, false, cell \
    }
#define I32_NULL(name, cell)            \
    {                                   \
        name, "i", 4, true, false, cell \
    }
#define I64(name, cell)                  \
    {                                    \
        name, "l", 8, false, false, cell \
    }
#define U64_NULL(name, cell)            \
    {                                   \
        name, "L", 8, true, false, cell \
    }
#define TIME(name, cell)                       \
    {                                          \
        name, "tsn:UTC", 8, false, false, cell \
    }
#define NAME(name, cell)                \
    {                                   \
        name, "I", 4, false, true, cell \
    }
#define NAME_NULL(name, cell)          \
    {                                  \
        name, "I", 4, true, true, cell \
    }

static const struct arrow_column event_columns[] = {
    U32("pid", slice_pid),
    U32("tid", slice_tid),
    NAME("kind", slice_kind),
    NAME("name", slice_name),
    TIME("start", slice_start),
    I64("duration_ns", slice_duration),
    U16("depth", slice_depth),
    U32_NULL("correlation", slice_correlation),
    I32_NULL("result", slice_result),
};

static const struct arrow_column launch_columns[] = {
    U32("pid", slice_pid),
    U32("tid", slice_tid),
    NAME("name", slice_name),
    NAME_NULL("range", launch_range),
    TIME("start", slice_start),
    I64("duration_ns", slice_duration),
    U32("correlation", slice_correlation),
    U32("operations", launch_operations),
    I64("device_ns", launch_device_time),
};

static const struct arrow_column kernel_columns[] = {
    U32("pid", gpu_pid),
    NAME("kind", gpu_kind),
    NAME("name", gpu_name),
    NAME_NULL("range", gpu_range),
    U32_NULL("device", gpu_device),
    U32_NULL("context", gpu_context),
    U32_NULL("stream", gpu_stream),
    TIME("start", gpu_start),
    I64("duration_ns", gpu_duration),
    U32("correlation", gpu_correlation),
    U64_NULL("bytes", gpu_bytes),
    U32_NULL("grid_x", kernel_grid_x),
    U32_NULL("grid_y", kernel_grid_y),
    U32_NULL("grid_z", kernel_grid_z),
    U32_NULL("block_x", kernel_block_x),
    U32_NULL("block_y", kernel_block_y),
    U32_NULL("block_z", kernel_block_z),
    U32_NULL("registers", kernel_registers),
    U32_NULL("shared_bytes", kernel_shared),
};

#define COLUMNS(columns) columns, sizeof columns / sizeof columns[0]

const struct arrow_rows arrow_tables[ARROW_TABLES] = {
    [ARROW_EVENTS] = {COLUMNS(event_columns), is_event, slice_count},
    [ARROW_LAUNCHES] = {COLUMNS(launch_columns), is_launch, slice_count},
    [ARROW_KERNELS] = {COLUMNS(kernel_columns), is_operation, gpu_count},
};
