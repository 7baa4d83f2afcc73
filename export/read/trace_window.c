/* trace_window.c - leaves out what a window of time does not need.
 *
 * A recording may be larger than memory; of a window of it, only what belongs to the window need
 * be. What is left out must change neither what is kept nor what is known of the whole recording.
 * So each record outside of the window still has its time taken, and goes to the builder unless
 * this file knows that it can do without:
 *
 *     begins        wait (struct walk_pending). If the next thing on the thread that is not left
 *                   out is its own end, both go. Anything else, such as an end of something
 *                   further out, a step, or an event in the window, makes all that wait go to the
 *                   builder first, as if they had never waited
 *     attributes    go with their range
 *     begin/end ranges   by when they began: their ends and attributes may come in a log that is
 *                   walked before that, and then wait until all logs are known
 *     device operations  by the call that launched them, so after all logs; without a call by their
 *                   own time
 *     samples, allocations, marks, counters: by their time
 *     all else      goes to the builder
 *
 * timeline_restrict() then removes what began in time and still is not of the window. */
#include "trace_walk.h"

#include <stdlib.h>

/* ---- the window ---- */

void walk_window_init(struct walk *walk)
{
    struct walk_window *window = &walk->window;
    window->given =
        walk->builder && builder_window(walk->builder, &window->from_ns, &window->to_ns);
    window->first_ns = INT64_MAX;
    window->last_ns = INT64_MIN;
}

void walk_window_fini(struct walk *walk)
{
    struct walk_window *window = &walk->window;
    idset_fini(&window->calls_kept);
    idset_fini(&window->calls_left_out);
    idset_fini(&window->asyncs_kept);
    idset_fini(&window->asyncs_left_out);
    idset_fini(&window->tokens_left_out);
    free(window->late.at);
    for (uint32_t i = 0; i < walk->thread_count; i++)
        free(walk->threads[i].pending.at);
}

static bool window_has(const struct walk *walk, int64_t time_ns)
{
    return time_ns >= walk->window.from_ns && time_ns < walk->window.to_ns;
}

/* Something that is left out happened then. */
static void widen(struct walk *walk, int64_t start_ns, int64_t end_ns)
{
    struct walk_window *window = &walk->window;
    window->first_ns = start_ns < window->first_ns ? start_ns : window->first_ns;
    window->last_ns = end_ns > window->last_ns ? end_ns : window->last_ns;
}

static void remember(struct walk *walk, struct idset *set, uint64_t id)
{
    if (!idset_add(set, id))
        walk_no_memory(walk);
}

/* ---- records that wait ---- */

static void wait_with(struct log_state *log, struct walk_pendings *pending,
                      const struct record *record, int64_t time_ns)
{
    if (walk_room(log->walk, &pending->at, pending->count, &pending->capacity, sizeof *pending->at))
        pending->at[pending->count++] =
            (struct walk_pending){*record, log->base, time_ns, log->thread->number};
}

/* As if it came at its time. */
static void pass_on_late(struct walk *walk, struct walk_thread *thread,
                         const struct walk_pending *pending)
{
    struct log_state log = {.walk = walk, .thread = thread, .base = pending->base};
    uint64_t clamped_times = walk->health.clamped_times;
    int64_t last_ns = thread->last_ns;
    thread->last_ns = pending->time_ns;
    log_pass_on(&log, &pending->record);
    thread->last_ns = last_ns;
    walk->health.clamped_times = clamped_times;
}

static uint32_t correlation_of(const struct record *record)
{
    struct prof_rec_api_enter enter;
    record_copy(record, &enter, sizeof enter);
    return enter.correlation;
}

static bool is_of_type(const struct record *record, unsigned type)
{
    return PROF_WORD_KIND(record->header) == PROF_KIND_EXT && record_type(record) == type;
}

void walk_window_flush(struct walk *walk, struct walk_thread *thread)
{
    struct walk_pendings *pending = &thread->pending;
    for (size_t i = 0; i < pending->count; i++) {
        const struct record *record = &pending->at[i].record;
        if (is_of_type(record, PROF_REC_API_ENTER))
            remember(walk, &walk->window.calls_kept, correlation_of(record));
        pass_on_late(walk, thread, &pending->at[i]);
    }
    pending->count = pending->ranges = 0;
}

/* ---- begins and their ends ---- */

enum nested { NESTED_NO, NESTED_RANGE, NESTED_NVTX, NESTED_FRAME, NESTED_CALL };

static enum nested begins_what(const struct record *record)
{
    switch (PROF_WORD_KIND(record->header)) {
    case PROF_KIND_PUSH:
        return NESTED_RANGE;
    case PROF_KIND_NVTX_PUSH:
        return NESTED_NVTX;
    case PROF_KIND_FRAME_PUSH:
        return NESTED_FRAME;
    case PROF_KIND_EXT:
        break;
    default:
        return NESTED_NO;
    }
    switch (record_type(record)) {
    case PROF_REC_PUSH_WIDE:
        return NESTED_RANGE;
    case PROF_REC_NVTX_PUSH_WIDE:
        return NESTED_NVTX;
    case PROF_REC_FRAME_PUSH_WIDE:
        return NESTED_FRAME;
    case PROF_REC_API_ENTER:
        return NESTED_CALL;
    default:
        return NESTED_NO;
    }
}

static enum nested ends_what(const struct record *record)
{
    switch (PROF_WORD_KIND(record->header)) {
    case PROF_KIND_POP:
        return NESTED_RANGE;
    case PROF_KIND_NVTX_POP:
        return NESTED_NVTX;
    case PROF_KIND_FRAME_POP:
        return NESTED_FRAME;
    case PROF_KIND_EXT:
        return record_type(record) == PROF_REC_API_EXIT ? NESTED_CALL : NESTED_NO;
    default:
        return NESTED_NO;
    }
}

static bool is_range(enum nested what)
{
    return what == NESTED_RANGE || what == NESTED_NVTX;
}

static uint32_t name_of(const struct record *record)
{
    return PROF_WORD_KIND(record->header) == PROF_KIND_EXT ? (uint32_t)record->at[1]
                                                           : PROF_WORD_NAME(record->header);
}

static bool is_end_of(const struct walk *walk, const struct record *end, const struct record *begin)
{
    enum nested what = ends_what(end);
    if (what != begins_what(begin))
        return false;
    if (what == NESTED_NVTX)
        return builder_domain_of(walk->builder, name_of(begin)) == PROF_WORD_NAME(end->header);
    uint32_t ended = what == NESTED_CALL ? (uint32_t)(end->at[1] >> 32) : 0;
    return !ended || ended == correlation_of(begin);
}

/* Steps say where windows are, and libprof's own calls how good the device's clock is. */
static bool is_kept_anyway(const struct walk *walk, const struct record *record, enum nested what)
{
    struct prof_rec_api_enter enter;
    if (is_range(what))
        return builder_is_step(walk->builder, name_of(record));
    if (what == NESTED_FRAME)
        return false;
    record_copy(record, &enter, sizeof enter);
    return enter.flags & PROF_API_INTERNAL;
}

static int64_t time_of(const struct log_state *log, const struct record *record)
{
    uint64_t ticks = log->base + PROF_WORD_INFO(record->header);
    int64_t time_ns = clockmap_time_ns(&log->walk->clock, ticks);
    return time_ns < log->thread->last_ns ? log->thread->last_ns : time_ns;
}

static int64_t leave_out(struct log_state *log, const struct record *record)
{
    int64_t time_ns = log_event_ns(log, PROF_WORD_INFO(record->header));
    widen(log->walk, time_ns, time_ns);
    return time_ns;
}

static bool leaves_out_begin(struct log_state *log, const struct record *record, enum nested what)
{
    if (window_has(log->walk, time_of(log, record)) || is_kept_anyway(log->walk, record, what))
        return false;
    wait_with(log, &log->thread->pending, record, leave_out(log, record));
    log->thread->pending.ranges += is_range(what);
    return true;
}

/* Calls of Python functions around the window are the call stack of what is in it. */
static bool is_around_window(const struct walk *walk, const struct walk_pending *begin,
                             int64_t end_ns)
{
    return begins_what(&begin->record) == NESTED_FRAME && begin->time_ns < walk->window.to_ns &&
           end_ns > walk->window.from_ns;
}

static bool leaves_out_end(struct log_state *log, const struct record *record)
{
    struct walk *walk = log->walk;
    struct walk_pendings *pending = &log->thread->pending;
    const struct walk_pending *begin = pending->count ? &pending->at[pending->count - 1] : NULL;
    int64_t time_ns = time_of(log, record);
    if (!begin || !is_end_of(walk, record, &begin->record) || window_has(walk, time_ns) ||
        is_around_window(walk, begin, time_ns))
        return false;
    if (begins_what(&begin->record) == NESTED_CALL)
        remember(walk, &walk->window.calls_left_out, correlation_of(&begin->record));
    pending->count--;
    pending->ranges -= is_range(begins_what(&begin->record));
    leave_out(log, record);
    return true;
}

/* ---- what belongs to them ---- */

static bool is_in_pending_range(const struct log_state *log)
{
    return log->thread->pending.ranges > 0;
}

static bool leaves_out_timed(struct log_state *log, const struct record *record)
{
    if (!is_in_pending_range(log))
        return false;
    remember(log->walk, &log->walk->window.tokens_left_out, record->at[1]);
    return true;
}

/* ---- begin/end ranges ---- */

static bool leaves_out_async_begin(struct log_state *log, const struct record *record)
{
    struct walk_window *window = &log->walk->window;
    bool kept = window_has(log->walk, time_of(log, record));
    remember(log->walk, kept ? &window->asyncs_kept : &window->asyncs_left_out, record->at[2]);
    if (!kept) {
        leave_out(log, record);
        window->open_asyncs++;
    }
    return !kept;
}

static bool leaves_out_range(struct log_state *log, const struct record *record)
{
    struct walk_window *window = &log->walk->window;
    struct prof_rec_range range;
    int64_t begin_ns, end_ns;
    record_copy(record, &range, sizeof range);
    log_range_times(log->walk, &range, time_of(log, record), &begin_ns, &end_ns);
    bool kept = window_has(log->walk, begin_ns);
    remember(log->walk, kept ? &window->asyncs_kept : &window->asyncs_left_out, range.id);
    if (kept)
        return false;
    log_event_ns(log, PROF_WORD_INFO(record->header));
    widen(log->walk, begin_ns, end_ns);
    return true;
}

/* Its end, or something said about it. */
static bool leaves_out_of_async(struct log_state *log, const struct record *record, uint64_t id)
{
    struct walk_window *window = &log->walk->window;
    if (idset_has(&window->asyncs_kept, id))
        return false;
    bool is_end = record_type(record) == PROF_REC_RANGE_END;
    int64_t time_ns = is_end ? leave_out(log, record) : log->thread->last_ns;
    if (!idset_has(&window->asyncs_left_out, id))
        wait_with(log, &window->late, record, time_ns);
    else
        window->open_asyncs -= is_end;
    return true;
}

static void pass_on_asyncs(struct walk *walk)
{
    struct walk_window *window = &walk->window;
    for (size_t i = 0; i < window->late.count && !walk->failed; i++) {
        struct walk_pending *late = &window->late.at[i];
        struct prof_rec_attr attr;
        record_copy(&late->record, &attr, sizeof attr);
        uint64_t id =
            record_type(&late->record) == PROF_REC_RANGE_END ? late->record.at[1] : attr.target;
        struct walk_thread *thread = walk_thread_find(walk, late->thread);
        if (!thread)
            return;
        if (idset_has(&window->asyncs_kept, id) || !idset_has(&window->asyncs_left_out, id))
            pass_on_late(walk, thread, late);
        else
            window->open_asyncs -= record_type(&late->record) == PROF_REC_RANGE_END;
    }
}

static bool leaves_out_attr(struct log_state *log, const struct record *record)
{
    struct prof_rec_attr attr;
    record_copy(record, &attr, sizeof attr);
    if (attr.target == 0)
        return is_in_pending_range(log);
    if (attr.target == PROF_ATTR_OF_MARK)
        return log->thread->mark_left_out;
    return leaves_out_of_async(log, record, attr.target);
}

/* ---- all records of threads ---- */

static bool leaves_out_event(struct log_state *log, const struct record *record)
{
    if (window_has(log->walk, time_of(log, record)))
        return false;
    leave_out(log, record);
    return true;
}

static bool leaves_out_mark(struct log_state *log, const struct record *record)
{
    return log->thread->mark_left_out = leaves_out_event(log, record);
}

static bool leaves_out_sample(struct log_state *log, const struct record *record)
{
    struct prof_rec_sample sample;
    record_copy(record, &sample, sizeof sample);
    int64_t time_ns = clockmap_time_ns(&log->walk->clock, sample.ticks);
    if (window_has(log->walk, time_ns))
        return false;
    widen(log->walk, time_ns, time_ns);
    return true;
}

/* `begun`: the range that the record before began. */
static bool leaves_out_ext(struct log_state *log, const struct record *record, uint64_t begun)
{
    switch (record_type(record)) {
    case PROF_REC_MARK_WIDE:
        return leaves_out_mark(log, record);
    case PROF_REC_COUNTER:
    case PROF_REC_ALLOC:
    case PROF_REC_FREE:
        return leaves_out_event(log, record);
    case PROF_REC_ATTR:
        return leaves_out_attr(log, record);
    case PROF_REC_ATTRS:
        return is_in_pending_range(log);
    case PROF_REC_STACK:
        return begun ? !idset_has(&log->walk->window.asyncs_kept, begun) : is_in_pending_range(log);
    case PROF_REC_TIMED:
        return leaves_out_timed(log, record);
    case PROF_REC_RANGE_BEGIN:
        return leaves_out_async_begin(log, record);
    case PROF_REC_RANGE:
        return leaves_out_range(log, record);
    case PROF_REC_RANGE_END:
        return leaves_out_of_async(log, record, record->at[1]);
    case PROF_REC_SAMPLE:
        return leaves_out_sample(log, record);
    default:
        return false;
    }
}

static bool leaves_out(struct log_state *log, const struct record *record, uint64_t begun)
{
    enum nested what = begins_what(record);
    if (what)
        return leaves_out_begin(log, record, what);
    if (ends_what(record))
        return leaves_out_end(log, record);
    if (PROF_WORD_KIND(record->header) == PROF_KIND_MARK)
        return leaves_out_mark(log, record);
    return leaves_out_ext(log, record, begun);
}

/* The device's operations of these calls are kept. */
static void note_call(struct walk *walk, const struct record *record)
{
    struct prof_rec_start_event event;
    if (is_of_type(record, PROF_REC_API_ENTER)) {
        remember(walk, &walk->window.calls_kept, correlation_of(record));
    } else if (is_of_type(record, PROF_REC_START_EVENT)) {
        record_copy(record, &event, sizeof event);
        remember(walk, &walk->window.calls_kept, event.correlation);
    }
}

void walk_window_record(struct log_state *log, const struct record *record)
{
    bool is_ext = PROF_WORD_KIND(record->header) == PROF_KIND_EXT;
    if (is_ext && record_type(record) >= PROF_REC_KERNEL) {
        log->has_device_records = true;
        return;
    }
    if (leaves_out(log, record, log->begun)) {
        log->begun = is_of_type(record, PROF_REC_RANGE_BEGIN) ? record->at[2] : 0;
        return;
    }
    walk_window_flush(log->walk, log->thread);
    note_call(log->walk, record);
    log_pass_on(log, record);
}

/* ---- what devices did ---- */

/* False: it is kept. `*start_ns`, `*end_ns`: when it was. */
static bool leaves_out_operation(struct walk *walk, const struct record *record, int64_t *start_ns,
                                 int64_t *end_ns)
{
    uint64_t correlation = PROF_WORD_INFO(record->header) & UINT32_MAX;
    *start_ns = clockmap_device_ns(&walk->clock, record->at[1]);
    *end_ns = clockmap_device_ns(&walk->clock, record->at[2]);
    if (record->at[1] == 0 || idset_has(&walk->window.calls_kept, correlation))
        return false;
    return idset_has(&walk->window.calls_left_out, correlation) || !window_has(walk, *start_ns);
}

static bool leaves_out_device(struct walk *walk, const struct record *record, int64_t *start_ns,
                              int64_t *end_ns)
{
    *start_ns = *end_ns = clockmap_device_ns(&walk->clock, record->at[1]);
    switch (record_type(record)) {
    case PROF_REC_KERNEL:
    case PROF_REC_MEMCPY:
    case PROF_REC_MEMSET:
    case PROF_REC_SYNC:
    case PROF_REC_OVERHEAD:
    case PROF_REC_GRAPH_RUN:
        return leaves_out_operation(walk, record, start_ns, end_ns);
    case PROF_REC_UNIFIED_MEMORY:
        *end_ns = clockmap_device_ns(&walk->clock, record->at[2]);
        return !window_has(walk, *start_ns);
    case PROF_REC_MEMORY:
        return !window_has(walk, *start_ns);
    case PROF_REC_RANGE_TIME:
        *end_ns = clockmap_device_ns(&walk->clock, record->at[2]);
        return idset_has(&walk->window.tokens_left_out, record->at[3]);
    default:
        return false;
    }
}

static void leave_out_device(struct walk *walk, const struct record *record, int64_t start_ns,
                             int64_t end_ns)
{
    struct prof_rec_kernel kernel;
    widen(walk, start_ns, end_ns);
    if (record_type(record) != PROF_REC_KERNEL || start_ns >= walk->window.to_ns ||
        end_ns <= walk->window.from_ns)
        return;
    record_copy(record, &kernel, sizeof kernel);
    builder_leave_out_kernel(walk->builder, kernel.device, start_ns, end_ns);
}

static void walk_device_record(struct walk *walk, const struct record *record)
{
    int64_t start_ns, end_ns;
    if (leaves_out_device(walk, record, &start_ns, &end_ns))
        leave_out_device(walk, record, start_ns, end_ns);
    else
        walk_device(walk, record, PROF_WORD_INFO(record->header));
}

static void walk_device_records(struct walk *walk, const struct walk_chunk *chunk)
{
    struct walk_span span = walk_log_records(walk, chunk);
    struct record record;
    for (size_t i = 0; i < span.words && !walk->failed; i += record.words) {
        enum record_status status = record_read(span.at + i, span.words - i, &record);
        if (status == RECORD_BAD)
            break;
        if (status == RECORD_GOOD && PROF_WORD_KIND(record.header) == PROF_KIND_EXT &&
            record_type(&record) >= PROF_REC_KERNEL)
            walk_device_record(walk, &record);
    }
    walk_forget(walk, chunk);
}

void walk_window_end(struct walk *walk)
{
    if (!walk->window.given)
        return;
    pass_on_asyncs(walk);
    for (size_t i = 0; i < walk->chunk_count && !walk->failed; i++)
        if (walk->chunks[i].has_device_records)
            walk_device_records(walk, &walk->chunks[i]);
}

/* Begin/end ranges that are open at the end last as long as the threads. */
void walk_window_close(struct walk *walk)
{
    const struct walk_window *window = &walk->window;
    for (uint32_t i = 0; i < walk->thread_count && window->open_asyncs > 0; i++)
        widen(walk, walk->threads[i].last_ns, walk->threads[i].last_ns);
    if (window->first_ns <= window->last_ns)
        builder_leave_out(walk->builder, window->first_ns, window->last_ns);
}
