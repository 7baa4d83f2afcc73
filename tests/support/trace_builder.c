/* trace_builder.c - see trace_builder.h. */
#define _POSIX_C_SOURCE 200809L
#include "trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOGS_MAX 4096

/* Where the next record of a chain of chunks goes. */
struct place {
    size_t chunk; /* offset; 0 with used 0: no chunk yet */
    size_t used;  /* bytes of the chunk, its header included */
};

struct log_place {
    struct place place;
    uint64_t sequence, base;
    uint32_t thread, epoch;
    bool begun;
};

struct trace_builder {
    uint8_t *bytes;
    size_t size;
    struct place meta;
    struct log_place logs[LOGS_MAX];
    uint32_t log;
    char **names;
    uint32_t name_count;
    unsigned clocks;
};

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static size_t add_chunk(struct trace_builder *trace)
{
    size_t offset = trace->size;
    trace->size += PROF_CHUNK_BYTES;
    uint8_t *grown = realloc(trace->bytes, trace->size);
    if (!grown)
        abort();
    trace->bytes = grown;
    memset(trace->bytes + offset, 0, PROF_CHUNK_BYTES);
    trace_builder_header(trace)->chunk_count = trace->size / PROF_CHUNK_BYTES;
    return offset;
}

struct prof_file_header *trace_builder_header(struct trace_builder *trace)
{
    return (struct prof_file_header *)(void *)trace->bytes;
}

static void fill_header(struct prof_file_header *header)
{
    memcpy(header->magic, PROF_FILE_MAGIC, PROF_FILE_MAGIC_BYTES);
    header->version = PROF_FORMAT_VERSION;
    header->byte_order = PROF_BYTE_ORDER_MARK;
    header->header_bytes = PROF_FILE_HEADER_BYTES;
    header->chunk_bytes = PROF_CHUNK_BYTES;
    header->pid = 4242;
    header->parent_pid = 1;
    header->clock_kind = PROF_CLOCK_MONOTONIC;
    header->state = PROF_STATE_CLOSED;
    header->ticks_per_second = 1000000000;
    header->start_ticks = TRACE_BUILDER_START_TICKS;
    header->start_monotonic_ns = TRACE_BUILDER_START_MONOTONIC;
    header->start_realtime_ns = TRACE_BUILDER_START_REALTIME;
    header->gpu_mode = PROF_GPU_CUPTI;
    header->rank = header->local_rank = header->world_size = -1;
    memcpy(header->library_version, "0.0.0-test", sizeof "0.0.0-test");
}

struct trace_builder *trace_builder_create(void)
{
    struct trace_builder *trace = must(calloc(1, sizeof *trace));
    add_chunk(trace);
    fill_header(trace_builder_header(trace));
    trace_builder_header(trace)->chunk_count = 1;
    trace->meta.used = PROF_FILE_HEADER_BYTES;
    return trace;
}

void trace_builder_destroy(struct trace_builder *trace)
{
    if (!trace)
        return;
    for (uint32_t i = 0; i < trace->name_count; i++)
        free(trace->names[i]);
    free(trace->names);
    free(trace->bytes);
    free(trace);
}

/* The file may move while it grows: the header is copied. */
static void add_usual_clocks(struct trace_builder *trace)
{
    struct prof_file_header header = *trace_builder_header(trace);
    uint64_t hour_ns = UINT64_C(3600000000000);
    uint64_t hour_ticks = header.ticks_per_second ? header.ticks_per_second * 3600 : hour_ns;
    trace_builder_clock(trace, header.start_ticks, header.start_monotonic_ns,
                        header.start_realtime_ns, 0);
    trace_builder_clock(trace, header.start_ticks + hour_ticks, header.start_monotonic_ns + hour_ns,
                        header.start_realtime_ns + hour_ns, 0);
}

const uint8_t *trace_builder_bytes(struct trace_builder *trace, size_t *size)
{
    if (!trace->clocks)
        add_usual_clocks(trace);
    *size = trace->size;
    return trace->bytes;
}

bool trace_builder_write(struct trace_builder *trace, const char *path)
{
    size_t size;
    const uint8_t *bytes = trace_builder_bytes(trace, &size);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

static void begin_chunk(struct trace_builder *trace, struct place *place,
                        struct prof_chunk_header header)
{
    place->chunk = add_chunk(trace);
    place->used = PROF_CHUNK_HEADER_BYTES;
    header.magic = PROF_CHUNK_MAGIC;
    header.header_bytes = PROF_CHUNK_HEADER_BYTES;
    header.index = place->chunk / PROF_CHUNK_BYTES;
    memcpy(trace->bytes + place->chunk, &header, sizeof header);
}

static void begin_log_chunk(struct trace_builder *trace, struct log_place *log)
{
    begin_chunk(trace, &log->place,
                (struct prof_chunk_header){
                    .kind = PROF_CHUNK_LOG,
                    .log = trace->log,
                    .thread = log->thread,
                    .sequence = log->sequence,
                    .base_ticks = log->base,
                    .epoch = log->epoch,
                });
}

static uint8_t *meta_room(struct trace_builder *trace, size_t bytes)
{
    if (trace->meta.used + bytes > PROF_CHUNK_BYTES)
        begin_chunk(trace, &trace->meta, (struct prof_chunk_header){.kind = PROF_CHUNK_META});
    uint8_t *at = trace->bytes + trace->meta.chunk + trace->meta.used;
    trace->meta.used += bytes;
    return at;
}

static uint8_t *log_room(struct trace_builder *trace, size_t bytes)
{
    struct log_place *log = &trace->logs[trace->log];
    if (!log->begun)
        abort(); /* trace_builder_log() comes first */
    if (log->place.used + bytes > PROF_CHUNK_BYTES)
        trace_builder_chunk(trace, 0);
    uint8_t *at = trace->bytes + log->place.chunk + log->place.used;
    log->place.used += bytes;
    return at;
}

size_t trace_builder_meta_offset(struct trace_builder *trace)
{
    return trace->meta.chunk + trace->meta.used;
}

size_t trace_builder_log_offset(struct trace_builder *trace)
{
    return trace->logs[trace->log].place.chunk + trace->logs[trace->log].place.used;
}

/* ---- facts ---- */

/* `head` begins with room for the header word. */
static void add_meta(struct trace_builder *trace, enum prof_record_type type, void *head,
                     size_t head_bytes, const void *text, size_t text_bytes)
{
    size_t bytes = (head_bytes + text_bytes + 7) / 8 * 8;
    uint64_t word = PROF_WORD_EXT(PROF_KIND_EXT, type, bytes / 8, 0);
    memcpy(head, &word, sizeof word);
    uint8_t *at = meta_room(trace, bytes);
    memcpy(at, head, head_bytes);
    if (text_bytes)
        memcpy(at + head_bytes, text, text_bytes);
}

void trace_builder_meta(struct trace_builder *trace, const void *record, size_t bytes)
{
    memcpy(meta_room(trace, bytes), record, bytes);
}

static uint32_t fnv(const char *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash;
}

void trace_builder_name_as(struct trace_builder *trace, uint32_t id, const char *bytes, size_t size)
{
    size_t kept = size > PROF_NAME_BYTES_MAX ? PROF_NAME_BYTES_MAX : size;
    struct prof_rec_name record = {
        .id = id,
        .bytes = (uint32_t)kept,
        .full_bytes = (uint32_t)size,
        .hash = fnv(bytes, kept),
    };
    add_meta(trace, PROF_REC_NAME, &record, sizeof record, bytes, kept);
}

/* `name` is NULL for an event name. */
static uint32_t new_id(struct trace_builder *trace, char *name)
{
    trace->names = must(realloc(trace->names, (trace->name_count + 1) * sizeof *trace->names));
    trace->names[trace->name_count++] = name;
    return trace->name_count;
}

uint32_t trace_builder_name(struct trace_builder *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->name_count; i++)
        if (trace->names[i] && strcmp(trace->names[i], name) == 0)
            return i + 1;
    uint32_t id = new_id(trace, must(strdup(name)));
    trace_builder_name_as(trace, id, name, strlen(name));
    return id;
}

void trace_builder_info(struct trace_builder *trace, enum prof_info_key key, const char *text)
{
    struct prof_rec_info record = {.key = key, .bytes = (uint32_t)strlen(text)};
    add_meta(trace, PROF_REC_INFO, &record, sizeof record, text, record.bytes);
}

void trace_builder_clock(struct trace_builder *trace, uint64_t ticks, uint64_t monotonic_ns,
                         uint64_t realtime_ns, uint64_t width_ticks)
{
    struct prof_rec_clock record = {0, ticks, monotonic_ns, realtime_ns, width_ticks};
    trace->clocks++;
    add_meta(trace, PROF_REC_CLOCK, &record, sizeof record, NULL, 0);
}

void trace_builder_system_clock(struct trace_builder *trace, bool synchronized,
                                uint64_t max_error_ns, uint64_t estimated_error_ns)
{
    struct prof_rec_system_clock record = {.max_error_ns = max_error_ns,
                                           .estimated_error_ns = estimated_error_ns,
                                           .flags =
                                               synchronized ? PROF_SYSTEM_CLOCK_SYNCHRONIZED : 0};
    add_meta(trace, PROF_REC_SYSTEM_CLOCK, &record, sizeof record, NULL, 0);
}

void trace_builder_thread(struct trace_builder *trace, uint32_t thread, uint32_t tid,
                          const char *name, uint32_t flags)
{
    struct prof_rec_thread_info record = {0, thread, tid, (uint32_t)strlen(name), flags};
    add_meta(trace, PROF_REC_THREAD_INFO, &record, sizeof record, name, record.bytes);
}

void trace_builder_device(struct trace_builder *trace, uint32_t device, const char *name)
{
    struct prof_rec_device record = {
        .device = device,
        .name = trace_builder_name(trace, name),
        .memory_bytes = UINT64_C(80) << 30,
        .compute_major = 9,
        .multiprocessors = 132,
        .threads_per_warp = 32,
        .max_threads_per_block = 1024,
        .max_threads_per_multiprocessor = 2048,
        .max_blocks_per_multiprocessor = 32,
        .max_warps_per_multiprocessor = 64,
        .registers_per_block = 65536,
        .registers_per_multiprocessor = 65536,
        .shared_memory_per_block = 49152,
        .shared_memory_per_multiprocessor = 233472,
    };
    add_meta(trace, PROF_REC_DEVICE, &record, sizeof record, NULL, 0);
}

void trace_builder_context(struct trace_builder *trace, uint32_t context, uint32_t device)
{
    struct prof_rec_context record = {0, context, device, 7, 0};
    add_meta(trace, PROF_REC_CONTEXT, &record, sizeof record, NULL, 0);
}

void trace_builder_stream(struct trace_builder *trace, uint32_t context, uint32_t stream,
                          int32_t priority)
{
    struct prof_rec_stream record = {0, context, stream, priority, 1};
    add_meta(trace, PROF_REC_STREAM, &record, sizeof record, NULL, 0);
}

static uint64_t ticks_of(struct trace_builder *trace, int64_t time_ns)
{
    return trace_builder_header(trace)->start_ticks + (uint64_t)time_ns;
}

void trace_builder_control_by(struct trace_builder *trace, int64_t time_ns, uint32_t epoch, bool on,
                              uint32_t reason)
{
    struct prof_rec_control record = {
        .ticks = ticks_of(trace, time_ns), .epoch = epoch, .on = on, .reason = reason};
    add_meta(trace, PROF_REC_CONTROL, &record, sizeof record, NULL, 0);
}

void trace_builder_cost(struct trace_builder *trace, int64_t time_ns,
                        const struct prof_rec_cost *head, const struct prof_cost_item *items,
                        size_t count)
{
    struct prof_rec_cost record = *head;
    record.ticks = ticks_of(trace, time_ns);
    add_meta(trace, PROF_REC_COST, &record, sizeof record, items, count * sizeof *items);
}

void trace_builder_throttle(struct trace_builder *trace, int64_t time_ns, uint32_t what, bool on,
                            uint32_t cost_ppm, uint32_t budget_ppm)
{
    struct prof_rec_throttle record = {.ticks = ticks_of(trace, time_ns),
                                       .what = what,
                                       .on = on,
                                       .cost_ppm = cost_ppm,
                                       .budget_ppm = budget_ppm};
    add_meta(trace, PROF_REC_THROTTLE, &record, sizeof record, NULL, 0);
}

void trace_builder_frames_end(struct trace_builder *trace, int64_t time_ns)
{
    struct prof_rec_frames_end record = {.ticks = ticks_of(trace, time_ns)};
    add_meta(trace, PROF_REC_FRAMES_END, &record, sizeof record, NULL, 0);
}

/* As files had it before they said why. */
void trace_builder_control(struct trace_builder *trace, int64_t time_ns, uint32_t epoch, bool on)
{
    struct prof_rec_control record = {.ticks = ticks_of(trace, time_ns), .epoch = epoch, .on = on};
    add_meta(trace, PROF_REC_CONTROL, &record, PROF_REC_CONTROL_SHORT_BYTES, NULL, 0);
}

void trace_builder_child(struct trace_builder *trace, int64_t time_ns, uint32_t pid,
                         enum prof_child_origin origin)
{
    struct prof_rec_child record = {.pid = pid, .origin = origin};
    record.ticks = time_ns < 0 ? 0 : ticks_of(trace, time_ns);
    add_meta(trace, PROF_REC_CHILD, &record, sizeof record, NULL, 0);
}

void trace_builder_api_name(struct trace_builder *trace, enum prof_api_domain domain, uint32_t cbid,
                            const char *name)
{
    struct prof_rec_api_name record = {0, cbid, domain, trace_builder_name(trace, name), 0};
    add_meta(trace, PROF_REC_API_NAME, &record, sizeof record, NULL, 0);
}

/* ---- NVTX ---- */

uint32_t trace_builder_event_name(struct trace_builder *trace, struct prof_rec_event_name detail)
{
    detail.id = new_id(trace, NULL);
    add_meta(trace, PROF_REC_EVENT_NAME, &detail, sizeof detail, NULL, 0);
    return detail.id;
}

void trace_builder_domain(struct trace_builder *trace, uint32_t domain, const char *name)
{
    struct prof_rec_domain record = {0, domain, trace_builder_name(trace, name)};
    add_meta(trace, PROF_REC_DOMAIN, &record, sizeof record, NULL, 0);
}

void trace_builder_category(struct trace_builder *trace, uint32_t domain, uint32_t category,
                            const char *name)
{
    struct prof_rec_category record = {0, domain, category, trace_builder_name(trace, name), 0};
    add_meta(trace, PROF_REC_CATEGORY, &record, sizeof record, NULL, 0);
}

void trace_builder_resource(struct trace_builder *trace, enum prof_resource_type type,
                            uint64_t handle, const char *name)
{
    struct prof_rec_resource record = {
        .handle = handle, .type = type, .name = trace_builder_name(trace, name)};
    add_meta(trace, PROF_REC_RESOURCE, &record, sizeof record, NULL, 0);
}

/* ---- logs ---- */

void trace_builder_log(struct trace_builder *trace, uint32_t log, uint32_t thread, uint32_t epoch)
{
    if (log >= LOGS_MAX)
        abort();
    trace->log = log;
    struct log_place *place = &trace->logs[log];
    if (place->begun)
        return;
    place->begun = true;
    place->thread = thread;
    place->epoch = epoch;
    place->base = trace_builder_header(trace)->start_ticks;
    begin_log_chunk(trace, place);
}

void trace_builder_chunk(struct trace_builder *trace, uint64_t skipped)
{
    struct log_place *log = &trace->logs[trace->log];
    log->sequence += 1 + skipped;
    begin_log_chunk(trace, log);
}

void trace_builder_word(struct trace_builder *trace, uint64_t word)
{
    memcpy(log_room(trace, sizeof word), &word, sizeof word);
}

void trace_builder_ext(struct trace_builder *trace, enum prof_record_type type, uint64_t info,
                       const uint64_t *payload, unsigned words)
{
    uint64_t word = PROF_WORD_EXT(PROF_KIND_EXT, type, words + 1, info);
    uint8_t *at = log_room(trace, (words + 1) * sizeof word);
    memcpy(at, &word, sizeof word);
    if (words)
        memcpy(at + sizeof word, payload, words * sizeof word);
}

/* Ticks since the base of the chunk in which `bytes` will fit. */
static uint64_t since_base(struct trace_builder *trace, int64_t time_ns, size_t bytes)
{
    struct log_place *log = &trace->logs[trace->log];
    uint64_t ticks = ticks_of(trace, time_ns);
    bool far = ticks - log->base > PROF_TICKS_MAX;
    if (far)
        log->base = ticks;
    if (far || log->place.used + bytes > PROF_CHUNK_BYTES)
        trace_builder_chunk(trace, 0);
    return ticks - log->base;
}

static void add_event(struct trace_builder *trace, enum prof_record_type type, int64_t time_ns,
                      const uint64_t *payload, unsigned words)
{
    trace_builder_ext(trace, type, since_base(trace, time_ns, (words + 1) * 8), payload, words);
}

void trace_builder_handover(struct trace_builder *trace, uint32_t thread, uint32_t tid)
{
    uint64_t owner = (uint64_t)tid << 32 | thread;
    trace->logs[trace->log].thread = thread;
    trace_builder_ext(trace, PROF_REC_THREAD, 0, &owner, 1);
}

void trace_builder_thread_end(struct trace_builder *trace, int64_t time_ns)
{
    add_event(trace, PROF_REC_THREAD_END, time_ns, NULL, 0);
}

void trace_builder_epoch(struct trace_builder *trace, int64_t time_ns, uint32_t epoch)
{
    uint64_t number = epoch;
    trace->logs[trace->log].epoch = epoch;
    add_event(trace, PROF_REC_EPOCH, time_ns, &number, 1);
}

static void add_word(struct trace_builder *trace, enum prof_record_kind kind, int64_t time_ns,
                     uint32_t name)
{
    trace_builder_word(trace, PROF_WORD_EVENT(kind, name, since_base(trace, time_ns, 8)));
}

void trace_builder_push(struct trace_builder *trace, int64_t time_ns, uint32_t name)
{
    uint64_t wide = name;
    if (name > PROF_NAME_ID_MAX)
        add_event(trace, PROF_REC_PUSH_WIDE, time_ns, &wide, 1);
    else
        add_word(trace, PROF_KIND_PUSH, time_ns, name);
}

void trace_builder_pop(struct trace_builder *trace, int64_t time_ns)
{
    add_word(trace, PROF_KIND_POP, time_ns, 0);
}

void trace_builder_mark(struct trace_builder *trace, int64_t time_ns, uint32_t name)
{
    uint64_t wide = name;
    if (name > PROF_NAME_ID_MAX)
        add_event(trace, PROF_REC_MARK_WIDE, time_ns, &wide, 1);
    else
        add_word(trace, PROF_KIND_MARK, time_ns, name);
}

void trace_builder_nvtx_push(struct trace_builder *trace, int64_t time_ns, uint32_t name)
{
    uint64_t wide = name;
    if (name > PROF_NAME_ID_MAX)
        add_event(trace, PROF_REC_NVTX_PUSH_WIDE, time_ns, &wide, 1);
    else
        add_word(trace, PROF_KIND_NVTX_PUSH, time_ns, name);
}

void trace_builder_nvtx_pop(struct trace_builder *trace, int64_t time_ns, uint32_t domain)
{
    add_word(trace, PROF_KIND_NVTX_POP, time_ns, domain);
}

void trace_builder_begin(struct trace_builder *trace, int64_t time_ns, uint32_t name, uint64_t id)
{
    add_event(trace, PROF_REC_RANGE_BEGIN, time_ns, (uint64_t[]){name, id}, 2);
}

void trace_builder_range(struct trace_builder *trace, int64_t time_ns, uint32_t name, uint64_t id,
                         int64_t begin_ns, int64_t end_ns)
{
    uint64_t words[] = {name, id, ticks_of(trace, begin_ns), ticks_of(trace, end_ns)};
    add_event(trace, PROF_REC_RANGE, time_ns, words, 4);
}

void trace_builder_end(struct trace_builder *trace, int64_t time_ns, uint64_t id)
{
    add_event(trace, PROF_REC_RANGE_END, time_ns, &id, 1);
}

void trace_builder_counter(struct trace_builder *trace, int64_t time_ns, uint32_t name,
                           double value)
{
    uint64_t words[2] = {name, 0};
    memcpy(&words[1], &value, sizeof value);
    add_event(trace, PROF_REC_COUNTER, time_ns, words, 2);
}

void trace_builder_attr(struct trace_builder *trace, uint32_t key, enum prof_attr_type type,
                        uint64_t value)
{
    trace_builder_ext(trace, PROF_REC_ATTR, 0, (uint64_t[]){(uint64_t)type << 32 | key, value}, 2);
}

void trace_builder_attr_of(struct trace_builder *trace, uint32_t key, enum prof_attr_type type,
                           uint64_t value, uint64_t target)
{
    trace_builder_ext(trace, PROF_REC_ATTR, 0,
                      (uint64_t[]){(uint64_t)type << 32 | key, value, target}, 3);
}

void trace_builder_step(struct trace_builder *trace, int64_t time_ns, uint64_t number)
{
    add_event(trace, PROF_REC_STEP, time_ns, &number, 1);
}

void trace_builder_enter(struct trace_builder *trace, int64_t time_ns,
                         struct prof_rec_api_enter call)
{
    uint64_t words[sizeof call / 8];
    memcpy(words, &call, sizeof call);
    unsigned bytes = call.stack ? sizeof call : PROF_REC_API_ENTER_SHORT_BYTES;
    add_event(trace, PROF_REC_API_ENTER, time_ns, words + 1, bytes / 8 - 1);
}

void trace_builder_exit(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                        int32_t result)
{
    uint64_t word = (uint64_t)correlation << 32 | (uint32_t)result;
    add_event(trace, PROF_REC_API_EXIT, time_ns, &word, 1);
}

void trace_builder_start_event(struct trace_builder *trace, uint32_t device, uint32_t correlation,
                               int64_t before_ns, int64_t after_ns)
{
    uint64_t words[3] = {(uint64_t)correlation << 32 | device, ticks_of(trace, before_ns),
                         ticks_of(trace, after_ns)};
    add_event(trace, PROF_REC_START_EVENT, after_ns, words, 3);
}

void trace_builder_event(struct trace_builder *trace, enum prof_record_type type, int64_t time_ns,
                         const uint64_t *payload, unsigned words)
{
    add_event(trace, type, time_ns, payload, words);
}

/* ---- devices ---- */

/* `detail` begins with the header word and the two times. */
void trace_builder_timed(struct trace_builder *trace, int64_t time_ns, uint64_t token)
{
    add_event(trace, PROF_REC_TIMED, time_ns, &token, 1);
}

void trace_builder_range_time(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                              uint64_t token, uint32_t device)
{
    uint64_t start = trace_builder_header(trace)->start_realtime_ns;
    const uint64_t words[5] = {start + (uint64_t)start_ns, start + (uint64_t)end_ns, token, 1,
                               device | UINT64_C(1000) << 32};
    trace_builder_ext(trace, PROF_REC_RANGE_TIME, token & PROF_TICKS_MAX, words, 5);
}

static void add_gpu(struct trace_builder *trace, enum prof_record_type type, int64_t start_ns,
                    int64_t end_ns, uint32_t correlation, const void *detail, size_t bytes)
{
    uint64_t words[32];
    uint64_t start = trace_builder_header(trace)->start_realtime_ns;
    memcpy(words, detail, bytes);
    words[1] = start + (uint64_t)start_ns;
    words[2] = start + (uint64_t)end_ns;
    trace_builder_header(trace)->gpu_records += type <= PROF_REC_MEMSET;
    trace_builder_ext(trace, type, correlation, words + 1, (unsigned)(bytes / 8 - 1));
}

void trace_builder_kernel(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                          uint32_t correlation, struct prof_rec_kernel detail, bool whole)
{
    add_gpu(trace, PROF_REC_KERNEL, start_ns, end_ns, correlation, &detail,
            whole ? sizeof detail : PROF_REC_KERNEL_SHORT_BYTES);
}

void trace_builder_memcpy(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                          uint32_t correlation, struct prof_rec_memcpy detail)
{
    bool whole = detail.graph_node || detail.src_context || detail.dst_context;
    add_gpu(trace, PROF_REC_MEMCPY, start_ns, end_ns, correlation, &detail,
            whole ? sizeof detail : PROF_REC_MEMCPY_SHORT_BYTES);
}

void trace_builder_memset(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                          uint32_t correlation, struct prof_rec_memset detail)
{
    add_gpu(trace, PROF_REC_MEMSET, start_ns, end_ns, correlation, &detail,
            detail.graph_node ? sizeof detail : PROF_REC_MEMSET_SHORT_BYTES);
}

void trace_builder_sync(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                        uint32_t correlation, struct prof_rec_sync detail)
{
    add_gpu(trace, PROF_REC_SYNC, start_ns, end_ns, correlation, &detail, sizeof detail);
}

void trace_builder_overhead(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                            uint32_t correlation, struct prof_rec_overhead detail)
{
    add_gpu(trace, PROF_REC_OVERHEAD, start_ns, end_ns, correlation, &detail, sizeof detail);
}
