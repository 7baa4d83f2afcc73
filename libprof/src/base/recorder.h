/* recorder.h - what a collector (CUPTI, NVTX, the public API) may ask of the recorder.
 *
 * A collector writes what a thread or a device did into the calling thread's log, and process-wide
 * facts into META. Every function may be called from any thread, also before the recorder is up and
 * after it has shut down; then nothing is recorded. None of them changes errno.
 *
 * Writing a record:
 *
 *     uint64_t *record = thread_reserve(PROF_REC_COUNTER, 3);
 *     if (record) {
 *         record[1] = name;
 *         record[2] = bits;
 *         thread_commit(record, PROF_REC_COUNTER, 3, thread_ticks(record));
 *     }
 */
#ifndef PROF_RECORDER_H
#define PROF_RECORDER_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of what runs in each child of a program that records nothing: such functions lie together, as each page
 * of code costs a child a page fault. What they look at lies in .data, of which every process has pages. */
#define GUEST_PATH __attribute__((section(".text.exit.guest")))
#define GUEST_DATA __attribute__((section(".data")))

/* Whether recording is on at this moment. Relaxed: may lag by an instant on another core. */
bool recorder_on(void);

/* Whether the process is about to end or to become another program: what is not handed over now is
 * lost. */
bool recorder_ending(void);

/* Registers the process's exit handler once more: the collectors then finish before what has been registered
 * so far, such as the destructors of a library that was opened since. Threads: any. */
void recorder_renew_exit(void);

/* Whether a fork lies between the process that loaded us and this one. */
bool recorder_is_forked(void);

/* Whether the recording ends for good while the program goes on: no thread of ours may stay. */
bool recorder_leaving(void);

/* Switches recording on or off, whatever was started or stopped before: for what the program does to
 * its profilers. Waits for nobody: whoever is switching just now does this, too, before he goes on. Not for
 * signal handlers. */
void recorder_switch(bool on, enum prof_control_reason reason);

/* Pauses recording, whatever starts and stops it meanwhile (they count), and lets it go on. Twice is
 * once. Takes locks: not for signal handlers. */
void recorder_pause(bool on, enum prof_control_reason reason);

/* Reserves `words` (header included, at most PROF_RECORD_WORDS_MAX) in the calling thread's log.
 * Returns the record's first word, or NULL when recording is off or there is no space: the loss has
 * then been counted. The words are zero, but for a HOLE header. Wait-free after the thread's first
 * event. */
uint64_t *thread_reserve(enum prof_record_type type, unsigned words);

/* The same for facts about a device, which are recorded also while recording is off (they arrive
 * late). They do not create the file: CUPTI reports its own activity even if the program did nothing
 * that is recorded. */
uint64_t *thread_reserve_late(enum prof_record_type type, unsigned words);

/* Makes the record visible. `info` is thread_ticks() for what a thread did, a correlation id for a
 * device. */
void thread_commit(uint64_t *record, enum prof_record_type type, unsigned words, uint64_t info);

/* Now, as the record's `info`: ticks since the base of its chunk. */
uint64_t thread_ticks(const uint64_t *record);

/* Tells readers that the calling thread is the profiler's own (our writer, a CUPTI worker). */
void thread_mark_internal(void);

/* Id of a name, the same for the same bytes everywhere in the process; 0 when the table is full
 * (counted). `bytes` need not be terminated; what exceeds PROF_NAME_BYTES_MAX is cut. Lock-free. */
uint32_t names_intern(const char *bytes, size_t size);

/* The same for a terminated name that is passed again and again at the same address, as kernel names are: found
 * by its address, and compared. 0 also for NULL. */
uint32_t names_intern_stable(const char *name);

/* Appends a META record: `head` (head_bytes, its first 8 bytes are the space for the header word)
 * followed by `text` (may be NULL). Returns the record's place in the mapped file, or NULL when
 * there is no file (facts stated before the file exists must be stated again: see
 * collector.file_created). Lock-free. */
const void *meta_append(enum prof_record_type type, const void *head, size_t head_bytes,
                        const char *text, size_t text_bytes);
void meta_info(enum prof_info_key key, const char *text);

/* Counts `count` losses. Safe in signal handlers. */
void loss_add(enum prof_loss_cause cause, uint64_t count);
uint64_t loss_get(enum prof_loss_cause cause);

/* Stamps who times the device, and why (one sentence), into the file. May be called before there is
 * a file. */
void recorder_set_gpu_mode(enum prof_gpu_mode mode, const char *reason);
void recorder_set_simulated(void);
void recorder_count_gpu_records(uint64_t count);

/* Where call stacks are taken at this moment: enum config_stacks. 0 off. */
extern uint32_t stacks_mode __attribute__((visibility("hidden")));

static inline bool stacks_are_on(void)
{
    return __builtin_expect(__atomic_load_n(&stacks_mode, __ATOMIC_RELAXED) != 0, 0);
}

/* Who called a function, read while its frame is whole: what it calls last may take the frame's
 * place. */
struct stacks_origin {
    uintptr_t frame;   /* the caller's frame pointer, if it keeps one */
    uintptr_t address; /* to which the function returns */
} __attribute__((may_alias));
#define stacks_origin_here() (*(const struct stacks_origin *)__builtin_frame_address(0))

/* Id of the calling thread's call stack, 0 when none can be taken. `origin`: of that function of
 * ours which somebody else called; the stack begins with the address it returns to. Frames of CUPTI and CUDA are kept: readers leave them out by the names of their files. After a
 * thread_reserve() that succeeded. Safe in signal handlers; a known stack takes no lock. */
uint32_t stacks_capture(struct stacks_origin origin);

/* Which stack a range is on. A pop ends the innermost range of its stack, whatever was opened since
 * on others. */
#define RANGE_STACK_PROF 0u /* push and pop of prof.h */
#define RANGE_STACK_NVTX(domain) ((domain) + 1u)
#define RANGE_STACK_STEPS UINT32_MAX /* at most one step is open */

/* Somebody who times ranges on the device, at their two ends. Runs on the thread that pushes and
 * pops; must keep errno. `epoch` is that of the recording: what was open in another one has ended
 * without a pop. `stack` is a RANGE_STACK. */
struct range_timer {
    /* Returns the token of the range, 0: it is not timed. */
    uint64_t (*push)(uint32_t epoch, uint32_t stack);
    void (*pop)(uint32_t epoch, uint32_t stack); /* the innermost range of the stack ends */
    void (*thread_end)(void);                    /* and everything that is open on the thread */
};

/* From now on pushes and pops call the timer; NULL: nobody any more. Threads: any, also inside of
 * hooks below. */
void recorder_time_ranges(const struct range_timer *timer);

/* `what` can be left out when recording costs more than PROF_BUDGET: keep(false) ends its recording,
 * keep(true) begins it again; called on the writer thread. Registered when it is known that it is
 * recorded; NULL takes that back. Threads: any. */
void recorder_throttleable(enum prof_throttle_thing what, void (*keep)(bool on));

/* Raw ticks of the recorder's clock, and how many there are nominally in a second. */
uint64_t clock_now(void);
uint64_t clock_ticks_per_second(void);

/* A collector: something that feeds the recorder. entry/entry.c lists them in one table. NULL
 * members mean "nothing to do". None may fail the host: on trouble they log one line and stay
 * passive. */
struct collector {
    const char *name;
    /* InitializeInjection(), or the first CUDA call seen: CUDA is being initialised in this
     * process. */
    void (*cuda_init)(void);
    /* The trace file was just made: state META facts again that were known before. Runs on the
     * thread of the first event, inside its slow path: must not record events, only META. */
    void (*file_created)(void);
    /* Recording went on / off. */
    void (*start)(void);
    void (*stop)(void);
    /* From the writer thread, every PROF_FLUSH_MS milliseconds. */
    void (*tick)(void);
    /* Hand over everything that is buffered, within `deadline_ms` milliseconds. Any thread. */
    void (*flush)(unsigned deadline_ms);
    /* This is a forked child: forget everything, never touch CUDA or CUPTI again. */
    void (*fork_child)(void);
    /* The process ends: flush, detach. Called once, after flush(). Recording may still be on. */
    void (*finish)(void);
    /* Recording will go on soon: do now what start() would have to wait for. Or it will not after
     * all. */
    void (*warm)(bool soon);
};

#endif
