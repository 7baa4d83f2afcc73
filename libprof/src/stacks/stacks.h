/* stacks.h - call stacks: taken, stored once, known by number.
 *
 * Taking one is: walk (stackwalk.h), look the addresses up by content. Nothing of that takes a lock
 * or allocates where the stack is known; a new one is written to META, and the modules it points
 * into are stated (modules.h).
 */
#ifndef PROF_STACKS_H
#define PROF_STACKS_H

#include "config.h"
#include "cost.h"
#include "recorder.h"
#include "stackwalk.h"

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

#endif
