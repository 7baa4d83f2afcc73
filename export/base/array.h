/* array.h - arrays that grow, of the shape of TL_ARRAY; searching and sorting. */
#ifndef PROF_ARRAY_H
#define PROF_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes room for one more item in an array that is full. `at` is the address of the array's
 * pointer. False: no memory, or more items than an index of 32 bits can name; the array stays as it
 * was. */
bool array_grow(void *at, uint32_t *capacity, size_t item_bytes);

/* Makes room for `count` items in all, where that is more than there is room for. */
bool array_reserve(void *at, uint32_t *capacity, uint32_t count, size_t item_bytes);

#define ARRAY_ROOM(array)                  \
    ((array)->count < (array)->capacity || \
     array_grow(&(array)->at, &(array)->capacity, sizeof *(array)->at))

/* How many items lie before `key` in an array that ascends by a 32-bit member, which is `offset`
 * bytes into each item. */
uint32_t array_lower_bound(const void *items, uint32_t count, size_t item_bytes, size_t offset,
                           uint32_t key);

/* The same of the items from `first` on of an array of the shape of TL_ARRAY, as an index into
 * it. */
#define ARRAY_LOWER_BOUND(array, type, member, first, key)                                       \
    ((first) + array_lower_bound((array)->count > (first) ? (array)->at + (first) : NULL,        \
                                 (array)->count - (first), sizeof(type), offsetof(type, member), \
                                 key))

/* Makes room for more items. Also false: the array would have more than an index of 32 bits can
 * name. */
#define ARRAY_RESERVE_MORE(array, more)                                       \
    ((more) <= UINT32_MAX - (array)->count &&                                 \
     array_reserve(&(array)->at, &(array)->capacity, (array)->count + (more), \
                   sizeof *(array)->at))

/* Address of a new, uninitialised item; NULL: no memory. */
#define ARRAY_ADD(array) (ARRAY_ROOM(array) ? &(array)->at[(array)->count++] : NULL)

/* Keeps the items of an array for which `stays` is true, and closes the gaps. `item` is the
 * address of the item at place `i`; the statements that follow change it before it moves. */
#define ARRAY_KEEP(array, item, stays, ...)                   \
    do {                                                      \
        uint32_t kept = 0;                                    \
        for (uint32_t i = 0; i < (array)->count; i++) {       \
            __typeof__(*(array)->at) *item = &(array)->at[i]; \
            if (!(stays))                                     \
                continue;                                     \
            __VA_ARGS__;                                      \
            (array)->at[kept++] = *item;                      \
        }                                                     \
        (array)->count = kept;                                \
    } while (0)

/* A number that carries an index. */
struct radix_item {
    uint64_t key;
    uint32_t value;
};

/* Sorts by key in linear time; equal keys keep their order. Input that is sorted already costs one
 * look at each item. False: no memory, nothing changed. */
bool radix_sort(struct radix_item *items, size_t count);

/* A signed time as a key of the same order. */
static inline uint64_t radix_key(int64_t time_ns)
{
    return (uint64_t)time_ns ^ UINT64_C(1) << 63;
}

/* The time whose radix_key() that is. */
static inline int64_t radix_time(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

#ifdef __cplusplus
}
#endif
#endif
