/* thread_space.c - where a log goes on when there is no room for the next record: in a part of a
 * shared chunk (parts.c), or in a chunk of its own. Every chunk and part begins by saying whose the
 * log is, as what was before may be recycled. */
#include "annotate.h"
#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "log.h"
#include "process.h"
#include "test_point.h"
#include "thread.h"

#include <string.h>

#define THREAD_SPACE_WHOLE_LOGS 8u /* so many begin with a chunk of their own */

/* The record with which a log's part begins. */
static const struct prof_rec_part *thread_space_part_of(const uint64_t *word)
{
    uintptr_t bytes = thread_chunk_of(word)->part_bytes, begin = (uintptr_t)word & ~(bytes - 1);
    bool first = begin == (uintptr_t)thread_chunk_of(word);
    return (const struct prof_rec_part *)(first ? begin + PROF_CHUNK_HEADER_BYTES : begin);
}

bool thread_space_is_part(const uint64_t *word)
{
    return word && thread_chunk_of(word)->part_bytes;
}

/* Of the chunk at the cursor: it is the slot's, and where its header says. */
static void thread_space_check_chunk(const struct thread_slot *slot,
                                     const struct prof_chunk_header *header, const uint64_t *cursor)
{
    INVARIANT(header->magic == PROF_CHUNK_MAGIC);
    INVARIANT(header->kind == (header->part_bytes ? PROF_CHUNK_PARTS : PROF_CHUNK_LOG));
    INVARIANT((header->part_bytes ? thread_space_part_of(cursor)->log : header->log) == slot->log);
    INVARIANT((uintptr_t)header == (uintptr_t)chunks_first() + header->index * PROF_CHUNK_BYTES);
    INVARIANT(thread_offset_in_chunk(cursor) >= PROF_CHUNK_HEADER_BYTES);
}

/* A handler may move on at any moment. */
void thread_space_check(const struct thread_slot *slot, const uint64_t *cursor)
{
    if (cursor)
        thread_space_check_chunk(slot, thread_chunk_of(cursor), cursor);
}

/* A ring recycles what is full: if every chunk is the current one of a thread, there is none to
 * recycle. */
static void thread_space_is_full(struct thread_log *self)
{
    static uint32_t said;
    if (config_get()->full != CONFIG_FULL_RING) {
        thread_shut(self, false);
        return;
    }
    loss_add(PROF_LOSS_FULL, 1);
    if (!exchange_acquire(&said, 1u))
        log_line(LOG_ERROR,
                 "the ring of %u MiB has no room for so many threads: some of their events are "
                 "counted as lost; raise PROF_MAX_MB",
                 (unsigned)config_get()->max_mib);
}

/* Keeps a chunk that was not mapped in time for the next try. Only in this process: a child forked
 * by a handler goes on here, too, and has other chunks. */
static void thread_space_set_pending(struct thread_log *self, uint64_t chunk, uint32_t generation)
{
    store_relaxed(&self->pending_chunk, (uint64_t)generation << 32 | (chunk + 1));
}

static uint64_t thread_space_pending(struct thread_log *self, uint32_t generation)
{
    uint64_t waiting = exchange_acquire(&self->pending_chunk, 0u);
    return waiting && waiting >> 32 == generation ? (uint32_t)waiting - 1 : CHUNKS_NO_CHUNK;
}

static void thread_space_report(struct thread_log *self, bool limit)
{
    if (limit)
        thread_space_is_full(self);
    else if (chunks_cannot_grow())
        thread_shut(self, true);
    else
        loss_add(PROF_LOSS_LATE, 1);
}

/* A chunk and its memory, NULL without: also in a child that was forked meanwhile, where both are
 * the parent's. A child that is forked later finds unused memory at that address. */
static struct prof_chunk_header *thread_space_claim(struct thread_log *self, uint64_t *chunk,
                                                    uint32_t generation)
{
    struct prof_chunk_header *header = NULL;
    *chunk = thread_space_pending(self, generation);
    if (*chunk != CHUNKS_NO_CHUNK)
        header = chunks_memory_now(*chunk);
    else if ((*chunk = chunks_claim(false)) != CHUNKS_NO_CHUNK)
        header = chunks_memory(*chunk);
    TEST_POINT("thread_next_chunk: claimed");
    if (generation != process_generation())
        return NULL;
    if (!header && *chunk != CHUNKS_NO_CHUNK)
        thread_space_set_pending(self, *chunk, generation);
    if (!header)
        thread_space_report(self, *chunk == CHUNKS_NO_CHUNK);
    return header;
}

static uint64_t thread_space_next_sequence(const uint64_t *cursor)
{
    if (!cursor)
        return 0;
    return 1 + (thread_space_is_part(cursor) ? thread_space_part_of(cursor)->sequence
                                             : thread_chunk_of(cursor)->sequence);
}

/* Bytes of the record that says whose the log is. */
size_t thread_space_owner_bytes(const struct thread_slot *slot)
{
    size_t bytes = strnlen(slot->name, sizeof slot->name - 1);
    return sizeof(struct prof_rec_thread) + ((bytes + 7) & ~(size_t)7);
}

void thread_space_fill_owner(const struct thread_slot *slot, uint64_t *record, size_t bytes,
                             uint64_t ticks)
{
    struct prof_rec_thread head = {.thread = slot->thread,
                                   .tid = slot->tid,
                                   .bytes = (uint32_t)strnlen(slot->name, bytes - sizeof head),
                                   .flags = slot->internal ? PROF_THREAD_INTERNAL : 0u};
    memcpy(record + 1, (const uint8_t *)&head + 8, sizeof head - 8);
    memcpy((uint8_t *)record + sizeof head, slot->name, head.bytes);
    thread_commit(record, PROF_REC_THREAD, (unsigned)(bytes / 8), ticks);
}

/* Returns where the next record goes: whose the log is stands at the beginning of every chunk, as
 * the one before may be recycled. */
static uint64_t *thread_space_fill_chunk(const struct thread_slot *slot, const uint64_t *cursor,
                                         uint64_t chunk, struct prof_chunk_header *header)
{
    uint64_t *begin = (uint64_t *)(void *)(header + 1);
    size_t bytes = thread_space_owner_bytes(slot);
    header->kind = PROF_CHUNK_LOG;
    header->header_bytes = PROF_CHUNK_HEADER_BYTES;
    header->log = slot->log;
    header->thread = slot->thread;
    header->sequence = thread_space_next_sequence(cursor);
    header->base_ticks = clock_read();
    header->index = chunk;
    header->epoch = thread_gate_epoch(load_relaxed(&thread_gate));
    thread_space_fill_owner(slot, begin, bytes, 0);
    store_release(&header->magic, PROF_CHUNK_MAGIC);
    return begin + bytes / 8;
}

static uint64_t *thread_space_fill_part(const struct thread_slot *slot, const uint64_t *cursor,
                                        uint64_t *begin)
{
    unsigned words = sizeof(struct prof_rec_part) / 8;
    struct prof_rec_part *part = (struct prof_rec_part *)(void *)begin;
    uint64_t ticks = clock_read() - thread_chunk_of(begin)->base_ticks;
    size_t bytes = thread_space_owner_bytes(slot);
    part->log = slot->log;
    part->thread = slot->thread;
    part->sequence = thread_space_next_sequence(cursor);
    part->epoch = thread_gate_epoch(load_relaxed(&thread_gate));
    thread_space_fill_owner(slot, begin + words, bytes, ticks);
    thread_commit(begin, PROF_REC_PART, words, ticks);
    return begin + words + bytes / 8;
}

static size_t thread_space_words_used(const uint64_t *cursor)
{
    size_t bytes = thread_offset_in_chunk(cursor), most = PROF_CHUNK_BYTES - THREAD_GUARD_BYTES;
    return (bytes < most ? bytes : most) / sizeof *cursor;
}

/* The log goes on elsewhere. */
static void thread_space_leave(const uint64_t *cursor)
{
    size_t bytes = thread_space_is_part(cursor) ? thread_chunk_of(cursor)->part_bytes
                                                : PROF_CHUNK_BYTES - PROF_CHUNK_HEADER_BYTES;
    if (thread_space_is_part(cursor))
        parts_leave(cursor);
    else
        chunks_retire(thread_chunk_of(cursor)->index, thread_space_words_used(cursor));
    cost_count_words(bytes / sizeof *cursor);
}

/* The hot path is for the log's own chunks. */
void thread_space_choose_path(struct thread_log *self)
{
    bool slow = clock_kind == PROF_CLOCK_MONOTONIC || (self->epoch & THREAD_GATE_SLOW) ||
                emitter_active() || stacks_at_ranges_chosen() ||
                thread_space_is_part(load_relaxed(&self->cursor));
    self->fast_epoch = slow ? THREAD_NO_EPOCH : self->epoch;
}

static bool thread_space_go_on(struct thread_log *self, uint64_t *cursor, uint64_t *next,
                               uint32_t generation)
{
    TEST_POINT("thread_next_chunk: filled");
    if (!arch_local_cas(&self->cursor, cursor, next))
        return false;
    self->announced = true;
    thread_space_choose_path(self);
    if (cursor && generation == process_generation())
        thread_space_leave(cursor);
    return true;
}

/* A signal handler may come at any point and move to a chunk of its own: then the cursor has
 * changed, and the chunk made here waits for the next time. */
static bool thread_space_next_chunk(struct thread_log *self, uint64_t *cursor, uint32_t generation)
{
    uint64_t chunk;
    struct prof_chunk_header *header = thread_space_claim(self, &chunk, generation);
    if (!header)
        return false;
    uint64_t *next = thread_space_fill_chunk(self->slot, cursor, chunk, header);
    if (!thread_space_go_on(self, cursor, next, generation)) {
        store_release(&header->magic, 0u);
        memset(header + 1, 0, (size_t)((uint8_t *)next - (uint8_t *)(header + 1)));
        thread_space_set_pending(self, chunk, generation);
    }
    return true;
}

/* A part that was made in vain stays unused. */
static bool thread_space_next_part(struct thread_log *self, uint64_t *cursor, enum parts_size size,
                                   uint32_t generation)
{
    bool limit;
    uint64_t *begin = parts_take(size, &limit);
    TEST_POINT("thread_next_part: taken");
    if (generation != process_generation())
        return false;
    if (!begin) {
        thread_space_report(self, limit);
        return false;
    }
    uint64_t *next = thread_space_fill_part(self->slot, cursor, begin);
    if (!thread_space_go_on(self, cursor, next, generation)) {
        store_release(begin, (uint64_t)0);
        parts_leave(begin);
    }
    return true;
}

/* A part that was left because of its age, not because it was full, is followed by a small one. */
bool thread_space_next(struct thread_log *self)
{
    uint32_t generation = process_generation();
    uint64_t *cursor = load_relaxed(&self->cursor);
    if (!self->attached)
        return false;
    thread_space_check(self->slot, cursor);
    TEST_POINT("thread_next_chunk: begun");
    if (cursor ? !thread_space_is_part(cursor) : self->slot->log < THREAD_SPACE_WHOLE_LOGS)
        return thread_space_next_chunk(self, cursor, generation);
    if (!cursor || thread_ticks_at(cursor) > PROF_TICKS_MAX)
        return thread_space_next_part(self, cursor, PARTS_SMALL, generation);
    if (thread_chunk_of(cursor)->part_bytes == parts_bytes(PARTS_SMALL))
        return thread_space_next_part(self, cursor, PARTS_LARGE, generation);
    return thread_space_next_chunk(self, cursor, generation);
}
