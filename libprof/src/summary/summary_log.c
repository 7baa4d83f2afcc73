/* summary_log.c - walks what the threads' logs have gained: ranges, steps and CUDA calls.
 *
 * It pairs begins and ends as the reader does (export/timeline/build_slices.c): prof.h and each NVTX
 * domain have a stack of ranges each, and a range that another one's end cuts goes on as a second
 * segment. A chunk that a ring recycled first is counted, and what was open ends there.
 */
#include "atomic.h"
#include "chunks.h"
#include "config.h"
#include "recorder.h"
#include "summary.h"
#include "summary_inside.h"
#include "thread.h"

#include <string.h>

#define LOG_LOGS 8192u   /* what threads beyond do counts as not seen */
#define LOG_OPEN 64u     /* ranges, steps and calls of a thread; deeper ones are left out */
#define LOG_CALLS_SEEN 8 /* open calls that an end is searched among */
#define LOG_LABELS (1u << 20)
#define LOG_WORDS (PROF_CHUNK_BYTES / 8)

enum log_kind { LOG_RANGE, LOG_STEP, LOG_CALL };

struct log_open {
    int64_t start_ns;
    uint64_t name; /* of a step: its number */
    uint32_t stack;
    uint32_t correlation;
    uint16_t kind;  /* enum log_kind */
    uint16_t flags; /* PROF_API_* */
};

struct log {
    uint64_t sequence; /* of the chunk at hand, or the next */
    uint32_t at;       /* next word in it; 0: not begun */
    uint32_t stuck;    /* where the last walk found something that was not stored yet */
    bool waits;        /* for a chunk that the last walk did not find */
    bool begun;        /* has an epoch */
    uint32_t thread, epoch;
    int64_t last_ns;
    uint32_t deep; /* ranges left out, that are open */
    uint32_t count;
    struct log_open open[LOG_OPEN];
};

struct log_chunk {
    uint64_t sequence;
    uint32_t log, number;
    bool steps; /* these come first: the others' events need the steps */
};

/* The walk through one chunk. */
struct log_walk {
    struct log *log;
    uint64_t base, limit_ticks;
};

static struct logs {
    uint64_t chunk_limit, found_count;
    uint32_t used; /* logs */
    uint64_t words[LOG_WORDS];
    struct log logs[LOG_LOGS];
} * logs;

static uint32_t *log_done; /* by chunk: sequence + 1 of the use that is finished, low 32 bits */
static struct log_chunk *log_found; /* chunks with something new */

bool summary_log_begin(uint64_t chunks)
{
    uint64_t limit = logs ? logs->chunk_limit : chunks;
    void *memory = logs, *done = log_done, *found = log_found;
    bool begun = summary_memory(&memory, sizeof *logs) &&
                 summary_memory(&done, limit * sizeof *log_done) &&
                 summary_memory(&found, limit * sizeof *log_found);
    logs = memory, log_done = done, log_found = found;
    if (begun)
        logs->chunk_limit = limit;
    return begun;
}

/* ---- domains of NVTX ---- */

static uint16_t *log_domains; /* by event name id; whoever names first makes it, anybody writes */

/* Two threads may make it at once: the second one's stays unused. */
static uint16_t *log_domains_made(void)
{
    uint16_t *known = load_acquire(&log_domains);
    void *memory = NULL;
    if (known || !summary_memory(&memory, LOG_LABELS * sizeof *log_domains))
        return known;
    uint16_t *made = memory;
    return cas_acq_rel(&log_domains, &known, made) ? made : known;
}

void summary_label(uint32_t id, uint32_t domain)
{
    uint16_t *domains = config_get()->summary_s && domain ? log_domains_made() : NULL;
    if (domains && id < LOG_LABELS)
        store_relaxed(&domains[id], (uint16_t)domain);
}

static uint32_t log_domain_of(uint64_t name)
{
    const uint16_t *domains = load_acquire(&log_domains);
    return domains && name < LOG_LABELS ? load_relaxed(&domains[name]) : 0;
}

/* ---- what is open ---- */

static void log_count(const struct log_open *open, int64_t end_ns)
{
    int64_t ns = end_ns - open->start_ns;
    if (open->kind == LOG_STEP)
        summary_step_end(open->name, open->start_ns, end_ns);
    else if (open->kind == LOG_RANGE)
        summary_table_add(PROF_SUMMARY_RANGE, summary_step_at(open->start_ns), open->name, ns);
    else if (!(open->flags & PROF_API_INTERNAL))
        summary_table_add(PROF_SUMMARY_CALL, summary_step_at(open->start_ns), open->name, ns);
}

static void log_close_above(struct log *log, uint32_t place, int64_t end_ns)
{
    while (log->count > place)
        log_count(&log->open[--log->count], end_ns);
}

static void log_close(struct log *log, int64_t end_ns)
{
    log_close_above(log, 0, end_ns > log->last_ns ? end_ns : log->last_ns);
    log->deep = 0;
}

static bool log_push(struct log *log, struct log_open open)
{
    if (log->count == LOG_OPEN) {
        log->deep += open.kind == LOG_RANGE;
        return false;
    }
    log->open[log->count++] = open;
    return true;
}

static void log_begin_range(struct log *log, int64_t now_ns, uint64_t name, uint32_t stack)
{
    log_push(log, (struct log_open){
                      .start_ns = now_ns, .name = name, .stack = stack, .kind = LOG_RANGE});
}

/* Ends the range at `place`. Ranges above it go on, as new segments; a step ends, and so does a call,
 * whose end was lost. */
static void log_end_at(struct log *log, uint32_t place, int64_t now_ns)
{
    uint32_t kept = place;
    for (uint32_t i = place; i < log->count; i++) {
        struct log_open open = log->open[i];
        log_count(&open, now_ns);
        if (i == place || open.kind != LOG_RANGE)
            continue;
        open.start_ns = now_ns;
        log->open[kept++] = open;
    }
    log->count = kept;
}

static void log_end_range(struct log *log, int64_t now_ns, uint32_t stack)
{
    if (log->deep) {
        log->deep--;
        return;
    }
    for (uint32_t place = log->count; place-- > 0;)
        if (log->open[place].kind == LOG_RANGE && log->open[place].stack == stack) {
            log_end_at(log, place, now_ns);
            return;
        }
}

/* A range that began in the step before, and is still open, keeps that step going. */
static void log_begin_step(struct log *log, int64_t now_ns, uint64_t number)
{
    if (log->count && log->open[log->count - 1].kind == LOG_STEP)
        log_close_above(log, log->count - 1, now_ns);
    if (log_push(log, (struct log_open){.start_ns = now_ns, .name = number, .kind = LOG_STEP}))
        summary_step_begin(number, now_ns);
}

/* Place of the innermost open call of that correlation id, 0 any; LOG_OPEN: there is none. */
static uint32_t log_find_call(const struct log *log, uint32_t correlation)
{
    int seen = 0;
    for (uint32_t place = log->count; place-- > 0 && seen < LOG_CALLS_SEEN;) {
        if (log->open[place].kind != LOG_CALL)
            continue;
        if (!correlation || log->open[place].correlation == correlation)
            return place;
        seen++;
    }
    return LOG_OPEN;
}

/* A call inside a call of libprof's own is libprof's, too. */
static uint32_t log_flags_around(const struct log *log)
{
    uint32_t flags = 0;
    for (uint32_t place = log->count; place-- > 0;)
        if (log->open[place].kind == LOG_CALL)
            flags |= log->open[place].flags & PROF_API_INTERNAL;
    return flags;
}

static void log_begin_call(struct log *log, int64_t now_ns, const uint64_t *record)
{
    struct prof_rec_api_enter enter = {0};
    memcpy(&enter, record, PROF_REC_API_ENTER_SHORT_BYTES);
    uint32_t flags = enter.flags | log_flags_around(log);
    /* the outer one of two calls with one correlation id launched, unless it launches nothing */
    uint32_t outer = log_find_call(log, enter.correlation);
    const uint32_t launches = PROF_API_LAUNCHES | PROF_API_GRAPH;
    bool covered = outer != LOG_OPEN && enter.correlation &&
                   (!(flags & launches) || log->open[outer].flags & launches);
    if (enter.correlation && !covered)
        summary_launch(&(struct summary_call){now_ns, now_ns, enter.correlation, flags});
    log_push(log, (struct log_open){.start_ns = now_ns,
                                    .name = enter.domain | (uint64_t)enter.cbid << 8,
                                    .correlation = enter.correlation,
                                    .kind = LOG_CALL,
                                    .flags = (uint16_t)flags});
}

static void log_end_call(struct log *log, int64_t now_ns, uint32_t correlation)
{
    uint32_t place = log_find_call(log, correlation);
    if (place == LOG_OPEN)
        return;
    log_close_above(log, place + 1, now_ns);
    summary_launch_end(log->open[place].correlation, log->open[place].start_ns, now_ns);
    log_close_above(log, place, now_ns);
}

/* ---- threads and epochs ---- */

static int64_t log_stop_or(const struct log *log, int64_t end_ns)
{
    int64_t stop_ns;
    return summary_clock_stop_ns(log->epoch, &stop_ns) && stop_ns <= end_ns ? stop_ns : end_ns;
}

/* Recording is on again: what was open ended when it went off. */
static void log_enter_epoch(struct log *log, uint32_t epoch)
{
    int64_t stop_ns = log->last_ns;
    if (log->begun && log->epoch == epoch)
        return;
    if (log->begun) {
        summary_clock_stop_ns(log->epoch, &stop_ns);
        log_close(log, stop_ns);
    }
    log->epoch = epoch;
    log->begun = true;
}

static void log_set_owner(struct log *log, uint32_t thread, uint32_t epoch)
{
    if (log->thread != thread) {
        log_close(log, log_stop_or(log, log->last_ns));
        log->thread = thread;
        log->begun = false;
        log->last_ns = -SUMMARY_NEVER;
    }
    log_enter_epoch(log, epoch);
}

/* ---- records ---- */

static int64_t log_time(struct log_walk *walk, uint64_t word)
{
    int64_t now_ns = summary_clock_ns(walk->base + PROF_WORD_INFO(word));
    if (now_ns > walk->log->last_ns)
        walk->log->last_ns = now_ns;
    return walk->log->last_ns;
}

static void log_nvtx_push(struct log_walk *walk, uint64_t word, uint64_t name)
{
    log_begin_range(walk->log, log_time(walk, word), name, RANGE_STACK_NVTX(log_domain_of(name)));
}

static void log_read_ext(struct log_walk *walk, const uint64_t *record, unsigned words)
{
    struct log *log = walk->log;
    unsigned type = PROF_WORD_TYPE(*record);
    if (type >= PROF_REC_KERNEL && type < PROF_REC_NAME) {
        summary_operation(record, words);
        return;
    }
    if (words < 2 && type != PROF_REC_THREAD_END)
        return;
    switch (type) {
    case PROF_REC_THREAD:
        log_set_owner(log, (uint32_t)record[1], log->epoch);
        break;
    case PROF_REC_THREAD_END:
        log_close(log, log_stop_or(log, log_time(walk, *record)));
        break;
    case PROF_REC_EPOCH:
        log_enter_epoch(log, (uint32_t)record[1]);
        break;
    case PROF_REC_PUSH_WIDE:
        log_begin_range(log, log_time(walk, *record), record[1], RANGE_STACK_PROF);
        break;
    case PROF_REC_NVTX_PUSH_WIDE:
        log_nvtx_push(walk, *record, record[1]);
        break;
    case PROF_REC_STEP:
        log_begin_step(log, log_time(walk, *record), record[1]);
        break;
    case PROF_REC_API_ENTER:
        if (words >= PROF_REC_API_ENTER_SHORT_BYTES / 8)
            log_begin_call(log, log_time(walk, *record), record);
        break;
    case PROF_REC_API_EXIT:
        log_end_call(log, log_time(walk, *record), (uint32_t)(record[1] >> 32));
        break;
    default:
        break;
    }
}

static void log_read(struct log_walk *walk, const uint64_t *record, unsigned words)
{
    uint64_t word = *record;
    switch (PROF_WORD_KIND(word)) {
    case PROF_KIND_PUSH:
        log_begin_range(walk->log, log_time(walk, word), PROF_WORD_NAME(word), RANGE_STACK_PROF);
        break;
    case PROF_KIND_POP:
        log_end_range(walk->log, log_time(walk, word), RANGE_STACK_PROF);
        break;
    case PROF_KIND_NVTX_PUSH:
        log_nvtx_push(walk, word, PROF_WORD_NAME(word));
        break;
    case PROF_KIND_NVTX_POP:
        log_end_range(walk->log, log_time(walk, word), RANGE_STACK_NVTX(PROF_WORD_NAME(word)));
        break;
    case PROF_KIND_EXT:
        log_read_ext(walk, record, words);
        break;
    default:
        break;
    }
}

/* Whether the record is of a later time than the walk may convert. A device's have no ticks. */
static bool log_is_later(const struct log_walk *walk, uint64_t word)
{
    bool timed = PROF_WORD_KIND(word) != PROF_KIND_EXT || PROF_WORD_TYPE(word) < PROF_REC_KERNEL;
    return timed && walk->base + PROF_WORD_INFO(word) > walk->limit_ticks;
}

static unsigned log_words_of(uint64_t word)
{
    unsigned kind = PROF_WORD_KIND(word);
    bool sized = kind == PROF_KIND_EXT || kind == PROF_KIND_HOLE;
    return sized && PROF_WORD_SIZE(word) ? PROF_WORD_SIZE(word) : 1;
}

static bool log_is_stored(uint64_t word)
{
    return PROF_WORD_KIND(word) != PROF_KIND_EMPTY && PROF_WORD_KIND(word) != PROF_KIND_HOLE;
}

/* Nothing behind the last word that is not zero was stored. */
static uint32_t log_stored_end(uint32_t at)
{
    uint32_t end = LOG_WORDS;
    while (end > at && !logs->words[end - 1])
        end--;
    return end;
}

/* Walks the words of the chunk. In one that is still being filled, a word that is not stored yet may be
 * a moment later: the walk waits for it once. */
static void log_walk_words(struct log_walk *walk, bool is_filled)
{
    struct log *log = walk->log;
    uint32_t end = log_stored_end(log->at), words;
    for (; log->at < end; log->at += words) {
        const uint64_t *record = &logs->words[log->at];
        words = log_words_of(*record);
        if (words > LOG_WORDS - log->at)
            words = LOG_WORDS - log->at;
        if (!log_is_stored(*record)) {
            if (!is_filled && log->stuck != log->at) {
                log->stuck = log->at;
                return;
            }
            continue;
        }
        if (log_is_later(walk, *record))
            return;
        log_read(walk, record, words);
    }
}

/* ---- chunks ---- */

/* Finds the chunks that are not finished. */
static void log_find(void)
{
    struct prof_chunk_header header;
    uint64_t count = chunks_count();
    logs->found_count = 0;
    for (uint64_t number = 1; number < count && number < logs->chunk_limit; number++) {
        if (!chunks_peek(number, (uint64_t *)(void *)&header, 0, 3) ||
            header.magic != PROF_CHUNK_MAGIC || header.kind != PROF_CHUNK_LOG ||
            log_done[number] == (uint32_t)header.sequence + 1 || header.log >= LOG_LOGS)
            continue;
        const struct thread_slot *slot = thread_slot_at(header.log);
        log_found[logs->found_count++] =
            (struct log_chunk){.sequence = header.sequence,
                               .log = header.log,
                               .number = (uint32_t)number,
                               .steps = slot && load_relaxed(&slot->steps)};
        if (header.log >= logs->used)
            logs->used = header.log + 1;
    }
}

static bool log_chunk_before(const struct log_chunk *a, const struct log_chunk *b)
{
    if (a->steps != b->steps)
        return a->steps;
    return a->log != b->log ? a->log < b->log : a->sequence < b->sequence;
}

static void log_sift(size_t at, size_t count)
{
    struct log_chunk chunk = log_found[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && log_chunk_before(&log_found[child], &log_found[child + 1]))
            child++;
        if (!log_chunk_before(&chunk, &log_found[child]))
            break;
        log_found[at] = log_found[child];
    }
    log_found[at] = chunk;
}

/* In place: qsort() may allocate. */
static void log_sort(size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        log_sift(i, count);
    for (size_t end = count; end-- > 1;) {
        struct log_chunk last = log_found[end];
        log_found[end] = log_found[0];
        log_found[0] = last;
        log_sift(0, end);
    }
}

/* False: there are chunks ahead of this one that may still be found. */
static bool log_begin_chunk(struct log *log, const struct log_chunk *chunk)
{
    if (log->sequence != chunk->sequence && !log->waits) {
        log->waits = true;
        return false;
    }
    log->waits = false;
    if (log->sequence != chunk->sequence) {
        summary_table_unseen(chunk->sequence - log->sequence);
        log_close(log, log->last_ns);
        log->at = 0;
    }
    log->sequence = chunk->sequence;
    return true;
}

/* False: the rest of the log has to wait for the next walk. */
static bool log_walk_chunk(const struct log_chunk *chunk, bool is_filled, uint64_t limit_ticks)
{
    struct log *log = &logs->logs[chunk->log];
    struct prof_chunk_header header;
    if (chunk->sequence < log->sequence)
        return true;
    if (!log_begin_chunk(log, chunk))
        return false;
    uint64_t head[PROF_CHUNK_HEADER_BYTES / 8];
    bool read = chunks_peek(chunk->number, head, 0, PROF_CHUNK_HEADER_BYTES / 8) &&
                chunks_peek(chunk->number, logs->words, log->at, LOG_WORDS);
    memcpy(&header, head, sizeof header);
    if (!read || header.magic != PROF_CHUNK_MAGIC || header.log != chunk->log ||
        header.sequence != chunk->sequence || memcmp(head, logs->words, 3 * sizeof *head) != 0)
        return true; /* recycled meanwhile: the next chunk shows the gap */
    if (!log->at) {
        log->at = PROF_CHUNK_HEADER_BYTES / 8;
        log->stuck = 0;
        log_set_owner(log, header.thread, header.epoch);
    }
    struct log_walk walk = {.log = log, .base = header.base_ticks, .limit_ticks = limit_ticks};
    log_walk_words(&walk, is_filled);
    if (!is_filled || log->at < log_stored_end(log->at))
        return !is_filled;
    log_done[chunk->number] = (uint32_t)chunk->sequence + 1;
    log->sequence = chunk->sequence + 1;
    log->at = 0;
    return true;
}

/* Logs with steps come first. */
void summary_log_walk(uint64_t limit_ticks)
{
    log_find();
    log_sort(logs->found_count);
    for (uint64_t i = 0, next; i < logs->found_count; i = next) {
        bool goes_on = true;
        for (next = i; next < logs->found_count && log_found[next].log == log_found[i].log;
             next++) {
            bool is_filled =
                next + 1 < logs->found_count && log_found[next + 1].log == log_found[i].log;
            goes_on = goes_on && log_walk_chunk(&log_found[next], is_filled, limit_ticks);
        }
    }
}

void summary_log_end(int64_t end_ns)
{
    for (uint32_t i = 0; i < logs->used; i++)
        if (logs->logs[i].last_ns > end_ns)
            end_ns = logs->logs[i].last_ns;
    for (uint32_t i = 0; i < logs->used; i++)
        log_close(&logs->logs[i], log_stop_or(&logs->logs[i], end_ns));
}
