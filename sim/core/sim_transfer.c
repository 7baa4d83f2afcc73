#include "sim_transfer.h"

#include "sim_context.h"
#include "sim_memory.h"
#include "sim_model.h"
#include "sim_stream.h"

static bool on_device(enum sim_memory_type type)
{
    return type == SIM_MEMORY_DEVICE || type == SIM_MEMORY_MANAGED;
}

static int current_device(void)
{
    const struct sim_context *context = sim_context_current();
    return context ? context->device : 0;
}

static enum sim_memory_type type_of(const void *pointer, int *device)
{
    struct sim_allocation found;
    *device = current_device();
    if (!sim_memory_find(pointer, &found))
        return SIM_MEMORY_PAGEABLE;
    if (found.type == SIM_MEMORY_DEVICE)
        *device = found.device;
    return found.type;
}

static int kind_of(const struct sim_copy_work *copy)
{
    return (on_device(copy->src_type) ? 2 : 0) + (on_device(copy->dst_type) ? 1 : 0);
}

/* Host memory on a side the caller calls the device's cannot be reached by a real one; pinned
 * memory can. */
static bool contradicts(const struct sim_copy_work *copy, int kind)
{
    const bool src_device = kind == SIM_COPY_DTOH || kind == SIM_COPY_DTOD;
    const bool dst_device = kind == SIM_COPY_HTOD || kind == SIM_COPY_DTOD;
    return (src_device && copy->src_type == SIM_MEMORY_PAGEABLE) ||
           (dst_device && copy->dst_type == SIM_MEMORY_PAGEABLE);
}

int sim_transfer_box(struct sim_work *work, const struct sim_copy_work *box, int kind, bool async)
{
    *work = (struct sim_work){.kind = SIM_WORK_COPY, .copy = *box};
    struct sim_copy_work *copy = &work->copy;
    const size_t bytes = box->width * box->height * box->depth;
    if (bytes && (!box->dst || !box->src))
        return SIM_INVALID_VALUE;
    if (kind < SIM_COPY_HTOH || kind > SIM_COPY_DEFAULT)
        return SIM_INVALID_DIRECTION;
    copy->src_type = type_of(box->src, &copy->src_device);
    copy->dst_type = type_of(box->dst, &copy->dst_device);
    copy->async = async;
    copy->kind = kind == SIM_COPY_DEFAULT ? kind_of(copy) : kind;
    return bytes && contradicts(copy, copy->kind) ? SIM_INVALID_VALUE : SIM_OK;
}

int sim_transfer_copy(struct sim_work *work, void *dst, const void *src, size_t bytes, int kind,
                      bool async)
{
    const struct sim_copy_work box = {.dst = dst,
                                      .src = src,
                                      .width = bytes,
                                      .height = 1,
                                      .depth = 1,
                                      .dst_pitch = bytes,
                                      .src_pitch = bytes,
                                      .dst_slice = bytes,
                                      .src_slice = bytes};
    return sim_transfer_box(work, &box, kind, async);
}

static size_t offset_in(const struct sim_pitched *memory, struct sim_position at)
{
    return (at.z * memory->height + at.y) * memory->pitch + at.x;
}

int sim_transfer_3d(struct sim_work *work, const struct sim_copy_3d *copy, bool async)
{
    if (copy->src_array || copy->dst_array)
        return SIM_NOT_SUPPORTED;
    const struct sim_copy_work box = {
        .dst = (char *)copy->dst.pointer + offset_in(&copy->dst, copy->dst_position),
        .src = (const char *)copy->src.pointer + offset_in(&copy->src, copy->src_position),
        .width = copy->extent.width,
        .height = copy->extent.height,
        .depth = copy->extent.depth,
        .dst_pitch = copy->dst.pitch,
        .src_pitch = copy->src.pitch,
        .dst_slice = copy->dst.pitch * copy->dst.height,
        .src_slice = copy->src.pitch * copy->src.height,
    };
    return sim_transfer_box(work, &box, copy->kind, async);
}

void sim_transfer_between(struct sim_work *work, int dst_device, int src_device)
{
    work->copy.kind = SIM_COPY_DTOD;
    work->copy.dst_device = dst_device;
    work->copy.src_device = src_device;
}

int sim_transfer_set(struct sim_work *work, const struct sim_set_params *params)
{
    int device;
    *work = (struct sim_work){.kind = SIM_WORK_SET};
    work->set = (struct sim_set_work){
        .dst = params->dst,
        .pitch = params->pitch,
        .width = params->width,
        .height = params->height,
        .value = params->value,
        .element_size = params->element_size,
        .type = type_of(params->dst, &device),
    };
    if (!params->width || !params->height)
        return SIM_OK;
    return params->dst && work->set.type != SIM_MEMORY_PAGEABLE ? SIM_OK : SIM_INVALID_VALUE;
}

int sim_transfer_submit(struct sim_stream *stream, struct sim_work *work, bool wait)
{
    if (!stream)
        return SIM_INVALID_HANDLE;
    if (!sim_model_bytes(work))
        return SIM_OK;
    const int result = sim_stream_submit(stream, work);
    if (result == SIM_OK && wait)
        sim_stream_synchronize(stream);
    return result;
}
