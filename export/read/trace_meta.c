/* trace_meta.c - META chunks: names, threads, devices, clock samples, stacks. */
#include "trace_walk.h"
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* META records of call stacks and of the modules that they point into. */

static bool trace_stack_frames(const struct record *record, struct call_stack *stack)
{
    struct prof_rec_stack_frames head;
    record_copy(record, &head, sizeof head);
    *stack = (struct call_stack){
        .addresses = record->at + sizeof head / 8,
        .id = head.id,
        .frames = head.frames,
        .method = head.method,
        .cut = head.flags & PROF_STACK_CUT,
        .ticks = head.ticks,
    };
    return head.id != 0 && head.frames <= record->words - sizeof head / 8;
}

static bool trace_stack_module(const struct record *record, struct loaded_module *module)
{
    struct prof_rec_module head;
    record_copy(record, &head, sizeof head);
    *module = (struct loaded_module){
        .start = head.start,
        .end = head.end,
        .file_offset = head.file_offset,
        .bias = head.bias,
        .ticks = head.ticks,
        .path = {"", head.bytes},
        .id = head.id,
        .build_id_bytes = head.build_id_bytes,
    };
    memcpy(module->build_id, head.build_id, sizeof module->build_id);
    return head.id != 0 && head.start < head.end && head.build_id_bytes <= sizeof head.build_id &&
           record_text(record, sizeof head, head.bytes, &module->path.bytes);
}

/* META chunks: the facts that come before the first event.
 *
 * They are read twice. Collecting finds damage and what the walk itself needs (clock samples,
 * stops, texts of the process); telling gives the builder names, threads and devices.
 */

struct checked_text {
    struct text text;
    bool good;
};

static struct checked_text text_after(const struct record *record, size_t head_bytes,
                                      uint32_t bytes)
{
    struct checked_text checked = {{"", bytes}, false};
    checked.good = record_text(record, head_bytes, bytes, &checked.text.bytes);
    return checked;
}

static struct checked_text read_name(const struct record *record, struct prof_rec_name *name)
{
    record_copy(record, name, sizeof *name);
    struct checked_text checked = text_after(record, sizeof *name, name->bytes);
    checked.good = checked.good && name->id != 0 && name->bytes <= PROF_NAME_BYTES_MAX &&
                   text_hash((struct text){checked.text.bytes, name->bytes}) == name->hash;
    return checked;
}

static struct checked_text read_info(const struct record *record, struct prof_rec_info *info)
{
    record_copy(record, info, sizeof *info);
    return text_after(record, sizeof *info, info->bytes);
}

static struct checked_text read_thread_info(const struct record *record,
                                            struct prof_rec_thread_info *info)
{
    record_copy(record, info, sizeof *info);
    struct checked_text checked = text_after(record, sizeof *info, info->bytes);
    checked.good = checked.good && info->thread != 0;
    return checked;
}

static void damage(struct walk *walk, const struct record *record, const char *what)
{
    walk_damage(walk, walk_offset(walk, record->at), what);
}

static void collect_info(struct walk *walk, const struct record *record)
{
    struct prof_rec_info info;
    struct checked_text checked = read_info(record, &info);
    struct tl_process_info *process = &walk->process;
    if (!checked.good) {
        damage(walk, record, "a text is longer than its record");
        return;
    }
    switch ((enum prof_info_key)info.key) {
    case PROF_INFO_PROGRAM:
        process->program = checked.text;
        break;
    case PROF_INFO_HOST:
        process->host = checked.text;
        break;
    case PROF_INFO_GPU_REASON:
        process->gpu_reason = checked.text;
        break;
    case PROF_INFO_CUPTI:
        process->cupti = checked.text;
        break;
    case PROF_INFO_DRIVER:
        process->driver = checked.text;
        break;
    case PROF_INFO_CLOCK:
        process->clock_note = checked.text;
        break;
    case PROF_INFO_RANK_SOURCE:
        process->rank_source = checked.text;
        break;
    case PROF_INFO_REQUEST:
        process->request = checked.text;
        break;
    case PROF_INFO_JOB:
        process->job = checked.text;
        break;
    case PROF_INFO_NOTE:
        break; /* append_note(): there may be several */
    }
}

static void collect_clock(struct walk *walk, const struct record *record)
{
    struct prof_rec_clock clock;
    record_copy(record, &clock, sizeof clock);
    struct clock_sample sample = {clock.ticks, clock.monotonic_ns, clock.realtime_ns,
                                  clock.width_ticks};
    if (!clockmap_add(&walk->clock, &sample))
        walk_no_memory(walk);
}

static int64_t larger(int64_t a, uint64_t b)
{
    return b > INT64_MAX ? INT64_MAX : a > (int64_t)b ? a : (int64_t)b;
}

/* The worst of all statements holds throughout. */
static void collect_system_clock(struct walk *walk, const struct record *record)
{
    struct tl_process_info *process = &walk->process;
    struct prof_rec_system_clock clock;
    record_copy(record, &clock, sizeof clock);
    bool synchronized = clock.flags & PROF_SYSTEM_CLOCK_SYNCHRONIZED;
    process->system_clock_synchronized =
        synchronized && (!process->system_clock_known || process->system_clock_synchronized);
    process->system_clock_known = true;
    process->system_clock_max_error_ns =
        larger(process->system_clock_max_error_ns, clock.max_error_ns);
    process->system_clock_estimated_error_ns =
        larger(process->system_clock_estimated_error_ns, clock.estimated_error_ns);
}

/* What was open when recording began will end without having begun. */
static void collect_start(struct walk *walk, const struct prof_rec_control *control)
{
    bool late = control->reason != PROF_CONTROL_STARTUP && control->reason != PROF_CONTROL_UNKNOWN;
    bool ascending = !walk->late_count || walk->late_epochs[walk->late_count - 1] < control->epoch;
    if (late && ascending &&
        walk_room(walk, &walk->late_epochs, walk->late_count, &walk->late_capacity,
                  sizeof *walk->late_epochs))
        walk->late_epochs[walk->late_count++] = control->epoch;
}

static void collect_control(struct walk *walk, const struct record *record)
{
    struct prof_rec_control control;
    record_copy(record, &control, sizeof control);
    if (control.on) {
        collect_start(walk, &control);
        return;
    }
    if (idmap_find(&walk->stop_of_epoch, control.epoch) != IDMAP_NONE ||
        !walk_room(walk, &walk->stops, walk->stop_count, &walk->stop_capacity, sizeof *walk->stops))
        return;
    walk->stops[walk->stop_count++] = control.ticks;
    if (!idmap_set(&walk->stop_of_epoch, control.epoch, (uint32_t)walk->stop_count - 1))
        walk_no_memory(walk);
}

static void collect_name(struct walk *walk, const struct record *record)
{
    struct prof_rec_name name;
    if (!read_name(record, &name).good)
        damage(walk, record, "a name is damaged");
}

static void collect_thread(struct walk *walk, const struct record *record)
{
    struct prof_rec_thread_info info;
    if (!read_thread_info(record, &info).good)
        damage(walk, record, "a thread's description is damaged");
}

/* Ids begin at 1, as those of names do. */
static void collect_event_name(struct walk *walk, const struct record *record)
{
    struct prof_rec_event_name name;
    record_copy(record, &name, sizeof name);
    if (name.id == 0)
        damage(walk, record, "an event name is damaged");
}

static void collect_stack(struct walk *walk, const struct record *record)
{
    if (!trace_stack_frames(record, &(struct call_stack){0}))
        damage(walk, record, "a call stack is longer than its record");
}

static void collect_module(struct walk *walk, const struct record *record)
{
    if (!trace_stack_module(record, &(struct loaded_module){0}))
        damage(walk, record, "a module is damaged");
}

static void collect_record(struct walk *walk, const struct record *record)
{
    switch (record_type(record)) {
    case PROF_REC_INFO:
        collect_info(walk, record);
        break;
    case PROF_REC_CLOCK:
        collect_clock(walk, record);
        break;
    case PROF_REC_SYSTEM_CLOCK:
        collect_system_clock(walk, record);
        break;
    case PROF_REC_CONTROL:
        collect_control(walk, record);
        break;
    case PROF_REC_NAME:
        collect_name(walk, record);
        break;
    case PROF_REC_THREAD_INFO:
        collect_thread(walk, record);
        break;
    case PROF_REC_EVENT_NAME:
        collect_event_name(walk, record);
        break;
    case PROF_REC_STACK_FRAMES:
        collect_stack(walk, record);
        break;
    case PROF_REC_MODULE:
        collect_module(walk, record);
        break;
    case PROF_REC_ATTR_SET:
        walk_attr_set_collect(walk, record);
        break;
    case PROF_REC_COST:
        walk_cost_collect(&walk->cost, record);
        break;
    default:
        break;
    }
}

static void collect_chunk(struct walk *walk, struct walk_span span)
{
    struct record record;
    for (size_t i = 0; i < span.words && !walk->failed; i += record.words) {
        enum record_status status = record_read(span.at + i, span.words - i, &record);
        if (walk_accepts(walk, status, &record) && PROF_WORD_KIND(record.header) == PROF_KIND_EXT)
            collect_record(walk, &record);
        if (status == RECORD_BAD)
            break;
    }
}

static struct text library_version(const struct prof_file_header *header)
{
    const char *text = (const char *)header->library_version;
    const char *end = memchr(text, 0, sizeof header->library_version);
    return (struct text){text, end ? (size_t)(end - text) : sizeof header->library_version};
}

static void describe_process(struct walk *walk)
{
    const struct prof_file_header *header = &walk->file->header;
    struct tl_process_info *process = &walk->process;
    bool known_mode = header->gpu_mode <= PROF_GPU_PARTIAL;
    process->pid = header->pid;
    process->parent_pid = header->parent_pid;
    process->rank = header->rank;
    process->local_rank = header->local_rank;
    process->world_size = header->world_size;
    process->start_realtime_ns = header->start_realtime_ns;
    process->process_start_ns = header->process_start_ns;
    process->closed = header->state == PROF_STATE_CLOSED;
    process->ring = header->flags & PROF_FILE_RING || walk->file->skips;
    process->copied = header->flags & PROF_FILE_COPIED;
    process->simulated = header->flags & PROF_FILE_SIMULATED;
    process->gpu_mode = known_mode ? (enum prof_gpu_mode)header->gpu_mode : PROF_GPU_UNAVAILABLE;
    process->gpu_records = header->gpu_records;
    process->library_version = library_version(header);
}

void walk_meta_collect(struct walk *walk)
{
    describe_process(walk);
    for (size_t i = 0; i < walk->meta_count && !walk->failed; i++)
        collect_chunk(walk, walk_records(walk, walk->metas[i]));
}

/* Ends in "...#" and 16 digits. */
static bool is_marked(struct text name)
{
    static const char mark[] = "...#";
    const size_t mark_bytes = sizeof mark - 1, digits = 16;
    if (name.size < mark_bytes + digits)
        return false;
    const char *at = name.bytes + name.size - digits;
    for (size_t i = 0; i < digits; i++)
        if (!memchr("0123456789abcdef", at[i], 16))
            return false;
    return memcmp(at - mark_bytes, mark, mark_bytes) == 0;
}

static void append_name(struct walk *walk, const struct record *record)
{
    struct prof_rec_name name;
    struct checked_text checked = read_name(record, &name);
    if (!checked.good)
        return;
    builder_define_name(walk->builder, name.id, checked.text);
    if (name.full_bytes > name.bytes) {
        walk->cut_names++;
        walk->unmarked_names |= !is_marked(checked.text);
    }
}

static void note_cut_names(struct walk *walk)
{
    char note[200];
    if (!walk->cut_names)
        return;
    int size = snprintf(note, sizeof note, "%" PRIu64 " name%s longer than %u bytes %s cut; %s",
                        walk->cut_names, plural(walk->cut_names), PROF_NAME_BYTES_MAX,
                        walk->cut_names == 1 ? "is" : "are",
                        walk->unmarked_names ? "names that differ only after that are shown as one"
                                             : "\"...#\" and a hash stand for the rest");
    builder_add_note(walk->builder, (struct text){note, (size_t)size});
}

static void append_thread(struct walk *walk, const struct record *record)
{
    struct prof_rec_thread_info info;
    struct checked_text checked = read_thread_info(record, &info);
    struct walk_thread *thread = checked.good ? walk_thread_find(walk, info.thread) : NULL;
    if (!thread)
        return;
    thread->described = thread->stated = true;
    builder_define_thread(walk->builder, info.thread, info.tid, checked.text,
                          info.flags & PROF_THREAD_INTERNAL);
}

static void append_device(struct walk *walk, const struct record *record)
{
    struct prof_rec_device from;
    record_copy(record, &from, sizeof from);
    struct tl_device_info device = {
        .device = from.device,
        .name = from.name,
        .memory_bytes = from.memory_bytes,
        .memory_bandwidth = from.memory_bandwidth,
        .compute_major = from.compute_major,
        .compute_minor = from.compute_minor,
        .multiprocessors = from.multiprocessors,
        .core_clock_khz = from.core_clock_khz,
        .l2_bytes = from.l2_bytes,
        .threads_per_warp = from.threads_per_warp,
        .max_threads_per_block = from.max_threads_per_block,
        .max_threads_per_multiprocessor = from.max_threads_per_multiprocessor,
        .max_blocks_per_multiprocessor = from.max_blocks_per_multiprocessor,
        .max_warps_per_multiprocessor = from.max_warps_per_multiprocessor,
        .registers_per_block = from.registers_per_block,
        .registers_per_multiprocessor = from.registers_per_multiprocessor,
        .shared_memory_per_block = from.shared_memory_per_block,
        .shared_memory_per_multiprocessor = from.shared_memory_per_multiprocessor,
    };
    memcpy(device.uuid, from.uuid, sizeof device.uuid);
    builder_define_device(walk->builder, &device);
}

static void append_context(struct walk *walk, const struct record *record)
{
    struct prof_rec_context context;
    record_copy(record, &context, sizeof context);
    builder_define_context(walk->builder, &(struct cuda_context){context.context, context.device});
}

static void append_stream(struct walk *walk, const struct record *record)
{
    struct prof_rec_stream stream;
    record_copy(record, &stream, sizeof stream);
    builder_define_stream(walk->builder,
                          &(struct cuda_stream){stream.context, stream.stream, stream.priority});
}

static void append_api_name(struct walk *walk, const struct record *record)
{
    struct prof_rec_api_name name;
    record_copy(record, &name, sizeof name);
    if (name.domain == PROF_API_RUNTIME || name.domain == PROF_API_DRIVER)
        builder_define_api_name(walk->builder, (enum prof_api_domain)name.domain, name.cbid,
                                name.name);
}

static void append_child(struct walk *walk, const struct record *record)
{
    struct prof_rec_child child;
    record_copy(record, &child, sizeof child);
    if (child.origin < PROF_CHILD_FORK || child.origin > PROF_CHILD_EXEC)
        return;
    int64_t time_ns = child.ticks ? clockmap_time_ns(&walk->clock, child.ticks) : 0;
    builder_append_child(walk->builder, child.pid, (enum prof_child_origin)child.origin, time_ns);
}

static void append_event_name(struct walk *walk, const struct record *record)
{
    struct prof_rec_event_name name;
    record_copy(record, &name, sizeof name);
    if (name.id != 0)
        builder_define_event_name(walk->builder,
                                  &(struct event_name){name.id, name.name, name.domain,
                                                       name.category, name.color, name.flags});
}

static void append_domain(struct walk *walk, const struct record *record)
{
    struct prof_rec_domain domain;
    record_copy(record, &domain, sizeof domain);
    builder_define_domain(walk->builder, &(struct nvtx_domain){domain.domain, domain.name});
}

static void append_category(struct walk *walk, const struct record *record)
{
    struct prof_rec_category category;
    record_copy(record, &category, sizeof category);
    builder_define_category(
        walk->builder, &(struct nvtx_category){category.domain, category.category, category.name});
}

static void append_resource(struct walk *walk, const struct record *record)
{
    struct prof_rec_resource resource;
    record_copy(record, &resource, sizeof resource);
    builder_define_resource(
        walk->builder, &(struct named_resource){resource.handle, resource.type, resource.name});
}

static void append_stack(struct walk *walk, const struct record *record)
{
    struct call_stack stack;
    if (trace_stack_frames(record, &stack))
        builder_define_stack(walk->builder, &stack);
}

static void append_module(struct walk *walk, const struct record *record)
{
    struct loaded_module module;
    if (trace_stack_module(record, &module))
        builder_define_module(walk->builder, &module);
}

static void append_module_gone(struct walk *walk, const struct record *record)
{
    struct prof_rec_module_gone gone;
    record_copy(record, &gone, sizeof gone);
    builder_end_module(walk->builder, gone.id, gone.ticks);
}

static void append_control(struct walk *walk, const struct record *record)
{
    struct prof_rec_control control;
    record_copy(record, &control, sizeof control);
    enum prof_control_reason reason = control.reason < PROF_CONTROL_COUNT
                                          ? (enum prof_control_reason)control.reason
                                          : PROF_CONTROL_UNKNOWN;
    builder_append_control(walk->builder, control.on != 0, control.epoch, reason,
                           clockmap_time_ns(&walk->clock, control.ticks));
}

static void append_frames_end(struct walk *walk, const struct record *record)
{
    struct prof_rec_frames_end end;
    record_copy(record, &end, sizeof end);
    builder_end_frames(walk->builder, clockmap_time_ns(&walk->clock, end.ticks));
}

static void append_stream_loss(struct walk *walk, const struct record *record)
{
    struct prof_rec_stream_loss loss;
    record_copy(record, &loss, sizeof loss);
    if (loss.cause < PROF_LOSS_COUNT)
        builder_add_stream_loss(
            walk->builder,
            &(struct stream_loss){{loss.context, loss.stream, loss.graph, loss.device, loss.cause},
                                  loss.count});
}

static void append_note(struct walk *walk, const struct record *record)
{
    struct prof_rec_info info;
    struct checked_text checked = read_info(record, &info);
    if (checked.good && info.key == PROF_INFO_NOTE)
        builder_add_note(walk->builder, checked.text);
}

static void append_record(struct walk *walk, const struct record *record)
{
    switch (record_type(record)) {
    case PROF_REC_INFO:
        append_note(walk, record);
        break;
    case PROF_REC_NAME:
        append_name(walk, record);
        break;
    case PROF_REC_THREAD_INFO:
        append_thread(walk, record);
        break;
    case PROF_REC_DEVICE:
        append_device(walk, record);
        break;
    case PROF_REC_CONTEXT:
        append_context(walk, record);
        break;
    case PROF_REC_STREAM:
        append_stream(walk, record);
        break;
    case PROF_REC_API_NAME:
        append_api_name(walk, record);
        break;
    case PROF_REC_CHILD:
        append_child(walk, record);
        break;
    case PROF_REC_EVENT_NAME:
        append_event_name(walk, record);
        break;
    case PROF_REC_DOMAIN:
        append_domain(walk, record);
        break;
    case PROF_REC_CATEGORY:
        append_category(walk, record);
        break;
    case PROF_REC_RESOURCE:
        append_resource(walk, record);
        break;
    case PROF_REC_ALLOCATOR:
        walk_allocator(walk, record);
        break;
    case PROF_REC_STACK_FRAMES:
        append_stack(walk, record);
        break;
    case PROF_REC_MODULE:
        append_module(walk, record);
        break;
    case PROF_REC_MODULE_GONE:
        append_module_gone(walk, record);
        break;
    case PROF_REC_CONTROL:
        append_control(walk, record);
        break;
    case PROF_REC_FRAMES_END:
        append_frames_end(walk, record);
        break;
    case PROF_REC_EARLIER_NODE:
        walk_earlier_node(walk, record);
        break;
    case PROF_REC_GRAPH:
        walk_graph(walk, record);
        break;
    case PROF_REC_THROTTLE:
        walk_throttle_append(walk, record);
        break;
    case PROF_REC_STREAM_LOSS:
        append_stream_loss(walk, record);
        break;
    default:
        break;
    }
}

static void append_summary(struct walk *walk, const struct record *record)
{
    struct prof_rec_summary summary;
    uint32_t durations[PROF_SUMMARY_BUCKETS] = {0};
    record_copy(record, &summary, sizeof summary);
    size_t room = (record->words - sizeof summary / 8) * 2;
    if (summary.buckets > room || summary.buckets > PROF_SUMMARY_BUCKETS) {
        damage(walk, record, "a summary is longer than its record");
        return;
    }
    memcpy(durations, record->at + sizeof summary / 8, summary.buckets * sizeof *durations);
    builder_append_summary(walk->builder, &summary, durations);
}

/* What refers to names, once they are all known. */
static void append_summaries(struct walk *walk, const struct record *record)
{
    struct prof_rec_summary_step step;
    if (record_type(record) == PROF_REC_SUMMARY)
        append_summary(walk, record);
    if (record_type(record) != PROF_REC_SUMMARY_STEP)
        return;
    record_copy(record, &step, sizeof step);
    builder_append_summary_step(walk->builder, &step);
}

static void visit_chunks(struct walk *walk,
                         void (*visit)(struct walk *walk, const struct record *record))
{
    for (size_t chunk = 0; chunk < walk->meta_count; chunk++) {
        struct walk_span span = walk_records(walk, walk->metas[chunk]);
        struct record record;
        for (size_t i = 0; i < span.words && !walk->failed; i += record.words) {
            enum record_status status = record_read(span.at + i, span.words - i, &record);
            if (status == RECORD_BAD)
                break;
            if (status == RECORD_GOOD && PROF_WORD_KIND(record.header) == PROF_KIND_EXT)
                visit(walk, &record);
        }
    }
}

static void append_losses(struct walk *walk)
{
    const uint64_t *loss = walk->file->header.loss;
    for (unsigned cause = 0; cause < PROF_LOSS_SLOTS; cause++) {
        if (cause >= PROF_LOSS_COUNT)
            walk->health.unknown_losses += loss[cause];
        else if (loss[cause])
            builder_add_loss(walk->builder, (enum prof_loss_cause)cause, loss[cause]);
    }
}

void walk_meta_append(struct walk *walk)
{
    builder_set_process(walk->builder, &walk->process);
    visit_chunks(walk, append_record);
    visit_chunks(walk, append_summaries);
    note_cut_names(walk);
    append_losses(walk);
}
