/* build_facts.c - the process, its names, threads, devices, contexts and streams. */
#include "build.h"

#include <stdlib.h>

struct tl_process *build_process(struct builder *builder)
{
    return &builder->timeline->processes.at[builder->process];
}

int64_t build_time(const struct builder *builder, int64_t time_ns)
{
    int64_t shifted = time_ns + builder->shift_ns;
    if (shifted > TL_TIME_MAX_NS)
        return TL_TIME_MAX_NS;
    return shifted < -TL_TIME_MAX_NS ? -TL_TIME_MAX_NS : shifted;
}

uint32_t build_missing_name(struct builder *builder, uint32_t id)
{
    build_process(builder)->odd.missing_names++;
    uint32_t name = id ? namepool_format(&builder->pool, "(name %u is missing)", id)
                       : namepool_format(&builder->pool, "(name lost)");
    builder->failed |= name == TL_NONE;
    return name;
}

/* Where a name is meant, the id of an event name stands for its name. */
uint32_t build_name(struct builder *builder, uint32_t id)
{
    return build_ref(builder, id).name;
}

uint32_t build_kernel_name(struct builder *builder, uint32_t id)
{
    uint32_t known = idmap_find(&builder->kernel_names, id);
    if (known != IDMAP_NONE)
        return known;
    uint32_t name = build_name(builder, id);
    if (builder->failed)
        return TL_NONE;
    name = namepool_demangled(&builder->pool, name);
    builder->failed |= name == TL_NONE || !idmap_set(&builder->kernel_names, id, name);
    return name;
}

static bool begin_stack(struct builder *builder)
{
    struct build_thread *stack = ARRAY_ADD(&builder->threads);
    if (!stack)
        return false;
    *stack = (struct build_thread){
        .top = {STACK_NONE, STACK_NONE, STACK_NONE, STACK_NONE},
        .last_ns = -TL_TIME_MAX_NS,
        .domain = TL_NONE,
        .mark = TL_NONE,
    };
    return true;
}

static uint32_t add_thread(struct builder *builder, uint32_t number)
{
    uint32_t index = builder->timeline->threads.count;
    struct tl_thread *thread = ARRAY_ADD(&builder->timeline->threads);
    if (!thread || !begin_stack(builder) || !idmap_set(&builder->thread_slots, number, index)) {
        builder->failed = true;
        return TL_NONE;
    }
    *thread = (struct tl_thread){.process = builder->process, .name = TL_NONE, .number = number};
    build_process(builder)->thread_count++;
    return index;
}

uint32_t build_thread_of(struct builder *builder, uint32_t number)
{
    uint32_t thread = idmap_find(&builder->thread_slots, number);
    if (thread == IDMAP_NONE)
        thread = add_thread(builder, number);
    builder->current_number = number;
    builder->current_thread = thread;
    return thread;
}

static struct text keep(struct builder *builder, struct text text)
{
    struct text copy = namepool_copy(&builder->pool, text);
    builder->failed |= copy.bytes == NULL;
    return copy;
}

void timeline_set_process(struct builder *builder, const struct tl_process_info *process)
{
    if (builder->failed)
        return;
    struct tl_process_info *kept = &build_process(builder)->info;
    *kept = *process;
    kept->host = keep(builder, process->host);
    kept->program = keep(builder, process->program);
    kept->gpu_reason = keep(builder, process->gpu_reason);
    kept->cupti = keep(builder, process->cupti);
    kept->driver = keep(builder, process->driver);
    kept->rank_source = keep(builder, process->rank_source);
    kept->library_version = keep(builder, process->library_version);
    kept->clock_note = keep(builder, process->clock_note);
    kept->format = keep(builder, process->format);
}

void timeline_define_name(struct builder *builder, uint32_t id, struct text text)
{
    if (builder->failed)
        return;
    uint32_t name = namepool_intern(&builder->pool, text);
    uint32_t known = idmap_find(&builder->names, id);
    build_process(builder)->odd.redefined_names +=
        (known != IDMAP_NONE && known != name) ||
        idmap_find(&builder->event_slots, id) != IDMAP_NONE;
    builder->failed |= name == TL_NONE || !idmap_set(&builder->names, id, name);
}

void timeline_define_thread(struct builder *builder, uint32_t number, uint32_t tid,
                            struct text name, bool internal)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, number);
    if (thread == TL_NONE)
        return;
    struct tl_thread *info = &builder->timeline->threads.at[thread];
    info->tid = tid;
    info->internal = internal;
    info->name = name.size ? namepool_intern(&builder->pool, name) : TL_NONE;
    builder->failed |= name.size && info->name == TL_NONE;
}

struct tl_device *build_device_find(struct builder *builder, uint32_t ordinal)
{
    uint32_t found = idmap_find(&builder->device_slots, ordinal);
    return found == IDMAP_NONE ? NULL : &builder->timeline->devices.at[found];
}

struct tl_device *build_device_add(struct builder *builder, uint32_t ordinal)
{
    struct timeline *timeline = builder->timeline;
    struct tl_device *added = ARRAY_ADD(&timeline->devices);
    if (!added || !idmap_set(&builder->device_slots, ordinal, timeline->devices.count - 1)) {
        builder->failed = true;
        return NULL;
    }
    *added = (struct tl_device){.process = builder->process,
                                .info.device = ordinal,
                                .name = TL_NONE,
                                .clock_error_ns = -1,
                                .given_name = TL_NONE};
    return added;
}

bool build_devices_find_again(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    bool stored = true;
    for (uint32_t i = builder->first.device; i < timeline->devices.count && stored; i++)
        stored = idmap_set(&builder->device_slots, timeline->devices.at[i].info.device, i);
    return stored;
}

void timeline_define_device(struct builder *builder, const struct tl_device_info *device)
{
    if (builder->failed)
        return;
    struct tl_device *kept = build_device_find(builder, device->device);
    if (!kept)
        kept = build_device_add(builder, device->device);
    if (!kept)
        return;
    kept->info = *device;
    kept->name = device->name ? build_name(builder, device->name) : TL_NONE;
}

void timeline_define_context(struct builder *builder, const struct read_context *context)
{
    builder->context_count += idmap_find(&builder->context_device, context->context) == IDMAP_NONE;
    builder->context_ordinal = context->device;
    if (context->device != IDMAP_NONE)
        builder->failed |= !idmap_set(&builder->context_device, context->context, context->device);
}

void timeline_define_stream(struct builder *builder, const struct read_stream *stream)
{
    if (builder->failed)
        return;
    uint32_t index = build_stream(builder, stream->context, stream->stream, TL_NONE);
    if (index != TL_NONE)
        builder->timeline->streams.at[index].priority = stream->priority;
}

void timeline_define_api_name(struct builder *builder, enum prof_api_domain domain, uint32_t cbid,
                              uint32_t name)
{
    if (builder->failed || cbid > UINT16_MAX)
        return;
    uint32_t index = build_name(builder, name);
    builder->failed |=
        index == TL_NONE || !idmap_set(&builder->api_names, cbid * 4 + (uint32_t)domain, index);
}

void timeline_add_loss(struct builder *builder, enum prof_loss_cause cause, uint64_t count)
{
    if (!builder->failed)
        build_process(builder)->loss[cause] += count;
}

void timeline_add_warning(struct builder *builder, struct text what, uint64_t count)
{
    struct tl_warning *warning = builder->failed ? NULL : ARRAY_ADD(&builder->timeline->warnings);
    uint32_t name = warning ? namepool_intern(&builder->pool, what) : TL_NONE;
    builder->failed |= name == TL_NONE;
    if (warning)
        *warning = (struct tl_warning){count, builder->process, name};
}
