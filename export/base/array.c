#include "array.h"

#include <stdlib.h>
#include <string.h>

/* One less than the largest number: TL_NONE stays free. */
#define ITEMS_MAX (UINT32_MAX - 1)

static bool set_capacity(void *at, uint32_t *capacity, uint32_t wanted, size_t item_bytes)
{
    void *old;
    memcpy(&old, at, sizeof old);
    void *grown = realloc(old, wanted * item_bytes);
    if (!grown)
        return false;
    memcpy(at, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}

bool array_grow(void *at, uint32_t *capacity, size_t item_bytes)
{
    if (*capacity == ITEMS_MAX)
        return false;
    uint32_t wanted = *capacity < 64 ? 64 : *capacity;
    wanted = wanted > ITEMS_MAX / 2 ? ITEMS_MAX : *capacity ? wanted * 2 : wanted;
    return set_capacity(at, capacity, wanted, item_bytes);
}

bool array_reserve(void *at, uint32_t *capacity, uint32_t count, size_t item_bytes)
{
    if (count > ITEMS_MAX)
        return false;
    return count <= *capacity || set_capacity(at, capacity, count, item_bytes);
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

/* Least significant byte first; a byte in which all keys agree costs nothing. */

static bool is_sorted(const struct radix_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i].key < items[i - 1].key)
            return false;
    return true;
}

/* The bits in which keys differ. */
static uint64_t differing_bits(const struct radix_item *items, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 1; i < count; i++)
        bits |= items[i].key ^ items[0].key;
    return bits;
}

static void sort_byte(const struct radix_item *from, struct radix_item *to, size_t count,
                      unsigned shift)
{
    size_t starts[257] = {0};
    for (size_t i = 0; i < count; i++)
        starts[(from[i].key >> shift & 255) + 1]++;
    for (size_t i = 1; i < 257; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & 255]++] = from[i];
}

bool radix_sort(struct radix_item *items, size_t count)
{
    if (is_sorted(items, count))
        return true;
    struct radix_item *spare = malloc(count * sizeof *spare);
    if (!spare)
        return false;
    struct radix_item *from = items, *to = spare;
    uint64_t bits = differing_bits(items, count);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if ((bits >> shift & 255) == 0)
            continue;
        sort_byte(from, to, count, shift);
        struct radix_item *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    free(spare);
    return true;
}
