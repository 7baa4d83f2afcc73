/* build_given.c - streams and devices that the program gave names to.
 *
 * NVTX names handles; device records have CUPTI's ids. The two meet in calls: a call knows the
 * handle of the stream it was for, and its operations know the stream's id. The null handle is left
 * out, since calls that are for no stream have it too, and so are launches of graphs, whose kernels
 * run on streams of the graph's own. Contexts never meet: one that is named names its device only
 * where the process has no other.
 */
#include "build.h"

static void take_device_name(struct builder *builder, uint64_t ordinal, uint32_t name)
{
    if (ordinal <= UINT16_MAX)
        builder->failed |= !idmap_set(&builder->given_devices, (uint32_t)ordinal, name);
}

static void take_context_name(struct builder *builder, uint64_t handle, uint32_t name)
{
    bool again = builder->named_contexts && handle == builder->context_handle;
    if (!again && builder->named_contexts < 2)
        builder->named_contexts++;
    builder->context_handle = handle;
    builder->context_name = name;
}

void timeline_define_resource(struct builder *builder, const struct read_resource *resource)
{
    if (builder->failed)
        return;
    uint32_t name = build_name(builder, resource->name);
    if (resource->type == PROF_RESOURCE_STREAM && resource->handle)
        builder->failed |= !keymap_set(&builder->given_streams, resource->handle, name);
    else if (resource->type == PROF_RESOURCE_DEVICE)
        take_device_name(builder, resource->handle, name);
    else if (resource->type == PROF_RESOURCE_CONTEXT)
        take_context_name(builder, resource->handle, name);
}

static void name_stream(struct builder *builder, const struct tl_gpu *gpu)
{
    struct timeline *timeline = builder->timeline;
    const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
    if (slice->flags & TL_GRAPH || timeline->streams.at[gpu->stream].given_name != TL_NONE)
        return;
    uint64_t handle = timeline->apis.at[slice->api].stream_handle;
    uint32_t name = handle ? keymap_find(&builder->given_streams, handle) : KEYMAP_NONE;
    if (name != KEYMAP_NONE)
        timeline->streams.at[gpu->stream].given_name = name;
}

static void name_streams(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    if (builder->given_streams.count == 0)
        return;
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->slice != TL_NONE && gpu->stream != TL_NONE)
            name_stream(builder, gpu);
    }
}

void build_given(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    bool context = builder->named_contexts == 1 && builder->context_count == 1;
    for (uint32_t i = builder->first.device; i < timeline->devices.count; i++) {
        struct tl_device *device = &timeline->devices.at[i];
        device->given_name = idmap_find(&builder->given_devices, device->info.device);
        if (device->given_name == IDMAP_NONE && context &&
            device->info.device == builder->context_ordinal)
            device->given_name = builder->context_name;
    }
    name_streams(builder);
}
