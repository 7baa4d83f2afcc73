/* build_finish.c - appends what build_unordered.c gathered to the timeline, one process after the
 * other. */
#include "build_unordered.h"

#include <stdlib.h>
#include <string.h>

/* What devices did. */

/* From the id of the file's name to the timeline's name. */
static void rename_kernel(struct unordered *file, uint32_t detail)
{
    struct tl_kernel *kernel = &file->builder->timeline->kernels.at[detail];
    bool *renamed = &file->renamed[detail - file->first_kernel];
    if (!*renamed)
        kernel->name = build_name(file->builder, kernel->name);
    *renamed = true;
}

static void append_gpu(struct unordered *file, const struct unordered_gpu *gpu)
{
    struct builder *builder = file->builder;
    const uint32_t *numbers = file->index->numbers;
    uint32_t number = numbers && gpu->range ? numbers[gpu->range - 1] : 0, device = gpu->device;
    if (gpu->kind == TL_KERNEL)
        rename_kernel(file, gpu->detail);
    if (gpu->of_context)
        device = build_context_device(builder, builder->timeline->syncs.at[gpu->detail].context);
    build_gpu_append(
        builder,
        (struct tl_gpu){
            .start_ns = gpu->start_ns,
            .end_ns = gpu->end_ns,
            .slice = number ? builder->first.slices + number - 1 : TL_NONE,
            .correlation = gpu->correlation,
            .kind = gpu->kind,
            .flags = gpu->ambiguous && unordered_is_operation(gpu) ? TL_GPU_AMBIGUOUS : 0,
            .detail = gpu->detail,
            .device = device,
        },
        gpu->name);
}

/* Facts. */

/* Operations of the process, waits and overhead apart. */
static uint64_t count_operations(const struct unordered *file, uint32_t process)
{
    struct unordered_group gpus = unordered_group(&file->index->gpus, process);
    uint64_t count = 0;
    for (uint32_t i = 0; i < gpus.count; i++)
        count += unordered_is_operation(&file->gpus.at[gpus.at[i]]);
    return count;
}

static void set_process(struct unordered *file, uint32_t process)
{
    static const char no_records[] = "the file has no device records";
    struct tl_process_info info = file->processes.at[process];
    info.gpu_records = count_operations(file, process);
    if (info.gpu_records == 0 &&
        (info.gpu_mode == PROF_GPU_CUPTI || info.gpu_mode == PROF_GPU_OTHER)) {
        info.gpu_mode = PROF_GPU_NONE;
        info.gpu_reason = (struct text){no_records, sizeof no_records - 1};
    }
    builder_set_process(file->builder, &info);
}

/* The names that the process uses, in the order in which it does. */

/* Nothing is used yet. `kernels`: details of kernels of the file. */
static bool make_names(struct unordered *file, uint32_t kernels)
{
    file->final = malloc(((size_t)file->names.count + 1) * sizeof *file->final);
    file->renamed = calloc((size_t)kernels + 1, sizeof *file->renamed);
    if (!file->final || !file->renamed)
        return false;
    memset(file->final, 0xff, ((size_t)file->names.count + 1) * sizeof *file->final);
    return true;
}

uint32_t build_file_name(const struct builder *builder, uint32_t id)
{
    const struct unordered *file = builder->file;
    return id && id <= file->names.count ? file->final[id - 1] : IDMAP_NONE;
}

static void use_name(struct unordered *file, uint32_t id)
{
    struct builder *builder = file->builder;
    if (!id || id > file->names.count || file->final[id - 1] != TL_NONE)
        return;
    uint32_t name = text_pool_add(&builder->timeline->names, text_pool_text(&file->names, id));
    builder->failed |= name == TL_NONE;
    file->final[id - 1] = name;
}

/* The id of a name or of a label. */
static void use(struct unordered *file, uint32_t id)
{
    const struct text_pool *labels = &file->labels;
    uint32_t number = id & ~UNORDERED_LABEL;
    struct event_name label;
    if (!(id & UNORDERED_LABEL)) {
        use_name(file, id);
    } else if (number && number <= labels->count) {
        memcpy(&label, text_pool_text(labels, number).bytes, sizeof label);
        use_name(file, label.name);
    }
}

static void use_slice(struct unordered *file, const struct unordered_slice *slice)
{
    use(file, slice->name);
    for (uint32_t i = 0; i < slice->attr_count; i++) {
        const struct event_attr *attr = &file->attrs.at[slice->first_attr + i];
        use_name(file, attr->key);
        if (attr->type == PROF_ATTR_STRING)
            use_name(file, (uint32_t)attr->value);
    }
}

static void use_thread(struct unordered *file, uint32_t thread)
{
    const struct unordered_index *index = file->index;
    const uint32_t *slices = index->slices.starts + thread,
                   *instants = index->instants.starts + thread;
    for (uint32_t i = slices[0]; i < slices[1]; i++)
        use_slice(file, &file->slices.at[index->slices.items[i].value]);
    for (uint32_t i = instants[0]; i < instants[1]; i++) {
        const struct unordered_instant *instant =
            &file->instants.at[index->instants.items[i].value];
        if (instant->kind != UNORDERED_MEMORY)
            use(file, instant->name);
    }
}

static void use_gpu(struct unordered *file, const struct unordered_gpu *gpu)
{
    use_name(file, gpu->name);
    if (gpu->kind == TL_KERNEL && !file->renamed[gpu->detail - file->first_kernel])
        use_name(file, file->builder->timeline->kernels.at[gpu->detail].name);
}

#define USE_OF_PROCESS(file, array, process_, name_) \
    for (uint32_t i = 0; i < (array)->count; i++)    \
        if ((array)->at[i].process == (process_))    \
    use_name(file, (array)->at[i].name_)

static void use_names(struct unordered *file, uint32_t process)
{
    const struct unordered_index *index = file->index;
    struct unordered_group threads = unordered_group(&index->threads, process),
                           asyncs = unordered_group(&index->asyncs, process),
                           gpus = unordered_group(&index->gpus, process);
    USE_OF_PROCESS(file, &file->devices, process, device.name);
    USE_OF_PROCESS(file, &file->domains, process, name);
    USE_OF_PROCESS(file, &file->categories, process, category.name);
    USE_OF_PROCESS(file, &file->allocators, process, name);
    for (uint32_t i = 0; i < threads.count; i++)
        use_thread(file, threads.at[i] + 1);
    for (uint32_t i = 0; i < asyncs.count; i++)
        use(file, file->asyncs.at[asyncs.at[i]].name);
    for (uint32_t i = 0; i < gpus.count; i++)
        use_gpu(file, &file->gpus.at[gpus.at[i]]);
}

static void define_devices(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    for (uint32_t i = 0; i < file->devices.count; i++)
        if (file->devices.at[i].process == process)
            builder_define_device(builder, &file->devices.at[i].device);
    for (uint32_t i = 0; i < file->contexts.count; i++)
        if (file->contexts.at[i].process == process)
            builder_define_context(builder, &file->contexts.at[i].context);
    for (uint32_t i = 0; i < file->streams.count; i++)
        if (file->streams.at[i].process == process)
            builder_define_stream(builder, &file->streams.at[i].stream);
}

static void define_domains(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    for (uint32_t i = 0; i < file->domains.count; i++)
        if (file->domains.at[i].process == process && file->domains.at[i].name)
            builder_define_domain(
                builder, &(struct nvtx_domain){.domain = i + 1, .name = file->domains.at[i].name});
    for (uint32_t i = 0; i < file->categories.count; i++)
        if (file->categories.at[i].process == process)
            builder_define_category(builder, &file->categories.at[i].category);
}

static void define_threads(struct unordered *file, uint32_t process)
{
    struct unordered_group threads = unordered_group(&file->index->threads, process);
    for (uint32_t i = 0; i < threads.count; i++) {
        const struct unordered_thread *thread = &file->threads.at[threads.at[i]];
        builder_define_thread(file->builder, threads.at[i] + 1, thread->tid,
                              unordered_name_text(file, thread->name), false);
    }
}

static void define_facts(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    set_process(file, process);
    use_names(file, process);
    define_devices(file, process);
    define_domains(file, process);
    for (uint32_t i = 0; i < file->allocators.count; i++)
        if (file->allocators.at[i].process == process)
            builder_define_allocator(builder, i + 1, file->allocators.at[i].name);
    define_threads(file, process);
    for (uint32_t i = 0; i < file->warnings.count && process == 0; i++) {
        const struct unordered_warning *warning = &file->warnings.at[i];
        builder_add_warning(builder, (struct text){warning->what, strlen(warning->what)},
                            warning->count);
    }
    if (file->note.size && process == 0)
        builder_add_note(builder, file->note);
}

/* Memory that no thread is known of, and begin/end ranges. */

/* The first of a thread's items, INT64_MAX without any. */
static int64_t first_slice_ns(const struct unordered *file, uint32_t thread)
{
    const struct unordered_sorted *sorted = &file->index->slices;
    const uint32_t *starts = sorted->starts + thread;
    return starts[0] == starts[1] ? INT64_MAX
                                  : file->slices.at[sorted->items[starts[0]].value].start_ns;
}

static int64_t first_instant_ns(const struct unordered *file, uint32_t thread)
{
    const struct unordered_sorted *sorted = &file->index->instants;
    const uint32_t *starts = sorted->starts + thread;
    return starts[0] == starts[1] ? INT64_MAX
                                  : file->instants.at[sorted->items[starts[0]].value].time_ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the process's first event was; the file's time 0 without any. */
static int64_t first_event_ns(const struct unordered *file, uint32_t process)
{
    const struct unordered_index *index = file->index;
    int64_t first = INT64_MAX;
    struct unordered_group threads = unordered_group(&index->threads, process);
    for (uint32_t i = 0; i < threads.count; i++)
        first = earlier(first, earlier(first_slice_ns(file, threads.at[i] + 1),
                                       first_instant_ns(file, threads.at[i] + 1)));
    struct unordered_group asyncs = unordered_group(&index->asyncs, process);
    for (uint32_t i = 0; i < asyncs.count; i++)
        first = earlier(first, file->asyncs.at[asyncs.at[i]].start_ns);
    struct unordered_group gpus = unordered_group(&index->gpus, process);
    for (uint32_t i = 0; i < gpus.count; i++)
        first = earlier(first, file->gpus.at[gpus.at[i]].start_ns);
    return first == INT64_MAX ? file->origin_ns : first;
}

/* What was allocated before the process's first event counts from that on, so that its time is that
 * of its events. */
static void append_memory_apart(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    int64_t first_ns = 0;
    bool known = false;
    for (uint32_t i = 0; i < file->memories.count; i++) {
        const struct unordered_memory *memory = &file->memories.at[i];
        struct memory_event event = memory->event;
        bool at_start = event.time_ns == TL_NO_TIME;
        if (event.thread || memory->process != process)
            continue;
        if (at_start && !known)
            known = true, first_ns = first_event_ns(file, process);
        if (at_start)
            event.time_ns = first_ns;
        builder_append_memory(builder, &event);
    }
    for (uint32_t i = 0; i < file->migrations.count; i++)
        if (file->migrations.at[i].process == process)
            builder_append_migration(builder, &file->migrations.at[i].of);
}

static void append_asyncs(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    struct unordered_group asyncs = unordered_group(&file->index->asyncs, process);
    for (uint32_t i = 0; i < asyncs.count; i++) {
        const struct unordered_async *async = &file->asyncs.at[asyncs.at[i]];
        builder_begin_async(builder, async->thread, async->start_ns, async->name, async->id);
        if (async->end_thread)
            builder_end_async(builder, async->end_thread, async->end_ns, async->id);
    }
}

/* A call that outlives the one around it ends with it. `open`: the one around it, TL_NONE. */
static uint32_t append_frame(struct unordered *file, uint32_t thread,
                             const struct unordered_frame *from, uint32_t open)
{
    struct builder *builder = file->builder;
    struct timeline *timeline = builder->timeline;
    int64_t start_ns = build_time(builder, from->start_ns);
    int64_t end_ns = build_time(builder, from->end_ns);
    while (open != TL_NONE && timeline->frames.at[open].end_ns <= start_ns)
        open = timeline->frames.at[open].parent;
    if (open != TL_NONE && end_ns > timeline->frames.at[open].end_ns)
        end_ns = timeline->frames.at[open].end_ns;
    uint32_t index = timeline->frames.count;
    struct tl_frame *frame = ARRAY_ADD(&timeline->frames);
    builder->failed |= !frame;
    use_name(file, from->name);
    if (frame)
        *frame = (struct tl_frame){start_ns, end_ns, build_name(builder, from->name), thread, index,
                                   open,     0};
    return index;
}

static void append_frames(struct unordered *file, uint32_t process)
{
    struct builder *builder = file->builder;
    struct unordered_group threads = unordered_group(&file->index->threads, process);
    for (uint32_t i = 0; i < threads.count; i++) {
        uint32_t number = threads.at[i] + 1, open = TL_NONE;
        uint32_t frame =
            ARRAY_LOWER_BOUND(&file->frames, struct unordered_frame, thread, 0, number);
        bool has_any = frame < file->frames.count && file->frames.at[frame].thread == number;
        uint32_t thread = has_any ? build_thread_of(builder, number) : TL_NONE;
        for (; thread != TL_NONE && !builder->failed && frame < file->frames.count &&
               file->frames.at[frame].thread == number;
             frame++)
            open = append_frame(file, thread, &file->frames.at[frame], open);
    }
}

/* Before the file's first process. Arrays that grew step by step would need twice the memory for a
 * while. False: no memory. */
static bool begin_file(struct unordered *file)
{
    struct timeline *timeline = file->builder->timeline;
    return unordered_index(file) &&
           make_names(file, timeline->kernels.count - file->first_kernel) &&
           ARRAY_RESERVE_MORE(&timeline->slices, file->slices.count) &&
           ARRAY_RESERVE_MORE(&timeline->attrs, file->attrs.count) &&
           ARRAY_RESERVE_MORE(&timeline->gpus, file->gpus.count);
}

void unordered_finish_process(struct unordered *file, uint32_t process, struct tl_health *health)
{
    struct builder *builder = file->builder;
    builder->file = file;
    builder->origin_ns = file->origin_ns;
    builder->failed |= !builder->failed && !file->index && !begin_file(file);
    if (builder->failed)
        return;
    define_facts(file, process);
    append_memory_apart(file, process);
    uint64_t slices = unordered_append_threads(file, process);
    if (process + 1 ==
        file->processes.count) { /* no other needs them, and operations need memory */
        free(file->slices.at);
        free(file->attrs.at);
        file->slices.at = NULL;
        file->attrs.at = NULL;
    }
    append_frames(file, process);
    append_asyncs(file, process);
    struct unordered_group gpus = unordered_group(&file->index->gpus, process);
    for (uint32_t i = 0; i < gpus.count && !builder->failed; i++)
        append_gpu(file, &file->gpus.at[gpus.at[i]]);
    health->records = slices + gpus.count;
}
