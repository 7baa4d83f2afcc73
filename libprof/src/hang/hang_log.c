#include "hang_inside.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "names.h"
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>

#define HANG_LOG_LOGS 4096u   /* threads at a time that are watched */
#define HANG_LOG_CHUNKS 4096u /* 256 MiB: what is open longer than these cover is not listed */
#define HANG_LOG_RECENT 64u
#define HANG_LOG_DEPTH 256u
#define HANG_LOG_CALLS 2048u
#define HANG_LOG_HEADER_WORDS (PROF_CHUNK_HEADER_BYTES / 8)
#define HANG_LOG_WORDS (PROF_CHUNK_BYTES / 8)

/* How far the newest chunk of a log was read. */
struct hang_place {
    uint64_t chunk; /* 0: none was seen; it is META's */
    uint64_t sequence;
    uint32_t word;
};

struct hang_chunk {
    uint64_t index, sequence, base_ticks;
    uint32_t log;
};

static struct {
    uint64_t words[HANG_LOG_WORDS];
    struct hang_place places[HANG_LOG_LOGS];
    uint32_t log_count;
    uint64_t chunks_seen;
    struct hang_chunk chunks[HANG_LOG_CHUNKS];
    struct hang_open open[HANG_LOG_DEPTH];
    unsigned depth, listed;
    uint32_t tid;
    uint64_t since;                             /* hang_work_take_operation() */
    uint32_t call_names[2][HANG_LOG_CALLS];     /* by domain and cbid */
    uint32_t event_names[PROF_NAME_ID_MAX + 1]; /* by event name id, 0: it is a name id */
} * hang_log;

bool hang_log_reserve(void)
{
    if (hang_log) { /* in a forked child: of another file */
        memset(hang_log, 0, sizeof *hang_log);
        return true;
    }
    void *memory = mmap(NULL, sizeof *hang_log, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
        hang_log = memory;
    return hang_log != NULL;
}

/* Words of the record, 0: nothing was committed here. */
static unsigned hang_log_size(uint64_t word)
{
    unsigned kind = PROF_WORD_KIND(word);
    if (kind == PROF_KIND_EMPTY)
        return 0;
    return kind == PROF_KIND_EXT || kind == PROF_KIND_HOLE ? PROF_WORD_SIZE(word) : 1;
}

/* ---- progress ---- */

static bool hang_log_is_end(const uint64_t *record)
{
    unsigned kind = PROF_WORD_KIND(*record);
    if (kind != PROF_KIND_EXT)
        return kind == PROF_KIND_POP || kind == PROF_KIND_NVTX_POP;
    switch (PROF_WORD_TYPE(*record)) {
    case PROF_REC_API_EXIT:
        return (uint32_t)record[1] == 0; /* a query that says "not ready" is none */
    case PROF_REC_STEP:
    case PROF_REC_RANGE:
    case PROF_REC_RANGE_END:
    case PROF_REC_BLOCK:
    case PROF_REC_KERNEL:
    case PROF_REC_MEMCPY:
    case PROF_REC_MEMSET:
    case PROF_REC_GRAPH_RUN:
    case PROF_REC_RANGE_TIME:
        return true;
    default:
        return false;
    }
}

/* False: it is no LOG chunk (yet). */
static bool hang_log_read_header(uint64_t chunk, struct prof_chunk_header *header)
{
    *header = (struct prof_chunk_header){0};
    if (!chunks_read(chunk, hang_log->words, HANG_LOG_HEADER_WORDS))
        return false;
    memcpy(header, hang_log->words, sizeof *header);
    return header->magic == PROF_CHUNK_MAGIC && header->kind == PROF_CHUNK_LOG;
}

/* Finds the newest chunk of each log. In ring mode old numbers come again: all are looked at. */
static void hang_log_find_newest(void)
{
    uint64_t end = chunks_count();
    bool ring = config_get()->full == CONFIG_FULL_RING;
    for (uint64_t chunk = ring ? 1 : hang_log->chunks_seen + 1; chunk < end; chunk++) {
        struct prof_chunk_header header;
        if (!hang_log_read_header(chunk, &header) || header.log >= HANG_LOG_LOGS)
            continue;
        struct hang_place *place = &hang_log->places[header.log];
        if (place->chunk && place->sequence >= header.sequence)
            continue;
        *place = (struct hang_place){chunk, header.sequence, HANG_LOG_HEADER_WORDS};
        if (header.log >= hang_log->log_count)
            hang_log->log_count = header.log + 1;
    }
    /* the latest may have no header yet */
    hang_log->chunks_seen = end > HANG_LOG_RECENT ? end - HANG_LOG_RECENT : 0;
}

/* A word that was taken but never committed stays empty: what follows counts. */
static bool hang_log_look(struct hang_place *place)
{
    bool ended = false;
    if (!chunks_read(place->chunk, hang_log->words, HANG_LOG_WORDS))
        return false;
    for (uint32_t at = place->word; at < HANG_LOG_WORDS;) {
        unsigned size = hang_log_size(hang_log->words[at]);
        if (size > HANG_LOG_WORDS - at)
            break;
        ended |= size && hang_log_is_end(&hang_log->words[at]);
        at += size ? size : 1;
        if (size)
            place->word = at;
    }
    return ended;
}

static bool hang_log_look_at_all(void)
{
    bool ended = false;
    for (uint32_t i = 0; i < hang_log->log_count; i++)
        if (hang_log->places[i].chunk && hang_log_look(&hang_log->places[i]))
            ended = true;
    return ended;
}

/* First the rest of the chunks that were the newest at the last call. */
bool hang_log_has_progress(void)
{
    bool ended = hang_log_look_at_all();
    hang_log_find_newest();
    return hang_log_look_at_all() || ended;
}

/* ---- what is open ---- */

static void hang_log_push(unsigned kind, unsigned type, uint32_t name, uint64_t ticks)
{
    if (hang_log->depth < HANG_LOG_DEPTH)
        hang_log->open[hang_log->depth++] =
            (struct hang_open){.ticks = ticks, .name = name, .kind = kind, .type = type};
}

/* The innermost of that kind; others stay. */
static void hang_log_pop(unsigned kind, unsigned type)
{
    for (unsigned i = hang_log->depth; i-- > 0;) {
        const struct hang_open *open = &hang_log->open[i];
        if (open->kind != kind || open->type != type)
            continue;
        memmove(&hang_log->open[i], &hang_log->open[i + 1],
                (hang_log->depth - i - 1) * sizeof *open);
        hang_log->depth--;
        return;
    }
}

static bool hang_log_is_range(const struct hang_open *open)
{
    return open->kind != PROF_KIND_EXT;
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
            hang_text_add("=%g", number);
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
    if (open->kind == PROF_KIND_NVTX_PUSH)
        return "NVTX range";
    if (hang_log_is_range(open))
        return "range";
    return open->type == PROF_REC_STEP ? "step" : "CUDA call";
}

static void hang_log_list(void)
{
    for (unsigned i = 0; i < hang_log->depth; i++) {
        const struct hang_open *open = &hang_log->open[i];
        hang_text_add("open tid=%u seconds=%.1f kind=", hang_log->tid,
                      hang_log_seconds(open->ticks));
        hang_text_add_quoted(hang_log_kind(open));
        if (!hang_log_is_range(open) && open->type == PROF_REC_STEP) {
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
    hang_log->depth = 0;
}

static void hang_log_follow_record(const uint64_t *record, uint64_t base)
{
    uint64_t ticks = base + PROF_WORD_INFO(*record);
    switch (PROF_WORD_TYPE(*record)) {
    case PROF_REC_THREAD:
        hang_log->depth = 0;
        hang_log->tid = (uint32_t)(record[1] >> 32);
        break;
    case PROF_REC_THREAD_END:
    case PROF_REC_EPOCH:
        hang_log->depth = 0;
        break;
    case PROF_REC_PUSH_WIDE:
        hang_log_push(PROF_KIND_PUSH, 0, (uint32_t)record[1], ticks);
        break;
    case PROF_REC_NVTX_PUSH_WIDE:
        hang_log_push(PROF_KIND_NVTX_PUSH, 0, (uint32_t)record[1], ticks);
        break;
    case PROF_REC_STEP:
        hang_log_pop(PROF_KIND_EXT, PROF_REC_STEP);
        hang_log_push(PROF_KIND_EXT, PROF_REC_STEP, (uint32_t)record[1], ticks);
        break;
    case PROF_REC_ATTR:
        hang_log_attr(record);
        break;
    case PROF_REC_API_ENTER: /* correlation, cbid, domain, flags */
        hang_work_take_launch(record, ticks, hang_log->tid, hang_log_around());
        hang_log_push(
            PROF_KIND_EXT, PROF_REC_API_ENTER,
            (uint32_t)(record[1] >> 48 & 0xff) << 16 | (uint32_t)(record[1] >> 32 & 0xffff), ticks);
        break;
    case PROF_REC_API_EXIT: /* result, correlation */
        if ((uint32_t)record[1] != 0)
            hang_work_take_failure((uint32_t)(record[1] >> 32));
        hang_log_pop(PROF_KIND_EXT, PROF_REC_API_ENTER);
        break;
    default:
        break;
    }
}

static void hang_log_follow(const uint64_t *record, uint64_t base)
{
    switch (PROF_WORD_KIND(*record)) {
    case PROF_KIND_PUSH:
    case PROF_KIND_NVTX_PUSH:
        hang_log_push(PROF_WORD_KIND(*record), 0, PROF_WORD_NAME(*record),
                      base + PROF_WORD_INFO(*record));
        break;
    case PROF_KIND_POP:
        hang_log_pop(PROF_KIND_PUSH, 0);
        break;
    case PROF_KIND_NVTX_POP:
        hang_log_pop(PROF_KIND_NVTX_PUSH, 0);
        break;
    case PROF_KIND_EXT:
        hang_log_follow_record(record, base);
        break;
    default:
        break;
    }
}

static void hang_log_follow_operation(const uint64_t *record, uint64_t base)
{
    (void)base;
    if (PROF_WORD_KIND(*record) == PROF_KIND_EXT)
        hang_work_take_operation(record, hang_log->since);
}

static void hang_log_follow_fact(const uint64_t *record, uint64_t base)
{
    const struct prof_rec_api_name *call = (const void *)record;
    const struct prof_rec_event_name *event = (const void *)record;
    (void)base;
    if (PROF_WORD_KIND(*record) != PROF_KIND_EXT)
        return;
    if (PROF_WORD_TYPE(*record) == PROF_REC_API_NAME && call->domain >= 1 && call->domain <= 2 &&
        call->cbid < HANG_LOG_CALLS)
        hang_log->call_names[call->domain - 1][call->cbid] = call->name;
    if (PROF_WORD_TYPE(*record) == PROF_REC_EVENT_NAME && event->id <= PROF_NAME_ID_MAX)
        hang_log->event_names[event->id] = event->name;
}

/* The file's first chunk begins with the file's header. */
static void hang_log_walk(uint64_t chunk, void (*follow)(const uint64_t *record, uint64_t base))
{
    unsigned at = chunk ? HANG_LOG_HEADER_WORDS : PROF_FILE_HEADER_BYTES / 8, size;
    if (!chunks_read(chunk, hang_log->words, HANG_LOG_WORDS))
        return;
    uint64_t base = ((const struct prof_chunk_header *)(const void *)hang_log->words)->base_ticks;
    for (; at < HANG_LOG_WORDS; at += size ? size : 1) {
        size = hang_log_size(hang_log->words[at]);
        if (size > HANG_LOG_WORDS - at)
            return;
        if (size)
            follow(&hang_log->words[at], base);
    }
}

/* Names of functions and events are in the process's chunks, the first one of which is the file's. */
static void hang_log_read_facts(void)
{
    uint64_t end = chunks_count();
    struct prof_chunk_header header;
    for (uint64_t chunk = 0; chunk < end; chunk++) {
        hang_log_read_header(chunk, &header);
        if (chunk == 0 || (header.magic == PROF_CHUNK_MAGIC && header.kind == PROF_CHUNK_META))
            hang_log_walk(chunk, hang_log_follow_fact);
    }
}

static bool hang_log_before(const struct hang_chunk *a, const struct hang_chunk *b)
{
    return a->log != b->log ? a->log < b->log : a->sequence < b->sequence;
}

/* By insertion: they come nearly in order, and qsort() may allocate. */
static unsigned hang_log_find_chunks(void)
{
    uint64_t end = chunks_count(), from = end > HANG_LOG_CHUNKS ? end - HANG_LOG_CHUNKS : 1;
    unsigned count = 0;
    for (uint64_t i = from; i < end; i++) {
        struct prof_chunk_header header;
        if (!hang_log_read_header(i, &header))
            continue;
        struct hang_chunk chunk = {i, header.sequence, header.base_ticks, header.log};
        unsigned at = count++;
        for (; at > 0 && hang_log_before(&chunk, &hang_log->chunks[at - 1]); at--)
            hang_log->chunks[at] = hang_log->chunks[at - 1];
        hang_log->chunks[at] = chunk;
    }
    return count;
}

static void hang_log_read_operations(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const struct hang_chunk *chunk = &hang_log->chunks[i];
        if (i == 0 || chunk->log != hang_log->chunks[i - 1].log)
            hang_log->since = chunk->sequence ? chunk->base_ticks : 0;
        hang_log_walk(chunk->index, hang_log_follow_operation);
    }
}

unsigned hang_log_add_open(void)
{
    unsigned count = hang_log_find_chunks();
    hang_log->depth = hang_log->listed = 0;
    hang_log->tid = 0;
    hang_work_begin();
    hang_log_read_facts();
    hang_log_read_operations(count);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0 && hang_log->chunks[i].log != hang_log->chunks[i - 1].log)
            hang_log_list();
        hang_log_walk(hang_log->chunks[i].index, hang_log_follow);
    }
    hang_log_list();
    return hang_log->listed;
}
