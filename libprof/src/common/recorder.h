/* recorder.h - the recorder's interface for collectors (CUPTI, NVTX, the public API).
 *
 * A collector writes what a thread or a device did to the calling thread's log, and process-wide
 * facts to META. All functions may be called from any thread. Before the recorder is initialized
 * and after it has shut down, they record nothing. None changes errno.
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

/* For code that runs in every forked child. These functions are placed together, because each page
 * of code costs the child a page fault. Each page that the child stores into costs another of 1 to
 * 2 us, so their data is in .data, too. So is what is stored while the library is loaded: a fork
 * copies the entry of each page that has been stored into. */
#define GUEST_PATH __attribute__((section(".text.exit.guest")))
#define GUEST_DATA __attribute__((section(".data")))

/* Whether recording is on. Relaxed: another core may see a change slightly later. */
bool recorder_on(void);

/* Whether the process is about to end or to call exec: what is not written now is lost. */
bool recorder_ending(void);

/* How much CUPTI is to record at the moment, enum config_gpu_detail: the most that anybody who has
 * recording on wants. Threads: any. */
uint32_t recorder_gpu_detail(void);

/* Registers the exit handler again, so that collectors finish before all handlers registered so
 * far, such as the destructors of a library that was loaded late. Threads: any. */
void recorder_renew_exit(void);

/* Whether this process was forked after the library was loaded. */
bool recorder_is_forked(void);

/* Whether the recording is ending for good while the program continues: all of libprof's threads
 * must end. */
bool recorder_leaving(void);

/* Switches recording on or off, regardless of earlier starts and stops: for calls such as
 * cudaProfilerStart(). Does not wait: if another thread is switching, it performs this switch as
 * well. Not for signal handlers. */
void recorder_switch(bool on, enum prof_control_reason reason);

/* Pauses or resumes recording. Starts and stops during a pause take effect when it ends. Pausing
 * twice has no further effect. Takes locks: not for signal handlers. */
void recorder_pause(bool on, enum prof_control_reason reason);

/* Reserves `words` (including the header, at most PROF_RECORD_WORDS_MAX) in the calling thread's
 * log. Returns the record's first word, or NULL if recording is off or there is no space; the loss
 * is then already counted. The words are zero except for a HOLE header. Wait-free after the
 * thread's first event. */
uint64_t *thread_reserve(enum prof_record_type type, unsigned words);

/* Like thread_reserve() with thread_ticks(), but with one reading of the clock, which comes first:
 * that saves 10 of the 38 ns that a counter cost. At most THREAD_GUARD_BYTES. */
uint64_t *thread_reserve_now(enum prof_record_type type, unsigned words, uint64_t *ticks);

/* Like thread_reserve(), for device records: they arrive late, so they are recorded also while
 * recording is off. They do not create the file, because CUPTI reports its own activity even if the
 * program did nothing that is recorded. */
uint64_t *thread_reserve_late(enum prof_record_type type, unsigned words);

/* Makes the record visible. `info` is thread_ticks() for a thread's record, a correlation id for a
 * device's. */
void thread_commit(uint64_t *record, enum prof_record_type type, unsigned words, uint64_t info);

/* The current time for the record's `info`: ticks since the base of its chunk. */
uint64_t thread_ticks(const uint64_t *record);

/* Marks the calling thread as the profiler's own (the writer, a CUPTI worker). */
void thread_mark_internal(void);

/* The same, until then, of a thread that others wait for while they record: nothing that stands
 * before what it calls is recorded. */
void thread_mark_silent(void);

/* Returns the id of a name: equal bytes have the same id in the whole process. Returns 0 (counted)
 * if the table is full. `bytes` need not be terminated; of more than PROF_NAME_BYTES_MAX, the
 * beginning and a hash are kept. Lock-free. In a forked child, an id from before the fork is good
 * only after another call: names_keep() in names.h. */
uint32_t names_intern(const char *bytes, size_t size);

/* Like names_intern(), for a terminated name that is passed repeatedly at the same address, such as
 * a kernel name: looks it up by address, then compares. Returns 0 for NULL. */
uint32_t names_intern_stable(const char *name);

/* The id, once its name is stated in this process's file, which is not the one that the id is from.
 * 0: lost (counted). */
uint32_t names_state_again(uint32_t id);

/* Appends a META record: `head` (head_bytes; the first 8 bytes are reserved for the header word)
 * followed by `text` (may be NULL). Returns the record's address in the mapped file, or NULL if
 * there is no file: facts must then be emitted again in collector.file_created. NULL, too, if there
 * is no space (counted). */
const void *meta_append(enum prof_record_type type, const void *head, size_t head_bytes,
                        const char *text, size_t text_bytes);
void meta_info(enum prof_info_key key, const char *text);

/* Counts `count` losses. Safe in signal handlers. */
void loss_add(enum prof_loss_cause cause, uint64_t count);
uint64_t loss_get(enum prof_loss_cause cause);

/* Records how device times are measured, and why (one sentence). May be called before there is a
 * file. */
void recorder_set_gpu_mode(enum prof_gpu_mode mode, const char *reason);
void recorder_set_simulated(void);
void recorder_count_gpu_records(uint64_t count);

/* Where call stacks are recorded at the moment: enum config_stacks, 0 off. */
extern uint32_t stacks_mode __attribute__((visibility("hidden")));

static inline bool stacks_are_on(void)
{
    return __builtin_expect(__atomic_load_n(&stacks_mode, __ATOMIC_RELAXED) != 0, 0);
}

/* The caller of a function. Read it before the function's last call, which may reuse the frame
 * (tail call). */
struct stacks_origin {
    uintptr_t frame;   /* the caller's frame pointer, if it keeps one */
    uintptr_t address; /* return address */
} __attribute__((may_alias));
#define stacks_origin_here() (*(const struct stacks_origin *)__builtin_frame_address(0))

/* Id of the calling thread's call stack, 0 when none can be taken. `origin`: of the function of
 * ours that other code called; the stack begins with the address it returns to. Frames of CUPTI and
 * CUDA are kept: readers leave them out by the names of their files. After a thread_reserve() that
 * succeeded. Safe in signal handlers; a known stack takes no lock. */
uint32_t stacks_capture(struct stacks_origin origin);

/* The stack of ranges to which a range belongs. A pop ends the innermost range of its stack,
 * regardless of other stacks. */
#define RANGE_STACK_PROF 0u /* push and pop of prof.h */
#define RANGE_STACK_NVTX(domain) ((domain) + 1u)
#define RANGE_STACK_STEPS UINT32_MAX /* at most one step is open */

/* Times ranges on the device. Runs on the thread that pushes and pops; must preserve errno. `epoch`
 * is the recording epoch: ranges opened in an earlier epoch have ended without a pop. `stack` is a
 * RANGE_STACK. */
struct range_timer {
    /* Returns the range's token, or 0 if it is not timed. */
    uint64_t (*push)(uint32_t epoch, uint32_t stack);
    void (*pop)(uint32_t epoch, uint32_t stack); /* the innermost range of the stack ends */
    void (*thread_end)(void);                    /* the thread ends, and so do all its ranges */
};

/* Installs the timer that pushes and pops call; NULL removes it. Threads: any, also in the hooks
 * below. */
void recorder_time_ranges(const struct range_timer *timer);

/* `what` can be left out when recording costs more than PROF_BUDGET: keep(false) ends its
 * recording, keep(true) begins it again; called on the writer thread. Registered when it is known
 * that it is recorded; NULL takes that back. Threads: any. */
void recorder_throttleable(enum prof_throttle_thing what, void (*keep)(bool on));

/* Raw ticks of the recorder's clock, and their nominal frequency. */
uint64_t clock_now(void);
uint64_t clock_ticks_per_second(void);

/* A collector feeds the recorder. entry/entry.c lists the collectors in one table. A NULL member
 * means "nothing to do". A collector must not fail the host: on an error it logs one line and
 * becomes passive. */
struct collector {
    const char *name;
    /* CUDA is being initialized: InitializeInjection() was called, or a CUDA call was seen. */
    void (*cuda_init)(void);
    /* The trace file was just created: emit all META facts known so far. Runs in the slow path of
     * the first event: must not record events, only META. */
    void (*file_created)(void);
    /* Recording was switched on / off. */
    void (*start)(void);
    void (*stop)(void);
    /* From the writer thread, every PROF_FLUSH_MS milliseconds. */
    void (*tick)(void);
    /* Write everything that is buffered to the log, within `deadline_ms`. Any thread. */
    void (*flush)(unsigned deadline_ms);
    /* In a forked child: forget everything, and never use CUDA or CUPTI again. */
    void (*fork_child)(void);
    /* The process is ending: flush and detach. Called once, after flush(). Recording may still be
     * on. */
    void (*finish)(void);
    /* Recording will start soon: prepare what would delay start(). With false: it will not, after
     * all. */
    void (*warm)(bool soon);
};

#endif
