/* stackwalk.h - two ways to find out who called.
 *
 *     tables   libunwind reads .eh_frame: right in any compiled code, also without frame pointers
 *     frames   the chain of frame pointers: right where all code keeps them
 *
 * Neither allocates, and neither follows an address that it has not found to be readable.
 */
#ifndef PROF_STACKWALK_H
#define PROF_STACKWALK_H

#include "config.h"
#include "recorder.h"

/* Where a frame begins with the caller's frame pointer and the return address. */
#if defined(__x86_64__) || defined(__aarch64__)
#define STACKWALK_SUPPORTED true
#else
#define STACKWALK_SUPPORTED false
#endif

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
 * with which C++ throws. Once, while loading. False: it is not there. */
bool stackwalk_open_tables(void);

/* What libunwind sets up for a thread, done before it matters. */
void stackwalk_warm_tables(void);

/* Return addresses from `origin` outwards, at most `limit` (up to STACKWALK_FRAMES_MAX + 1).
 * Returns how many; 0: unknown. May change errno. `from`: an address in the stack that is in use
 * now, below the frames that are looked for. */
unsigned stackwalk_tables(struct stacks_origin origin, uint64_t *addresses, unsigned limit);
unsigned stackwalk_frames(const struct stackwalk_bounds *own, uintptr_t from,
                          struct stacks_origin origin, uint64_t *addresses, unsigned limit);

#endif
