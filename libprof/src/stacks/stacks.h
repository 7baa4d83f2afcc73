/* stacks.h - call stacks: taken, stored once, known by number.
 *
 * Taking one is: walk, look the addresses up by content. Nothing of that takes a lock
 * or allocates where the stack is known; a new one is written to META, and the modules it points
 * into are stated.
 */
#ifndef PROF_STACKS_H
#define PROF_STACKS_H

#include "config.h"
#include "cost.h"
#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- who called ---- */

/*     tables   libunwind reads .eh_frame: right in any compiled code, also without frame pointers
 *     frames   the chain of frame pointers: right where all code keeps them
 *
 * Neither allocates, and neither follows an address that it has not found to be readable.
 */

#define STACKWALK_FRAMES_MAX ((unsigned)CONFIG_STACK_DEPTH_MAX)

/* Stack space that libunwind, or updating the modules, may need; measured: 12 KiB. */
#define STACKWALK_ROOM_BYTES 32768u

/* A thread's own stack, as opposed to an alternate signal stack or a coroutine's. */
struct stackwalk_bounds {
    uintptr_t low, high; /* both 0: unknown */
};

/* Of the calling thread. Allocates, and reads /proc for the main thread. */
struct stackwalk_bounds stackwalk_own_bounds(void);

static inline bool stackwalk_is_own(const struct stackwalk_bounds *own, uintptr_t at)
{
    return at >= own->low && at < own->high;
}

/* Opens libunwind, so that its names are nobody else's: it defines backtrace() and the functions
 * with which C++ throws. Once, while loading. False: it is not there, or is not used on this
 * processor. */
bool stackwalk_open_tables(void);

/* What libunwind sets up for a thread, done before it matters. */
void stackwalk_warm_tables(void);

/* Return addresses from `origin` outwards, at most `limit` (up to STACKWALK_FRAMES_MAX + 1).
 * Returns how many; 0: unknown. May change errno. `from`: an address in the stack that is in use
 * now, below the frames that are looked for. */
unsigned stackwalk_tables(struct stacks_origin origin, uint64_t *addresses, unsigned limit);
unsigned stackwalk_frames(const struct stackwalk_bounds *own, uintptr_t from,
                          struct stacks_origin origin, uint64_t *addresses, unsigned limit);

/* ---- call stacks ---- */

#define STACKS_RECENT 16u

/* What a thread knows. In its slot, so that a forking thread can see whether others are walking. */
struct stacks_thread {
    struct stackwalk_bounds own;
    uint32_t walking; /* in libunwind; owner exchanges, stacks_before_fork() loads */
    bool listed;
    struct cost_sampler cost;                                  /* of those at ranges */
    struct stacks_thread *next;                                /* of all that ever were */
    const struct prof_rec_stack_frames *recent[STACKS_RECENT]; /* by hash; in the file */
};

/* Once, while the library is being loaded, after config_load(). */
void stacks_init(void);

/* In the thread's slow path. */
void stacks_thread_begin(struct stacks_thread *self);

/* The number of a stack that other code has unwound, of at most STACKWALK_FRAMES_MAX addresses. On
 * a thread of ours that records; 0: it cannot be kept. */
uint32_t stacks_add(const uint64_t *addresses, uint32_t count, bool cut);

/* Whether stacks are taken at all in this process, now or at another time. */
bool stacks_chosen(void);
bool stacks_at_ranges_chosen(void);

/* Whether the slow functions must see every push. */
static inline bool stacks_cover_ranges(void)
{
    return __atomic_load_n(&stacks_mode, __ATOMIC_RELAXED) == CONFIG_STACKS_RANGE;
}

/* Writes where the range was opened that the calling thread has just recorded. */
void stacks_write(struct stacks_origin origin);
static inline void stacks_at_range(struct stacks_origin origin)
{
    if (__builtin_expect(stacks_cover_ranges(), 0))
        stacks_write(origin);
}

extern const struct collector stacks_collector;

/* ---- modules.c: which file an address of code belongs to ---- */

/* Reserves the table, once. False when the system refuses. */
bool modules_init(void);

/* Looks whether libraries came or went. `gone` is told of each mapping that is not there any more.
 * False: another thread is at it, or a signal handler interrupted it. */
bool modules_scan(void (*gone)(uint64_t start, uint64_t end));

/* Changes whenever a look found that libraries came or went; 0 before the first. */
uint32_t modules_generation(void);

/* States the module of an address unless that was done. False: it is in none that is known. */
bool modules_emit(uint64_t address);

/* Around fork(): no look is in progress when this returns, nor begins until modules_resume(), so
 * that the child inherits no lock of the loader's. Waits a tenth of a second at most. */
void modules_suspend(void);
void modules_resume(bool child);

/* A new file: nothing is stated in it. */
void modules_forget_emitted(void);

#endif
