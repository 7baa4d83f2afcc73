/* trace_log.c - LOG chunks: what threads did, who owns a log, gaps; the threads themselves. */
#include "trace_walk.h"

#include <stdlib.h>

/* The threads of a walk: met, described, in which recording they are, ended. */

static void thread_begin(struct walk_thread *thread, uint32_t number)
{
    *thread = (struct walk_thread){.number = number, .last_ns = -CLOCKMAP_NS_MAX};
}

static struct walk_thread *thread_add(struct walk *walk, uint32_t number)
{
    size_t capacity = walk->thread_capacity;
    if (walk->thread_count == IDMAP_NONE - 1 ||
        !walk_room(walk, &walk->threads, walk->thread_count, &capacity, sizeof *walk->threads))
        return NULL;
    walk->thread_capacity = (uint32_t)capacity;
    if (!idmap_set(&walk->thread_slots, number, walk->thread_count)) {
        walk_no_memory(walk);
        return NULL;
    }
    thread_begin(&walk->threads[walk->thread_count], number);
    return &walk->threads[walk->thread_count++];
}

struct walk_thread *walk_thread_find(struct walk *walk, uint32_t number)
{
    uint32_t slot = idmap_find(&walk->thread_slots, number);
    return slot == IDMAP_NONE ? thread_add(walk, number) : &walk->threads[slot];
}

/* The same for one that a log belongs to: announced where META did not, again with its tid. */
static struct walk_thread *walk_thread_meet(struct walk *walk, uint32_t number, uint32_t tid)
{
    bool met = idmap_find(&walk->thread_slots, number) != IDMAP_NONE;
    struct walk_thread *thread = walk_thread_find(walk, number);
    if (thread && !thread->described && (!met || tid)) {
        builder_define_thread(walk->builder, number, tid, (struct text){"", 0}, false);
        thread->described = tid != 0;
    }
    return thread;
}

/* The trace lasts at least until the thread's last event. */
static void walk_thread_note_end(struct walk *walk, const struct walk_thread *thread)
{
    if (thread->last_ns > walk->end_ns)
        walk->end_ns = thread->last_ns;
}

/* What is open on it ends; `unclosed`: the program should have ended it. */
static void walk_thread_close(struct walk *walk, struct walk_thread *thread, int64_t time_ns,
                              bool unclosed)
{
    walk_window_flush(walk, thread);
    if (time_ns > thread->last_ns)
        thread->last_ns = time_ns;
    builder_close_thread(walk->builder, thread->number, thread->last_ns, unclosed);
}

/* Where recording stopped that the thread's last records belong to; false: it never stopped. */
static bool find_stop(struct walk *walk, const struct walk_thread *thread, int64_t *stop_ns)
{
    uint32_t stop = idmap_find(&walk->stop_of_epoch, thread->epoch);
    if (stop == IDMAP_NONE)
        return false;
    *stop_ns = clockmap_time_ns(&walk->clock, walk->stops[stop]);
    return true;
}

/* The thread ends, or its trace does; if recording had been switched off before, what is open ended
 * then, and through no fault of the program. */
static void walk_thread_end(struct walk *walk, struct walk_thread *thread, int64_t time_ns)
{
    int64_t stop_ns = 0;
    bool stopped = find_stop(walk, thread, &stop_ns) && stop_ns <= time_ns;
    walk_thread_close(walk, thread, stopped ? stop_ns : time_ns, !stopped);
    thread->ended = true;
}

static int compare_epochs(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool is_late(const struct walk *walk, uint32_t epoch)
{
    return walk->late_count &&
           bsearch(&epoch, walk->late_epochs, walk->late_count, sizeof epoch, compare_epochs);
}

/* Recording is on again: what the thread had open ended when it went off. */
static void walk_thread_enter(struct walk *walk, struct walk_thread *thread, uint32_t epoch)
{
    int64_t stop_ns = thread->last_ns;
    if (thread->begun && thread->epoch == epoch)
        return;
    if (thread->begun) {
        find_stop(walk, thread, &stop_ns);
        walk_thread_close(walk, thread, stop_ns, false);
    }
    thread->epoch = epoch;
    thread->begun = true;
    if (is_late(walk, epoch))
        builder_cut_thread(walk->builder, thread->number);
}

void walk_close_threads(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->thread_count; i++) {
        struct walk_thread *thread = &walk->threads[i];
        if (thread->begun && !thread->ended)
            walk_thread_end(walk, thread,
                            walk->end_ns > thread->last_ns ? walk->end_ns : thread->last_ns);
    }
}

static const struct walk_attr_set *attr_set_find(const struct walk *walk, uint32_t id)
{
    for (size_t i = 0; i < walk->attr_set_count; i++)
        if (walk->attr_sets[i].id == id)
            return &walk->attr_sets[i];
    return NULL;
}

static bool attr_field_is_good(const struct prof_attr_field *field)
{
    return field->type >= PROF_ATTR_INT && field->type <= PROF_ATTR_HEX &&
           (field->bytes == 4 || field->bytes == 8) && field->offset >= PROF_ATTRS_VALUES;
}

/* False: it is damaged. */
static bool attr_set_read(const struct record *record, struct walk_attr_set *set)
{
    struct prof_rec_attr_set head;
    record_copy(record, &head, sizeof head);
    size_t room = record->words * sizeof(uint64_t) - sizeof head;
    if (head.id == 0 || head.fields > PROF_ATTR_SET_FIELDS_MAX ||
        head.fields > room / sizeof *set->fields)
        return false;
    set->id = head.id;
    set->count = head.fields;
    memcpy(set->fields, record->at + sizeof head / sizeof(uint64_t),
           head.fields * sizeof *set->fields);
    for (uint32_t i = 0; i < set->count; i++)
        if (!attr_field_is_good(&set->fields[i]))
            return false;
    return true;
}

void walk_attr_set_collect(struct walk *walk, const struct record *record)
{
    struct walk_attr_set set;
    if (!attr_set_read(record, &set)) {
        walk_damage(walk, walk_offset(walk, record->at), "a set of attributes is damaged");
        return;
    }
    if (!attr_set_find(walk, set.id) &&
        walk_room(walk, &walk->attr_sets, walk->attr_set_count, &walk->attr_set_capacity,
                  sizeof *walk->attr_sets))
        walk->attr_sets[walk->attr_set_count++] = set;
}

/* False: there is no such value in this record. */
static bool attr_value(const struct record *record, const struct prof_attr_field *field,
                       uint64_t *value)
{
    size_t size = record->words * sizeof(uint64_t);
    const char *at = (const char *)record->at + field->offset;
    uint32_t narrow;
    if (field->offset + (size_t)field->bytes > size)
        return false;
    if (field->bytes == sizeof *value) {
        memcpy(value, at, sizeof *value);
        return *value != UINT64_MAX;
    }
    memcpy(&narrow, at, sizeof narrow);
    *value = narrow;
    return narrow != UINT32_MAX;
}

/* In a LOG: PROF_REC_ATTRS, passed on attribute by attribute. */
static void walk_attrs(struct walk *walk, uint32_t thread, const struct record *record)
{
    const struct walk_attr_set *set = attr_set_find(walk, (uint32_t)record->at[1]);
    uint64_t value;
    if (!set) {
        walk_damage(walk, walk_offset(walk, record->at),
                    "attributes are of a set that is not there");
        return;
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (attr_value(record, &set->fields[i], &value))
            builder_append_attr(
                walk->builder, thread,
                &(struct event_attr){value, set->fields[i].key, set->fields[i].type}, 0);
}

/* LOG chunks: what threads did, in the order of their logs.
 *
 *     a log   | chunk 0        | chunk 1        |   gap   | chunk 3      |
 *     owner   thread 1 ....... END  THREAD 5 .............  THREAD 9 ....
 *
 * A thread's records never lie in two logs at once, but a log is handed from thread to thread.
 */

/* The log goes to another thread. That the first one ended may not have been recorded. */
static void set_owner(struct log_state *log, uint32_t number, uint32_t tid)
{
    struct walk *walk = log->walk;
    struct walk_thread *old = log->thread;
    if (old && old->number == number) {
        walk_thread_meet(walk, number, tid);
        return;
    }
    if (old) {
        walk_thread_note_end(walk, old);
        if (old->begun && !old->ended)
            walk_thread_end(walk, old, old->last_ns);
    }
    log->thread = walk_thread_meet(walk, number, tid);
}

static void read_push(struct log_state *log, uint64_t info, uint32_t name)
{
    builder_begin_range(log->walk->builder, log->thread->number, log_event_ns(log, info), name);
}

static void read_pop(struct log_state *log, uint64_t info)
{
    builder_end_range(log->walk->builder, log->thread->number, log_event_ns(log, info));
}

static void read_nvtx_push(struct log_state *log, uint64_t info, uint32_t name)
{
    builder_begin_nvtx_range(log->walk->builder, log->thread->number, log_event_ns(log, info),
                             name);
}

static void read_nvtx_pop(struct log_state *log, uint64_t info, uint32_t domain)
{
    builder_end_nvtx_range(log->walk->builder, log->thread->number, log_event_ns(log, info),
                           domain);
}

static void read_frame_push(struct log_state *log, uint64_t info, uint32_t name)
{
    builder_begin_frame(log->walk->builder, log->thread->number, log_event_ns(log, info), name);
}

static void read_frame_pop(struct log_state *log, uint64_t info)
{
    builder_end_frame(log->walk->builder, log->thread->number, log_event_ns(log, info));
}

static void read_frames(struct log_state *log, const struct record *record, uint64_t info)
{
    struct prof_rec_frames frames;
    record_copy(record, &frames, sizeof frames);
    const uint32_t *names = (const uint32_t *)(const void *)(record->at + sizeof frames / 8);
    size_t room = (record->words - sizeof frames / 8) * 2;
    if (frames.count > room) {
        walk_damage(log->walk, walk_offset(log->walk, record->at),
                    "more Python frames than their record holds");
        frames.count = (uint32_t)room;
    }
    builder_set_frames(log->walk->builder, log->thread->number, log_event_ns(log, info), names,
                       frames.count);
}

static void read_sample(struct log_state *log, const struct record *record)
{
    struct prof_rec_sample sample;
    record_copy(record, &sample, sizeof sample);
    size_t room = (record->words - sizeof sample / 8) * 2;
    if (sample.calls > room) {
        walk_damage(log->walk, walk_offset(log->walk, record->at),
                    "more Python functions than their sample holds");
        sample.calls = (uint32_t)room;
    }
    struct thread_sample found = {
        .time_ns = clockmap_time_ns(&log->walk->clock, sample.ticks),
        .weight_ns = sample.weight_ns,
        .queued_ns = sample.queued_ns,
        .tid = sample.tid,
        .stack = sample.stack,
        .waits = sample.state == PROF_SAMPLE_WAITS,
        .names = (const uint32_t *)(const void *)(record->at + sizeof sample / 8),
        .name_count = sample.calls,
    };
    builder_append_sample(log->walk->builder, &found);
}

static void read_mark(struct log_state *log, uint64_t info, uint32_t name)
{
    builder_append_mark(log->walk->builder, log->thread->number, log_event_ns(log, info), name);
}

static void read_thread(struct log_state *log, const struct record *record)
{
    struct prof_rec_thread owner;
    struct text name = {"", 0};
    record_copy(record, &owner, sizeof owner);
    if (owner.thread == 0) {
        walk_damage(log->walk, walk_offset(log->walk, record->at), "a log is given to thread 0");
        return;
    }
    bool named = record->words * sizeof(uint64_t) >= sizeof owner;
    name.size = owner.bytes;
    if (named && !record_text(record, sizeof owner, owner.bytes, &name.bytes)) {
        walk_damage(log->walk, walk_offset(log->walk, record->at),
                    "the name of a thread is longer than its record");
        return;
    }
    uint32_t epoch = log->thread->epoch;
    set_owner(log, owner.thread, owner.tid);
    if (log->thread && named && !log->thread->stated)
        builder_define_thread(log->walk->builder, owner.thread, owner.tid, name,
                              owner.flags & PROF_THREAD_INTERNAL);
    if (log->thread && !log->thread->begun)
        walk_thread_enter(log->walk, log->thread, epoch);
}

static void read_thread_end(struct log_state *log, uint64_t info)
{
    int64_t last_ns = log->thread->last_ns, time_ns = log_event_ns(log, info);
    log->thread->last_ns = last_ns; /* what is open may have ended between the two */
    walk_thread_end(log->walk, log->thread, time_ns);
}

static void read_attr(struct log_state *log, const struct record *record)
{
    struct prof_rec_attr attr;
    record_copy(record, &attr, sizeof attr);
    if (attr.type >= PROF_ATTR_INT && attr.type <= PROF_ATTR_HEX)
        builder_append_attr(log->walk->builder, log->thread->number,
                            &(struct event_attr){attr.value, attr.key, attr.type}, attr.target);
}

static void read_range_begin(struct log_state *log, const struct record *record, uint64_t info)
{
    struct prof_rec_range_begin begin;
    record_copy(record, &begin, sizeof begin);
    builder_begin_async(log->walk->builder, log->thread->number, log_event_ns(log, info),
                        (uint32_t)begin.name, begin.id);
    if (record->words * 8 >= sizeof begin)
        builder_set_block_event(log->walk->builder, begin.chain, begin.instruction);
}

static int64_t within(int64_t time_ns, int64_t first_ns, int64_t last_ns)
{
    return time_ns < first_ns ? first_ns : time_ns > last_ns ? last_ns : time_ns;
}

void log_range_times(struct walk *walk, const struct prof_rec_range *range, int64_t record_ns,
                     int64_t *begin_ns, int64_t *end_ns)
{
    *begin_ns = within(clockmap_time_ns(&walk->clock, range->begin_ticks), 0, record_ns);
    *end_ns = within(clockmap_time_ns(&walk->clock, range->end_ticks), *begin_ns, record_ns);
}

static void read_range(struct log_state *log, const struct record *record, uint64_t info)
{
    struct prof_rec_range range;
    int64_t begin_ns, end_ns;
    uint32_t number = log->thread->number;
    record_copy(record, &range, sizeof range);
    log_range_times(log->walk, &range, log_event_ns(log, info), &begin_ns, &end_ns);
    builder_begin_async(log->walk->builder, number, begin_ns, (uint32_t)range.name, range.id);
    builder_end_async(log->walk->builder, number, end_ns, range.id);
}

static void read_block(struct log_state *log, const struct record *record, uint64_t info)
{
    struct prof_rec_block block;
    record_copy(record, &block, sizeof block);
    builder_begin_block(log->walk->builder, log_event_ns(log, info), block.name, block.flags);
}

static void read_counter(struct log_state *log, const struct record *record, uint64_t info)
{
    double value;
    memcpy(&value, &record->at[2], sizeof value);
    builder_append_counter(log->walk->builder, log->thread->number, log_event_ns(log, info),
                           (uint32_t)record->at[1], value);
}

static void read_api_enter(struct log_state *log, const struct record *record, uint64_t info)
{
    struct prof_rec_api_enter enter;
    record_copy(record, &enter, sizeof enter);
    struct api_call api = {
        .correlation = enter.correlation,
        .operations = enter.operations,
        .stream_handle = enter.stream,
        .bytes = enter.bytes,
        .kernel_name = enter.flags & PROF_API_GRAPH ? 0 : enter.name,
        .graph = enter.flags & PROF_API_GRAPH ? enter.name : 0,
        .cbid = enter.cbid,
        .domain = enter.domain,
        .flags = enter.flags,
        .has_stack = record->words * 8 >= sizeof enter,
        .stack = enter.stack,
    };
    builder_begin_call(log->walk->builder, log->thread->number, log_event_ns(log, info), &api);
}

static void read_api_exit(struct log_state *log, const struct record *record, uint64_t info)
{
    uint64_t word = record->at[1];
    builder_end_call(log->walk->builder, log->thread->number, log_event_ns(log, info),
                     (uint32_t)(word >> 32), (int32_t)(uint32_t)word);
}

static void read_start_event(struct log_state *log, const struct record *record)
{
    struct clockmap *clock = &log->walk->clock;
    struct prof_rec_start_event event;
    record_copy(record, &event, sizeof event);
    builder_append_start_event(log->walk->builder, event.device, event.correlation,
                               clockmap_time_ns(clock, event.before_ticks),
                               clockmap_time_ns(clock, event.after_ticks));
}

/* CUDA calls, memory, and what comes with them. */
static void read_call_record(struct log_state *log, const struct record *record, uint64_t info)
{
    uint32_t number = log->thread->number;
    switch (record_type(record)) {
    case PROF_REC_API_ENTER:
        read_api_enter(log, record, info);
        break;
    case PROF_REC_API_EXIT:
        read_api_exit(log, record, info);
        break;
    case PROF_REC_START_EVENT:
        read_start_event(log, record);
        break;
    case PROF_REC_ALLOC:
    case PROF_REC_FREE:
        walk_allocation(log->walk, number, log_event_ns(log, info), record);
        break;
    case PROF_REC_GRAPH_NODE:
        walk_graph_node(log->walk, number, log_event_ns(log, info), record);
        break;
    default:
        break;
    }
}

/* Ranges and what is said of them, and what else stands between them. `begun`: the range that the
 * record before began. */
static void read_range_record(struct log_state *log, const struct record *record, uint64_t info,
                              uint64_t begun)
{
    const uint64_t *at = record->at;
    uint32_t number = log->thread->number;
    switch (record_type(record)) {
    case PROF_REC_PUSH_WIDE:
        read_push(log, info, (uint32_t)at[1]);
        break;
    case PROF_REC_NVTX_PUSH_WIDE:
        read_nvtx_push(log, info, (uint32_t)at[1]);
        break;
    case PROF_REC_FRAME_PUSH_WIDE:
        read_frame_push(log, info, (uint32_t)at[1]);
        break;
    case PROF_REC_FRAMES:
        read_frames(log, record, info);
        break;
    case PROF_REC_SAMPLE:
        read_sample(log, record);
        break;
    case PROF_REC_MARK_WIDE:
        read_mark(log, info, (uint32_t)at[1]);
        break;
    case PROF_REC_RANGE_BEGIN:
        read_range_begin(log, record, info);
        log->begun = at[2];
        break;
    case PROF_REC_RANGE_END:
        builder_end_async(log->walk->builder, number, log_event_ns(log, info), at[1]);
        break;
    case PROF_REC_RANGE:
        read_range(log, record, info);
        break;
    case PROF_REC_COUNTER:
        read_counter(log, record, info);
        break;
    case PROF_REC_ATTR:
        read_attr(log, record);
        break;
    case PROF_REC_ATTRS:
        walk_attrs(log->walk, number, record);
        break;
    case PROF_REC_STEP:
        builder_begin_step(log->walk->builder, number, log_event_ns(log, info), at[1]);
        break;
    case PROF_REC_BLOCK:
        read_block(log, record, info);
        break;
    case PROF_REC_STACK:
        builder_set_stack(log->walk->builder, number, (uint32_t)at[1], begun);
        break;
    case PROF_REC_TIMED:
        builder_set_timed(log->walk->builder, number, at[1]);
        break;
    default:
        read_call_record(log, record, info);
        break;
    }
}

/* What the running thread did, or what is said about the log. */
static void read_thread_record(struct log_state *log, const struct record *record, uint64_t info)
{
    uint64_t begun = log->begun;
    log->begun = 0;
    switch (record_type(record)) {
    case PROF_REC_THREAD:
        read_thread(log, record);
        break;
    case PROF_REC_THREAD_END:
        read_thread_end(log, info);
        break;
    case PROF_REC_EPOCH:
        walk_thread_enter(log->walk, log->thread, (uint32_t)record->at[1]);
        break;
    default:
        read_range_record(log, record, info, begun);
        break;
    }
}

/* Types of what devices did follow those of what threads did. */
static void read_ext(struct log_state *log, const struct record *record)
{
    uint64_t info = PROF_WORD_INFO(record->header);
    if (record_type(record) < PROF_REC_KERNEL)
        read_thread_record(log, record, info);
    else
        walk_device(log->walk, record, info);
}

void log_pass_on(struct log_state *log, const struct record *record)
{
    uint64_t word = record->header;
    switch (PROF_WORD_KIND(word)) {
    case PROF_KIND_PUSH:
        log->begun = 0;
        read_push(log, PROF_WORD_INFO(word), PROF_WORD_NAME(word));
        break;
    case PROF_KIND_POP:
        read_pop(log, PROF_WORD_INFO(word));
        break;
    case PROF_KIND_NVTX_PUSH:
        log->begun = 0;
        read_nvtx_push(log, PROF_WORD_INFO(word), PROF_WORD_NAME(word));
        break;
    case PROF_KIND_NVTX_POP:
        read_nvtx_pop(log, PROF_WORD_INFO(word), PROF_WORD_NAME(word));
        break;
    case PROF_KIND_FRAME_PUSH:
        read_frame_push(log, PROF_WORD_INFO(word), PROF_WORD_NAME(word));
        break;
    case PROF_KIND_FRAME_POP:
        read_frame_pop(log, PROF_WORD_INFO(word));
        break;
    case PROF_KIND_MARK:
        read_mark(log, PROF_WORD_INFO(word), PROF_WORD_NAME(word));
        break;
    default:
        read_ext(log, record);
        break;
    }
}

static void read_record(struct log_state *log, const struct record *record)
{
    uint64_t word = record->header;
    walk_cost_count(&log->walk->cost, word, log->base + PROF_WORD_INFO(word));
    if (log->walk->window.given)
        walk_window_record(log, record);
    else
        log_pass_on(log, record);
}

/* Threads that recorded little leave most of their chunk empty. */
static size_t skip_empty(struct walk_span span, size_t i)
{
    while (i < span.words && !__atomic_load_n(&span.at[i], __ATOMIC_RELAXED))
        i++;
    return i;
}

static void walk_chunk(struct log_state *log, struct walk_span span)
{
    struct walk *walk = log->walk;
    struct record record;
    for (size_t i = 0; i < span.words && !walk->failed; i += record.words) {
        enum record_status status = record_read_short(span.at + i, span.words - i, &record);
        if (status == RECORD_EMPTY) {
            i = skip_empty(span, i + 1) - 1; /* it has one word */
            continue;
        }
        if (status == RECORD_GOOD)
            walk->health.records++;
        if (status == RECORD_GOOD || walk_accepts(walk, status, &record))
            read_record(log, &record);
        if (status == RECORD_BAD || !log->thread)
            break;
    }
}

/* Chunks are missing ahead of this one: what the thread had open is unknown from here on. */
static void cut_thread(struct log_state *log, uint64_t missing)
{
    struct walk *walk = log->walk;
    walk->health.missing_chunks += missing;
    if (log->thread->begun)
        walk_thread_close(walk, log->thread, log->thread->last_ns, false);
    builder_cut_thread(walk->builder, log->thread->number);
}

/* Makes the chunk's thread the owner; false when the chunk is to be left out. */
static bool begin_chunk(struct log_state *log, const struct walk_chunk *chunk, uint64_t expected)
{
    struct walk *walk = log->walk;
    if (chunk->thread == 0 || chunk->sequence < expected) {
        walk_damage(walk, chunk->offset,
                    chunk->thread ? "two chunks claim one place in their log"
                                  : "a chunk belongs to thread 0");
        return false;
    }
    if (chunk->sequence > expected && !walk->process.ring && !walk->process.copied)
        walk_damage(walk, chunk->offset, "the chunk ahead of this one in its log is missing");
    set_owner(log, chunk->thread, 0);
    if (walk->failed || !log->thread)
        return false;
    log->base = chunk->base_ticks;
    if (chunk->sequence > expected)
        cut_thread(log, chunk->sequence - expected);
    walk_thread_enter(walk, log->thread, chunk->epoch);
    return true;
}

void walk_log(struct walk *walk, size_t first, size_t end)
{
    struct log_state log = {.walk = walk};
    uint64_t expected = 0;
    for (size_t i = first; i < end && !walk->failed; i++) {
        struct walk_chunk *chunk = &walk->chunks[i];
        walk_expect(walk, chunk);
        if (!begin_chunk(&log, chunk, expected))
            continue;
        expected = chunk->sequence + 1;
        log.has_device_records = false;
        walk_chunk(&log, walk_log_records(walk, chunk));
        chunk->has_device_records = log.has_device_records;
        walk_done(walk, chunk);
    }
    if (log.thread)
        walk_thread_note_end(walk, log.thread);
}
