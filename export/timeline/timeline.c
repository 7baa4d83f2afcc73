/* timeline.c - from files to a timeline, and its end. */
#include "timeline.h"

#include "build.h"
#include "demangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
