#include "hang_inside.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "log_walk.h"
#include "names.h"
#include "number.h"
#include "process.h"

#include <string.h>

#define HANG_LOG_LOGS 4096u   /* threads at a time that are watched */
#define HANG_LOG_CHUNKS 4096u /* 256 MiB: what is open longer than these cover is not listed */
#define HANG_LOG_PIECES (HANG_LOG_CHUNKS + 4 * HANG_LOG_LOGS) /* some are in parts */
#define HANG_LOG_RECENT 64u
#define HANG_LOG_DEPTH 256u
#define HANG_LOG_CALLS 2048u

/* How far the newest chunk of a log was read. */
struct hang_place {
    struct log_walk_chunk chunk; /* number 0: none was seen; it is META's */
    uint32_t word;
};

static struct {
    uint64_t words[LOG_WALK_WORDS];
    struct hang_place places[HANG_LOG_LOGS];
    uint32_t log_count;
    uint64_t chunks_seen;
    uint64_t parts_of[PARTS_SIZES]; /* the chunks that parts were taken of at the last call */
    struct log_walk_chunk chunks[HANG_LOG_PIECES];
    struct hang_open open[HANG_LOG_DEPTH];
    unsigned depth, listed;
    unsigned deep; /* ranges that are open beyond those kept */
    uint32_t tid;
    uint64_t since;                             /* hang_work_take_operation() */
    uint32_t call_names[2][HANG_LOG_CALLS];     /* by domain and cbid */
    uint32_t event_names[PROF_NAME_ID_MAX + 1]; /* by event name id, 0: it is a name id */
} * hang_log;

bool hang_log_reserve(void)
{
    void *memory = hang_log; /* in a forked child: of another file */
    bool reserved = process_memory(&memory, sizeof *hang_log);
    hang_log = memory;
    return reserved;
}

/* ---- progress ---- */

static bool hang_log_keep_newest(struct log_walk_chunk *chunk)
{
    if (chunk->log >= HANG_LOG_LOGS)
        return false;
    struct hang_place *place = &hang_log->places[chunk->log];
    if (!place->chunk.number || place->chunk.sequence < chunk->sequence)
        *place = (struct hang_place){*chunk, chunk->begin};
    if (chunk->log >= hang_log->log_count)
        hang_log->log_count = chunk->log + 1;
    return false;
}

static void hang_log_find_in(uint64_t from, uint64_t end)
{
    log_walk_find(from, end, hang_log->chunks, HANG_LOG_PIECES, hang_log_keep_newest);
}

/* A part may begin in an old chunk: in the current one, or in that of the last call. */
static void hang_log_find_parts(void)
{
    for (unsigned size = 0; size < PARTS_SIZES; size++) {
        uint64_t before = hang_log->parts_of[size], now = parts_current((enum parts_size)size);
        hang_log->parts_of[size] = now;
        hang_log_find_in(before, before ? before + 1 : 0);
        hang_log_find_in(now, now && now != before ? now + 1 : 0);
    }
}

/* Finds the newest chunk of each log. In ring mode old numbers come again: all are looked at. */
static void hang_log_find_newest(void)
{
    uint64_t end = chunks_count();
    bool ring = config_get()->full == CONFIG_FULL_RING;
    hang_log_find_in(ring ? 1 : hang_log->chunks_seen + 1, end);
    if (!ring)
        hang_log_find_parts();
    /* the latest may have no header yet */
    hang_log->chunks_seen = end > HANG_LOG_RECENT ? end - HANG_LOG_RECENT : 0;
}

struct hang_look {
    struct hang_place *place;
    bool ended;
};

/* A word that was taken but never committed stays empty: what follows counts. */
static bool hang_log_see_end(void *state, const uint64_t *record, unsigned words)
{
    struct hang_look *look = state;
    if (!log_walk_is_stored(*record))
        return true;
    look->ended |= log_walk_is_progress(record);
    look->place->word = (uint32_t)(record - hang_log->words) + words;
    return true;
}

static bool hang_log_look_at_all(void)
{
    struct hang_look look = {0};
    for (uint32_t i = 0; i < hang_log->log_count; i++) {
        look.place = &hang_log->places[i];
        if (look.place->chunk.number &&
            log_walk_read(&look.place->chunk, look.place->word, hang_log->words))
            log_walk_records(hang_log->words, look.place->word, look.place->chunk.end,
                             hang_log_see_end, &look);
    }
    return look.ended;
}

/* First the rest of the chunks that were the newest at the last call. */
bool hang_log_has_progress(void)
{
    bool ended = hang_log_look_at_all();
    hang_log_find_newest();
    return hang_log_look_at_all() || ended;
}

/* ---- what is open ---- */

static void hang_log_push(struct log_walk_event event, uint64_t name, uint64_t ticks)
{
    if (hang_log->depth < HANG_LOG_DEPTH)
        hang_log->open[hang_log->depth++] = (struct hang_open){
            .ticks = ticks, .name = (uint32_t)name, .kind = event.kind, .nvtx = event.nvtx};
    else
        hang_log->deep += event.kind == LOG_WALK_RANGE_BEGIN;
}

/* Nothing is open. */
static void hang_log_clear(void)
{
    hang_log->depth = hang_log->deep = 0;
}

/* The innermost of that kind; others stay. */
static void hang_log_pop(enum log_walk_kind kind, bool nvtx)
{
    if (kind == LOG_WALK_RANGE_BEGIN && hang_log->deep) {
        hang_log->deep--;
        return;
    }
    for (unsigned i = hang_log->depth; i-- > 0;) {
        const struct hang_open *open = &hang_log->open[i];
        if (open->kind != kind || open->nvtx != nvtx)
            continue;
        memmove(&hang_log->open[i], &hang_log->open[i + 1],
                (hang_log->depth - i - 1) * sizeof *open);
        hang_log->depth--;
        return;
    }
}

static bool hang_log_is_range(const struct hang_open *open)
{
    return open->kind == LOG_WALK_RANGE_BEGIN;
}

/* The innermost open range gets an attribute. */
static void hang_log_attr(const uint64_t *record)
{
    struct prof_rec_attr attr = {0};
    memcpy(&attr, record, PROF_REC_ATTR_SHORT_BYTES);
    for (unsigned i = hang_log->depth; i-- > 0 && PROF_WORD_SIZE(*record) == 3;) {
        struct hang_open *open = &hang_log->open[i];
        if (!hang_log_is_range(open))
            continue;
        if (open->attr_count < HANG_ATTRS)
            open->attrs[open->attr_count++] = (struct hang_attr){attr.key, attr.type, attr.value};
        return;
    }
}

/* The innermost range that has attributes, as a collective has; else the innermost. */
static const struct hang_open *hang_log_around(void)
{
    const struct hang_open *innermost = NULL;
    for (unsigned i = hang_log->depth; i-- > 0;) {
        const struct hang_open *open = &hang_log->open[i];
        if (hang_log_is_range(open) && open->attr_count)
            return open;
        if (hang_log_is_range(open) && !innermost)
            innermost = open;
    }
    return innermost;
}

double hang_log_seconds(uint64_t ticks)
{
    uint64_t now = clock_read(), rate = clock_ticks_per_second();
    return rate && now > ticks ? (double)(now - ticks) / (double)rate : 0;
}

void hang_log_add_attrs(const struct hang_open *open)
{
    for (unsigned i = 0; i < open->attr_count; i++) {
        const struct hang_attr *attr = &open->attrs[i];
        double number;
        memcpy(&number, &attr->value, sizeof number);
        hang_text_add(" ");
        hang_text_add_quoted(names_text_of(attr->key));
        if (attr->type == PROF_ATTR_STRING) {
            hang_text_add("=");
            hang_text_add_quoted(names_text_of((uint32_t)attr->value));
        } else if (attr->type == PROF_ATTR_DOUBLE) {
            hang_text_add("=%s", number_general(number, 6).bytes);
        } else if (attr->type == PROF_ATTR_HEX) {
            hang_text_add("=0x%llx", (unsigned long long)attr->value);
        } else {
            hang_text_add("=%lld", (long long)attr->value);
        }
    }
}

const char *hang_log_name(uint32_t id)
{
    uint32_t name = id <= PROF_NAME_ID_MAX ? hang_log->event_names[id] : 0;
    return names_text_of(name ? name : id);
}

const char *hang_log_call(uint32_t number)
{
    uint32_t domain = number >> 16, cbid = number & 0xffff;
    return domain >= 1 && domain <= 2 && cbid < HANG_LOG_CALLS
               ? names_text_of(hang_log->call_names[domain - 1][cbid])
               : "";
}

static const char *hang_log_kind(const struct hang_open *open)
{
    if (hang_log_is_range(open))
        return open->nvtx ? "NVTX range" : "range";
    return open->kind == LOG_WALK_STEP ? "step" : "CUDA call";
}

static void hang_log_list(void)
{
    for (unsigned i = 0; i < hang_log->depth; i++) {
        const struct hang_open *open = &hang_log->open[i];
        hang_text_add("open tid=%u seconds=%s kind=", hang_log->tid,
                      number_fixed(hang_log_seconds(open->ticks), 1).bytes);
        hang_text_add_quoted(hang_log_kind(open));
        if (open->kind == LOG_WALK_STEP) {
            hang_text_add(" number=%u", open->name);
        } else {
            hang_text_add(" name=");
            hang_text_add_quoted(hang_log_is_range(open) ? hang_log_name(open->name)
                                                         : hang_log_call(open->name));
            hang_log_add_attrs(open);
        }
        hang_text_add("\n");
    }
    hang_log->listed += hang_log->depth;
    hang_log_clear();
}

static bool hang_log_follow(void *base_ticks, const uint64_t *record, unsigned words)
{
    struct log_walk_event event = log_walk_event(record, words);
    uint64_t ticks = *(const uint64_t *)base_ticks + PROF_WORD_INFO(*record);
    switch (event.kind) {
    case LOG_WALK_THREAD:
        hang_log->tid = (uint32_t)(record[1] >> 32);
        hang_log_clear();
        break;
    case LOG_WALK_THREAD_END:
    case LOG_WALK_EPOCH:
        hang_log_clear();
        break;
    case LOG_WALK_RANGE_BEGIN:
        hang_log_push(event, event.value, ticks);
        break;
    case LOG_WALK_RANGE_END:
        hang_log_pop(LOG_WALK_RANGE_BEGIN, event.nvtx);
        break;
    case LOG_WALK_STEP:
        hang_log_pop(LOG_WALK_STEP, false);
        hang_log_push(event, event.value, ticks);
        break;
    case LOG_WALK_ATTR:
        hang_log_attr(record);
        break;
    case LOG_WALK_CALL_BEGIN: /* correlation, cbid, domain, flags */
        hang_work_take_launch(record, ticks, hang_log->tid, hang_log_around());
        hang_log_push(event, (event.value >> 48 & 0xff) << 16 | (event.value >> 32 & 0xffff),
                      ticks);
        break;
    case LOG_WALK_CALL_END:
        if ((uint32_t)record[1] != 0)
            hang_work_take_failure((uint32_t)event.value);
        hang_log_pop(LOG_WALK_CALL_BEGIN, false);
        break;
    default:
        break;
    }
    return true;
}

static bool hang_log_follow_operation(void *base_ticks, const uint64_t *record, unsigned words)
{
    (void)base_ticks, (void)words;
    if (PROF_WORD_KIND(*record) == PROF_KIND_EXT)
        hang_work_take_operation(record, hang_log->since);
    return true;
}

static bool hang_log_follow_fact(void *unused, const uint64_t *record, unsigned words)
{
    const struct prof_rec_api_name *call = (const void *)record;
    const struct prof_rec_event_name *event = (const void *)record;
    (void)unused, (void)words;
    if (PROF_WORD_KIND(*record) != PROF_KIND_EXT)
        return true;
    if (PROF_WORD_TYPE(*record) == PROF_REC_API_NAME && call->domain >= 1 && call->domain <= 2 &&
        call->cbid < HANG_LOG_CALLS)
        hang_log->call_names[call->domain - 1][call->cbid] = call->name;
    if (PROF_WORD_TYPE(*record) == PROF_REC_EVENT_NAME && event->id <= PROF_NAME_ID_MAX)
        hang_log->event_names[event->id] = event->name;
    return true;
}

/* Names of functions and events are in the process's chunks, the first one of which is the file's:
 * it begins with the file's header. */
static void hang_log_read_facts(void)
{
    uint64_t end = chunks_count();
    for (uint64_t chunk = 0; chunk < end; chunk++) {
        struct prof_chunk_header header;
        if (!chunks_read(chunk, hang_log->words, LOG_WALK_HEADER_WORDS))
            continue;
        memcpy(&header, hang_log->words, sizeof header);
        bool facts = header.magic == PROF_CHUNK_MAGIC && header.kind == PROF_CHUNK_META;
        if ((chunk == 0 || facts) && chunks_read(chunk, hang_log->words, LOG_WALK_WORDS))
            log_walk_records(hang_log->words,
                             chunk ? LOG_WALK_HEADER_WORDS : PROF_FILE_HEADER_BYTES / 8,
                             LOG_WALK_WORDS, hang_log_follow_fact, NULL);
    }
}

static void hang_log_walk(const struct log_walk_chunk *chunk, log_walk_see *follow)
{
    uint64_t base_ticks = chunk->base_ticks;
    if (log_walk_read(chunk, chunk->begin, hang_log->words))
        log_walk_records(hang_log->words, chunk->begin, chunk->end, follow, &base_ticks);
}

static void hang_log_read_operations(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct log_walk_chunk *chunk = &hang_log->chunks[i];
        if (i == 0 || chunk->log != hang_log->chunks[i - 1].log)
            hang_log->since = chunk->sequence ? chunk->begin_ticks : 0;
        hang_log_walk(chunk, hang_log_follow_operation);
    }
}

unsigned hang_log_add_open(void)
{
    uint64_t end = chunks_count(), from = end > HANG_LOG_CHUNKS ? end - HANG_LOG_CHUNKS : 1;
    size_t count = log_walk_find(from, end, hang_log->chunks, HANG_LOG_PIECES, NULL);
    hang_log_clear();
    hang_log->listed = 0;
    hang_log->tid = 0;
    hang_work_begin();
    hang_log_read_facts();
    hang_log_read_operations(count);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && hang_log->chunks[i].log != hang_log->chunks[i - 1].log)
            hang_log_list();
        hang_log_walk(&hang_log->chunks[i], hang_log_follow);
    }
    hang_log_list();
    return hang_log->listed;
}
