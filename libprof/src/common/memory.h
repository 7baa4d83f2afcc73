/* memory.h - tables that most processes never use. As static arrays they would count as data of
 * every process that loads the library: a program would not start where the limit on its data
 * (ulimit -d) is tight, and each fork() would copy page tables for them. Free lists; arenas.
 */
#ifndef PROF_MEMORY_H
#define PROF_MEMORY_H

#include "atomic.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* The zeroed memory that `*place` points to: mapped by the first caller, and kept for the life of
 * the process. Readers load `*place` with load_acquire(), and find NULL while the table is empty.
 * NULL: there is no memory. Threads: any, in signal handlers, too; no lock, keeps errno. Of two
 * that map it at once, one gives its memory back. */
static inline void *memory_once(void **place, size_t bytes)
{
    void *known = load_acquire(place);
    if (known)
        return known;
    int saved_errno = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED && !cas_acq_rel(place, &known, memory))
        munmap(memory, bytes);
    errno = saved_errno;
    return load_acquire(place);
}

/* The same for a table of `count` of what the pointer at `place` points to. */
#define MEMORY_ONCE(place, count) \
    ((__typeof__(*(place)))memory_once((void **)(place), (count) * sizeof **(place)))

/* ---- free lists ---- */

/* Lock-free list of an array's free elements, last in, first out.
 *
 * A list is one word: the top element's number, which is its index + 1, and in the upper half how
 * often the list has changed, so that a delayed thread does not pop a top that has come back with
 * another successor (ABA). Zero is empty. Each element holds the number of the next one, in a
 * uint32_t of its own that only these functions touch.
 *
 * Threads: any, in signal handlers, too. The array is never freed.
 */

struct free_list {
    uint64_t top;
};

/* `next` is that of the element `number`. */
static inline void free_list_push(struct free_list *list, uint32_t number, uint32_t *next)
{
    uint64_t top = load_acquire(&list->top);
    do
        store_relaxed(next, (uint32_t)top);
    while (!cas_acq_rel(&list->top, &top, ((top >> 32) + 1) << 32 | number));
}

/* Takes an element off the list and returns its number, 0: the list was empty. `first_next` is the
 * first element's, and elements are `stride` bytes apart. */
static inline uint32_t free_list_pop(struct free_list *list, const uint32_t *first_next,
                                     size_t stride)
{
    uint64_t top = load_acquire(&list->top);
    while ((uint32_t)top) {
        const char *next = (const char *)first_next + ((uint32_t)top - 1) * stride;
        uint64_t below = load_relaxed((const uint32_t *)(const void *)next);
        if (cas_acq_rel(&list->top, &top, ((top >> 32) + 1) << 32 | below))
            return (uint32_t)top;
    }
    return 0;
}

/* ---- arena.c: memory for what a program registers ---- */

/* Memory for what a program registers with NVTX or ITT: it is never freed, since neither has a call
 * that unregisters a string.
 *
 * Not the host's malloc: its allocator may itself be annotated, and would wait for us while we wait
 * for it.
 */

#define ARENA_BYTES_MAX ((size_t)256 << 20)

/* Zero-filled, 16-aligned. NULL when the limit is reached or the system refuses (counted as a lost
 * name). Any thread, lock-free but for a system call per MiB; keeps errno. */
void *arena_alloc(size_t bytes);

/* The same, for who counts it himself. */
void *arena_alloc_uncounted(size_t bytes);

#endif
