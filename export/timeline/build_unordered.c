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
    free(file->asyncs.at);
    free(file->frames.at);
    free(file->gpus.at);
    free(file->allocators.at);
    keymap_fini(&file->details);
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
static void *fail(struct unordered *file)
{
    file->builder->failed = true;
    return NULL;
}

/* A new item of one of the file's arrays; NULL: no memory. */
#define ADD(file, array) (ARRAY_ROOM(array) ? &(array)->at[(array)->count++] : fail(file))

struct unordered *unordered_begin(struct builder *builder)
{
    struct unordered **place = ARRAY_ADD(&builder->files);
    struct unordered *file = place ? calloc(1, sizeof *file) : NULL;
    if (place)
        *place = file;
    builder->failed |= !file;
    if (builder->failed)
        return NULL;
    file->builder = builder;
    file->first_kernel = builder->timeline->kernels.count;
    return file;
}

bool unordered_failed(const struct unordered *file)
{
    return file->builder->failed;
}

/* Names. */

uint32_t unordered_name(struct unordered *file, struct text text)
{
    uint32_t name = text_pool_number(&file->names, text);
    file->builder->failed |= name == 0;
    return name;
}

struct text unordered_keep_text(struct unordered *file, struct text text)
{
    struct text copy = text_pool_copy(&file->names, text);
    file->builder->failed |= copy.bytes == NULL;
    return copy.bytes ? copy : (struct text){"", 0};
}

struct text unordered_name_text(const struct unordered *file, uint32_t name)
{
    const struct text_pool *names = &file->names;
    return name && name <= names->count ? text_pool_text(names, name) : (struct text){"", 0};
}

uint32_t unordered_label(struct unordered *file, const struct event_label *label)
{
    struct event_name record = {
        .name = label->name,
        .domain = label->domain,
        .category = label->category,
        .color = label->colored ? label->color : 0,
        .flags = label->colored ? PROF_EVENT_NAME_COLORED : 0,
    };
    uint32_t number =
        text_pool_number(&file->labels, (struct text){(const char *)&record, sizeof record});
    file->builder->failed |= number == 0;
    return number ? UNORDERED_LABEL | number : 0;
}

uint32_t unordered_add_domain(struct unordered *file, uint32_t process)
{
    struct unordered_domain *domain = ADD(file, &file->domains);
    if (!domain)
        return 0;
    *domain = (struct unordered_domain){process, 0};
    return file->domains.count;
}

void unordered_name_domain(struct unordered *file, uint32_t domain, uint32_t name)
{
    if (domain && domain <= file->domains.count)
        file->domains.at[domain - 1].name = name;
}

void unordered_move_domain(struct unordered *file, uint32_t domain, uint32_t process)
{
    if (domain && domain <= file->domains.count)
        file->domains.at[domain - 1].process = process;
}

void unordered_add_category(struct unordered *file, uint32_t process, uint32_t domain,
                            uint32_t category, uint32_t name)
{
    struct unordered_category *added = ADD(file, &file->categories);
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

static bool parse_name(struct unordered *file, uint32_t name, struct torch_names *torch)
{
    if (is_plain(file, name))
        return false;
    struct text text = unordered_name_text(file, name);
    if (torch_names_parse(text.bytes, text.size, torch))
        return true;
    note_plain(file, name);
    return false;
}

static struct event_attr attr_of(struct unordered *file, const struct torch_names_part *part)
{
    struct text key = {part->key, strlen(part->key)}, text = {part->text, part->bytes};
    return (struct event_attr){
        .key = unordered_name(file, key),
        .type = part->text ? PROF_ATTR_STRING : PROF_ATTR_INT,
        .value = part->text ? unordered_name(file, text) : part->integer,
    };
}

/* The same label with another name. */
static uint32_t relabel(struct unordered *file, uint32_t label, uint32_t name)
{
    struct event_name record = record_of(file, label);
    bool colored = record.flags & PROF_EVENT_NAME_COLORED;
    return unordered_label(
        file, &(struct event_label){name, record.domain, record.category, record.color, colored});
}

/* False: the name stays as it is. */
static bool split(struct unordered *file, uint32_t name, struct split_name *split)
{
    struct torch_names torch;
    uint32_t whole = name & UNORDERED_LABEL ? record_of(file, name).name : name;
    if (!whole || !parse_name(file, whole, &torch))
        return false;
    struct text text = unordered_name_text(file, whole);
    split->name = unordered_name(file, (struct text){text.bytes, torch.base_bytes});
    if (name & UNORDERED_LABEL)
        split->name = relabel(file, name, split->name);
    split->count = (uint32_t)torch.count;
    for (uint32_t i = 0; i < split->count; i++)
        split->attrs[i] = attr_of(file, &torch.parts[i]);
    return true;
}

/* Processes and threads. */

uint32_t unordered_add_process(struct unordered *file)
{
    struct tl_process_info *process = ADD(file, &file->processes);
    if (!process)
        return 0;
    *process = (struct tl_process_info){
        .rank = -1, .local_rank = -1, .world_size = -1, .closed = true, .gpu_mode = PROF_GPU_CUPTI};
    return file->processes.count - 1;
}

struct tl_process_info *unordered_process_info(struct unordered *file, uint32_t process)
{
    return &file->processes.at[process];
}

uint32_t unordered_process_count(const struct unordered *file)
{
    return file->processes.count;
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
    ALL_OF_FIRST(&file->memories);
}

void unordered_join_pid_0(struct unordered *file)
{
    struct tl_process_info *both = file->processes.at;
    if (file->processes.count != 2 || (both[0].pid == 0) == (both[1].pid == 0))
        return;
    if (both[0].pid == 0)
        both[0] = both[1];
    file->processes.count = 1;
    move_all_to_first(file);
}

uint32_t unordered_add_thread(struct unordered *file, uint32_t process, uint64_t tid)
{
    struct unordered_thread *thread = ADD(file, &file->threads);
    if (!thread)
        return 0;
    *thread = (struct unordered_thread){.process = process, .tid = tid};
    return file->threads.count;
}

void unordered_number_thread(struct unordered *file, uint32_t thread, uint64_t tid)
{
    if (thread && thread <= file->threads.count)
        file->threads.at[thread - 1].tid = tid;
}

void unordered_name_thread(struct unordered *file, uint32_t thread, struct text name)
{
    if (thread && thread <= file->threads.count)
        file->threads.at[thread - 1].name = unordered_name(file, name);
}

uint32_t unordered_thread_process(const struct unordered *file, uint32_t thread)
{
    return thread && thread <= file->threads.count ? file->threads.at[thread - 1].process : 0;
}

void unordered_move_thread(struct unordered *file, uint32_t thread, uint32_t process)
{
    if (thread && thread <= file->threads.count)
        file->threads.at[thread - 1].process = process;
}

/* Events of threads. */

static void keep_attrs(struct unordered *file, const struct event_attr *attrs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct event_attr *attr = ADD(file, &file->attrs);
        if (attr)
            *attr = attrs[i];
    }
}

static int64_t end_of(struct unordered *file, int64_t start_ns, int64_t end_ns)
{
    if (end_ns >= start_ns)
        return end_ns;
    unordered_warn(file, "events that end before they begin: taken as empty", 1);
    return start_ns;
}

void unordered_append_slice(struct unordered *file, const struct complete_slice *slice)
{
    struct unordered_slice *kept = ADD(file, &file->slices);
    if (!kept)
        return;
    struct split_name parts;
    bool is_split = slice->kind == TL_RANGE && split(file, slice->name, &parts);
    uint32_t first_attr = file->attrs.count;
    keep_attrs(file, slice->attrs, slice->attr_count);
    if (is_split)
        keep_attrs(file, parts.attrs, parts.count);
    uint32_t attrs = file->attrs.count - first_attr;
    *kept = (struct unordered_slice){
        .start_ns = slice->start_ns,
        .end_ns = end_of(file, slice->start_ns, slice->end_ns),
        .thread = slice->thread,
        .name = is_split ? parts.name : slice->name,
        .correlation = slice->correlation,
        .result = slice->result,
        .first_attr = first_attr,
        .attr_count = (uint16_t)(attrs > UINT16_MAX ? UINT16_MAX : attrs),
        .kind = slice->kind,
        .flags = slice->flags & (uint8_t)~TL_CONTINUED,
    };
}

uint32_t unordered_slice_count(const struct unordered *file)
{
    return file->slices.count;
}

bool unordered_slice_goes_on(const struct unordered *file, uint32_t index,
                             const struct complete_slice *next)
{
    const struct unordered_slice *slice = &file->slices.at[index];
    return slice->thread == next->thread && slice->name == next->name &&
           slice->kind == next->kind && slice->end_ns == next->start_ns;
}

void unordered_extend_slice(struct unordered *file, uint32_t index, int64_t end_ns, uint8_t flags)
{
    struct unordered_slice *slice = &file->slices.at[index];
    if (end_ns > slice->end_ns)
        slice->end_ns = end_ns;
    slice->flags |= flags & TL_UNCLOSED;
}

void unordered_append_async(struct unordered *file, uint32_t thread, uint32_t end_thread,
                            int64_t start_ns, int64_t end_ns, uint32_t name, uint64_t id)
{
    struct unordered_async *async = ADD(file, &file->asyncs);
    if (async)
        *async = (struct unordered_async){
            start_ns,  end_thread ? end_of(file, start_ns, end_ns) : start_ns, id, name, thread,
            end_thread};
}

void unordered_append_frame(struct unordered *file, uint32_t thread, int64_t start_ns,
                            int64_t end_ns, uint32_t name)
{
    struct unordered_frame *frame = ADD(file, &file->frames);
    if (frame)
        *frame = (struct unordered_frame){start_ns, end_ns, thread, name};
}

void unordered_note_window(struct unordered *file, int64_t start_ns, int64_t end_ns)
{
    struct unordered_window *window = &file->window;
    if (!window->any || start_ns < window->start_ns)
        window->start_ns = start_ns;
    if (!window->any || end_ns > window->end_ns)
        window->end_ns = end_ns;
    window->any = true;
}

uint32_t unordered_async_count(const struct unordered *file)
{
    return file->asyncs.count;
}

static void add_instant(struct unordered *file, struct unordered_instant instant)
{
    struct unordered_instant *kept = ADD(file, &file->instants);
    if (kept)
        *kept = instant;
}

void unordered_append_mark(struct unordered *file, uint32_t thread, int64_t time_ns, uint32_t name)
{
    add_instant(file, (struct unordered_instant){time_ns, 0, thread, name, UNORDERED_MARK});
}

void unordered_append_counter(struct unordered *file, uint32_t thread, int64_t time_ns,
                              uint32_t name, double value)
{
    add_instant(file, (struct unordered_instant){time_ns, value, thread, name, UNORDERED_COUNTER});
}

static void add_memory(struct unordered *file, struct unordered_memory memory)
{
    struct unordered_memory *kept = ADD(file, &file->memories);
    if (!kept)
        return;
    *kept = memory;
    if (memory.event.thread)
        add_instant(file, (struct unordered_instant){memory.event.time_ns, 0, memory.event.thread,
                                                     file->memories.count - 1, UNORDERED_MEMORY});
}

void unordered_append_memory(struct unordered *file, uint32_t process,
                             const struct memory_event *memory)
{
    add_memory(file, (struct unordered_memory){*memory, process, 0});
}

static void add_own_memory(struct unordered *file, uint32_t thread, int64_t time_ns,
                           const struct heap_allocation *alloc, uint8_t operation)
{
    const struct memory_event event = {
        .time_ns = time_ns,
        .thread = thread,
        .record = {.address = alloc->address, .bytes = alloc->bytes, .operation = operation},
    };
    add_memory(file, (struct unordered_memory){event, 0, alloc->allocator});
}

void unordered_append_alloc(struct unordered *file, uint32_t thread, int64_t time_ns,
                            const struct heap_allocation *alloc)
{
    add_own_memory(file, thread, time_ns, alloc, PROF_MEMORY_ALLOCATE);
}

void unordered_append_release(struct unordered *file, uint32_t thread, int64_t time_ns,
                              uint32_t allocator, uint64_t address)
{
    add_own_memory(file, thread, time_ns,
                   &(struct heap_allocation){.address = address, .allocator = allocator},
                   PROF_MEMORY_RELEASE);
}

/* Devices. */

uint32_t unordered_add_allocator(struct unordered *file, uint32_t process, uint32_t name)
{
    struct unordered_allocator *kept = ADD(file, &file->allocators);
    if (kept)
        *kept = (struct unordered_allocator){process, name};
    return file->allocators.count;
}

void unordered_add_device(struct unordered *file, uint32_t process,
                          const struct tl_device_info *device)
{
    struct unordered_device *kept = ADD(file, &file->devices);
    if (kept)
        *kept = (struct unordered_device){process, *device};
}

void unordered_add_context(struct unordered *file, uint32_t process,
                           const struct cuda_context *context)
{
    struct unordered_context *kept = ADD(file, &file->contexts);
    if (kept)
        *kept = (struct unordered_context){process, *context};
}

void unordered_add_stream(struct unordered *file, uint32_t process,
                          const struct cuda_stream *stream)
{
    struct unordered_stream *kept = ADD(file, &file->streams);
    if (kept)
        *kept = (struct unordered_stream){process, *stream};
}

/* `device` of a wait: of its own; NULL: that of its context. */
static void append_gpu(struct unordered *file, const struct unordered_op *op, enum tl_gpu_kind kind,
                       const void *detail, const uint32_t *device)
{
    struct builder *builder = file->builder;
    uint32_t index =
        builder->failed ? TL_NONE : build_detail(builder, &file->details, kind, detail);
    struct unordered_gpu *added = index == TL_NONE ? NULL : ADD(file, &file->gpus);
    if (!added)
        return;
    *added = (struct unordered_gpu){
        .start_ns = op->start_ns,
        .end_ns = end_of(file, op->start_ns, op->end_ns),
        .name = op->name,
        .correlation = op->correlation,
        .row = op->row,
        .process = op->process,
        .origin = op->origin,
        .detail = index,
        .device = device ? build_ordinal(*device)
                         : build_operation(builder->timeline, kind, index).device,
        .kind = (uint8_t)kind,
        .ambiguous = op->ambiguous,
        .of_context = kind == TL_SYNC && !device,
    };
}

void unordered_append_kernel(struct unordered *file, const struct unordered_op *op,
                             const struct tl_kernel *kernel)
{
    append_gpu(file, op, TL_KERNEL, kernel, NULL);
}

void unordered_append_memcpy(struct unordered *file, const struct unordered_op *op,
                             const struct tl_memcpy *copy)
{
    append_gpu(file, op, TL_MEMCPY, copy, NULL);
}

void unordered_append_memset(struct unordered *file, const struct unordered_op *op,
                             const struct tl_memset *set)
{
    append_gpu(file, op, TL_MEMSET, set, NULL);
}

void unordered_append_graph_run(struct unordered *file, const struct unordered_op *op,
                                const struct tl_graph_run *run)
{
    append_gpu(file, op, TL_GRAPH_RUN, run, NULL);
}

void unordered_append_sync(struct unordered *file, const struct unordered_op *op,
                           const struct tl_sync *sync, const uint32_t *device)
{
    append_gpu(file, op, TL_SYNC, sync, device);
}

void unordered_append_overhead(struct unordered *file, const struct unordered_op *op,
                               const struct tl_overhead *overhead)
{
    append_gpu(file, op, TL_OVERHEAD, overhead, NULL);
}

void unordered_find_busy(const struct unordered *file, bool *busy)
{
    for (uint32_t i = 0; i < file->gpus.count; i++)
        busy[file->gpus.at[i].process] = true;
}

/* Whether the operation is one of a context on a device that is known. */
static bool has_place(const struct unordered_gpu *gpu)
{
    return unordered_is_operation(gpu) && gpu->device < UINT16_MAX;
}

uint64_t unordered_busy_devices(const struct unordered *file, uint32_t process)
{
    uint64_t devices = 0;
    for (uint32_t i = 0; i < file->gpus.count; i++) {
        const struct unordered_gpu *gpu = &file->gpus.at[i];
        if (gpu->process == process && has_place(gpu) && gpu->device < 64)
            devices |= UINT64_C(1) << gpu->device;
    }
    return devices;
}

void unordered_find_contexts(struct unordered *file)
{
    struct keymap seen = {0};
    for (uint32_t i = 0; i < file->gpus.count && !file->builder->failed; i++) {
        const struct unordered_gpu *gpu = &file->gpus.at[i];
        struct cuda_context context = {
            build_operation(file->builder->timeline, gpu->kind, gpu->detail).context, gpu->device};
        if (!has_place(gpu) || context.context == 0)
            continue;
        int64_t key = (int64_t)((uint64_t)gpu->process << 32 | context.context);
        if (keymap_find_id(&seen, key) != KEYMAP_NONE)
            continue;
        file->builder->failed |= !keymap_set_id(&seen, key, 0);
        unordered_add_context(file, gpu->process, &context);
    }
    keymap_fini(&seen);
}

void unordered_warn(struct unordered *file, const char *what, uint64_t count)
{
    for (uint32_t i = 0; i < file->warnings.count; i++)
        if (strcmp(file->warnings.at[i].what, what) == 0) {
            file->warnings.at[i].count += count;
            return;
        }
    struct unordered_warning *warning = count ? ADD(file, &file->warnings) : NULL;
    if (warning)
        *warning = (struct unordered_warning){what, count};
}

void unordered_note(struct unordered *file, struct text text)
{
    file->note = unordered_keep_text(file, text);
}

void unordered_append_migration(struct unordered *file, uint32_t process,
                                const struct migration *migration)
{
    struct unordered_migration *added = ADD(file, &file->migrations);
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
        widen(&span, slice->start_ns, slice->flags & TL_UNCLOSED ? slice->start_ns : slice->end_ns);
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

int64_t unordered_end(struct unordered *file)
{
    struct span span = span_of(file);
    for (uint32_t i = 0; i < file->slices.count; i++)
        if (file->slices.at[i].flags & TL_UNCLOSED)
            file->slices.at[i].end_ns = span.last_ns;
    keymap_fini(&file->details);
    return span.first_ns == INT64_MAX ? 0 : span.first_ns;
}

void unordered_set_origin(struct unordered *file, int64_t origin_ns)
{
    file->origin_ns = origin_ns;
}
