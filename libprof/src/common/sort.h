/* sort.h - sorts in place, without an allocation: qsort() may call malloc(). */
#ifndef PROF_SORT_H
#define PROF_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SORT_ITEM_BYTES_MAX 64u

typedef bool sort_before(const void *a, const void *b);

/* `bytes` and `before` are constants of each caller: inlined, they cost no call. */
__attribute__((always_inline)) static inline void sort_sift(char *items, size_t at, size_t count,
                                                            size_t bytes, sort_before *before)
{
    char item[SORT_ITEM_BYTES_MAX] __attribute__((aligned(16)));
    memcpy(item, items + at * bytes, bytes);
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && before(items + child * bytes, items + (child + 1) * bytes);
        if (!before(item, items + child * bytes))
            break;
        memcpy(items + at * bytes, items + child * bytes, bytes);
    }
    memcpy(items + at * bytes, item, bytes);
}

/* Heap sort: what is nearly sorted costs as much as anything else. */
__attribute__((always_inline)) static inline void sort_heap(void *array, size_t count, size_t bytes,
                                                            sort_before *before)
{
    char *items = array, last[SORT_ITEM_BYTES_MAX] __attribute__((aligned(16)));
    for (size_t i = count / 2; i-- > 0;)
        sort_sift(items, i, count, bytes, before);
    for (size_t end = count; end-- > 1;) {
        memcpy(last, items + end * bytes, bytes);
        memcpy(items + end * bytes, items, bytes);
        memcpy(items, last, bytes);
        sort_sift(items, 0, end, bytes, before);
    }
}

#endif
