/* build_facts.c - the process, its names, threads, devices, contexts and streams; children,
 * windows, cost. */
#include "build.h"

#include "demangle.h"

#include <stdlib.h>
#include <string.h>

/* What is known of the current process and its file. */
struct build_facts {
    struct idmap names;        /* file's id -> names[] */
    struct idmap kernel_names; /* file's id -> names[], demangled */
    struct idmap thread_slots; /* file's number -> threads[] */
    struct idmap windows;      /* epoch -> the latest of windows[] */
    struct idmap notes;        /* names[] -> notes[] */
    struct idmap context_device;
    struct idmap device_slots; /* ordinal -> devices[] */

    /* Of NVTX. */
    struct keymap given_streams;           /* handle -> names[] */
    struct idmap given_devices;            /* ordinal -> names[] */
    uint32_t context_name, named_contexts; /* of the first one named; how many were, 2 = several */
    uint64_t context_handle;               /* of that one */
    uint32_t context_count, context_ordinal; /* of all contexts; the device of the last */
};

BUILD_PART(facts, idmap_fini(&facts->names), idmap_fini(&facts->kernel_names),
           idmap_fini(&facts->thread_slots), idmap_fini(&facts->windows), idmap_fini(&facts->notes),
           idmap_fini(&facts->context_device), idmap_fini(&facts->device_slots),
           keymap_fini(&facts->given_streams), idmap_fini(&facts->given_devices))

/* The process, its names, threads, devices, contexts and streams. */

struct tl_process *build_process(struct builder *builder)
{
    return &builder->timeline->processes.at[builder->process];
}

uint32_t build_missing_name(struct builder *builder, uint32_t id)
{
    build_process(builder)->odd.missing_names++;
    uint32_t name = id ? text_pool_format(&builder->timeline->names, "(name %u is missing)", id)
                       : text_pool_format(&builder->timeline->names, "(name lost)");
    builder->failed |= name == TL_NONE;
    return name;
}

uint32_t build_name_of_id(const struct builder *builder, uint32_t id)
{
    return builder->file ? build_file_name(builder, id) : idmap_find(&builder->facts->names, id);
}

/* Where a name is meant, the id of an event name stands for its name. */
uint32_t build_name(struct builder *builder, uint32_t id)
{
    return build_ref(builder, id).name;
}

static uint32_t demangle(struct text_pool *names, uint32_t name)
{
    struct text mangled = names->at[name], plain;
    char *text = demangle_name(mangled.bytes, mangled.size, &plain.size);
    if (!text)
        return name;
    plain.bytes = text;
    uint32_t index = text_pool_add(names, plain);
    free(text);
    return index;
}

uint32_t build_demangled(struct builder *builder, uint32_t name)
{
    uint32_t known = idmap_find(&builder->demangled, name);
    if (known != IDMAP_NONE)
        return known;
    uint32_t index = demangle(&builder->timeline->names, name);
    if (index == TL_NONE || !idmap_set(&builder->demangled, name, index))
        return TL_NONE;
    return index;
}

uint32_t build_kernel_name(struct builder *builder, uint32_t id)
{
    uint32_t known = idmap_find(&builder->facts->kernel_names, id);
    if (known != IDMAP_NONE)
        return known;
    uint32_t name = build_name(builder, id);
    if (builder->failed)
        return TL_NONE;
    name = build_demangled(builder, name);
    builder->failed |= name == TL_NONE || !idmap_set(&builder->facts->kernel_names, id, name);
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
        .left_out_ns = INT64_MAX,
        .domain = TL_NONE,
        .mark = TL_NONE,
    };
    return true;
}

static uint32_t add_thread(struct builder *builder, uint32_t number)
{
    uint32_t index = builder->timeline->threads.count;
    struct tl_thread *thread = ARRAY_ADD(&builder->timeline->threads);
    if (!thread || !begin_stack(builder) ||
        !idmap_set(&builder->facts->thread_slots, number, index)) {
        builder->failed = true;
        return TL_NONE;
    }
    *thread = (struct tl_thread){.process = builder->process, .name = TL_NONE, .number = number};
    build_process(builder)->thread_count++;
    return index;
}

uint32_t build_thread_of_slow(struct builder *builder, uint32_t number)
{
    uint32_t thread = idmap_find(&builder->facts->thread_slots, number);
    if (thread == IDMAP_NONE)
        thread = add_thread(builder, number);
    builder->current_number = number;
    return builder->current_thread = thread;
}

static struct text keep(struct builder *builder, struct text text)
{
    struct text copy = text_pool_copy(&builder->timeline->names, text);
    builder->failed |= copy.bytes == NULL;
    return copy;
}

void builder_set_process(struct builder *builder, const struct tl_process_info *process)
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
    kept->job = keep(builder, process->job);
    kept->library_version = keep(builder, process->library_version);
    kept->request = keep(builder, process->request);
    kept->clock_note = keep(builder, process->clock_note);
    kept->clock = keep(builder, process->clock);
    kept->format = keep(builder, process->format);
    kept->members = keep(builder, process->members);
}

void builder_define_name(struct builder *builder, uint32_t id, struct text text)
{
    if (builder->failed)
        return;
    uint32_t name = text_pool_add(&builder->timeline->names, text);
    uint32_t known = idmap_find(&builder->facts->names, id);
    build_process(builder)->odd.redefined_names +=
        (known != IDMAP_NONE && known != name) || build_is_event_name(builder, id);
    builder->failed |= name == TL_NONE || !idmap_set(&builder->facts->names, id, name);
}

void builder_define_thread(struct builder *builder, uint32_t number, uint64_t tid, struct text name,
                           bool internal)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, number);
    if (thread == TL_NONE)
        return;
    struct tl_thread *info = &builder->timeline->threads.at[thread];
    info->tid = tid;
    info->internal = internal;
    info->name = name.size ? text_pool_add(&builder->timeline->names, name) : TL_NONE;
    builder->failed |= name.size && info->name == TL_NONE;
}

struct tl_device *build_device_find(struct builder *builder, uint32_t ordinal)
{
    uint32_t found = idmap_find(&builder->facts->device_slots, ordinal);
    return found == IDMAP_NONE ? NULL : &builder->timeline->devices.at[found];
}

struct tl_device *build_device_add(struct builder *builder, uint32_t ordinal)
{
    struct timeline *timeline = builder->timeline;
    struct tl_device *added = ARRAY_ADD(&timeline->devices);
    if (!added || !idmap_set(&builder->facts->device_slots, ordinal, timeline->devices.count - 1)) {
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
    for (uint32_t i = builder->first.devices; i < timeline->devices.count && stored; i++)
        stored = idmap_set(&builder->facts->device_slots, timeline->devices.at[i].info.device, i);
    return stored;
}

void builder_define_device(struct builder *builder, const struct tl_device_info *device)
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

uint32_t build_context_device(const struct builder *builder, uint32_t context)
{
    return idmap_find(&builder->facts->context_device, context); /* IDMAP_NONE is TL_NONE */
}

void builder_define_context(struct builder *builder, const struct cuda_context *context)
{
    builder->facts->context_count +=
        idmap_find(&builder->facts->context_device, context->context) == IDMAP_NONE;
    builder->facts->context_ordinal = context->device;
    if (context->device != IDMAP_NONE)
        builder->failed |=
            !idmap_set(&builder->facts->context_device, context->context, context->device);
}

void builder_define_stream(struct builder *builder, const struct cuda_stream *stream)
{
    if (builder->failed)
        return;
    uint32_t index = build_stream(builder, stream->context, stream->stream, TL_NONE);
    if (index != TL_NONE)
        builder->timeline->streams.at[index].priority = stream->priority;
}

void builder_add_loss(struct builder *builder, enum prof_loss_cause cause, uint64_t count)
{
    if (!builder->failed)
        build_process(builder)->loss[cause] += count;
}

void builder_add_warning(struct builder *builder, struct text what, uint64_t count)
{
    struct tl_warning *warning = builder->failed ? NULL : ARRAY_ADD(&builder->timeline->warnings);
    uint32_t name = warning ? text_pool_add(&builder->timeline->names, what) : TL_NONE;
    builder->failed |= name == TL_NONE;
    if (warning)
        *warning = (struct tl_warning){count, builder->process, name};
}

void builder_add_note(struct builder *builder, struct text text)
{
    struct timeline *timeline = builder->timeline;
    uint32_t name = builder->failed ? TL_NONE : text_pool_add(&timeline->names, text);
    builder->failed |= name == TL_NONE;
    if (builder->failed || idmap_find(&builder->facts->notes, name) != IDMAP_NONE)
        return;
    struct tl_note *note = ARRAY_ADD(&timeline->notes);
    builder->failed |= !note || !idmap_set(&builder->facts->notes, name, timeline->notes.count - 1);
    if (note)
        *note = (struct tl_note){builder->process, name};
}

/* Streams and devices that the program gave names to.
 *
 * NVTX names handles; device records have CUPTI's ids. The two meet in calls: a call knows the
 * handle of the stream it was for, and its operations know the stream's id. The null handle is left
 * out, since calls that are for no stream have it too, and so are launches of graphs, whose kernels
 * run on streams of the graph's own. Contexts never meet: one that is named names its device only
 * where the process has no other.
 */

static void set_device_name(struct builder *builder, uint64_t ordinal, uint32_t name)
{
    if (ordinal <= UINT16_MAX)
        builder->failed |= !idmap_set(&builder->facts->given_devices, (uint32_t)ordinal, name);
}

static void set_context_name(struct builder *builder, uint64_t handle, uint32_t name)
{
    bool again = builder->facts->named_contexts && handle == builder->facts->context_handle;
    if (!again && builder->facts->named_contexts < 2)
        builder->facts->named_contexts++;
    builder->facts->context_handle = handle;
    builder->facts->context_name = name;
}

void builder_define_resource(struct builder *builder, const struct named_resource *resource)
{
    if (builder->failed)
        return;
    uint32_t name = build_name(builder, resource->name);
    if (resource->type == PROF_RESOURCE_STREAM && resource->handle)
        builder->failed |= !keymap_set(&builder->facts->given_streams, resource->handle, name);
    else if (resource->type == PROF_RESOURCE_DEVICE)
        set_device_name(builder, resource->handle, name);
    else if (resource->type == PROF_RESOURCE_CONTEXT)
        set_context_name(builder, resource->handle, name);
}

static void name_stream(struct builder *builder, const struct tl_gpu *gpu)
{
    struct timeline *timeline = builder->timeline;
    const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
    if (slice->flags & TL_GRAPH || timeline->streams.at[gpu->stream].given_name != TL_NONE)
        return;
    uint64_t handle = timeline->apis.at[slice->api].stream_handle;
    uint32_t name = handle ? keymap_find(&builder->facts->given_streams, handle) : KEYMAP_NONE;
    if (name != KEYMAP_NONE)
        timeline->streams.at[gpu->stream].given_name = name;
}

static void name_streams(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    if (builder->facts->given_streams.count == 0)
        return;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->slice != TL_NONE && gpu->stream != TL_NONE)
            name_stream(builder, gpu);
    }
}

void build_given(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    bool context = builder->facts->named_contexts == 1 && builder->facts->context_count == 1;
    for (uint32_t i = builder->first.devices; i < timeline->devices.count; i++) {
        struct tl_device *device = &timeline->devices.at[i];
        device->given_name = idmap_find(&builder->facts->given_devices, device->info.device);
        if (device->given_name == IDMAP_NONE && context &&
            device->info.device == builder->facts->context_ordinal)
            device->given_name = builder->facts->context_name;
    }
    name_streams(builder);
}

/* The processes that a process made, and which of them have a file here. */

/* Children from before the file come first. They are recorded again once their time is known. */
static struct tl_child *find_early(struct builder *builder, uint32_t pid)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.children; i < timeline->children.count; i++) {
        struct tl_child *child = &timeline->children.at[i];
        if (child->time_ns != TL_NO_TIME)
            return NULL;
        if (child->pid == pid)
            return child;
    }
    return NULL;
}

void builder_append_child(struct builder *builder, uint32_t pid, enum prof_child_origin origin,
                          int64_t time_ns)
{
    if (builder->failed)
        return;
    struct tl_child *child = find_early(builder, pid);
    if (!child)
        child = ARRAY_ADD(&builder->timeline->children);
    if (!child) {
        builder->failed = true;
        return;
    }
    *child = (struct tl_child){
        .time_ns = time_ns ? build_time(builder, time_ns) : TL_NO_TIME,
        .process = builder->process,
        .recorded = TL_NONE,
        .pid = pid,
        .origin = (uint8_t)origin,
    };
}

/* The same number on another host, or of a process that recorded before this child was made, is
 * not it. */
static bool is_file_of(const struct tl_process *process, const struct tl_child *child,
                       const struct tl_process *parent)
{
    bool before = child->time_ns != TL_NO_TIME &&
                  process->info.start_realtime_ns < parent->info.start_realtime_ns;
    return !before && process->info.parent_pid == parent->info.pid &&
           text_equals(process->info.host, parent->info.host);
}

bool build_children_find(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    struct keymap by_pid = {0};
    bool built = !builder->failed;
    for (uint32_t i = 0; i < timeline->processes.count && built; i++)
        built = keymap_set(&by_pid, timeline->processes.at[i].info.pid, i);
    for (uint32_t i = 0; i < timeline->children.count && built; i++) {
        struct tl_child *child = &timeline->children.at[i];
        uint32_t found = keymap_find(&by_pid, child->pid);
        if (found != KEYMAP_NONE && is_file_of(&timeline->processes.at[found], child,
                                               &timeline->processes.at[child->process]))
            child->recorded = found;
    }
    keymap_fini(&by_pid);
    return built;
}

/* What recording cost, and what was left out to keep it within a budget. */

void builder_set_cost(struct builder *builder, const struct tl_cost *cost)
{
    if (builder->failed)
        return;
    struct tl_process *process = build_process(builder);
    process->has_cost = true;
    process->cost = *cost;
    process->cost.time_ns = build_time(builder, cost->time_ns);
}

void builder_append_throttle(struct builder *builder, const struct throttle_event *from)
{
    if (builder->failed)
        return;
    struct tl_throttle *throttle = ARRAY_ADD(&builder->timeline->throttles);
    if (!throttle) {
        builder->failed = true;
        return;
    }
    *throttle = (struct tl_throttle){.time_ns = build_time(builder, from->time_ns),
                                     .process = builder->process,
                                     .cost_ppm = from->cost_ppm,
                                     .budget_ppm = from->budget_ppm,
                                     .what = (uint8_t)from->what,
                                     .on = from->on};
}

/* What the recorder summed up. */

/* The name that the reader gives to such events. */
static uint32_t summary_name(struct builder *builder, const struct prof_rec_summary *record)
{
    uint32_t id = (uint32_t)record->name;
    struct build_ref ref;
    if (record->kind >= PROF_SUMMARY_ROUND)
        return TL_NONE;
    switch ((enum prof_summary_kind)record->kind) {
    case PROF_SUMMARY_KERNEL:
        return build_demangled(builder, build_kernel_name(builder, id));
    case PROF_SUMMARY_RANGE:
        ref = build_ref(builder, id);
        return tl_shown_name(builder->timeline, ref.name, ref.label);
    case PROF_SUMMARY_CALL:
        return build_api_name(builder, (enum prof_api_domain)(id & 255), id >> 8);
    default:
        return build_operation_name(builder, (enum prof_summary_kind)record->kind, id);
    }
}

/* NULL-terminated words of DuckDB's maps: "{17=3, 18=5}". */
static uint32_t summary_durations(struct builder *builder, const struct prof_rec_summary *record,
                                  const uint32_t *durations)
{
    char text[PROF_SUMMARY_BUCKETS * 16 + 3] = "{";
    size_t used = 1;
    for (uint32_t i = 0; i < record->buckets && i < PROF_SUMMARY_BUCKETS; i++)
        if (durations[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u=%u",
                                     used > 1 ? ", " : "", record->first_bucket + i, durations[i]);
    uint32_t name = text_pool_format(&builder->timeline->names, "%s}", text);
    builder->failed |= name == TL_NONE;
    return name;
}

void builder_append_summary(struct builder *builder, const struct prof_rec_summary *record,
                            const uint32_t *durations)
{
    if (builder->failed || record->kind >= PROF_SUMMARY_COUNT)
        return;
    struct tl_summary *summary = ARRAY_ADD(&builder->timeline->summaries);
    if (!summary) {
        builder->failed = true;
        return;
    }
    *summary = (struct tl_summary){.step = record->step,
                                   .count = record->count,
                                   .sum_ns = record->sum_ns,
                                   .min_ns = record->min_ns,
                                   .max_ns = record->max_ns,
                                   .process = builder->process,
                                   .name = summary_name(builder, record),
                                   .kind = record->kind,
                                   .durations = summary_durations(builder, record, durations)};
}

void builder_append_summary_step(struct builder *builder,
                                 const struct prof_rec_summary_step *record)
{
    if (builder->failed)
        return;
    struct tl_summary_step *step = ARRAY_ADD(&builder->timeline->summary_steps);
    if (!step) {
        builder->failed = true;
        return;
    }
    *step = (struct tl_summary_step){.step = record->step,
                                     .start_ns = build_time(builder, (int64_t)record->start_ns),
                                     .duration_ns = record->duration_ns,
                                     .compute_ns = record->compute_ns,
                                     .overlapped_ns = record->overlapped_ns,
                                     .communication_ns = record->communication_ns,
                                     .copy_ns = record->copy_ns,
                                     .idle_host_ns = record->idle_host_ns,
                                     .idle_device_ns = record->idle_device_ns,
                                     .process = builder->process,
                                     .partly = record->flags & PROF_SUMMARY_STEP_PARTLY};
}

void builder_leave_out_events(struct builder *builder)
{
    if (builder)
        builder->no_events = true;
}

bool builder_leaves_out_events(const struct builder *builder)
{
    return builder->no_events;
}

/* When recording was on, and who switched it. */

/* The one that a stop ends: the latest of that epoch in this file. */
static struct tl_window *find_window(struct builder *builder, uint32_t epoch)
{
    uint32_t known = idmap_find(&builder->facts->windows, epoch);
    return known == IDMAP_NONE ? NULL : &builder->timeline->windows.at[known];
}

static void open_window(struct builder *builder, uint32_t epoch, enum prof_control_reason reason,
                        int64_t time_ns)
{
    struct tl_window *window = ARRAY_ADD(&builder->timeline->windows);
    if (!window ||
        !idmap_set(&builder->facts->windows, epoch, builder->timeline->windows.count - 1)) {
        builder->failed = true;
        return;
    }
    *window = (struct tl_window){
        .start_ns = time_ns,
        .end_ns = TL_NO_TIME,
        .process = builder->process,
        .epoch = epoch,
        .start_reason = (uint8_t)reason,
    };
}

/* Epoch 0 means none: the file was made just when recording went off. */
void builder_append_control(struct builder *builder, bool on, uint32_t epoch,
                            enum prof_control_reason reason, int64_t time_ns)
{
    if (builder->failed || epoch == 0)
        return;
    struct tl_window *window = find_window(builder, epoch);
    int64_t at_ns = build_time(builder, time_ns);
    if (on && !window)
        open_window(builder, epoch, reason, at_ns);
    if (!on && window) {
        window->end_ns = at_ns;
        window->stop_reason = (uint8_t)reason;
    }
}
