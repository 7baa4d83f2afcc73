/* radix.h - sorts numbers that carry an index, in linear time. */
#ifndef PROF_RADIX_H
#define PROF_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct radix_item {
    uint64_t key;
    uint32_t value;
};

/* Sorts by key; equal keys keep their order. Input that is sorted already costs one look at each
 * item. False: no memory, nothing changed. */
bool radix_sort(struct radix_item *items, size_t count);

/* A signed time as a key of the same order. */
static inline uint64_t radix_key(int64_t time_ns)
{
    return (uint64_t)time_ns ^ UINT64_C(1) << 63;
}

#ifdef __cplusplus
}
#endif
#endif
