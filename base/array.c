#include "array.h"

#include <stdlib.h>
#include <string.h>

/* One less than the largest number: TL_NONE stays free. */
#define ITEMS_MAX (UINT32_MAX - 1)

bool array_grow(void *at, uint32_t *capacity, size_t item_bytes)
{
    void *old;
    memcpy(&old, at, sizeof old);
    if (*capacity == ITEMS_MAX)
        return false;
    uint32_t wanted = *capacity < 64 ? 64 : *capacity;
    wanted = wanted > ITEMS_MAX / 2 ? ITEMS_MAX : *capacity ? wanted * 2 : wanted;
    void *grown = realloc(old, wanted * item_bytes);
    if (!grown)
        return false;
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

uint32_t array_lower_bound(const void *items, uint32_t count, size_t item_bytes, size_t offset,
                           uint32_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, value;
        memcpy(&value, (const char *)items + middle * item_bytes + offset, sizeof value);
        if (value < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
