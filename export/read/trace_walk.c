/* trace_walk.c - what a record must look like to be believed; the order of a walk through a
 * file. */
#define _GNU_SOURCE
#include "trace_walk.h"

#include "progress.h"

#include <stdlib.h>
#include <sys/mman.h>

/* What a record must look like to be believed. */

/* Sizes of the first version of every record, in words; later versions are longer. 0: no such
 * type. */
static const uint8_t minimum_words[256] = {
    [PROF_REC_THREAD] = PROF_REC_THREAD_SHORT_BYTES / 8,
    [PROF_REC_THREAD_END] = 1,
    [PROF_REC_PUSH_WIDE] = 2,
    [PROF_REC_MARK_WIDE] = 2,
    [PROF_REC_RANGE_BEGIN] = PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8,
    [PROF_REC_RANGE_END] = 2,
    [PROF_REC_COUNTER] = 3,
    [PROF_REC_ATTR] = PROF_REC_ATTR_SHORT_BYTES / 8,
    [PROF_REC_STEP] = 2,
    [PROF_REC_API_ENTER] = PROF_REC_API_ENTER_SHORT_BYTES / 8,
    [PROF_REC_API_EXIT] = 2,
    [PROF_REC_EPOCH] = 2,
    [PROF_REC_START_EVENT] = sizeof(struct prof_rec_start_event) / 8,
    [PROF_REC_NVTX_PUSH_WIDE] = 2,
    [PROF_REC_STACK] = 2,
    [PROF_REC_ALLOC] = sizeof(struct prof_rec_alloc) / 8,
    [PROF_REC_FREE] = sizeof(struct prof_rec_free) / 8,
    [PROF_REC_BLOCK] = sizeof(struct prof_rec_block) / 8,
    [PROF_REC_GRAPH_NODE] = PROF_REC_GRAPH_NODE_SHORT_BYTES / 8,
    [PROF_REC_TIMED] = 2,
    [PROF_REC_ATTRS] = PROF_REC_ATTRS_BYTES / 8,
    [PROF_REC_RANGE] = sizeof(struct prof_rec_range) / 8,
    [PROF_REC_FRAME_PUSH_WIDE] = 2,
    [PROF_REC_FRAMES] = sizeof(struct prof_rec_frames) / 8,
    [PROF_REC_SAMPLE] = sizeof(struct prof_rec_sample) / 8,
    [PROF_REC_PART] = sizeof(struct prof_rec_part) / 8,
    [PROF_REC_KERNEL] = PROF_REC_KERNEL_SHORT_BYTES / 8,
    [PROF_REC_MEMCPY] = PROF_REC_MEMCPY_SHORT_BYTES / 8,
    [PROF_REC_MEMSET] = PROF_REC_MEMSET_SHORT_BYTES / 8,
    [PROF_REC_SYNC] = sizeof(struct prof_rec_sync) / 8,
    [PROF_REC_OVERHEAD] = sizeof(struct prof_rec_overhead) / 8,
    [PROF_REC_MEMORY] = PROF_REC_MEMORY_SHORT_BYTES / 8,
    [PROF_REC_MEMORY_POOL] = sizeof(struct prof_rec_memory_pool) / 8,
    [PROF_REC_UNIFIED_MEMORY] = sizeof(struct prof_rec_unified_memory) / 8,
    [PROF_REC_RANGE_TIME] = sizeof(struct prof_rec_range_time) / 8,
    [PROF_REC_GRAPH_RUN] = sizeof(struct prof_rec_graph_run) / 8,
    [PROF_REC_CUDA_EVENT] = sizeof(struct prof_rec_cuda_event) / 8,
    [PROF_REC_LOST] = sizeof(struct prof_rec_lost) / 8,
    [PROF_REC_NAME] = sizeof(struct prof_rec_name) / 8,
    [PROF_REC_INFO] = sizeof(struct prof_rec_info) / 8,
    [PROF_REC_CLOCK] = sizeof(struct prof_rec_clock) / 8,
    [PROF_REC_THREAD_INFO] = sizeof(struct prof_rec_thread_info) / 8,
    [PROF_REC_DEVICE] = sizeof(struct prof_rec_device) / 8,
    [PROF_REC_CONTEXT] = sizeof(struct prof_rec_context) / 8,
    [PROF_REC_STREAM] = sizeof(struct prof_rec_stream) / 8,
    [PROF_REC_CONTROL] = PROF_REC_CONTROL_SHORT_BYTES / 8,
    [PROF_REC_API_NAME] = sizeof(struct prof_rec_api_name) / 8,
    [PROF_REC_EVENT_NAME] = sizeof(struct prof_rec_event_name) / 8,
    [PROF_REC_DOMAIN] = sizeof(struct prof_rec_domain) / 8,
    [PROF_REC_CATEGORY] = sizeof(struct prof_rec_category) / 8,
    [PROF_REC_RESOURCE] = sizeof(struct prof_rec_resource) / 8,
    [PROF_REC_STACK_FRAMES] = sizeof(struct prof_rec_stack_frames) / 8,
    [PROF_REC_MODULE] = sizeof(struct prof_rec_module) / 8,
    [PROF_REC_MODULE_GONE] = sizeof(struct prof_rec_module_gone) / 8,
    [PROF_REC_CHILD] = sizeof(struct prof_rec_child) / 8,
    [PROF_REC_ALLOCATOR] = sizeof(struct prof_rec_allocator) / 8,
    [PROF_REC_EARLIER_NODE] = sizeof(struct prof_rec_earlier_node) / 8,
    [PROF_REC_GRAPH] = sizeof(struct prof_rec_graph) / 8,
    [PROF_REC_COST] = sizeof(struct prof_rec_cost) / 8,
    [PROF_REC_THROTTLE] = sizeof(struct prof_rec_throttle) / 8,
    [PROF_REC_ATTR_SET] = sizeof(struct prof_rec_attr_set) / 8,
    [PROF_REC_HANG] = sizeof(struct prof_rec_hang) / 8,
    [PROF_REC_HANG_TEXT] = sizeof(struct prof_rec_hang_text) / 8,
    [PROF_REC_SYSTEM_CLOCK] = sizeof(struct prof_rec_system_clock) / 8,
    [PROF_REC_FRAMES_END] = sizeof(struct prof_rec_frames_end) / 8,
    [PROF_REC_SUMMARY] = sizeof(struct prof_rec_summary) / 8,
    [PROF_REC_SUMMARY_STEP] = sizeof(struct prof_rec_summary_step) / 8,
    [PROF_REC_STREAM_LOSS] = sizeof(struct prof_rec_stream_loss) / 8,
};

static enum record_status read_sized(struct record *record, size_t room)
{
    record->words = PROF_WORD_SIZE(record->header);
    if (record->words == 0 || record->words > room)
        return RECORD_BAD;
    if (PROF_WORD_KIND(record->header) == PROF_KIND_HOLE)
        return RECORD_TORN;
    unsigned least = minimum_words[record_type(record)];
    if (least == 0)
        return RECORD_UNKNOWN;
    return record->words < least ? RECORD_BAD : RECORD_GOOD;
}

enum record_status record_read(const uint64_t *at, size_t room, struct record *record)
{
    record->at = at;
    record->header = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    record->words = 1;
    if (record->header == 0)
        return RECORD_EMPTY;
    switch (PROF_WORD_KIND(record->header)) {
    case PROF_KIND_PUSH:
    case PROF_KIND_MARK:
    case PROF_KIND_NVTX_PUSH:
    case PROF_KIND_NVTX_POP:
    case PROF_KIND_FRAME_PUSH:
        return RECORD_GOOD;
    case PROF_KIND_POP:
    case PROF_KIND_FRAME_POP:
        return PROF_WORD_NAME(record->header) ? RECORD_BAD : RECORD_GOOD;
    case PROF_KIND_EXT:
    case PROF_KIND_HOLE:
        return read_sized(record, room);
    default:
        return RECORD_BAD;
    }
}

bool record_text(const struct record *record, size_t head_bytes, uint32_t bytes, const char **text)
{
    if (bytes > (size_t)record->words * 8 - head_bytes)
        return false;
    *text = (const char *)record->at + head_bytes;
    return true;
}

/* The order of a walk, and what is done about damage. */

/* So much of it as is in the file. */
static size_t bytes_here(const struct walk *walk, size_t offset, size_t bytes)
{
    size_t left = walk->file->size - offset;
    return left < bytes ? left : bytes;
}

static struct walk_span records_of(const struct walk *walk, size_t offset, size_t skip,
                                   size_t bytes)
{
    struct walk_span span = {NULL, 0};
    bytes = bytes_here(walk, offset, bytes);
    if (bytes <= skip)
        return span;
    span.at = (const uint64_t *)(const void *)(walk->file->bytes + offset + skip);
    span.words = (bytes - skip) / 8;
    return span;
}

struct walk_span walk_records(const struct walk *walk, size_t chunk_offset)
{
    size_t skip = chunk_offset ? PROF_CHUNK_HEADER_BYTES : PROF_FILE_HEADER_BYTES;
    return records_of(walk, chunk_offset, skip, PROF_CHUNK_BYTES);
}

struct walk_span walk_log_records(const struct walk *walk, const struct walk_chunk *chunk)
{
    return records_of(walk, chunk->offset, chunk->skip, chunk->bytes);
}

size_t walk_offset(const struct walk *walk, const uint64_t *at)
{
    return (size_t)((const uint8_t *)at - walk->file->bytes);
}

/* A trace is as large as the timeline made of it; without this both would be in memory at once. */
void walk_forget(const struct walk *walk, const struct walk_chunk *chunk)
{
    if (walk->file->mapping)
        madvise((uint8_t *)walk->file->mapping + chunk->offset,
                bytes_here(walk, chunk->offset, chunk->bytes), MADV_DONTNEED);
}

void walk_done(const struct walk *walk, const struct walk_chunk *chunk)
{
    walk_forget(walk, chunk);
    progress_add(walk->file->mapping ? bytes_here(walk, chunk->offset, chunk->bytes) : 0);
}

/* Only the headers of most chunks are needed: the kernel need not read what is behind them. */
static void expect_jumps(const struct walk *walk)
{
    if (walk->file->mapping)
        madvise((uint8_t *)walk->file->mapping, walk->file->size, MADV_RANDOM);
}

void walk_expect(const struct walk *walk, const struct walk_chunk *chunk)
{
    if (walk->file->skips && walk->file->mapping)
        madvise((uint8_t *)walk->file->mapping + chunk->offset,
                bytes_here(walk, chunk->offset, chunk->bytes), MADV_WILLNEED);
}

void walk_damage(struct walk *walk, size_t offset, const char *what)
{
    if (walk->health.bad_records++ == 0)
        walk->health.bad_offset = offset;
    if (walk->file->partial || walk->failed)
        return;
    walk->failed = true;
    trace_error_at(walk->error, walk->file->path, offset, "%s; --partial shows what is readable",
                   what);
}

void walk_no_memory(struct walk *walk)
{
    if (!walk->failed)
        trace_error(walk->error, walk->file->path, "out of memory");
    walk->failed = true;
}

bool walk_room(struct walk *walk, void *array, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return true;
    void *old;
    memcpy(&old, array, sizeof old);
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(old, wanted * item_bytes);
    if (!grown) {
        walk_no_memory(walk);
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

bool walk_accepts(struct walk *walk, enum record_status status, const struct record *record)
{
    switch (status) {
    case RECORD_EMPTY:
        return false;
    case RECORD_GOOD:
        walk->health.records++;
        return true;
    case RECORD_TORN:
        walk->health.torn_records++;
        return false;
    case RECORD_UNKNOWN:
        walk->health.unknown_records++;
        return false;
    case RECORD_BAD:
        break;
    }
    walk_damage(walk, walk_offset(walk, record->at), "a record of impossible kind or size");
    return false;
}

static void remember_piece(struct walk *walk, struct walk_chunk chunk)
{
    if (walk_room(walk, &walk->chunks, walk->chunk_count, &walk->chunk_capacity,
                  sizeof *walk->chunks))
        walk->chunks[walk->chunk_count++] = chunk;
}

static void remember_log(struct walk *walk, const struct prof_chunk_header *header, size_t offset)
{
    remember_piece(walk, (struct walk_chunk){.log = header->log,
                                             .thread = header->thread,
                                             .epoch = header->epoch,
                                             .sequence = header->sequence,
                                             .base_ticks = header->base_ticks,
                                             .begin_ticks = header->base_ticks,
                                             .offset = offset,
                                             .skip = PROF_CHUNK_HEADER_BYTES,
                                             .bytes = PROF_CHUNK_BYTES});
}

static void remember_part(struct walk *walk, const struct prof_chunk_header *header, size_t offset,
                          size_t skip)
{
    struct record record;
    struct prof_rec_part part;
    struct walk_span span = records_of(walk, offset, skip, header->part_bytes);
    if (!span.words || record_read(span.at, span.words, &record) != RECORD_GOOD ||
        PROF_WORD_KIND(record.header) != PROF_KIND_EXT || record_type(&record) != PROF_REC_PART)
        return; /* nobody has it */
    record_copy(&record, &part, sizeof part);
    remember_piece(
        walk, (struct walk_chunk){.log = part.log,
                                  .thread = part.thread,
                                  .epoch = part.epoch,
                                  .sequence = part.sequence,
                                  .base_ticks = header->base_ticks,
                                  .begin_ticks = header->base_ticks + PROF_WORD_INFO(record.header),
                                  .offset = offset,
                                  .skip = skip + record.words * sizeof(uint64_t),
                                  .bytes = header->part_bytes});
}

static void remember_parts(struct walk *walk, const struct prof_chunk_header *header, size_t offset)
{
    uint32_t bytes = header->part_bytes;
    if (bytes < 1024 || bytes > PROF_CHUNK_BYTES / 2 || (bytes & (bytes - 1))) {
        walk_damage(walk, offset, "the header of a chunk is damaged");
        return;
    }
    for (size_t at = 0; at < PROF_CHUNK_BYTES && offset + at < walk->file->size; at += bytes)
        remember_part(walk, header, offset + at, at ? 0 : PROF_CHUNK_HEADER_BYTES);
}

static void remember_meta(struct walk *walk, size_t offset)
{
    if (walk_room(walk, &walk->metas, walk->meta_count, &walk->meta_capacity, sizeof *walk->metas))
        walk->metas[walk->meta_count++] = offset;
}

/* Returns false when the chunk was never begun. */
static bool remember_chunk(struct walk *walk, size_t offset)
{
    struct prof_chunk_header header;
    const void *at = walk->file->bytes + offset;
    uint32_t magic = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
    if (magic != PROF_CHUNK_MAGIC)
        return false;
    memcpy(&header, at, sizeof header);
    bool known = header.kind >= PROF_CHUNK_META && header.kind <= PROF_CHUNK_PARTS;
    if (!known || header.header_bytes != PROF_CHUNK_HEADER_BYTES ||
        header.index != offset / PROF_CHUNK_BYTES)
        walk_damage(walk, offset, "the header of a chunk is damaged");
    else if (header.kind == PROF_CHUNK_META)
        remember_meta(walk, offset);
    else if (header.kind == PROF_CHUNK_PARTS)
        remember_parts(walk, &header, offset);
    else
        remember_log(walk, &header, offset);
    return true;
}

/* How many chunks a recorder has begun in the file by now. When it ends it cuts off what is behind
 * these: nothing there may be touched, or this process gets SIGBUS. Of other files: as many as are
 * in them. */
static uint64_t begun_chunks(const struct walk *walk)
{
    const struct trace_file *file = walk->file;
    const struct prof_file_header *now = (const void *)file->bytes;
    if (!file->mapping || file->header.state != PROF_STATE_RECORDING)
        return UINT64_MAX;
    return __atomic_load_n(&now->chunk_count, __ATOMIC_ACQUIRE);
}

/* With a header, the kernel maps what lies around it: a file may be larger than memory. */
static void forget_before(const struct walk *walk, size_t chunk)
{
    const size_t many = 256;
    if (walk->window.given && walk->file->mapping && chunk % many == 0)
        madvise((uint8_t *)walk->file->mapping + (chunk - many) * PROF_CHUNK_BYTES,
                many * PROF_CHUNK_BYTES, MADV_DONTNEED);
}

/* Chunks that were begun after the header was read are taken too: the file may be growing. */
static void find_chunks(struct walk *walk)
{
    remember_meta(walk, 0);
    size_t size = walk->file->size;
    for (size_t i = 1; !walk->failed && i * PROF_CHUNK_BYTES + PROF_CHUNK_HEADER_BYTES <= size &&
                       i < begun_chunks(walk);
         i++) {
        if (!remember_chunk(walk, i * PROF_CHUNK_BYTES) && i >= walk->file->header.chunk_count)
            break;
        forget_before(walk, i);
    }
}

static int by_log(const void *left, const void *right)
{
    const struct walk_chunk *a = left, *b = right;
    if (a->log != b->log)
        return a->log < b->log ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static int64_t chunk_begin_ns(struct walk *walk, const struct walk_chunk *chunk)
{
    return clockmap_time_ns(&walk->clock, chunk->begin_ticks);
}

/* Chunks of a log that end before `from_ns`: the next one of the log begins where one ends. */
static void skip_chunks(struct walk *walk, int64_t from_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < walk->chunk_count; i++) {
        const struct walk_chunk *next = &walk->chunks[i + 1];
        bool last = i + 1 == walk->chunk_count || next->log != walk->chunks[i].log;
        if (last || chunk_begin_ns(walk, next) >= from_ns)
            walk->chunks[kept++] = walk->chunks[i];
    }
    walk->chunk_count = kept;
}

static void sort_chunks(struct walk *walk)
{
    if (walk->chunk_count)
        qsort(walk->chunks, walk->chunk_count, sizeof *walk->chunks, by_log);
    if (walk->file->skips)
        skip_chunks(walk, walk->file->from_ns);
}

static void walk_logs(struct walk *walk)
{
    for (size_t first = 0, end; first < walk->chunk_count && !walk->failed; first = end) {
        end = first + 1;
        while (end < walk->chunk_count && walk->chunks[end].log == walk->chunks[first].log)
            end++;
        walk_log(walk, first, end);
    }
}

static void walk_init(struct walk *walk, const struct trace_file *file, struct builder *builder,
                      struct read_error *error)
{
    memset(walk, 0, sizeof *walk);
    walk->file = file;
    walk->error = error;
    walk->builder = builder;
    walk->health.file_bytes = file->size;
    walk->health.truncated = file->truncated;
    walk->health.truncated_at = file->truncated ? file->size : 0;
    clockmap_init(&walk->clock, &file->header);
    walk_window_init(walk);
}

static void walk_fini(struct walk *walk)
{
    clockmap_fini(&walk->clock);
    idmap_fini(&walk->thread_slots);
    walk_window_fini(walk);
    free(walk->threads);
    free(walk->chunks);
    free(walk->metas);
    free(walk->stops);
    idmap_fini(&walk->stop_of_epoch);
    free(walk->late_epochs);
    free(walk->attr_sets);
}

static void seal_clock(struct walk *walk)
{
    if (!clockmap_seal(&walk->clock)) {
        walk_no_memory(walk);
        return;
    }
    const struct clockmap *clock = &walk->clock;
    walk->health.clock_error_ns = clock->error_ns;
    walk->health.clock_samples = clock->usable;
    walk->health.clock_steps = clock->era_count - 1;
    walk->end_ns = clock->segments[clock->count - 1].ns;
}

/* Every step is skipped once the walk has failed. */
static bool walk_native(struct trace_file *file, struct builder *builder, struct tl_health *health,
                        struct read_error *error)
{
    struct walk walk;
    walk_init(&walk, file, builder, error);
    if (file->skips)
        expect_jumps(&walk);
    find_chunks(&walk);
    if (!walk.failed)
        walk_meta_collect(&walk);
    if (!walk.failed)
        seal_clock(&walk);
    if (!walk.failed)
        walk_meta_append(&walk);
    if (!walk.failed)
        sort_chunks(&walk);
    if (!walk.failed && !builder_leaves_out_events(builder))
        walk_logs(&walk);
    if (!walk.failed)
        walk_window_end(&walk);
    if (!walk.failed)
        walk_close_threads(&walk);
    if (!walk.failed)
        walk_window_close(&walk);
    if (!walk.failed)
        walk_cost_append(&walk);
    if (health)
        *health = walk.health;
    walk_fini(&walk);
    return !walk.failed;
}

int64_t trace_file_last_ns(struct trace_file *file)
{
    struct walk walk;
    struct read_error ignored;
    if (file->reader)
        return 0;
    walk_init(&walk, file, NULL, &ignored);
    expect_jumps(&walk);
    find_chunks(&walk);
    walk_meta_collect(&walk);
    if (!walk.failed)
        seal_clock(&walk);
    int64_t last_ns = walk.failed ? 0 : walk.end_ns;
    for (size_t i = 0; i < walk.chunk_count && !walk.failed; i++) {
        int64_t begin_ns = chunk_begin_ns(&walk, &walk.chunks[i]);
        last_ns = begin_ns > last_ns ? begin_ns : last_ns;
    }
    walk_fini(&walk);
    return last_ns;
}

static void count_records(struct walk *walk, struct walk_span span)
{
    struct record record;
    for (size_t i = 0; i < span.words && !walk->failed; i += record.words) {
        enum record_status status = record_read(span.at + i, span.words - i, &record);
        walk_accepts(walk, status, &record);
        if (status == RECORD_BAD)
            break;
    }
}

/* ---- the text about a hang ---- */

struct hang_text {
    char *bytes; /* of the latest hang, terminated */
    size_t size;
    uint32_t number;
    bool no_memory;
};

static void hang_text_append(struct hang_text *text, const struct record *record)
{
    struct prof_rec_hang_text head;
    const char *part;
    record_copy(record, &head, sizeof head);
    if (!record_text(record, sizeof head, head.bytes, &part))
        return;
    if (head.number != text->number)
        text->size = 0;
    char *grown = realloc(text->bytes, text->size + head.bytes + 1);
    text->no_memory |= !grown;
    if (!grown)
        return;
    memcpy(grown + text->size, part, head.bytes);
    text->size += head.bytes;
    grown[text->size] = '\0';
    text->bytes = grown;
    text->number = head.number;
}

static void hang_text_find(const struct walk *walk, size_t chunk_offset, struct hang_text *text)
{
    struct walk_span span = walk_records(walk, chunk_offset);
    struct record record;
    for (size_t i = 0; i < span.words; i += record.words) {
        enum record_status status = record_read(span.at + i, span.words - i, &record);
        if (status == RECORD_BAD)
            return;
        if (status == RECORD_GOOD && PROF_WORD_KIND(record.header) == PROF_KIND_EXT &&
            record_type(&record) == PROF_REC_HANG_TEXT)
            hang_text_append(text, &record);
    }
}

bool trace_file_hang_text(struct trace_file *file, char **text)
{
    struct hang_text found = {0};
    struct walk walk;
    *text = NULL;
    if (file->reader)
        return true;
    walk_init(&walk, file, NULL, NULL);
    find_chunks(&walk);
    for (size_t i = 0; i < walk.meta_count; i++)
        hang_text_find(&walk, walk.metas[i], &found);
    bool complete = !walk.failed && !found.no_memory;
    walk_fini(&walk);
    *text = found.bytes;
    return complete;
}

uint64_t trace_file_count_records(struct trace_file *file)
{
    struct walk walk;
    if (file->reader)
        return 0;
    walk_init(&walk, file, NULL, NULL);
    find_chunks(&walk);
    for (size_t i = 0; i < walk.meta_count; i++)
        count_records(&walk, walk_records(&walk, walk.metas[i]));
    for (size_t i = 0; i < walk.chunk_count; i++)
        count_records(&walk, walk_log_records(&walk, &walk.chunks[i]));
    walk_fini(&walk);
    return walk.health.records;
}

static bool walk_foreign(struct trace_file *file, uint32_t process, struct builder *builder,
                         struct tl_health *health, struct read_error *error)
{
    struct tl_health found = {0};
    bool walked = file->reader->append(file->foreign, process, builder, &found, error);
    if (health)
        *health = found;
    return walked;
}

bool trace_file_append(struct trace_file *file, uint32_t process, struct builder *builder,
                       struct tl_health *health, struct read_error *error)
{
    return file->reader ? walk_foreign(file, process, builder, health, error)
                        : walk_native(file, builder, health, error);
}
