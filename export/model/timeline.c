/* timeline.c - from files to a timeline, and its end. */
#include "timeline.h"

#include "builder.h"
#include "demangle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t earliest_start(struct trace_file *const *files, size_t count)
{
    uint64_t earliest = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = trace_file_start_realtime_ns(files[i]);
        earliest = start < earliest ? start : earliest;
    }
    return count ? earliest : 0;
}

static void no_memory(struct read_error *error, const char *path)
{
    if (error)
        snprintf(error->message, sizeof error->message, "%.400s: out of memory for its events",
                 path);
}

static bool add_process(struct builder *builder, struct trace_file *file, uint32_t process,
                        struct read_error *error)
{
    uint64_t late = trace_file_start_realtime_ns(file) - builder->timeline->base_realtime_ns;
    struct read_sink sink = builder_sink(builder);
    struct read_health health;
    builder_begin_process(builder, trace_file_path(file),
                          late > INT64_MAX ? INT64_MAX : (int64_t)late);
    if (!builder->failed && !trace_file_walk_process(file, process, &sink, &health, error))
        return false;
    builder_end_process(builder, &health);
    if (builder->failed)
        no_memory(error, trace_file_path(file));
    return !builder->failed;
}

static bool add_file(struct builder *builder, struct trace_file *file, struct read_error *error)
{
    bool added = true;
    for (uint32_t i = 0; i < trace_file_process_count(file) && added; i++)
        added = add_process(builder, file, i, error);
    return added;
}

static bool build(struct timeline *timeline, struct trace_file *const *files, size_t count,
                  struct read_error *error)
{
    struct builder builder;
    bool built = builder_init(&builder, timeline);
    if (!built)
        no_memory(error, "the timeline");
    for (size_t i = 0; i < count && built; i++)
        built = add_file(&builder, files[i], error);
    built = built && builder_finish(&builder);
    builder_fini(&builder);
    return built;
}

struct timeline *timeline_from_files(struct trace_file *const *files, size_t file_count,
                                     struct read_error *error)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline) {
        no_memory(error, "the timeline");
        return NULL;
    }
    timeline->file_count = (uint32_t)file_count;
    timeline->base_realtime_ns = earliest_start(files, file_count);
    timeline->start_ns = INT64_MAX; /* nothing seen yet */
    timeline->demangled = demangle_available();
    if (build(timeline, files, file_count, error))
        return timeline;
    timeline_destroy(timeline);
    return NULL;
}

struct timeline *timeline_load(const char *const *paths, size_t path_count, bool partial,
                               struct read_error *error)
{
    return timeline_load_by(trace_file_open, paths, path_count, partial, error);
}

struct timeline *timeline_load_by(timeline_opener *open, const char *const *paths,
                                  size_t path_count, bool partial, struct read_error *error)
{
    struct timeline *timeline = NULL;
    size_t opened = 0;
    struct trace_file **files = calloc(path_count + 1, sizeof(struct trace_file *));
    if (!files)
        no_memory(error, "the timeline");
    while (files && opened < path_count) {
        files[opened] = open(paths[opened], partial, error);
        if (!files[opened])
            break;
        opened++;
    }
    if (files && opened == path_count)
        timeline = timeline_from_files(files, path_count, error);
    for (size_t i = 0; i < opened; i++)
        trace_file_close(files[i]);
    free(files);
    return timeline;
}

static struct tl_attrs attrs_of(const struct tl_attr *attrs, uint32_t count, uint32_t owner)
{
    uint32_t low =
        array_lower_bound(attrs, count, sizeof *attrs, offsetof(struct tl_attr, slice), owner);
    uint32_t high = low;
    while (high < count && attrs[high].slice == owner)
        high++;
    return (struct tl_attrs){high > low ? attrs + low : NULL, high - low};
}

struct tl_attrs timeline_mark_attrs(const struct timeline *timeline, uint32_t mark)
{
    return attrs_of(timeline->mark_attrs.at, timeline->mark_attrs.count, mark);
}

struct tl_attrs timeline_async_attrs(const struct timeline *timeline, uint32_t async)
{
    return attrs_of(timeline->async_attrs.at, timeline->async_attrs.count, async);
}

void timeline_destroy(struct timeline *timeline)
{
    if (!timeline)
        return;
    namepool_free_storage(timeline->storage);
    free(timeline->names.at);
    free(timeline->processes.at);
    free(timeline->children.at);
    free(timeline->windows.at);
    free(timeline->warnings.at);
    free(timeline->sheds.at);
    free(timeline->threads.at);
    free(timeline->slices.at);
    free(timeline->graphs.at);
    free(timeline->graph_nodes.at);
    free(timeline->captured.at);
    free(timeline->graph_launches.at);
    free(timeline->graph_runs.at);
    free(timeline->apis.at);
    free(timeline->asyncs.at);
    free(timeline->marks.at);
    free(timeline->counters.at);
    free(timeline->attrs.at);
    free(timeline->mark_attrs.at);
    free(timeline->async_attrs.at);
    free(timeline->pieces.at);
    free(timeline->domains.at);
    free(timeline->categories.at);
    free(timeline->labels.at);
    free(timeline->fwdbwds.at);
    free(timeline->timings.at);
    free(timeline->gpus.at);
    free(timeline->gpu_by_slice.at);
    free(timeline->kernels.at);
    free(timeline->memcpys.at);
    free(timeline->memsets.at);
    free(timeline->syncs.at);
    free(timeline->waits.at);
    free(timeline->overheads.at);
    free(timeline->devices.at);
    free(timeline->streams.at);
    free(timeline->heaps.at);
    free(timeline->memories.at);
    free(timeline->memory_events.at);
    free(timeline->pools.at);
    free(timeline->migrations.at);
    free(timeline->blocks.at);
    free(timeline->block_events.at);
    free(timeline->block_allocs.at);
    free(timeline->event_sources.at);
    free(timeline->debugs.at);
    free(timeline->tensors.at);
    free(timeline->tensor_sizes.at);
    free(timeline->stacks.at);
    free(timeline->frames.at);
    free(timeline->frame_paths.at);
    free(timeline->addresses.at);
    free(timeline->modules.at);
    free(timeline->slice_stacks.at);
    free(timeline->async_stacks.at);
    free(timeline->ledger_rows.at);
    free(timeline->lacks.at);
    free(timeline);
}

const struct tl_device *timeline_device_of(const struct timeline *timeline, uint32_t process,
                                           uint32_t ordinal)
{
    uint32_t low = 0, high = timeline->devices.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tl_device *device = &timeline->devices.at[middle];
        if (device->process == process && device->info.device == ordinal)
            return device;
        if (device->process < process ||
            (device->process == process && device->info.device < ordinal))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct tl_wait *timeline_wait_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->waits, struct tl_wait, gpu, 0, gpu);
    bool found = low < timeline->waits.count && timeline->waits.at[low].gpu == gpu;
    return found ? &timeline->waits.at[low] : NULL;
}

uint32_t timeline_timing_of(const struct timeline *timeline, uint32_t slice)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->timings, struct tl_timing, slice, 0, slice);
    return low < timeline->timings.count && timeline->timings.at[low].slice == slice ? low
                                                                                     : TL_NONE;
}

double tl_attr_number(const struct tl_attr *attr)
{
    double real;
    switch (attr->type) {
    case PROF_ATTR_INT:
        return (double)(int64_t)attr->value;
    case PROF_ATTR_UINT:
        return (double)attr->value;
    case PROF_ATTR_DOUBLE:
        memcpy(&real, &attr->value, sizeof real);
        return real;
    default:
        return NAN;
    }
}

uint32_t timeline_graph_of(const struct timeline *timeline, const struct tl_gpu *gpu,
                           uint64_t *node)
{
    *node = 0;
    switch (gpu->kind) {
    case TL_KERNEL:
        *node = timeline->kernels.at[gpu->detail].graph_node;
        return timeline->kernels.at[gpu->detail].graph;
    case TL_MEMCPY:
        *node = timeline->memcpys.at[gpu->detail].graph_node;
        return timeline->memcpys.at[gpu->detail].graph;
    case TL_MEMSET:
        *node = timeline->memsets.at[gpu->detail].graph_node;
        return timeline->memsets.at[gpu->detail].graph;
    case TL_GRAPH_RUN:
        return timeline->graph_runs.at[gpu->detail].graph;
    default:
        return 0;
    }
}

bool timeline_label_is_of(const struct timeline *timeline, uint32_t label, const char *domain)
{
    if (label == TL_NONE)
        return false;
    uint32_t name = timeline->domains.at[timeline->labels.at[label].domain].name;
    return name != TL_NONE && text_is(timeline->names.at[name], domain);
}
