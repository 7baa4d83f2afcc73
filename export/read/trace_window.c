/* trace_window.c - leaves out what a window of time does not need.
 *
 * A recording may be larger than memory. With a window, only what belongs to it is held. This must
 * not change what is kept, nor what is known of the whole recording. So each record outside of the
 * window has its time taken, and goes to the builder unless it is certainly not needed:
 *
 *     begins of ranges, CUDA calls and Python functions
 *                   are held back (struct walk_pending). If the end of the innermost one of them
 *                   comes, both go. If anything else comes that depends on what is open, such as
 *                   the end of something further out, a step, or an event in the window, all that
 *                   are held back go to the builder first, as if they had just come
 *     what is said about a range      goes with it
 *     begin/end ranges   by when they began: their ends and attributes may come in a log that is
 *                   read before that, and then wait until all logs are read
 *     device operations  by the call that launched them, so after all logs; without a call by their
 *                   own time
 *     samples, allocations, marks, counters: by their time
 *     all else      goes to the builder
 *
 * timeline_restrict() then removes what went to the builder but did not begin in the window. */
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
        free(walk->threads[i].pending.at), free(walk->threads[i].pending_frames.at);
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

/* The same of an end, whose begin may be unknown, and which then counts for nothing. */
static void widen_end(struct walk *walk, int64_t end_ns)
{
    if (walk->window.first_ns <= end_ns && end_ns > walk->window.last_ns)
        walk->window.last_ns = end_ns;
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
        pending->at[pending->count++] = (struct walk_pending){
            *record, log->base, time_ns, log->walk->window.next_order++, log->thread->number};
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

static void flush_one(struct walk *walk, struct walk_thread *thread,
                      const struct walk_pending *pending)
{
    if (is_of_type(&pending->record, PROF_REC_API_ENTER))
        remember(walk, &walk->window.calls_kept, correlation_of(&pending->record));
    pass_on_late(walk, thread, pending);
}

/* In the order in which they came. */
void walk_window_flush(struct walk *walk, struct walk_thread *thread)
{
    struct walk_pendings *of[] = {&thread->pending, &thread->pending_frames};
    for (size_t next[2] = {0, 0}; next[0] < of[0]->count || next[1] < of[1]->count;) {
        int which = next[0] == of[0]->count ||
                    (next[1] < of[1]->count && of[1]->at[next[1]].order < of[0]->at[next[0]].order);
        flush_one(walk, thread, &of[which]->at[next[which]++]);
    }
    of[0]->count = of[0]->ranges = of[1]->count = 0;
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

/* By the clock, before log_take_ns(). */
static int64_t clock_of(const struct log_state *log, const struct record *record)
{
    return log_clock_ns(log, PROF_WORD_INFO(record->header));
}

/* What log_take_ns() would make of it. */
static int64_t time_of(const struct log_state *log, int64_t clock_ns)
{
    return clock_ns < log->thread->last_ns ? log->thread->last_ns : clock_ns;
}

static void leave_out(struct log_state *log, int64_t clock_ns)
{
    int64_t time_ns = log_take_ns(log, clock_ns);
    widen(log->walk, time_ns, time_ns);
}

static void leave_out_end(struct log_state *log, int64_t clock_ns)
{
    widen_end(log->walk, log_take_ns(log, clock_ns));
}

static struct walk_pendings *pendings_of(struct walk_thread *thread, enum nested what)
{
    return what == NESTED_FRAME ? &thread->pending_frames : &thread->pending;
}

/* Functions of libprof's own package are not shown: the recording does not begin with one. */
static bool begins_recording(const struct log_state *log, const struct record *record,
                             enum nested what, int64_t time_ns)
{
    return what != NESTED_FRAME || time_ns >= log->walk->window.first_ns ||
           builder_shows_frame(log->walk->builder, name_of(record));
}

static bool leaves_out_begin(struct log_state *log, const struct record *record, enum nested what)
{
    struct walk_pendings *pending = pendings_of(log->thread, what);
    int64_t clock_ns = clock_of(log, record), time_ns = time_of(log, clock_ns);
    if (window_has(log->walk, time_ns) || is_kept_anyway(log->walk, record, what))
        return false;
    if (!log->thread->has_begun && what != NESTED_FRAME)
        builder_note_left_out_begin(log->walk->builder, log->thread->number, time_ns);
    log->thread->has_begun |= what != NESTED_FRAME;
    log_take_ns(log, clock_ns);
    if (begins_recording(log, record, what, time_ns))
        widen(log->walk, time_ns, time_ns);
    wait_with(log, pending, record, time_ns);
    pending->ranges += is_range(what);
    return true;
}

/* What else is to be known of the innermost range that is held back, should it not go. */
static bool leaves_out_with_range(struct log_state *log, const struct record *record)
{
    if (!log->thread->pending.ranges)
        return false;
    wait_with(log, &log->thread->pending, record, log->thread->last_ns);
    return true;
}

/* Calls of Python functions around the window are the call stack of what is in it. */
static bool is_around_window(const struct walk *walk, const struct walk_pending *begin,
                             int64_t end_ns)
{
    return begins_what(&begin->record) == NESTED_FRAME && begin->time_ns < walk->window.to_ns &&
           end_ns > walk->window.from_ns;
}

/* The innermost begin that is held back; what follows it is said about it. NULL: there is none. */
static struct walk_pending *innermost(struct walk_pendings *pending)
{
    for (size_t i = pending->count; i > 0; i--)
        if (begins_what(&pending->at[i - 1].record))
            return &pending->at[i - 1];
    return NULL;
}

static void forget_from(struct walk *walk, struct walk_pendings *pending,
                        const struct walk_pending *begin)
{
    size_t first = (size_t)(begin - pending->at);
    if (begins_what(&begin->record) == NESTED_CALL)
        remember(walk, &walk->window.calls_left_out, correlation_of(&begin->record));
    for (size_t i = first + 1; i < pending->count; i++)
        if (is_of_type(&pending->at[i].record, PROF_REC_TIMED))
            remember(walk, &walk->window.tokens_left_out, pending->at[i].record.at[1]);
    pending->ranges -= is_range(begins_what(&begin->record));
    pending->count = first;
}

static bool leaves_out_end(struct log_state *log, const struct record *record)
{
    struct walk *walk = log->walk;
    struct walk_pendings *pending = pendings_of(log->thread, ends_what(record));
    const struct walk_pending *begin = innermost(pending);
    int64_t clock_ns = clock_of(log, record), time_ns = time_of(log, clock_ns);
    if (!begin || !is_end_of(walk, record, &begin->record) || window_has(walk, time_ns) ||
        is_around_window(walk, begin, time_ns))
        return false;
    forget_from(walk, pending, begin);
    leave_out_end(log, clock_ns);
    return true;
}

/* ---- begin/end ranges ---- */

static bool leaves_out_async_begin(struct log_state *log, const struct record *record)
{
    struct walk_window *window = &log->walk->window;
    window->has_blocks |= record->words * sizeof(uint64_t) >= sizeof(struct prof_rec_range_begin);
    int64_t clock_ns = clock_of(log, record);
    bool kept = window->has_blocks || window_has(log->walk, time_of(log, clock_ns));
    remember(log->walk, kept ? &window->asyncs_kept : &window->asyncs_left_out, record->at[2]);
    if (!kept) {
        leave_out(log, clock_ns);
        window->open_asyncs++;
    }
    return !kept;
}

static bool leaves_out_range(struct log_state *log, const struct record *record)
{
    struct walk_window *window = &log->walk->window;
    struct prof_rec_range range;
    int64_t begin_ns, end_ns, clock_ns = clock_of(log, record);
    record_copy(record, &range, sizeof range);
    log_range_times(log->walk, &range, time_of(log, clock_ns), &begin_ns, &end_ns);
    bool kept = window->has_blocks || window_has(log->walk, begin_ns);
    remember(log->walk, kept ? &window->asyncs_kept : &window->asyncs_left_out, range.id);
    if (kept)
        return false;
    log_take_ns(log, clock_ns);
    widen(log->walk, begin_ns, end_ns);
    return true;
}

static void leave_out_async_end(struct walk *walk, int64_t time_ns)
{
    widen_end(walk, time_ns);
    walk->window.open_asyncs--;
}

/* Its end, or something said about it. */
static bool leaves_out_of_async(struct log_state *log, const struct record *record, uint64_t id)
{
    struct walk_window *window = &log->walk->window;
    if (idset_has(&window->asyncs_kept, id))
        return false;
    bool is_end = record_type(record) == PROF_REC_RANGE_END;
    int64_t time_ns = is_end ? log_event_ns(log, PROF_WORD_INFO(record->header)) : 0;
    if (!idset_has(&window->asyncs_left_out, id))
        wait_with(log, &window->late, record, time_ns);
    else if (is_end)
        leave_out_async_end(log->walk, time_ns);
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
        else if (record_type(&late->record) == PROF_REC_RANGE_END)
            leave_out_async_end(walk, late->time_ns);
    }
}

static bool leaves_out_attr(struct log_state *log, const struct record *record)
{
    struct prof_rec_attr attr;
    record_copy(record, &attr, sizeof attr);
    if (attr.target == 0)
        return log->thread->pending.ranges > 0;
    if (attr.target == PROF_ATTR_OF_MARK)
        return log->thread->mark_left_out;
    return leaves_out_of_async(log, record, attr.target);
}

/* ---- all records of threads ---- */

static bool leaves_out_event(struct log_state *log, const struct record *record)
{
    int64_t clock_ns = clock_of(log, record);
    if (window_has(log->walk, time_of(log, clock_ns)))
        return false;
    leave_out(log, clock_ns);
    return true;
}

static bool leaves_out_release(struct log_state *log, const struct record *record)
{
    int64_t clock_ns = clock_of(log, record);
    if (window_has(log->walk, time_of(log, clock_ns)))
        return false;
    leave_out_end(log, clock_ns);
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

static bool leaves_out_ext(struct log_state *log, const struct record *record)
{
    const struct walk_window *window = &log->walk->window;
    switch (record_type(record)) {
    case PROF_REC_MARK_WIDE:
        return leaves_out_mark(log, record);
    case PROF_REC_COUNTER:
        return leaves_out_event(log, record);
    case PROF_REC_ALLOC:
        return !window->has_blocks && leaves_out_event(log, record);
    case PROF_REC_FREE:
        return !window->has_blocks && leaves_out_release(log, record);
    case PROF_REC_ATTR:
        return leaves_out_attr(log, record);
    case PROF_REC_ATTRS:
        return log->thread->pending.ranges > 0;
    case PROF_REC_TIMED:
        return leaves_out_with_range(log, record);
    case PROF_REC_STACK:
        return log->begun ? !idset_has(&window->asyncs_kept, log->begun)
                          : leaves_out_with_range(log, record);
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

static bool leaves_out(struct log_state *log, const struct record *record)
{
    enum nested what = begins_what(record);
    if (what)
        return leaves_out_begin(log, record, what);
    if (ends_what(record))
        return leaves_out_end(log, record);
    if (PROF_WORD_KIND(record->header) == PROF_KIND_MARK)
        return leaves_out_mark(log, record);
    return leaves_out_ext(log, record);
}

/* The device's operations of these calls are kept. */
static void note_kept(struct walk *walk, const struct record *record)
{
    struct prof_rec_start_event event;
    walk->window.has_blocks |= is_of_type(record, PROF_REC_BLOCK);
    if (is_of_type(record, PROF_REC_API_ENTER)) {
        remember(walk, &walk->window.calls_kept, correlation_of(record));
    } else if (is_of_type(record, PROF_REC_START_EVENT)) {
        record_copy(record, &event, sizeof event);
        remember(walk, &walk->window.calls_kept, event.correlation);
    }
}

/* Whether what the builder does with it depends on what is open. */
static bool needs_what_is_open(const struct record *record)
{
    if (PROF_WORD_KIND(record->header) != PROF_KIND_EXT)
        return true;
    switch (record_type(record)) {
    case PROF_REC_PART:
    case PROF_REC_THREAD: /* where these end what is open, walk_window_flush() is called */
    case PROF_REC_THREAD_END:
    case PROF_REC_EPOCH:
    case PROF_REC_START_EVENT:
    case PROF_REC_SAMPLE:
    case PROF_REC_COUNTER:
    case PROF_REC_RANGE_END:
        return false;
    default:
        return true;
    }
}

/* As log_pass_on() has it. */
static void note_begun(struct log_state *log, const struct record *record)
{
    unsigned kind = PROF_WORD_KIND(record->header);
    if (is_of_type(record, PROF_REC_RANGE_BEGIN))
        log->begun = record->at[2];
    else if (kind == PROF_KIND_PUSH || kind == PROF_KIND_NVTX_PUSH || kind == PROF_KIND_EXT)
        log->begun = 0;
}

void walk_window_record(struct log_state *log, const struct record *record)
{
    bool is_ext = PROF_WORD_KIND(record->header) == PROF_KIND_EXT;
    if (is_ext && record_type(record) >= PROF_REC_KERNEL) {
        log->has_device_records = true;
    } else if (leaves_out(log, record)) {
        note_begun(log, record);
    } else {
        if (needs_what_is_open(record))
            walk_window_flush(log->walk, log->thread);
        note_kept(log->walk, record);
        log_pass_on(log, record);
    }
}

/* ---- what devices did ---- */

static uint64_t correlation_of_operation(const struct record *record)
{
    return PROF_WORD_INFO(record->header) & UINT32_MAX;
}

/* As the builder has them: what ends before it begins is empty. */
static void read_times(struct walk *walk, const struct record *record, int64_t *start_ns,
                       int64_t *end_ns)
{
    *start_ns = clockmap_device_ns(&walk->clock, record->at[1]);
    *end_ns = clockmap_device_ns(&walk->clock, record->at[2]);
    *end_ns = *end_ns < *start_ns ? *start_ns : *end_ns;
}

static bool is_of_call_left_out(const struct walk *walk, const struct record *record)
{
    uint64_t correlation = correlation_of_operation(record);
    return idset_has(&walk->window.calls_left_out, correlation) &&
           !idset_has(&walk->window.calls_kept, correlation);
}

static bool leaves_out_operation(const struct walk *walk, const struct record *record,
                                 int64_t start_ns)
{
    if (record->at[1] == 0 || idset_has(&walk->window.calls_kept, correlation_of_operation(record)))
        return false;
    return is_of_call_left_out(walk, record) || !window_has(walk, start_ns);
}

/* False: it is kept. Else it was between `*start_ns` and `*end_ns`, if it has a time. */
static bool leaves_out_device(struct walk *walk, const struct record *record, int64_t *start_ns,
                              int64_t *end_ns)
{
    switch (record_type(record)) {
    case PROF_REC_KERNEL:
    case PROF_REC_MEMCPY:
    case PROF_REC_MEMSET:
    case PROF_REC_SYNC:
    case PROF_REC_OVERHEAD:
    case PROF_REC_GRAPH_RUN:
        read_times(walk, record, start_ns, end_ns);
        return leaves_out_operation(walk, record, *start_ns);
    case PROF_REC_UNIFIED_MEMORY:
        read_times(walk, record, start_ns, end_ns);
        return !window_has(walk, *start_ns);
    case PROF_REC_MEMORY:
        *start_ns = *end_ns = clockmap_device_ns(&walk->clock, record->at[1]);
        return !window_has(walk, *start_ns);
    case PROF_REC_RANGE_TIME:
        read_times(walk, record, start_ns, end_ns);
        return idset_has(&walk->window.tokens_left_out, record->at[3]);
    case PROF_REC_LOST:
        return is_of_call_left_out(walk, record);
    default:
        return false;
    }
}

static bool is_release(const struct record *record)
{
    struct prof_rec_memory memory;
    record_copy(record, &memory, sizeof memory);
    return record_type(record) == PROF_REC_MEMORY && memory.operation == PROF_MEMORY_RELEASE;
}

static void leave_out_device(struct walk *walk, const struct record *record, int64_t start_ns,
                             int64_t end_ns)
{
    struct prof_rec_kernel kernel;
    if (is_release(record))
        widen_end(walk, end_ns);
    else if (record_type(record) != PROF_REC_LOST)
        widen(walk, start_ns, end_ns);
    if (record_type(record) != PROF_REC_KERNEL || start_ns >= walk->window.to_ns ||
        end_ns <= walk->window.from_ns)
        return;
    record_copy(record, &kernel, sizeof kernel);
    builder_note_left_out_kernel(walk->builder, kernel.device, start_ns, end_ns);
}

static void walk_device_record(struct walk *walk, const struct record *record)
{
    int64_t start_ns = 0, end_ns = 0;
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
    for (uint32_t i = 0; i < walk->thread_count; i++)
        walk_window_flush(walk, &walk->threads[i]);
    for (size_t i = 0; i < walk->chunk_count && !walk->failed; i++)
        if (walk->chunks[i].has_device_records)
            walk_device_records(walk, &walk->chunks[i]);
}

/* Begin/end ranges that are open at the end last until the last event of any thread. */
void walk_window_close(struct walk *walk)
{
    const struct walk_window *window = &walk->window;
    for (uint32_t i = 0; i < walk->thread_count && window->open_asyncs > 0; i++)
        widen_end(walk, walk->threads[i].last_ns);
    if (window->first_ns <= window->last_ns)
        builder_note_left_out(walk->builder, window->first_ns, window->last_ns);
}
