/* keymap.c - see keymap.h. Open addressing, at most half full. */
#include "keymap.h"

#include <stdlib.h>
#include <string.h>

void keymap_fini(struct keymap *map)
{
    free(map->pairs);
    memset(map, 0, sizeof *map);
}

static uint32_t spread(uint64_t key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(key >> 32);
}

static struct keymap_pair *place_of(const struct keymap *map, uint64_t key)
{
    uint32_t mask = map->capacity - 1;
    uint32_t at = spread(key) & mask;
    while (map->pairs[at].value != KEYMAP_NONE && map->pairs[at].key != key)
        at = (at + 1) & mask;
    return &map->pairs[at];
}

static bool grow(struct keymap *map)
{
    struct keymap old = *map;
    if (old.capacity > UINT32_MAX / 4)
        return false;
    map->capacity = old.capacity ? old.capacity * 2 : 64;
    map->pairs = malloc(map->capacity * sizeof *map->pairs);
    if (!map->pairs) {
        *map = old;
        return false;
    }
    memset(map->pairs, 0xff, map->capacity * sizeof *map->pairs);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.pairs[i].value != KEYMAP_NONE)
            *place_of(map, old.pairs[i].key) = old.pairs[i];
    free(old.pairs);
    return true;
}

bool keymap_set(struct keymap *map, uint64_t key, uint32_t value)
{
    if (map->count >= map->capacity / 2 && !grow(map))
        return false;
    struct keymap_pair *pair = place_of(map, key);
    map->count += pair->value == KEYMAP_NONE;
    *pair = (struct keymap_pair){key, value};
    return true;
}

uint32_t keymap_find(const struct keymap *map, uint64_t key)
{
    return map->capacity ? place_of(map, key)->value : KEYMAP_NONE;
}
