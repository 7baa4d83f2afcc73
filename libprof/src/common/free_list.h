/* free_list.h - lock-free list of an array's free elements, last in, first out.
 *
 * A list is one word: the top element's number, which is its index + 1, and in the upper half how
 * often the list has changed, so that a delayed thread does not pop a top that has come back with
 * another successor (ABA). Zero is empty. Each element holds the number of the next one, in a
 * uint32_t of its own that only these functions touch.
 *
 * Threads: any, in signal handlers, too. The array is never freed.
 */
#ifndef PROF_FREE_LIST_H
#define PROF_FREE_LIST_H

#include "atomic.h"

#include <stddef.h>

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

#endif
