#include "log_walk.h"

#include "chunks.h"
#include "sort.h"

#include <string.h>

/* ---- chunks ---- */

static bool log_walk_before(const void *left, const void *right)
{
    const struct log_walk_chunk *a = left, *b = right;
    if (a->first != b->first)
        return a->first;
    return a->log != b->log ? a->log < b->log : a->sequence < b->sequence;
}

struct log_walk_found {
    struct log_walk_chunk *chunks;
    size_t count, room;
    bool (*keep)(struct log_walk_chunk *chunk);
};

static void log_walk_add(struct log_walk_found *found, struct log_walk_chunk chunk)
{
    if (found->count < found->room && (!found->keep || found->keep(&chunk)))
        found->chunks[found->count++] = chunk;
}

static void log_walk_add_log(struct log_walk_found *found, uint32_t number,
                             const struct prof_chunk_header *header)
{
    log_walk_add(found, (struct log_walk_chunk){.sequence = header->sequence,
                                                .base_ticks = header->base_ticks,
                                                .begin_ticks = header->base_ticks,
                                                .log = header->log,
                                                .number = number,
                                                .thread = header->thread,
                                                .epoch = header->epoch,
                                                .begin = LOG_WALK_HEADER_WORDS,
                                                .end = LOG_WALK_WORDS});
}

static bool log_walk_is_part(uint64_t word)
{
    return PROF_WORD_KIND(word) == PROF_KIND_EXT && PROF_WORD_TYPE(word) == PROF_REC_PART;
}

static void log_walk_add_parts(struct log_walk_found *found, uint32_t number,
                               const struct prof_chunk_header *header)
{
    enum { WORDS = sizeof(struct prof_rec_part) / 8 };
    uint32_t step = header->part_bytes / 8;
    for (uint32_t at = 0; step && at + step <= LOG_WALK_WORDS; at += step) {
        uint64_t words[WORDS];
        struct prof_rec_part part;
        uint32_t begin = at ? at : LOG_WALK_HEADER_WORDS;
        if (!chunks_peek_at(number, begin, words, WORDS) || !log_walk_is_part(*words))
            continue;
        memcpy(&part, words, sizeof part);
        log_walk_add(found, (struct log_walk_chunk){.sequence = part.sequence,
                                                    .base_ticks = header->base_ticks,
                                                    .begin_ticks = header->base_ticks +
                                                                   PROF_WORD_INFO(part.header),
                                                    .log = part.log,
                                                    .number = number,
                                                    .thread = part.thread,
                                                    .epoch = part.epoch,
                                                    .begin = (uint16_t)(begin + WORDS),
                                                    .end = (uint16_t)(at + step)});
    }
}

size_t log_walk_find(uint64_t from, uint64_t end, struct log_walk_chunk *chunks, size_t room,
                     bool (*keep)(struct log_walk_chunk *chunk))
{
    struct prof_chunk_header header;
    struct log_walk_found found = {.chunks = chunks, .room = room, .keep = keep};
    for (uint64_t number = from; number < end; number++) {
        if (!chunks_peek(number, (uint64_t *)(void *)&header, 0, LOG_WALK_HEADER_WORDS) ||
            header.magic != PROF_CHUNK_MAGIC)
            continue;
        if (header.kind == PROF_CHUNK_LOG)
            log_walk_add_log(&found, (uint32_t)number, &header);
        else if (header.kind == PROF_CHUNK_PARTS)
            log_walk_add_parts(&found, (uint32_t)number, &header);
    }
    sort_heap(chunks, found.count, sizeof *chunks, log_walk_before);
    return found.count;
}

static bool log_walk_is_same(const struct log_walk_chunk *chunk)
{
    struct prof_chunk_header header;
    struct prof_rec_part part;
    uint32_t words = sizeof part / 8;
    if (!chunks_peek(chunk->number, (uint64_t *)(void *)&header, 0, LOG_WALK_HEADER_WORDS) ||
        header.magic != PROF_CHUNK_MAGIC || header.base_ticks != chunk->base_ticks)
        return false;
    if (header.kind == PROF_CHUNK_LOG)
        return header.log == chunk->log && header.sequence == chunk->sequence;
    return header.kind == PROF_CHUNK_PARTS &&
           chunks_peek_at(chunk->number, chunk->begin - words, (uint64_t *)(void *)&part, words) &&
           part.log == chunk->log && part.sequence == chunk->sequence;
}

bool log_walk_read(const struct log_walk_chunk *chunk, uint32_t at, uint64_t words[LOG_WALK_WORDS])
{
    return log_walk_is_same(chunk) && chunks_peek(chunk->number, words, at, chunk->end) &&
           log_walk_is_same(chunk);
}

/* ---- records ---- */

/* Nothing after the last word that is not zero was stored. */
static uint32_t log_walk_stored_end(const uint64_t words[LOG_WALK_WORDS], uint32_t at, uint32_t end)
{
    while (end > at && !words[end - 1])
        end--;
    return end;
}

uint32_t log_walk_records(const uint64_t words[LOG_WALK_WORDS], uint32_t at, uint32_t end,
                          log_walk_see *see, void *state)
{
    uint32_t stored = log_walk_stored_end(words, at, end), size;
    for (; at < stored; at += size) {
        size = log_walk_size(words[at]);
        if (size > end - at)
            size = end - at;
        if (!see(state, &words[at], size))
            break;
    }
    return at;
}

static struct log_walk_event log_walk_ext(const uint64_t *record, unsigned words)
{
    static const struct log_walk_event events[] = {
        [PROF_REC_THREAD] = {LOG_WALK_THREAD, false, 0},
        [PROF_REC_THREAD_END] = {LOG_WALK_THREAD_END, false, 0},
        [PROF_REC_PUSH_WIDE] = {LOG_WALK_RANGE_BEGIN, false, 0},
        [PROF_REC_NVTX_PUSH_WIDE] = {LOG_WALK_RANGE_BEGIN, true, 0},
        [PROF_REC_ATTR] = {LOG_WALK_ATTR, false, 0},
        [PROF_REC_STEP] = {LOG_WALK_STEP, false, 0},
        [PROF_REC_API_ENTER] = {LOG_WALK_CALL_BEGIN, false, 0},
        [PROF_REC_API_EXIT] = {LOG_WALK_CALL_END, false, 0},
        [PROF_REC_EPOCH] = {LOG_WALK_EPOCH, false, 0},
    };
    unsigned type = PROF_WORD_TYPE(*record);
    if (log_walk_is_device(*record))
        return (struct log_walk_event){.kind = LOG_WALK_DEVICE};
    if (type >= sizeof events / sizeof *events)
        return (struct log_walk_event){0};
    struct log_walk_event event = events[type];
    if (event.kind == LOG_WALK_THREAD_END)
        return event;
    if (words < 2 ||
        (event.kind == LOG_WALK_CALL_BEGIN && words < PROF_REC_API_ENTER_SHORT_BYTES / 8))
        return (struct log_walk_event){0};
    event.value = event.kind == LOG_WALK_CALL_END ? record[1] >> 32
                  : event.kind == LOG_WALK_THREAD ? (uint32_t)record[1]
                                                  : record[1];
    return event;
}

struct log_walk_event log_walk_event(const uint64_t *record, unsigned words)
{
    uint64_t name = PROF_WORD_NAME(*record);
    switch (PROF_WORD_KIND(*record)) {
    case PROF_KIND_PUSH:
        return (struct log_walk_event){LOG_WALK_RANGE_BEGIN, false, name};
    case PROF_KIND_POP:
        return (struct log_walk_event){LOG_WALK_RANGE_END, false, 0};
    case PROF_KIND_NVTX_PUSH:
        return (struct log_walk_event){LOG_WALK_RANGE_BEGIN, true, name};
    case PROF_KIND_NVTX_POP:
        return (struct log_walk_event){LOG_WALK_RANGE_END, true, name};
    case PROF_KIND_EXT:
        return log_walk_ext(record, words);
    default:
        return (struct log_walk_event){0};
    }
}

bool log_walk_is_progress(const uint64_t *record)
{
    const uint64_t ends = UINT64_C(1) << PROF_REC_STEP | UINT64_C(1) << PROF_REC_RANGE |
                          UINT64_C(1) << PROF_REC_RANGE_END | UINT64_C(1) << PROF_REC_BLOCK |
                          UINT64_C(1) << PROF_REC_KERNEL | UINT64_C(1) << PROF_REC_MEMCPY |
                          UINT64_C(1) << PROF_REC_MEMSET | UINT64_C(1) << PROF_REC_GRAPH_RUN |
                          UINT64_C(1) << PROF_REC_RANGE_TIME;
    unsigned kind = PROF_WORD_KIND(*record), type = PROF_WORD_TYPE(*record);
    if (kind != PROF_KIND_EXT)
        return kind == PROF_KIND_POP || kind == PROF_KIND_NVTX_POP;
    if (type == PROF_REC_API_EXIT)
        return (uint32_t)record[1] == 0; /* a query that says "not ready" does not count */
    return type < 64 && ends >> type & 1;
}
