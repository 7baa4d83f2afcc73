#include "thread.h"

#include "annotate.h"
#include "chunks.h"
#include "config.h"
#include "cost.h"
#include "log.h"
#include "memory.h"
#include "meta.h"
#include "own_thread.h"
#include "process.h"
#include "session.h"
#include "signals.h"
#include "test_point.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREAD_SLOTS_MAX 65536u

__thread struct thread_log thread_self = {.epoch = THREAD_NO_EPOCH, .fast_epoch = THREAD_NO_EPOCH};
/* Not const: a forked child copies it, and constants are on one more page. */
static struct thread_log thread_unattached GUEST_DATA = {.epoch = THREAD_NO_EPOCH,
                                                         .fast_epoch = THREAD_NO_EPOCH};
struct thread_page thread_page __attribute__((aligned(THREAD_PAGE_BYTES)));

static struct {
    struct thread_slot *slots;
    struct free_list free;
    uint32_t capacity;    /* slots reserved */
    uint32_t used;        /* slots ever used */
    uint32_t used_before; /* by parents that this process was forked from */
    uint32_t page_bytes;
    uint32_t last_thread; /* index given to the latest thread */
    pthread_key_t key;    /* its destructor notices a thread's exit */
    bool key_made;
    bool interrupted; /* see thread_fork_interrupted() */
} threads GUEST_DATA;

static uint32_t thread_gate_is_shut GUEST_DATA; /* by thread_shut_gate() */
static uint32_t thread_rooms = 1; /* changes when there may be room again; the writer */

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
    uintptr_t page = threads.page_bytes;
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

/* Counted down only where nobody took a later slot meanwhile, or the next thread would be given
 * that one a second time: two threads in one log. A slot without memory is then left unused. */
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

GUEST_PATH uint32_t thread_slots_used(void)
{
    uint32_t used = load_relaxed(&threads.used);
    return used < threads.capacity ? used : threads.capacity;
}

/* A forked child that limits its address space must find room. What was used stays readable: the
 * fork may have come from a handler that interrupted a look into the name cache. */
GUEST_PATH static void thread_slots_leave(void)
{
    if (!threads.slots)
        return;
    uintptr_t page = threads.page_bytes;
    uintptr_t end = (uintptr_t)(threads.slots + threads.capacity);
    uintptr_t unused = (uintptr_t)(threads.slots + thread_slots_used()) + page - 1;
    unused -= unused % page;
    if (unused < end)
        munmap((void *)unused, end - unused);
    threads.slots = NULL;
}

/* ---- the gate ---- */

/* A thread that stores an epoch then checks whether the gate is shut; a thread that shuts it then
 * checks for an epoch. So the second one sets the bit. */
GUEST_PATH void thread_mark_gate(void)
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

void thread_shut(struct thread_log *self, bool by_io)
{
    loss_add(by_io ? PROF_LOSS_IO : PROF_LOSS_FULL, 1);
    if (self->shut)
        return;
    self->shut_by_io = by_io;
    self->shut_epoch = self->epoch;
    self->shut = load_relaxed(&thread_rooms);
    self->epoch = self->fast_epoch = THREAD_NO_EPOCH;
}

static bool thread_has_room(const struct thread_log *self, unsigned words)
{
    const uint64_t *cursor = load_relaxed(&self->cursor);
    return cursor && thread_has_place(cursor, words) && thread_ticks_at(cursor) <= PROF_TICKS_MAX;
}

/* Back to the beginning of the guard, so that words taken past the end in vain do not add up. */
static void thread_park(struct thread_log *self)
{
    uint64_t *cursor = load_relaxed(&self->cursor);
    if (!self->attached)
        store_relaxed(&self->cursor, (uint64_t *)NULL);
    if (!self->attached || !cursor || thread_space_is_part(cursor) || thread_fits(cursor, 1))
        return;
    size_t beyond = thread_offset_in_chunk(cursor) - (PROF_CHUNK_BYTES - THREAD_GUARD_BYTES);
    arch_local_cas(&self->cursor, cursor, cursor - beyond / sizeof *cursor);
}

/* Advancing without looking could take up to 32 KiB past the end; a compare-and-swap takes nothing
 * in vain. It fails when a signal handler recorded something since the check. `own`: the log is in
 * a chunk of its own. */
static inline uint64_t *thread_reserve_words_in(struct thread_log *self, unsigned words,
                                                uint64_t now, bool own)
{
    for (;;) {
        uint64_t *cursor = load_relaxed(&self->cursor);
        if (!(own ? thread_fits(cursor, words) : thread_has_place(cursor, words)) ||
            now - thread_chunk_of(cursor)->base_ticks > PROF_TICKS_MAX)
            return NULL;
        if (arch_local_cas(&self->cursor, cursor, cursor + words))
            return cursor;
    }
}

static uint64_t *thread_reserve_words_at(struct thread_log *self, unsigned words, uint64_t now)
{
    return thread_reserve_words_in(self, words, now, false);
}

static uint64_t *thread_reserve_words(struct thread_log *self, unsigned words)
{
    return thread_reserve_words_at(self, words, clock_read());
}

/* A record of an attached thread about itself. */
static bool thread_write_epoch(struct thread_log *self, uint32_t epoch)
{
    uint64_t *record;
    while (!(record = thread_reserve_words(self, 2)))
        if (!thread_space_next(self))
            return false;
    store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, PROF_REC_EPOCH, 2, 0));
    record[1] = epoch;
    thread_commit(record, PROF_REC_EPOCH, 2, thread_ticks(record));
    return true;
}

bool thread_state_owner(struct thread_log *self)
{
    size_t bytes = thread_space_owner_bytes(self->slot);
    uint64_t *record = thread_reserve_words(self, (unsigned)(bytes / 8));
    if (!record)
        return thread_space_next(self);
    store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, PROF_REC_THREAD, bytes / 8, 0));
    thread_space_fill_owner(self->slot, record, bytes, thread_ticks(record));
    return true;
}

/* ---- attaching and leaving ---- */

static void thread_emit_end(struct thread_log *self)
{
    timing_thread_end();
    if (!load_relaxed(&self->slot->named) && thread_read_own_name(self))
        thread_state_owner(self);
    uint64_t *record = thread_reserve_words(self, 2);
    if (record)
        thread_commit(record, PROF_REC_THREAD_END, 2, thread_ticks(record));
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
    thread_space_check(slot, slot->cursor);
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
    thread_space_check(slot, slot->cursor);
    slot->thread = fetch_add_relaxed(&threads.last_thread, 1u) + 1;
    slot->internal = self->internal;
    store_release(&slot->tid, (uint32_t)syscall(SYS_gettid));
    if (!self->internal)
        session_file_note_event();
    if (threads.key_made)
        pthread_setspecific(threads.key, slot);
    if (stacks_chosen())
        stacks_thread_begin(&slot->stacks);
    thread_read_first_name(self);
    return true;
}

static void thread_enter_epoch(struct thread_log *self, uint32_t gate)
{
    self->epoch = gate;
    thread_space_choose_path(self);
}

/* The first record after attaching says whose log it is from now on; so does each new epoch. */
static bool thread_announce(struct thread_log *self)
{
    uint32_t gate = load_relaxed(&thread_gate);
    if (!self->announced)
        self->announced = thread_state_owner(self);
    if (!self->announced)
        return false;
    if (!gate || gate == self->epoch)
        return true;
    uint32_t epoch = thread_gate_epoch(gate);
    if (epoch != thread_gate_epoch(self->epoch) && !thread_write_epoch(self, epoch))
        return false;
    thread_enter_epoch(self, gate);
    return true;
}

/* The thread's first event, and often the process's. Its signal handlers wait until it is done: one
 * that jumped away out of here would leave the file half made. Events caused by our own system
 * calls (another library interposes on them and records) are dropped. */
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
    bool begun = self->attached, writing = load_relaxed(&self->writing);
    uint64_t began = begun ? cost_clock() : 0;
    bool room = begun ? self->shut || thread_announce(self) : thread_begin(self, &began);
    if (room && !thread_has_room(self, words))
        room = thread_space_next(self);
    if (!room)
        thread_park(self);
    if (!self->internal && began)
        cost_charge(begun ? PROF_COST_CHUNKS : PROF_COST_SPACE, began);
    errno = saved_errno;
    store_relaxed(&self->writing, writing);
    TEST_POINT("thread_slow: done");
    return room;
}

/* ---- records of one word ---- */

bool thread_store(struct thread_log *self, unsigned kind, uint32_t name)
{
    uint64_t now = clock_read();
    uint64_t *word = thread_reserve_words_at(self, 1, now);
    if (!word)
        return false;
    store_release(word, PROF_WORD_EVENT(kind, name, now - thread_chunk_of(word)->base_ticks));
    return true;
}

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
    TEST_POINT("thread_event: begun");
    while (!thread_store(self, kind, name))
        if (!thread_slow(self, 1, false))
            return false;
    store_relaxed(&self->writing, false);
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

/* The hot path is for records of at most THREAD_GUARD_BYTES. */
uint64_t *thread_reserve(enum prof_record_type type, unsigned words)
{
    struct thread_log *self = &thread_self;
    uint64_t *record = NULL;
    if (load_relaxed(&thread_gate) == self->fast_epoch && words <= THREAD_GUARD_BYTES / 8) {
        store_relaxed(&self->writing, true);
        record = thread_reserve_words_in(self, words, arch_ticks(), true);
    }
    if (__builtin_expect(!record, 0))
        return thread_reserve_any(type, words, false);
    store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, type, words, 0));
    return record;
}

uint64_t *thread_reserve_now(enum prof_record_type type, unsigned words, uint64_t *ticks)
{
    struct thread_log *self = &thread_self;
    uint64_t now = clock_read();
    uint32_t gate = load_relaxed(&thread_gate);
    store_relaxed(&self->writing, true);
    uint64_t *record = gate == self->fast_epoch ? thread_reserve_words_in(self, words, now, true)
                       : gate == self->epoch    ? thread_reserve_words_at(self, words, now)
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
    uint64_t *record = thread_reserve_words_in(self, words, now, true);
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
    store_relaxed(&thread_self.writing, false);
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

/* Events lost because there is no room are counted. Without a file, there is nowhere to count
 * them. */
bool recorder_on(void)
{
    uint32_t gate = load_relaxed(&thread_gate);
    return gate & THREAD_GATE_SHUT ? session_has_file() : gate != 0;
}

/* ---- process-wide ---- */

GUEST_PATH void thread_own_process(void)
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
        threads.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
        memset(thread_slot_opened, 0, threads.used_before * sizeof *thread_slot_opened);
        threads.used_before = 0;
        threads.slots = thread_slots_reserve(threads.capacity);
    }
    return threads.slots != NULL;
}

bool thread_fork_interrupted(void)
{
    return threads.interrupted;
}

GUEST_PATH void thread_fork_child(void)
{
    threads.interrupted = load_relaxed(&thread_self.writing);
    struct thread_slot *slot = thread_self.slot;
    bool internal = thread_self.internal;
    thread_self = thread_unattached;
    thread_self.slot = slot;
    thread_self.internal = internal;
    thread_gate_is_shut = 0;
    if (threads.used_before < thread_slots_used())
        threads.used_before = thread_slots_used();
    thread_slots_leave();
    threads.free = (struct free_list){0};
    threads.used = 0;
    threads.last_thread = 0;
}
