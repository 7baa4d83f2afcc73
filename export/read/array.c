/* array.c - see array.h. */
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
