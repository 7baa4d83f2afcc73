/* debug_maps.c - see debug_maps.h. */
#include "debug_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_texts(struct text a, struct text b)
{
    if (!a.bytes || !b.bytes)
        return (a.bytes != NULL) - (b.bytes != NULL);
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_entries(const void *left, const void *right)
{
    const struct debug_entry *a = left, *b = right;
    int order = compare_texts(a->instruction, b->instruction);
    return order ? order : compare_texts(a->part, b->part);
}

void debug_maps_sort(struct debug_maps *maps)
{
    if (maps->entries.count > 1)
        qsort(maps->entries.at, maps->entries.count, sizeof *maps->entries.at, compare_entries);
}

const struct debug_entry *debug_maps_find(const struct debug_maps *maps, uint32_t instruction,
                                          struct text part)
{
    char number[16];
    int size = snprintf(number, sizeof number, "%d", (int32_t)instruction);
    struct debug_entry wanted = {.instruction = {number, (size_t)size}, .part = part};
    return maps && maps->entries.count ? bsearch(&wanted, maps->entries.at, maps->entries.count,
                                                 sizeof wanted, compare_entries)
                                       : NULL;
}
