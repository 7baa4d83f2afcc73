#include "thread.h"

#include "chunks.h"
#include "config.h"
#include "cost.h"
#include "emitter.h"
#include "free_list.h"
#include "invariants.h"
#include "log.h"
#include "loss.h"
#include "meta.h"
#include "own_thread.h"
#include "process.h"
#include "session.h"
#include "session_file.h"
#include "signals.h"
#include "test_point.h"
#include "thread_names.h"
#include "timing.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREAD_SLOTS_MAX 65536u

__thread struct thread_log thread_self = {.epoch = THREAD_NO_EPOCH, .fast_epoch = THREAD_NO_EPOCH};
struct thread_page thread_page __attribute__((aligned(THREAD_PAGE_BYTES)));

static struct {
    struct thread_slot *slots;
    struct free_list free;
    uint32_t capacity;    /* slots reserved */
    uint32_t used;        /* slots ever used */
    uint32_t last_thread; /* index given to the latest thread */
    pthread_key_t key;    /* its destructor notices a thread's exit */
    bool key_made;
} threads;

static uint32_t thread_gate_is_shut; /* by thread_shut_gate() */
static uint32_t thread_rooms = 1;    /* changes when there may be room again; the writer */

/* By slot: whether it was ever used. Its opener releases -> thread_slot_at() acquires. */
static bool thread_slot_opened[THREAD_SLOTS_MAX];

/* ---- slots ---- */

static struct thread_slot *thread_slots_reserve(uint32_t count)
{
    size_t bytes = count * sizeof(struct thread_slot);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *memory = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    return memory == MAP_FAILED ? NULL : (struct thread_slot *)memory;
}

/* Memory for a slot that was never used, with that of the slots it shares pages with. */
static bool thread_slot_open(struct thread_slot *slot)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)slot & ~(page - 1), to = (uintptr_t)(slot + 1);
    return mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) == 0;
}

static struct thread_slot *thread_slot_pop(void)
{
    uint32_t number =
        free_list_pop(&threads.free, &threads.slots->next_free, sizeof *threads.slots);
    if (!number)
        return NULL;
    struct thread_slot *slot = &threads.slots[number - 1];
    INVARIANT(number <= load_relaxed(&threads.used) && load_relaxed(&slot->tid) == 0);
    INVARIANT(slot->log == number - 1);
    return slot;
}

/* Counted down only where nobody took a later slot meanwhile, or the next thread would be given that one a second time:
 * two threads in one log. A slot without memory is then left unused. */
static void thread_slot_return(uint32_t index)
{
    uint32_t used = index + 1;
    cas_acq_rel(&threads.used, &used, index);
}

static struct thread_slot *thread_slot_acquire(void)
{
    struct thread_slot *slot = thread_slot_pop();
    if (slot)
        return slot;
    uint32_t index = fetch_add_relaxed(&threads.used, 1u);
    if (index >= threads.capacity || !thread_slot_open(&threads.slots[index])) {
        thread_slot_return(index);
        return NULL;
    }
    threads.slots[index].log = index;
    store_release(&thread_slot_opened[index], true);
    return &threads.slots[index];
}

struct thread_slot *thread_slot_at(uint32_t index)
{
    return load_acquire(&thread_slot_opened[index]) ? &threads.slots[index] : NULL;
}

uint32_t thread_slots_used(void)
{
    uint32_t used = load_relaxed(&threads.used);
    return used < threads.capacity ? used : threads.capacity;
}

/* A forked child that limits its address space must find room. What was used stays readable: the fork may have come from a
 * handler that interrupted a look into the name cache. */
static void thread_slots_leave(void)
{
    if (!threads.slots)
        return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t end = (uintptr_t)(threads.slots + threads.capacity);
    uintptr_t unused = (uintptr_t)(threads.slots + thread_slots_used()) + page - 1;
    unused -= unused % page;
    if (unused < end)
        munmap((void *)unused, end - unused);
    threads.slots = NULL;
}

/* ---- the gate ---- */

/* One who stores an epoch looks whether it is shut afterwards, one who shuts looks for an epoch
 * afterwards: whoever comes second sets the bit. */
void thread_mark_gate(void)
{
    uint32_t gate = load_seq_cst(&thread_gate);
    while (gate && load_seq_cst(&thread_gate_is_shut) && !(gate & THREAD_GATE_SHUT))
        if (cas_acq_rel(&thread_gate, &gate, gate | THREAD_GATE_SHUT))
            return;
}

void thread_shut_gate(void)
{
    store_seq_cst(&thread_gate_is_shut, 1u);
    thread_mark_gate();
}

void thread_retry_growth(void)
{
    store_relaxed(&thread_rooms, load_relaxed(&thread_rooms) + 1);
}

/* From now on an event costs little more than at a stopped gate. */
static void thread_shut(struct thread_log *self, bool by_io)
{
    loss_add(by_io ? PROF_LOSS_IO : PROF_LOSS_FULL, 1);
    if (self->shut)
        return;
    self->shut_by_io = by_io;
    self->shut_epoch = self->epoch;
    self->shut = load_relaxed(&thread_rooms);
    self->epoch = self->fast_epoch = THREAD_NO_EPOCH;
}

/* ---- chunks ---- */

/* Of the chunk at the cursor: it is the slot's, and where its header says. */
static void thread_check_chunk(const struct thread_slot *slot,
                               const struct prof_chunk_header *header, const uint64_t *cursor)
{
    INVARIANT(header->magic == PROF_CHUNK_MAGIC);
    INVARIANT(header->kind == PROF_CHUNK_LOG && header->log == slot->log);
    INVARIANT((uintptr_t)header == (uintptr_t)chunks_first() + header->index * PROF_CHUNK_BYTES);
    INVARIANT(thread_offset_in_chunk(cursor) >= PROF_CHUNK_HEADER_BYTES);
}

/* A handler may move on at any moment. */
static void thread_check_log(const struct thread_slot *slot, const uint64_t *cursor)
{
    if (cursor)
        thread_check_chunk(slot, thread_chunk_of(cursor), cursor);
}

/* A ring recycles what is full: where every chunk is some thread's current one, that is nobody's. */
static void thread_is_full(struct thread_log *self)
{
    static uint32_t said;
    if (config_get()->full != CONFIG_FULL_RING) {
        thread_shut(self, false);
        return;
    }
    loss_add(PROF_LOSS_FULL, 1);
    if (!exchange_acquire(&said, 1u))
        log_line(
            LOG_ERROR,
            "the ring of %u MiB has no room for so many threads: what some of them do is counted "
            "as lost; a larger PROF_MAX_MB holds them",
            (unsigned)config_get()->max_mib);
}

/* Keeps a chunk that was not mapped in time for the next try. Only in this process: a child forked by a handler goes
 * on here, too, and has other chunks. */
static void thread_set_pending_chunk(struct thread_log *self, uint64_t chunk, uint32_t generation)
{
    store_relaxed(&self->pending_chunk, (uint64_t)generation << 32 | (chunk + 1));
}

static uint64_t thread_pending_chunk(struct thread_log *self, uint32_t generation)
{
    uint64_t waiting = exchange_acquire(&self->pending_chunk, 0u);
    return waiting && waiting >> 32 == generation ? (uint32_t)waiting - 1 : CHUNKS_NO_CHUNK;
}

static void thread_report_no_chunk(struct thread_log *self, uint64_t chunk, uint32_t generation)
{
    if (chunk == CHUNKS_NO_CHUNK) {
        thread_is_full(self);
        return;
    }
    thread_set_pending_chunk(self, chunk, generation);
    if (chunks_cannot_grow())
        thread_shut(self, true);
    else
        loss_add(PROF_LOSS_LATE, 1);
}

/* A chunk and its memory, NULL without: also in a child that was forked meanwhile, where both are the parent's. A child
 * that is forked later finds memory of nobody's at that address. */
static struct prof_chunk_header *thread_claim_chunk(struct thread_log *self, uint64_t *chunk,
                                                    uint32_t generation)
{
    struct prof_chunk_header *header = NULL;
    *chunk = thread_pending_chunk(self, generation);
    if (*chunk != CHUNKS_NO_CHUNK)
        header = chunks_memory_now(*chunk);
    else if ((*chunk = chunks_claim(false)) != CHUNKS_NO_CHUNK)
        header = chunks_memory(*chunk);
    TEST_POINT("thread_next_chunk: claimed");
    if (generation != process_generation())
        return NULL;
    if (!header)
        thread_report_no_chunk(self, *chunk, generation);
    return header;
}

static void thread_fill_chunk_header(const struct thread_slot *slot, const uint64_t *cursor,
                                     uint64_t chunk, struct prof_chunk_header *header)
{
    header->kind = PROF_CHUNK_LOG;
    header->header_bytes = PROF_CHUNK_HEADER_BYTES;
    header->log = slot->log;
    header->thread = slot->thread;
    header->sequence = cursor ? thread_chunk_of(cursor)->sequence + 1 : 0;
    header->base_ticks = clock_read();
    header->index = chunk;
    header->epoch = thread_gate_epoch(load_relaxed(&thread_gate));
    store_release(&header->magic, PROF_CHUNK_MAGIC);
}

static size_t thread_words_used(const uint64_t *cursor)
{
    size_t bytes = thread_offset_in_chunk(cursor), most = PROF_CHUNK_BYTES - THREAD_GUARD_BYTES;
    return (bytes < most ? bytes : most) / sizeof *cursor;
}

/* A signal handler may come at any point and move to a chunk of its own: then the cursor has
 * changed, and the chunk made here waits for the next time. */
static bool thread_next_chunk(struct thread_log *self)
{
    uint32_t generation = process_generation();
    uint64_t *cursor = load_relaxed(&self->cursor);
    uint64_t chunk;
    if (!self->attached)
        return false;
    thread_check_log(self->slot, cursor);
    TEST_POINT("thread_next_chunk: begun");
    struct prof_chunk_header *header = thread_claim_chunk(self, &chunk, generation);
    if (!header)
        return false;
    thread_fill_chunk_header(self->slot, cursor, chunk, header);
    TEST_POINT("thread_next_chunk: filled");
    if (!arch_local_cas(&self->cursor, cursor, (uint64_t *)(void *)(header + 1))) {
        store_release(&header->magic, 0u);
        thread_set_pending_chunk(self, chunk, generation);
    } else if (cursor && generation == process_generation()) {
        chunks_retire(thread_chunk_of(cursor)->index, thread_words_used(cursor));
        cost_count_words((PROF_CHUNK_BYTES - PROF_CHUNK_HEADER_BYTES) / sizeof *cursor);
    }
    return true;
}

static uint64_t thread_ticks_at(const uint64_t *word)
{
    return clock_read() - thread_chunk_of(word)->base_ticks;
}

static bool thread_has_room(const struct thread_log *self, unsigned words)
{
    const uint64_t *cursor = load_relaxed(&self->cursor);
    return cursor && thread_fits(cursor, words) && thread_ticks_at(cursor) <= PROF_TICKS_MAX;
}

/* Back to the beginning of the guard, so that words taken past the end in vain do not add up. */
static void thread_park(struct thread_log *self)
{
    uint64_t *cursor = load_relaxed(&self->cursor);
    if (!self->attached)
        store_relaxed(&self->cursor, (uint64_t *)NULL);
    if (!self->attached || !cursor || thread_fits(cursor, 1))
        return;
    size_t beyond = thread_offset_in_chunk(cursor) - (PROF_CHUNK_BYTES - THREAD_GUARD_BYTES);
    arch_local_cas(&self->cursor, cursor, cursor - beyond / sizeof *cursor);
}

/* Advancing without looking could take up to 32 KiB past the end; a compare-and-swap takes nothing
 * in vain. It fails when a signal handler recorded something since the check. */
static uint64_t *thread_reserve_words_at(struct thread_log *self, unsigned words, uint64_t now)
{
    for (;;) {
        uint64_t *cursor = load_relaxed(&self->cursor);
        if (!cursor || !thread_fits(cursor, words) ||
            now - thread_chunk_of(cursor)->base_ticks > PROF_TICKS_MAX)
            return NULL;
        if (arch_local_cas(&self->cursor, cursor, cursor + words))
            return cursor;
    }
}

static uint64_t *thread_reserve_words(struct thread_log *self, unsigned words)
{
    return thread_reserve_words_at(self, words, clock_read());
}

/* A record of an attached thread about itself. */
static bool thread_write(struct thread_log *self, enum prof_record_type type, uint64_t payload)
{
    uint64_t *record;
    while (!(record = thread_reserve_words(self, 2)))
        if (!thread_next_chunk(self))
            return false;
    store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, type, 2, 0));
    record[1] = payload;
    thread_commit(record, type, 2, thread_ticks(record));
    return true;
}

static uint64_t thread_identity(const struct thread_slot *slot)
{
    return slot->thread | (uint64_t)slot->tid << 32;
}

/* ---- attaching and leaving ---- */

static void thread_emit_end(struct thread_log *self)
{
    timing_thread_end();
    uint64_t *record = thread_reserve_words(self, 2);
    if (record)
        thread_commit(record, PROF_REC_THREAD_END, 2, thread_ticks(record));
    if (!load_relaxed(&self->slot->named))
        thread_emit_own_name(self);
}

/* Runs as a pthread key's destructor; an event in a later destructor attaches the thread anew. */
static void thread_at_exit(void *argument)
{
    struct thread_log *self = &thread_self;
    struct thread_slot *slot = self->slot;
    struct signals_saved saved;
    (void)argument;
    if (!self->attached)
        return;
    signals_block(&saved);
    if (session_has_file())
        thread_emit_end(self);
    slot->cursor = self->cursor;
    thread_check_log(slot, slot->cursor);
    store_release(&slot->tid, 0u);
    bool internal = self->internal;
    *self = (struct thread_log){
        .epoch = THREAD_NO_EPOCH, .fast_epoch = THREAD_NO_EPOCH, .internal = internal};
    free_list_push(&threads.free, (uint32_t)(slot - threads.slots) + 1, &slot->next_free);
    signals_restore(&saved);
}

static bool thread_attach(struct thread_log *self)
{
    struct thread_slot *slot = thread_slot_acquire();
    if (!slot) {
        loss_add(PROF_LOSS_THREADS, 1);
        return false;
    }
    self->slot = slot;
    self->attached = true;
    self->cursor = slot->cursor;
    thread_check_log(slot, slot->cursor);
    slot->thread = fetch_add_relaxed(&threads.last_thread, 1u) + 1;
    slot->internal = self->internal;
    store_release(&slot->tid, (uint32_t)syscall(SYS_gettid));
    if (!self->internal)
        session_file_note_event();
    if (threads.key_made)
        pthread_setspecific(threads.key, slot);
    if (stacks_chosen())
        stacks_thread_begin(&slot->stacks);
    thread_emit_first_name(slot, self->internal);
    return true;
}

static void thread_enter_epoch(struct thread_log *self, uint32_t gate)
{
    bool slow = clock_kind == PROF_CLOCK_MONOTONIC || (gate & THREAD_GATE_SLOW) ||
                emitter_active() || stacks_at_ranges_chosen();
    self->epoch = gate;
    self->fast_epoch = slow ? THREAD_NO_EPOCH : gate;
}

/* The first record after attaching says whose log it is from now on; so does each new epoch. */
static bool thread_announce(struct thread_log *self)
{
    uint32_t gate = load_relaxed(&thread_gate);
    if (!self->announced)
        self->announced = thread_write(self, PROF_REC_THREAD, thread_identity(self->slot));
    if (!self->announced)
        return false;
    if (!gate || gate == self->epoch)
        return true;
    uint32_t epoch = thread_gate_epoch(gate);
    if (epoch != thread_gate_epoch(self->epoch) && !thread_write(self, PROF_REC_EPOCH, epoch))
        return false;
    thread_enter_epoch(self, gate);
    return true;
}

/* The thread's first event, and often the process's. Its signal handlers wait until it is done:
 * one that jumped away out of here would leave the file half made. What our own system calls lead
 * to (somebody stands before them and records) is dropped. */
static bool thread_begin(struct thread_log *self, uint64_t *began)
{
    if (self->busy || own_thread_is_new()) {
        if (self->busy && !self->internal)
            loss_add(PROF_LOSS_NESTED, 1);
        return false;
    }
    struct signals_saved saved;
    signals_block(&saved);
    self->busy = true;
    clock_choose(); /* not earlier: most processes that load the library record nothing */
    *began = cost_clock();
    bool begun = self->attached || (session_ready() && thread_attach(self));
    if (begun)
        begun = thread_announce(self);
    self->busy = false;
    signals_restore(&saved);
    return begun;
}

/* Whether there may be room, or else the event is counted, at the price of a stopped gate's. */
static bool thread_may_record(struct thread_log *self)
{
    uint32_t gate = load_relaxed(&thread_gate);
    if (!gate)
        return false;
    if (gate & THREAD_GATE_SHUT) {
        loss_add_often(PROF_LOSS_IO, self);
        return false;
    }
    if (!self->shut)
        return true;
    if (self->shut == load_relaxed(&thread_rooms)) {
        loss_add_often(self->shut_by_io ? PROF_LOSS_IO : PROF_LOSS_FULL, self);
        return false;
    }
    self->shut = 0;
    thread_enter_epoch(self, self->shut_epoch);
    return true;
}

bool thread_slow(struct thread_log *self, unsigned words, bool late)
{
    if (late ? !session_has_file() : !thread_may_record(self))
        return false;
    int saved_errno = errno;
    bool begun = self->attached;
    uint64_t began = begun ? cost_clock() : 0;
    bool room = begun ? self->shut || thread_announce(self) : thread_begin(self, &began);
    if (room && !thread_has_room(self, words))
        room = thread_next_chunk(self);
    if (!room)
        thread_park(self);
    if (!self->internal && began)
        cost_charge(begun ? PROF_COST_CHUNKS : PROF_COST_SPACE, began);
    errno = saved_errno;
    TEST_POINT("thread_slow: done");
    return room;
}

/* ---- records of one word ---- */

static bool thread_event_wide(enum prof_record_type type, uint32_t name)
{
    uint64_t *record = thread_reserve(type, 2);
    if (!record)
        return false;
    record[1] = name;
    thread_commit(record, type, 2, thread_ticks(record));
    return true;
}

static enum prof_record_type thread_wide_type(unsigned kind)
{
    if (kind == PROF_KIND_MARK)
        return PROF_REC_MARK_WIDE;
    if (kind == PROF_KIND_FRAME_PUSH)
        return PROF_REC_FRAME_PUSH_WIDE;
    return kind == PROF_KIND_PUSH ? PROF_REC_PUSH_WIDE : PROF_REC_NVTX_PUSH_WIDE;
}

bool thread_event(struct thread_log *self, unsigned kind, uint32_t name)
{
    if (name > PROF_NAME_ID_MAX)
        return thread_event_wide(thread_wide_type(kind), name);
    while (!thread_put(self, kind, name, clock_read()))
        if (!thread_slow(self, 1, false))
            return false;
    return true;
}

/* ---- records of several words ---- */

static uint64_t *thread_reserve_any(enum prof_record_type type, unsigned words, bool late)
{
    struct thread_log *self = &thread_self;
    if (words > PROF_RECORD_WORDS_MAX ||
        words * 8 > PROF_CHUNK_BYTES - PROF_CHUNK_HEADER_BYTES - THREAD_GUARD_BYTES) {
        loss_add(PROF_LOSS_TOO_BIG, 1);
        return NULL;
    }
    if (late ? !self->attached && !thread_slow(self, words, true) : !thread_ready(self))
        return NULL;
    uint64_t *record = thread_reserve_words(self, words);
    while (!record) {
        if (!thread_slow(self, words, late))
            return NULL;
        record = thread_reserve_words(self, words);
    }
    store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, type, words, 0));
    return record;
}

uint64_t *thread_reserve(enum prof_record_type type, unsigned words)
{
    return thread_reserve_any(type, words, false);
}

uint64_t *thread_reserve_now(enum prof_record_type type, unsigned words, uint64_t *ticks)
{
    struct thread_log *self = &thread_self;
    uint64_t now = clock_read();
    uint64_t *record = load_relaxed(&thread_gate) == self->epoch
                           ? thread_reserve_words_at(self, words, now)
                           : NULL;
    if (__builtin_expect(record != NULL, 1)) {
        store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, type, words, 0));
        *ticks = now - thread_chunk_of(record)->base_ticks;
        return record;
    }
    record = thread_reserve(type, words);
    *ticks = record ? thread_ticks(record) : 0;
    return record;
}

uint64_t *thread_reserve_group(struct thread_log *self, unsigned words, uint64_t *ticks)
{
    uint64_t now = arch_ticks();
    uint64_t *record = thread_reserve_words_at(self, words, now);
    if (record)
        *ticks = now - thread_chunk_of(record)->base_ticks;
    return record;
}

uint64_t *thread_reserve_late(enum prof_record_type type, unsigned words)
{
    return thread_reserve_any(type, words, true);
}

void thread_commit(uint64_t *record, enum prof_record_type type, unsigned words, uint64_t info)
{
    store_release(record, PROF_WORD_EXT(PROF_KIND_EXT, type, words, info));
}

uint64_t thread_ticks(const uint64_t *record)
{
    uint64_t ticks = thread_ticks_at(record);
    return ticks <= PROF_TICKS_MAX ? ticks : 0;
}

void thread_mark_internal(void)
{
    thread_self.internal = true;
    thread_self.busy = false;
}

void thread_mark_silent(void)
{
    thread_self.internal = thread_self.busy = true;
}

/* What is lost for want of room is counted, what is lost for want of a file is nobody's. */
bool recorder_on(void)
{
    uint32_t gate = load_relaxed(&thread_gate);
    return gate & THREAD_GATE_SHUT ? session_has_file() : gate != 0;
}

/* ---- process-wide ---- */

void thread_own_process(void)
{
    store_relaxed(&thread_page.steps, (uint64_t)0);
    names_own_process(process_generation());
    store_release(&thread_page.ours, 1u);
}

void thread_guard_page(void)
{
    madvise(&thread_page, sizeof thread_page, MADV_WIPEONFORK); /* Linux 4.14 */
}

bool thread_init(uint64_t budget)
{
    if (!threads.key_made)
        threads.key_made = pthread_key_create(&threads.key, thread_at_exit) == 0;
    if (!threads.slots) {
        uint64_t affordable = budget / sizeof(struct thread_slot);
        threads.capacity = affordable < THREAD_SLOTS_MAX ? (uint32_t)affordable : THREAD_SLOTS_MAX;
        threads.slots = thread_slots_reserve(threads.capacity);
    }
    return threads.slots != NULL;
}

void thread_fork_child(void)
{
    thread_self = (struct thread_log){.epoch = THREAD_NO_EPOCH,
                                      .fast_epoch = THREAD_NO_EPOCH,
                                      .slot = thread_self.slot,
                                      .internal = thread_self.internal};
    thread_gate_is_shut = 0;
    memset(thread_slot_opened, 0, thread_slots_used() * sizeof *thread_slot_opened);
    thread_slots_leave();
    threads.free = (struct free_list){0};
    threads.used = 0;
    threads.last_thread = 0;
}
