/* summary_log.c - walks what the threads' logs have gained: ranges, steps and CUDA calls.
 *
 * It pairs begins and ends as the reader does (export/timeline/build_slices.c): prof.h and each
 * NVTX domain have a stack of ranges each, and a range goes on after the end of another one, or of
 * a step, that cuts it. A step lasts until the next one. A chunk that a ring recycled first is
 * counted, and what was open ends there.
 */
#include "atomic.h"
#include "chunks.h"
#include "config.h"
#include "log_walk.h"
#include "metrics.h"
#include "names.h"
#include "process.h"
#include "recorder.h"
#include "summary.h"
#include "summary_inside.h"
#include "thread.h"

#include <string.h>

#define LOG_LOGS 8192u   /* what threads beyond do counts as not seen */
#define LOG_OPEN 64u     /* ranges, steps and calls of a thread; deeper ones are left out */
#define LOG_CALLS_SEEN 8 /* open calls that an end is searched among */
#define LOG_LABELS (1u << 20)
#define LOG_NAMES_KNOWN 1024u

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
    uint64_t sequence; /* of the current chunk, or the next */
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

/* The walk through one chunk. */
struct log_part {
    struct log *log;
    uint64_t base, limit_ticks;
    bool is_filled, stopped;
};

static struct logs {
    uint64_t chunk_limit;
    uint32_t used; /* logs */
    uint64_t words[LOG_WALK_WORDS];
    struct log logs[LOG_LOGS];
} * logs;

static struct log_walk_chunk *log_found; /* chunks with something new */

/* Chunks, and logs that are in parts. */
static size_t log_found_room(uint64_t chunks)
{
    return chunks + 4 * LOG_LOGS;
}

bool summary_log_begin(uint64_t chunks)
{
    uint64_t limit = logs ? logs->chunk_limit : chunks;
    void *memory = logs, *found = log_found;
    bool begun = process_memory(&memory, sizeof *logs) &&
                 process_memory(&found, log_found_room(limit) * sizeof *log_found);
    logs = memory, log_found = found;
    if (begun)
        logs->chunk_limit = limit;
    return begun;
}

/* ---- event names of NVTX ---- */

/* By event name id: domain, above it log_function_of(). Made by the first thread that names,
 * written by any. */
static uint32_t *log_labels;

/* Two threads may make it at once: the second one's stays unused. */
static uint32_t *log_labels_made(void)
{
    uint32_t *known = load_acquire(&log_labels);
    void *memory = NULL;
    if (known || !process_memory(&memory, LOG_LABELS * sizeof *log_labels))
        return known;
    uint32_t *made = memory;
    return cas_acq_rel(&log_labels, &known, made) ? made : known;
}

/* The function of NCCL whose call a range of that name is, + 1. */
static uint32_t log_function_of(uint32_t name)
{
    const char *text = names_text_of(name);
    return prof_metrics_function_of(text, strnlen(text, 64)) + 1;
}

void summary_label(uint32_t id, uint32_t domain, uint32_t name)
{
    uint32_t function = metrics_on() ? log_function_of(name) : 0;
    uint32_t *labels = function || (summary_wanted() && domain) ? log_labels_made() : NULL;
    if (labels && id < LOG_LABELS)
        store_relaxed(&labels[id], (domain & 0xffff) | function << 16);
}

static uint32_t log_label_of(uint64_t name)
{
    const uint32_t *labels = load_acquire(&log_labels);
    return labels && name < LOG_LABELS ? load_relaxed(&labels[name]) : 0;
}

/* Names are few and come again: looking up the text of each would double the cost of the walk. */
static void log_meter_range(uint64_t name)
{
    static struct {
        uint32_t name, function; /* + 1, as log_function_of() has it */
    } known[LOG_NAMES_KNOWN];
    uint32_t place = (uint32_t)name % LOG_NAMES_KNOWN;
    if (known[place].name != (uint32_t)name || !known[place].function) {
        uint32_t label = log_label_of(name) >> 16;
        known[place].name = (uint32_t)name;
        known[place].function = label ? label : log_function_of((uint32_t)name);
    }
    metrics_collective(known[place].function - 1);
}

/* ---- what is open ---- */

static void log_count(const struct log_open *open, int64_t end_ns)
{
    int64_t ns = end_ns - open->start_ns;
    if (open->kind == LOG_STEP) {
        summary_step_end(open->name, open->start_ns, end_ns);
        if (metrics_on())
            metrics_step(ns);
    } else if (open->kind == LOG_RANGE)
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
    if (metrics_on())
        log_meter_range(name);
}

/* Ends the range or step at `place`. Ranges and steps above it go on, and are counted once, when
 * they end. Calls above it end here: the end of such a call was lost. */
static void log_end_at(struct log *log, uint32_t place, int64_t now_ns)
{
    uint32_t kept = place;
    for (uint32_t i = place; i < log->count; i++) {
        if (i > place && log->open[i].kind != LOG_CALL)
            log->open[kept++] = log->open[i];
        else
            log_count(&log->open[i], now_ns);
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

static void log_begin_step(struct log *log, int64_t now_ns, uint64_t number)
{
    uint32_t place = log->count;
    while (place && log->open[place - 1].kind != LOG_STEP)
        place--;
    if (place)
        log_end_at(log, place - 1, now_ns);
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
    if (metrics_on() && !covered && flags & launches && !(flags & PROF_API_INTERNAL))
        metrics_launch();
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

static int64_t log_time(struct log_part *part, uint64_t word)
{
    int64_t now_ns = summary_clock_ns(part->base + PROF_WORD_INFO(word));
    if (now_ns > part->log->last_ns)
        part->log->last_ns = now_ns;
    return part->log->last_ns;
}

static uint32_t log_stack_of(struct log_walk_event event)
{
    if (!event.nvtx)
        return RANGE_STACK_PROF;
    return RANGE_STACK_NVTX(event.kind == LOG_WALK_RANGE_END ? (uint32_t)event.value
                                                             : log_label_of(event.value) & 0xffff);
}

static void log_read(struct log_part *part, const uint64_t *record, unsigned words)
{
    struct log *log = part->log;
    struct log_walk_event event = log_walk_event(record, words);
    switch (event.kind) {
    case LOG_WALK_DEVICE:
        summary_operation(record, words);
        break;
    case LOG_WALK_THREAD:
        log_set_owner(log, (uint32_t)event.value, log->epoch);
        break;
    case LOG_WALK_THREAD_END:
        log_close(log, log_stop_or(log, log_time(part, *record)));
        break;
    case LOG_WALK_EPOCH:
        log_enter_epoch(log, (uint32_t)event.value);
        break;
    case LOG_WALK_RANGE_BEGIN:
        log_begin_range(log, log_time(part, *record), event.value, log_stack_of(event));
        break;
    case LOG_WALK_RANGE_END:
        log_end_range(log, log_time(part, *record), log_stack_of(event));
        break;
    case LOG_WALK_STEP:
        log_begin_step(log, log_time(part, *record), event.value);
        break;
    case LOG_WALK_CALL_BEGIN:
        log_begin_call(log, log_time(part, *record), record);
        break;
    case LOG_WALK_CALL_END:
        log_end_call(log, log_time(part, *record), (uint32_t)event.value);
        break;
    default:
        break;
    }
}

/* A device record has the time at which the operation ended. */
static void log_meter(struct log_part *part, const uint64_t *record, unsigned words)
{
    unsigned type = PROF_WORD_KIND(*record) == PROF_KIND_EXT ? PROF_WORD_TYPE(*record) : 0;
    bool device = log_walk_is_device(*record);
    if (type == PROF_REC_MEMORY || type == PROF_REC_ALLOC || type == PROF_REC_FREE)
        metrics_memory(record, device ? 0 : log_time(part, *record));
    else if (!device && log_walk_is_progress(record))
        metrics_progress(type ? log_time(part, *record) : part->log->last_ns);
    else if ((type == PROF_REC_GRAPH_RUN || type <= PROF_REC_MEMSET) && device && words > 2)
        metrics_progress(summary_clock_device_ns(record[2]));
}

/* Whether the record is of a later time than the walk may convert. */
static bool log_is_later(const struct log_part *part, uint64_t word)
{
    return !log_walk_is_device(word) && part->base + PROF_WORD_INFO(word) > part->limit_ticks;
}

/* In a chunk that is still being filled, a word that is not stored yet may be a moment later: the
 * walk waits for it once. */
static bool log_see(void *state, const uint64_t *record, unsigned words)
{
    struct log_part *part = state;
    uint32_t at = (uint32_t)(record - logs->words);
    if (!log_walk_is_stored(*record)) {
        part->stopped = !part->is_filled && part->log->stuck != at;
        if (part->stopped)
            part->log->stuck = at;
        return !part->stopped;
    }
    part->stopped = log_is_later(part, *record);
    if (!part->stopped)
        log_read(part, record, words);
    if (!part->stopped && metrics_on())
        log_meter(part, record, words);
    return !part->stopped;
}

/* ---- chunks ---- */

/* Whether the chunk is not finished. Logs with steps come first: the others' events need the
 * steps. */
static bool log_keep(struct log_walk_chunk *chunk)
{
    if (chunk->log >= LOG_LOGS || chunk->sequence < logs->logs[chunk->log].sequence)
        return false;
    const struct thread_slot *slot = thread_slot_at(chunk->log);
    chunk->first = slot && load_relaxed(&slot->steps);
    if (chunk->log >= logs->used)
        logs->used = chunk->log + 1;
    return true;
}

/* False: there are chunks ahead of this one that may still be found. */
static bool log_begin_chunk(struct log *log, const struct log_walk_chunk *chunk)
{
    if (log->sequence != chunk->sequence && !log->waits) {
        log->waits = true;
        return false;
    }
    log->waits = false;
    if (log->sequence != chunk->sequence) {
        summary_table_unseen(chunk->sequence - log->sequence);
        if (metrics_on())
            metrics_unseen(chunk->sequence - log->sequence);
        log_close(log, log->last_ns);
        log->at = 0;
    }
    log->sequence = chunk->sequence;
    return true;
}

/* False: the rest of the log has to wait for the next walk. */
static bool log_read_chunk(const struct log_walk_chunk *chunk, bool is_filled, uint64_t limit_ticks)
{
    struct log *log = &logs->logs[chunk->log];
    if (chunk->sequence < log->sequence)
        return true;
    if (!log_begin_chunk(log, chunk))
        return false;
    if (!log_walk_read(chunk, log->at ? log->at : chunk->begin, logs->words))
        return true; /* recycled meanwhile: the next chunk shows the gap */
    if (!log->at) {
        log->at = chunk->begin;
        log->stuck = 0;
        log_set_owner(log, chunk->thread, chunk->epoch);
    }
    struct log_part part = {log, chunk->base_ticks, limit_ticks, is_filled, false};
    log->at = log_walk_records(logs->words, log->at, chunk->end, log_see, &part);
    if (!is_filled || part.stopped)
        return !is_filled;
    log->sequence = chunk->sequence + 1;
    log->at = 0;
    return true;
}

void summary_log_walk(uint64_t limit_ticks)
{
    uint64_t end = chunks_count();
    size_t count = log_walk_find(1, end < logs->chunk_limit ? end : logs->chunk_limit, log_found,
                                 log_found_room(logs->chunk_limit), log_keep);
    for (size_t i = 0, next; i < count; i = next) {
        bool goes_on = true;
        for (next = i; next < count && log_found[next].log == log_found[i].log; next++) {
            bool is_filled = next + 1 < count && log_found[next + 1].log == log_found[i].log;
            goes_on = goes_on && log_read_chunk(&log_found[next], is_filled, limit_ticks);
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
