/* build_unordered.c - gathers files whose events come in any order. */
#include "build_unordered.h"

#include "torch_names.h"

#include <stdlib.h>
#include <string.h>

/* The file's life. */

void unordered_destroy(struct unordered *file)
{
    if (!file)
        return;
    text_pool_fini(&file->names);
    free(file->final);
    free(file->renamed);
    free(file->plain.at);
    free(file->processes.at);
    free(file->threads.at);
    free(file->slices.at);
    free(file->attrs.at);
    free(file->instants.at);
    free(file->memories.at);
    free(file->migrations.at);
    free(file->allocators.at);
    free(file->asyncs.at);
    free(file->frames.at);
    free(file->gpus.at);
    free(file->devices.at);
    free(file->contexts.at);
    free(file->streams.at);
    text_pool_fini(&file->labels);
    free(file->domains.at);
    free(file->categories.at);
    free(file->warnings.at);
    unordered_index_destroy(file->index);
    free(file);
}

/* Where there is no memory, nothing else is appended. */
static void *fail(struct builder *builder)
{
    builder->failed = true;
    return NULL;
}

/* A new item of one of the file's arrays; NULL: no memory. */
#define ADD(builder, array) (ARRAY_ROOM(array) ? &(array)->at[(array)->count++] : fail(builder))

uint32_t unordered_begin(struct builder *builder)
{
    struct unordered **place = ARRAY_ADD(&builder->files);
    if (place)
        *place = calloc(1, sizeof **place);
    builder->failed |= !place || !*place;
    builder->file = place ? *place : NULL;
    builder->gathers = true;
    keymap_fini(&builder->details); /* names in details are ids of the file */
    if (builder->file)
        builder->file->first_kernel = builder->timeline->kernels.count;
    return builder->files.count - 1;
}

/* Names. */

uint32_t unordered_name(struct builder *builder, struct text text)
{
    uint32_t name = text_pool_number(&builder->file->names, text);
    builder->failed |= name == 0;
    return name;
}

struct text unordered_keep_text(struct builder *builder, struct text text)
{
    struct text copy = text_pool_copy(&builder->file->names, text);
    builder->failed |= copy.bytes == NULL;
    return copy.bytes ? copy : (struct text){"", 0};
}

struct text unordered_name_text(const struct builder *builder, uint32_t name)
{
    const struct text_pool *names = &builder->file->names;
    return name && name <= names->count ? text_pool_text(names, name) : (struct text){"", 0};
}

uint32_t unordered_label(struct builder *builder, const struct event_label *label)
{
    struct event_name record = {
        .name = label->name,
        .domain = label->domain,
        .category = label->category,
        .color = label->colored ? label->color : 0,
        .flags = label->colored ? PROF_EVENT_NAME_COLORED : 0,
    };
    uint32_t number = text_pool_number(&builder->file->labels,
                                       (struct text){(const char *)&record, sizeof record});
    builder->failed |= number == 0;
    return number ? UNORDERED_LABEL | number : 0;
}

uint32_t unordered_add_domain(struct builder *builder, uint32_t process)
{
    struct unordered_domain *domain = ADD(builder, &builder->file->domains);
    if (!domain)
        return 0;
    *domain = (struct unordered_domain){process, 0};
    return builder->file->domains.count;
}

void unordered_name_domain(struct builder *builder, uint32_t domain, uint32_t name)
{
    if (domain && domain <= builder->file->domains.count)
        builder->file->domains.at[domain - 1].name = name;
}

void unordered_move_domain(struct builder *builder, uint32_t domain, uint32_t process)
{
    if (domain && domain <= builder->file->domains.count)
        builder->file->domains.at[domain - 1].process = process;
}

void unordered_add_category(struct builder *builder, uint32_t process, uint32_t domain,
                            uint32_t category, uint32_t name)
{
    struct unordered_category *added = ADD(builder, &builder->file->categories);
    if (added)
        *added = (struct unordered_category){
            process, {.domain = domain, .category = category, .name = name}};
}

/* Names of ranges as PyTorch's emit_nvtx composes them: see torch_names.h. Every format that NVTX
 * ranges come in has them. */

/* A composed name taken apart. */
struct split_name {
    uint32_t name;
    uint32_t count;
    struct event_attr attrs[TORCH_NAMES_PARTS_MAX];
};

/* The name that a label has. */
static struct event_name record_of(const struct unordered *file, uint32_t label)
{
    struct event_name record;
    memcpy(&record, text_pool_text(&file->labels, label & ~UNORDERED_LABEL).bytes, sizeof record);
    return record;
}

/* Not composed: nearly all names, and there are many ranges of each. */
static bool is_plain(const struct unordered *file, uint32_t name)
{
    return name < file->plain.count && file->plain.at[name];
}

static void note_plain(struct unordered *file, uint32_t name)
{
    while (file->plain.count <= name) {
        bool *added = ARRAY_ADD(&file->plain);
        if (!added)
            return; /* then it is looked at again */
        *added = false;
    }
    file->plain.at[name] = true;
}

static bool parse_name(struct builder *builder, uint32_t name, struct torch_names *torch)
{
    if (is_plain(builder->file, name))
        return false;
    struct text text = unordered_name_text(builder, name);
    if (torch_names_parse(text.bytes, text.size, torch))
        return true;
    note_plain(builder->file, name);
    return false;
}

static struct event_attr attr_of(struct builder *builder, const struct torch_names_part *part)
{
    struct text key = {part->key, strlen(part->key)}, text = {part->text, part->bytes};
    return (struct event_attr){
        .key = unordered_name(builder, key),
        .type = part->text ? PROF_ATTR_STRING : PROF_ATTR_INT,
        .value = part->text ? unordered_name(builder, text) : part->integer,
    };
}

/* The same label with another name. */
static uint32_t relabel(struct builder *builder, uint32_t label, uint32_t name)
{
    struct event_name record = record_of(builder->file, label);
    bool colored = record.flags & PROF_EVENT_NAME_COLORED;
    return unordered_label(builder, &(struct event_label){name, record.domain, record.category,
                                                          record.color, colored});
}

/* False: the name stays as it is. */
static bool split(struct builder *builder, uint32_t name, struct split_name *split)
{
    struct torch_names torch;
    uint32_t whole = name & UNORDERED_LABEL ? record_of(builder->file, name).name : name;
    if (!whole || !parse_name(builder, whole, &torch))
        return false;
    struct text text = unordered_name_text(builder, whole);
    split->name = unordered_name(builder, (struct text){text.bytes, torch.base_bytes});
    if (name & UNORDERED_LABEL)
        split->name = relabel(builder, name, split->name);
    split->count = (uint32_t)torch.count;
    for (uint32_t i = 0; i < split->count; i++)
        split->attrs[i] = attr_of(builder, &torch.parts[i]);
    return true;
}

/* Processes and threads. */

uint32_t unordered_add_process(struct builder *builder)
{
    struct tl_process_info *process = ADD(builder, &builder->file->processes);
    if (!process)
        return 0;
    *process = (struct tl_process_info){
        .rank = -1, .local_rank = -1, .world_size = -1, .closed = true, .gpu_mode = PROF_GPU_CUPTI};
    return builder->file->processes.count - 1;
}

struct tl_process_info *builder_process_info(struct builder *builder, uint32_t process)
{
    return &builder->file->processes.at[process];
}

uint32_t unordered_process_count(const struct builder *builder)
{
    return builder->file->processes.count;
}

#define ALL_OF_FIRST(array)                       \
    for (uint32_t i = 0; i < (array)->count; i++) \
    (array)->at[i].process = 0

static void move_all_to_first(struct unordered *file)
{
    ALL_OF_FIRST(&file->threads);
    ALL_OF_FIRST(&file->gpus);
    ALL_OF_FIRST(&file->allocators);
    ALL_OF_FIRST(&file->devices);
    ALL_OF_FIRST(&file->contexts);
    ALL_OF_FIRST(&file->streams);
    ALL_OF_FIRST(&file->domains);
    ALL_OF_FIRST(&file->categories);
    ALL_OF_FIRST(&file->migrations);
    for (uint32_t i = 0; i < file->memories.count; i++)
        file->memories.at[i].event.process = 0;
}

void timeline_join_pid_0(struct builder *builder)
{
    struct unordered *file = builder->file;
    struct tl_process_info *both = file->processes.at;
    if (file->processes.count != 2 || (both[0].pid == 0) == (both[1].pid == 0))
        return;
    if (both[0].pid == 0)
        both[0] = both[1];
    file->processes.count = 1;
    move_all_to_first(file);
}

uint32_t unordered_add_thread(struct builder *builder, uint32_t process, uint64_t tid)
{
    struct unordered_thread *thread = ADD(builder, &builder->file->threads);
    if (!thread)
        return 0;
    *thread = (struct unordered_thread){.process = process, .tid = tid};
    return builder->file->threads.count;
}

void unordered_number_thread(struct builder *builder, uint32_t thread, uint64_t tid)
{
    if (thread && thread <= builder->file->threads.count)
        builder->file->threads.at[thread - 1].tid = tid;
}

void unordered_name_thread(struct builder *builder, uint32_t thread, struct text name)
{
    if (thread && thread <= builder->file->threads.count)
        builder->file->threads.at[thread - 1].name = unordered_name(builder, name);
}

uint32_t unordered_thread_process(const struct builder *builder, uint32_t thread)
{
    const struct unordered *file = builder->file;
    return thread && thread <= file->threads.count ? file->threads.at[thread - 1].process : 0;
}

void unordered_move_thread(struct builder *builder, uint32_t thread, uint32_t process)
{
    if (thread && thread <= builder->file->threads.count)
        builder->file->threads.at[thread - 1].process = process;
}

/* Events of threads. */

static void keep_attrs(struct builder *builder, const struct event_attr *attrs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct event_attr *attr = ADD(builder, &builder->file->attrs);
        if (attr)
            *attr = attrs[i];
    }
}

static int64_t end_of(struct builder *builder, int64_t start_ns, int64_t end_ns)
{
    if (end_ns >= start_ns)
        return end_ns;
    unordered_warn(builder, "events that end before they begin: taken as empty", 1);
    return start_ns;
}

void unordered_append_slice(struct builder *builder, const struct complete_slice *slice)
{
    struct unordered *file = builder->file;
    struct unordered_slice *kept = ADD(builder, &file->slices);
    if (!kept)
        return;
    struct split_name parts;
    bool is_split = slice->kind == SLICE_RANGE && split(builder, slice->name, &parts);
    uint32_t first_attr = file->attrs.count;
    keep_attrs(builder, slice->attrs, slice->attr_count);
    if (is_split)
        keep_attrs(builder, parts.attrs, parts.count);
    uint32_t attrs = file->attrs.count - first_attr;
    *kept = (struct unordered_slice){
        .start_ns = slice->start_ns,
        .end_ns = end_of(builder, slice->start_ns, slice->end_ns),
        .thread = slice->thread,
        .name = is_split ? parts.name : slice->name,
        .correlation = slice->correlation,
        .result = slice->result,
        .first_attr = first_attr,
        .attr_count = (uint16_t)(attrs > UINT16_MAX ? UINT16_MAX : attrs),
        .kind = slice->kind,
        .flags = slice->flags & (uint8_t)~SLICE_CONTINUED,
    };
}

uint32_t unordered_slice_count(const struct builder *builder)
{
    return builder->file->slices.count;
}

bool unordered_slice_goes_on(const struct builder *builder, uint32_t index,
                             const struct complete_slice *next)
{
    const struct unordered_slice *slice = &builder->file->slices.at[index];
    return slice->thread == next->thread && slice->name == next->name &&
           slice->kind == next->kind && slice->end_ns == next->start_ns;
}

void unordered_extend_slice(struct builder *builder, uint32_t index, int64_t end_ns, uint8_t flags)
{
    struct unordered_slice *slice = &builder->file->slices.at[index];
    if (end_ns > slice->end_ns)
        slice->end_ns = end_ns;
    slice->flags |= flags & SLICE_UNCLOSED;
}

void unordered_append_async(struct builder *builder, uint32_t thread, uint32_t end_thread,
                            int64_t start_ns, int64_t end_ns, uint32_t name, uint64_t id)
{
    struct unordered_async *async = ADD(builder, &builder->file->asyncs);
    if (async)
        *async = (struct unordered_async){
            start_ns,  end_thread ? end_of(builder, start_ns, end_ns) : start_ns, id, name, thread,
            end_thread};
}

void unordered_append_frame(struct builder *builder, uint32_t thread, int64_t start_ns,
                            int64_t end_ns, uint32_t name)
{
    struct unordered_frame *frame = ADD(builder, &builder->file->frames);
    if (frame)
        *frame = (struct unordered_frame){start_ns, end_ns, thread, name};
}

void unordered_note_window(struct builder *builder, int64_t start_ns, int64_t end_ns)
{
    struct unordered_window *window = &builder->file->window;
    if (!window->any || start_ns < window->start_ns)
        window->start_ns = start_ns;
    if (!window->any || end_ns > window->end_ns)
        window->end_ns = end_ns;
    window->any = true;
}

uint32_t unordered_async_count(const struct builder *builder)
{
    return builder->file->asyncs.count;
}

static void add_instant(struct builder *builder, struct unordered_instant instant)
{
    struct unordered_instant *kept = ADD(builder, &builder->file->instants);
    if (kept)
        *kept = instant;
}

void unordered_append_mark(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name)
{
    add_instant(builder, (struct unordered_instant){time_ns, 0, thread, name, UNORDERED_MARK});
}

void unordered_append_counter(struct builder *builder, uint32_t thread, int64_t time_ns,
                              uint32_t name, double value)
{
    add_instant(builder,
                (struct unordered_instant){time_ns, value, thread, name, UNORDERED_COUNTER});
}

void unordered_append_memory(struct builder *builder, const struct memory_event *event,
                             uint32_t allocator)
{
    struct unordered_memory *memory = ADD(builder, &builder->file->memories);
    if (!memory)
        return;
    *memory = (struct unordered_memory){*event, allocator};
    uint32_t index = builder->file->memories.count - 1;
    if (event->thread)
        add_instant(builder, (struct unordered_instant){event->time_ns, 0, event->thread, index,
                                                        UNORDERED_MEMORY});
}

/* Devices. */

uint32_t unordered_add_allocator(struct builder *builder, uint32_t process, uint32_t name)
{
    struct unordered_allocator *kept = ADD(builder, &builder->file->allocators);
    if (kept)
        *kept = (struct unordered_allocator){process, name};
    return builder->file->allocators.count;
}

void unordered_add_device(struct builder *builder, uint32_t process,
                          const struct tl_device_info *device)
{
    struct unordered_device *kept = ADD(builder, &builder->file->devices);
    if (kept)
        *kept = (struct unordered_device){process, *device};
}

void unordered_add_context(struct builder *builder, uint32_t process,
                           const struct cuda_context *context)
{
    struct unordered_context *kept = ADD(builder, &builder->file->contexts);
    if (kept)
        *kept = (struct unordered_context){process, *context};
}

void unordered_add_stream(struct builder *builder, uint32_t process,
                          const struct cuda_stream *stream)
{
    struct unordered_stream *kept = ADD(builder, &builder->file->streams);
    if (kept)
        *kept = (struct unordered_stream){process, *stream};
}

void unordered_append_gpu(struct builder *builder, const struct gpu_op *op, struct tl_gpu gpu)
{
    gpu.name = op->name;
    gpu.correlation = op->correlation;
    gpu.start_ns = op->start_ns;
    gpu.end_ns = end_of(builder, op->start_ns, op->end_ns);
    gpu.process = op->process;
    gpu.slice = op->origin;
    gpu.flags = op->ambiguous ? TL_GPU_AMBIGUOUS : 0;
    struct tl_gpu *added = ADD(builder, &builder->file->gpus);
    if (added)
        *added = gpu;
}

void unordered_find_busy(const struct builder *builder, bool *busy)
{
    const struct unordered *file = builder->file;
    for (uint32_t i = 0; i < file->gpus.count; i++)
        busy[file->gpus.at[i].process] = true;
}

/* Whether the operation is one of a context on a device that is known. */
static bool has_place(const struct tl_gpu *gpu)
{
    return unordered_is_operation(gpu) && gpu->device < UINT16_MAX;
}

uint64_t unordered_busy_devices(const struct builder *builder, uint32_t process)
{
    const struct unordered *file = builder->file;
    uint64_t devices = 0;
    for (uint32_t i = 0; i < file->gpus.count; i++) {
        const struct tl_gpu *gpu = &file->gpus.at[i];
        if (gpu->process == process && has_place(gpu) && gpu->device < 64)
            devices |= UINT64_C(1) << gpu->device;
    }
    return devices;
}

void unordered_find_contexts(struct builder *builder)
{
    struct keymap seen = {0};
    for (uint32_t i = 0; i < builder->file->gpus.count && !builder->failed; i++) {
        const struct tl_gpu *gpu = &builder->file->gpus.at[i];
        struct cuda_context context = {build_gpu_place(builder->timeline, gpu).context,
                                       gpu->device};
        if (!has_place(gpu) || context.context == 0)
            continue;
        int64_t key = (int64_t)((uint64_t)gpu->process << 32 | context.context);
        if (keymap_find_id(&seen, key) != KEYMAP_NONE)
            continue;
        builder->failed |= !keymap_set_id(&seen, key, 0);
        unordered_add_context(builder, gpu->process, &context);
    }
    keymap_fini(&seen);
}

void unordered_warn(struct builder *builder, const char *what, uint64_t count)
{
    struct unordered *file = builder->file;
    for (uint32_t i = 0; i < file->warnings.count; i++)
        if (strcmp(file->warnings.at[i].what, what) == 0) {
            file->warnings.at[i].count += count;
            return;
        }
    struct unordered_warning *warning = count ? ADD(builder, &file->warnings) : NULL;
    if (warning)
        *warning = (struct unordered_warning){what, count};
}

void unordered_note(struct builder *builder, struct text text)
{
    builder->file->note = unordered_keep_text(builder, text);
}

void unordered_append_moved(struct builder *builder, uint32_t process,
                            const struct migration *migration)
{
    struct unordered_migration *added = ADD(builder, &builder->file->migrations);
    if (added)
        *added = (struct unordered_migration){*migration, process};
}

/* Where the file's time begins and ends. */

struct span {
    int64_t first_ns, last_ns;
};

static void widen(struct span *span, int64_t start_ns, int64_t end_ns)
{
    span->first_ns = start_ns < span->first_ns ? start_ns : span->first_ns;
    span->last_ns = end_ns > span->last_ns ? end_ns : span->last_ns;
}

/* The end of a slice that has none is not an event. */
static struct span span_of(const struct unordered *file)
{
    struct span span = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < file->slices.count; i++) {
        const struct unordered_slice *slice = &file->slices.at[i];
        widen(&span, slice->start_ns,
              slice->flags & SLICE_UNCLOSED ? slice->start_ns : slice->end_ns);
    }
    for (uint32_t i = 0; i < file->instants.count; i++)
        widen(&span, file->instants.at[i].time_ns, file->instants.at[i].time_ns);
    for (uint32_t i = 0; i < file->asyncs.count; i++)
        widen(&span, file->asyncs.at[i].start_ns, file->asyncs.at[i].end_ns);
    for (uint32_t i = 0; i < file->gpus.count; i++)
        widen(&span, file->gpus.at[i].start_ns, file->gpus.at[i].end_ns);
    for (uint32_t i = 0; i < file->memories.count; i++) {
        const struct memory_event *event = &file->memories.at[i].event;
        if (event->time_ns != TL_NO_TIME)
            widen(&span, event->time_ns, event->time_ns);
    }
    for (uint32_t i = 0; i < file->migrations.count; i++)
        widen(&span, file->migrations.at[i].of.start_ns, file->migrations.at[i].of.end_ns);
    return span;
}

int64_t unordered_end(struct builder *builder)
{
    struct unordered *file = builder->file;
    struct span span = span_of(file);
    for (uint32_t i = 0; i < file->slices.count; i++)
        if (file->slices.at[i].flags & SLICE_UNCLOSED)
            file->slices.at[i].end_ns = span.last_ns;
    builder->gathers = false;
    return span.first_ns == INT64_MAX ? 0 : span.first_ns;
}

void unordered_set_origin(struct builder *builder, int64_t origin_ns)
{
    builder->file->origin_ns = origin_ns;
}
