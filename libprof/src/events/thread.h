/* thread.h - a thread's log: the hot path.
 *
 * Each thread appends to a chunk of the trace file that is mapped, zero-filled and present. An
 * event compares the gate, reads the clock, reserves a word and stores it. One instruction advances
 * the cursor, so a signal handler that also records comes before or after it, never in between. The
 * hot path needs no lock, allocation or system call; everything else is in thread_slow().
 *
 *     chunk: | header | word word word ...                   | guard |    64 KiB, so aligned
 *                                        ^cursor
 *
 * The hot path reads only the cursor: the chunk's begin, end and time base follow from that
 * address. A handler that moves to another chunk therefore cannot leave two fields inconsistent.
 * Words reserved in the guard are past the end: thread_slow() then moves to the next chunk or
 * resets the cursor. Before that, each nested handler can reserve one word there; the guard has
 * room for more handlers than there are signals.
 *
 * The life cycle of a log:
 *
 *     free slot --first event--> attached --thread exits--> free slot (with the rest of its chunk)
 *
 * The next thread inherits a slot with its chunk, so a million short threads share a few chunks.
 *
 * Of thousands of threads that live at a time, most record little. So a log that is not one of the
 * first few begins with a part of a shared chunk (chunks.h), then gets a larger one, then chunks of
 * its own. A part has no guard, and its end is where its chunk's header says: it is not for the hot
 * path, as fast_epoch says.
 */
#ifndef PROF_THREAD_H
#define PROF_THREAD_H

#include "atomic.h"
#include "clock.h"
#include "names.h"
#include "recorder.h"
#include "stacks.h"

#define THREAD_GUARD_BYTES 1024u
#define THREAD_NAME_BYTES 64u /* of the names that logs state, with the terminator */

/* What the next thread inherits. One per live thread; never freed. */
struct thread_slot {
    uint64_t *cursor;
    uint32_t log;
    uint32_t next_free; /* memory.h */
    uint32_t tid;       /* of the owner, 0 free; owner writes, thread_emit_names() reads */
    uint32_t thread;    /* index of the owner */
    bool named;         /* by the program: what the kernel calls it does not matter any more; any
                         * thread may write */
    const char *given;  /* latest name by thread_name_tid(); any thread may write */
    char name[THREAD_NAME_BYTES]; /* as its log states it */
    bool steps;                   /* its log has steps; owners set it, the summary reads it */
    bool internal;                /* the owner is a thread of libprof or of CUPTI */
    struct name_cache names;
    struct stacks_thread stacks;
    void *frames; /* collect/cpython/'s, for the owner; stays with the slot */
};

#define THREAD_NO_EPOCH UINT32_MAX /* equals no gate, neither off (0) nor on */

/* Everything here belongs to its thread, and to the signal handlers that run on it. */
struct thread_log {
    uint64_t *cursor;    /* next free word */
    uint32_t epoch;      /* of the gate when last looked at; THREAD_NO_EPOCH: not attached */
    uint32_t fast_epoch; /* the same, but only where the clock is the processor's counter, no
                          * push needs more than that, and the log is in a chunk of its own */
    bool busy;           /* in thread_begin(), or silent for good */
    bool announced;      /* the log says that it is this thread's */
    bool attached;       /* `slot` is the thread's */
    /* Since thread_ready(), perhaps with ids of names in hand, until a record is complete */
    bool writing;
    /* NULL: none yet. A child whose fork came from a handler that interrupted an event keeps its
     * parent's, which that event may be about to look into */
    struct thread_slot *slot;
    /* Claimed, but not mapped yet: number + 1 | process_generation() << 32; 0 none */
    uint64_t pending_chunk;
    uint64_t ranges_begun;
    uint32_t shut;       /* where there was no room: the value of thread_rooms then; 0 there is */
    uint32_t shut_epoch; /* and of `epoch` */
    bool shut_by_io;     /* else by the limit */
    bool internal;
    bool in_library; /* in a library's function that has a range: what it calls itself gets none */
};

extern __thread struct thread_log thread_self
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* What every event checks first. It has its own page, which the kernel clears in children created
 * without libc's fork() (clone, _Fork): they share the file mapping and must not write to it. */
#define THREAD_PAGE_BYTES ARCH_PAGE_BYTES_MAX /* advice is for whole pages */
struct thread_page {
    uint32_t gate; /* epoch of the recording in progress, or 0: off; session.c and timing.c write,
                    * everybody reads */
    uint32_t
        step_gate;  /* the same, but not 0 either while steps matter; prof_gate()'s second word */
    uint64_t steps; /* of prof_step() so far; stored by the thread that steps */
    uint32_t ours;  /* 1 in the process that records, 0 in such a child */
    uint8_t rest[THREAD_PAGE_BYTES - 20];
};
PROF_STATIC_ASSERT(offsetof(struct thread_page, step_gate) == 4, "prof_gate() gives both words");
extern struct thread_page thread_page __attribute__((visibility("hidden")));
#define thread_gate thread_page.gate

/* A bit of the gate beside the epoch: pushes and pops do more than the hot path knows (timing.c).
 * Setting it changes the gate's value, so every thread looks again at its next event. */
#define THREAD_GATE_SLOW (1u << 31)

/* Another: there is no file for events, and each is only counted. No thread's epoch has it, so none
 * takes the hot path. */
#define THREAD_GATE_SHUT (1u << 30)

static inline uint32_t thread_gate_epoch(uint32_t gate)
{
    return gate & ~(THREAD_GATE_SLOW | THREAD_GATE_SHUT);
}

/* Sets that bit, for this gate and those that follow. In signal handlers, too. */
void thread_shut_gate(void);

/* There is no room, by the size limit or (`by_io`) because the file cannot grow: counts it, and
 * from now on an event of the thread costs little more than at a stopped gate. */
void thread_shut(struct thread_log *self, bool by_io);

/* The file can grow again: threads that found no room retry. */
void thread_retry_growth(void);

/* A new gate was stored. */
void thread_mark_gate(void);

/* Makes this process record to a file of its own: at load, and in a child of fork(). */
void thread_own_process(void);

/* Has the kernel clear the page in children from here on. Called before the file is created, not
 * earlier: most processes never record, and are spared the system call and the extra mapping. */
void thread_guard_page(void);

static inline bool thread_process_is_ours(void)
{
    return load_relaxed(&thread_page.ours) != 0;
}

/* Ensures room for `words` words in the calling thread's log. Attaches the thread and creates the
 * file if necessary. With `late`, works also while recording is off, but only if there is a file.
 * Returns false if recording is off, or if there is no room; the loss is then counted. */
bool thread_slow(struct thread_log *self, unsigned words, bool late);

/* Once per process, before the first event. Reserves address space for slots, at most `budget`
 * bytes. False when the system refuses. */
bool thread_init(uint64_t budget);

/* In a forked child: no log exists any more. */
void thread_fork_child(void);

/* Whether the fork may have come from a handler that interrupted an event: the event goes on in
 * this child as well, with ids that it had looked up before. */
bool thread_fork_interrupted(void);

/* The slot of that index, or NULL while it has no memory: for reading other threads' slots. */
struct thread_slot *thread_slot_at(uint32_t index);

/* Slots ever used. */
uint32_t thread_slots_used(void);

/* Whether events may be recorded: at once when the thread is attached in this epoch, else after the
 * slow path. */
static inline bool thread_ready(struct thread_log *self)
{
    uint32_t gate = load_relaxed(&thread_gate);
    store_relaxed(&self->writing, true);
    if (__builtin_expect(gate == self->epoch, 1))
        return true;
    return gate != 0 && thread_slow(self, 1, false);
}

static inline const struct prof_chunk_header *thread_chunk_of(const uint64_t *word)
{
    return (const struct prof_chunk_header *)((uintptr_t)word & ~(uintptr_t)(PROF_CHUNK_BYTES - 1));
}

static inline size_t thread_offset_in_chunk(const uint64_t *word)
{
    return (uintptr_t)word & (PROF_CHUNK_BYTES - 1);
}

static inline uint64_t thread_ticks_at(const uint64_t *word)
{
    return clock_read() - thread_chunk_of(word)->base_ticks;
}

/* Whether `word` and `words` - 1 more lie between the header and the guard of their chunk. Not so
 * for NULL: in a child whose fork came from a handler that interrupted an event, the cursor is. */
static inline bool thread_fits(const uint64_t *word, unsigned words)
{
    size_t room = PROF_CHUNK_BYTES - THREAD_GUARD_BYTES - PROF_CHUNK_HEADER_BYTES;
    return thread_offset_in_chunk(word) - PROF_CHUNK_HEADER_BYTES <= room - words * sizeof *word;
}

/* The same where the log may be in a part. The last word of a part stays free, or else the cursor
 * of a full one would be in the next. */
static inline bool thread_has_place(const uint64_t *word, unsigned words)
{
    uint32_t part = word ? load_relaxed(&thread_chunk_of(word)->part_bytes) : 0;
    if (__builtin_expect(!part, 1))
        return thread_fits(word, words);
    return words * sizeof *word < part - (thread_offset_in_chunk(word) & (part - 1));
}

/* Whether the next event has a place in the log: before its name is stated, which would be lost as
 * well. The thread is ready. False: the loss has been counted. */
static inline bool thread_ensure_room(struct thread_log *self)
{
    return thread_has_place(load_relaxed(&self->cursor), 1) || thread_slow(self, 1, false);
}

/* Of a log that is not in a part: takes a word and stores an event into it. False: it was past the
 * end, or its time does not fit the chunk's base (then the word stays zero, which readers skip). */
static inline bool thread_put(struct thread_log *self, unsigned kind, uint32_t name, uint64_t now)
{
    uint64_t *word = arch_local_advance(&self->cursor, 1);
    if (__builtin_expect(!thread_fits(word, 1), 0))
        return false;
    uint64_t ticks = now - thread_chunk_of(word)->base_ticks;
    if (__builtin_expect(ticks >> PROF_TICKS_BITS != 0, 0))
        return false;
    store_release(word, PROF_WORD_EVENT(kind, name, ticks));
    return true;
}

/* The whole of the hot path, without a call in it: the counter is the clock, the thread is
 * attached, the name has its number. False: thread_event() does it. */
static inline bool thread_event_fast(unsigned kind, uint32_t name)
{
    struct thread_log *self = &thread_self;
    return load_relaxed(&thread_gate) == self->fast_epoch &&
           thread_put(self, kind, name, arch_ticks());
}

/* States again whose the log is. False: there is no room. */
bool thread_state_owner(struct thread_log *self);

/* Takes a word of an attached thread's log, wherever that is, and stores an event into it. False:
 * there is no room. */
bool thread_store(struct thread_log *self, unsigned kind, uint32_t name);

/* Reserves words for several records that begin at the same time: an event's word, then records of
 * their own. All are zero, and a reader skips zeros. NULL: there is no room here, nothing is
 * counted. The thread takes the hot path; at most THREAD_GUARD_BYTES. */
uint64_t *thread_reserve_group(struct thread_log *self, unsigned words, uint64_t *ticks);

/* Id of a range that any thread may end, of an attached thread. Unique without a shared counter:
 * no two threads of a file have the same index. */
static inline uint64_t thread_next_range_id(struct thread_log *self)
{
    return (uint64_t)self->slot->thread << 32 |
           (uint32_t)(fetch_add_relaxed(&self->ranges_begun, 1u) + 1);
}

/* Records an event whatever it takes. The thread is ready (thread_ready). False: it was lost, and
 * that is counted. */
bool thread_event(struct thread_log *self, unsigned kind, uint32_t name);

/* ---- thread_names.c: names of threads ---- */

/* Emits the current names of all threads; called when the recording ends. */
void thread_emit_names(void);

/* Names the calling thread. The first THREAD_NAME_BYTES - 1 bytes are kept for a thread without
 * events, and for the files of forked children. */
void thread_name_self(const char *name);

/* Names the live thread `tid` of this process, if it has a log. `name` must remain valid; passing
 * the same address again emits nothing. Returns false if the thread has no log (yet). */
bool thread_name_tid(uint32_t tid, const char *name);

/* Sets the function that returns the name of a thread that was named before it had a log, or NULL.
 * Its result must remain valid. Call it before recording begins. */
void thread_set_namer(const char *(*namer)(uint32_t tid));

/* Puts the calling thread's name into its slot: the namer's, or else the kernel's. Whether it is
 * another one than before. */
bool thread_read_own_name(struct thread_log *self);

/* The same for a thread that was just attached: one given earlier, or else its own. */
void thread_read_first_name(struct thread_log *self);

/* ---- thread_space.c: where a log goes on ---- */

/* Moves the log of an attached thread on. False: there is nowhere to go, and the event is counted
 * as lost. */
bool thread_space_next(struct thread_log *self);

/* Whether the word is in a part. Not so for NULL. */
bool thread_space_is_part(const uint64_t *word);

/* Chooses whether events take the hot path in the thread's epoch: only in chunks of the log's
 * own. */
void thread_space_choose_path(struct thread_log *self);

/* The record that says whose the log is: its size, and itself at `record`. */
size_t thread_space_owner_bytes(const struct thread_slot *slot);
void thread_space_fill_owner(const struct thread_slot *slot, uint64_t *record, size_t bytes,
                             uint64_t ticks);

/* Checks that the cursor (NULL: none yet) is in a chunk of the slot's log. */
void thread_space_check(const struct thread_slot *slot, const uint64_t *cursor);

/* ---- timing.c: ranges that a collector times on the device, at their two ends ---- */

/* Off, it costs nothing: the gate has no slow bit, and the hot path of range.c never comes here.
 * The cost of timing a range falls on the enclosing range: the timer is called before the push is
 * recorded, and after the pop is.
 */

/* Sets the gate's slow bit if recording is on and ranges are timed. After every store of a new
 * epoch into the gate. */
void timing_mark_gate(void);

/* A ready thread (thread_ready) is about to push, and has pushed. 0: the range is not timed.
 * `stack`: recorder.h's RANGE_STACK. */
uint64_t timing_push_slow(uint32_t epoch, uint32_t stack);
void timing_pushed_slow(uint64_t token);
void timing_pop_slow(uint32_t epoch, uint32_t stack);

/* The calling thread's log ends. */
void timing_thread_end(void);

/* In a forked child: nobody times there. */
void timing_fork_child(void);

static inline uint64_t timing_push(const struct thread_log *self, uint32_t stack)
{
    return self->epoch & THREAD_GATE_SLOW ? timing_push_slow(thread_gate_epoch(self->epoch), stack)
                                          : 0;
}

static inline void timing_pushed(uint64_t token)
{
    if (token)
        timing_pushed_slow(token);
}

static inline void timing_pop(const struct thread_log *self, uint32_t stack)
{
    if (self->epoch & THREAD_GATE_SLOW)
        timing_pop_slow(thread_gate_epoch(self->epoch), stack);
}

#endif
