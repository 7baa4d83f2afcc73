#include "maps.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

void idmap_fini(struct idmap *map)
{
    free(map->direct);
    free(map->pairs);
    memset(map, 0, sizeof *map);
}

static bool grow_direct(struct idmap *map, uint32_t id)
{
    uint32_t count = map->direct_count ? map->direct_count : 64;
    while (count <= id)
        count *= 2;
    uint32_t *direct = realloc(map->direct, count * sizeof *direct);
    if (!direct)
        return false;
    memset(direct + map->direct_count, 0xff, (count - map->direct_count) * sizeof *direct);
    map->direct = direct;
    map->direct_count = count;
    return true;
}

/* Where the id is, or the empty place where it belongs. */
static struct idmap_pair *id_place(const struct idmap *map, uint32_t id)
{
    uint32_t mask = map->pair_capacity - 1;
    uint32_t at = (id * 2654435769u) >> 7 & mask;
    while (map->pairs[at].value != IDMAP_NONE && map->pairs[at].id != id)
        at = (at + 1) & mask;
    return &map->pairs[at];
}

static bool grow_pairs(struct idmap *map)
{
    struct idmap old = *map;
    map->pair_capacity = old.pair_capacity ? old.pair_capacity * 2 : 64;
    map->pairs = malloc(map->pair_capacity * sizeof *map->pairs);
    if (!map->pairs) {
        *map = old;
        return false;
    }
    memset(map->pairs, 0xff, map->pair_capacity * sizeof *map->pairs);
    for (uint32_t i = 0; i < old.pair_capacity; i++)
        if (old.pairs[i].value != IDMAP_NONE)
            *id_place(map, old.pairs[i].id) = old.pairs[i];
    free(old.pairs);
    return true;
}

bool idmap_set(struct idmap *map, uint32_t id, uint32_t value)
{
    if (id < IDMAP_DIRECT_MAX) {
        if (id >= map->direct_count && !grow_direct(map, id))
            return false;
        map->direct[id] = value;
        return true;
    }
    if (map->pair_count * 2 >= map->pair_capacity && !grow_pairs(map))
        return false;
    struct idmap_pair *pair = id_place(map, id);
    map->pair_count += pair->value == IDMAP_NONE;
    *pair = (struct idmap_pair){id, value};
    return true;
}

uint32_t idmap_find_slow(const struct idmap *map, uint32_t id)
{
    if (id < IDMAP_DIRECT_MAX || !map->pair_capacity)
        return IDMAP_NONE;
    return id_place(map, id)->value;
}

/* Open addressing, at most half full. */

void keymap_fini(struct keymap *map)
{
    free(map->pairs);
    memset(map, 0, sizeof *map);
}

static uint32_t keymap_hash(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(key >> 32);
}

static struct keymap_pair *key_place(const struct keymap *map, uint64_t key)
{
    uint32_t mask = map->capacity - 1;
    uint32_t at = keymap_hash(key) & mask;
    while (map->pairs[at].value != KEYMAP_NONE && map->pairs[at].key != key)
        at = (at + 1) & mask;
    return &map->pairs[at];
}

static bool grow_keys(struct keymap *map)
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
            *key_place(map, old.pairs[i].key) = old.pairs[i];
    free(old.pairs);
    return true;
}

bool keymap_set(struct keymap *map, uint64_t key, uint32_t value)
{
    if (map->count >= map->capacity / 2 && !grow_keys(map))
        return false;
    struct keymap_pair *pair = key_place(map, key);
    map->count += pair->value == KEYMAP_NONE;
    *pair = (struct keymap_pair){key, value};
    return true;
}

uint32_t keymap_find(const struct keymap *map, uint64_t key)
{
    return map->capacity ? key_place(map, key)->value : KEYMAP_NONE;
}

void idset_fini(struct idset *set)
{
    keymap_fini(&set->places);
    free(set->at);
    memset(set, 0, sizeof *set);
}

static struct idset_block *add_block(struct idset *set, uint64_t place)
{
    struct idset_block *block = ARRAY_ADD(set);
    if (!block || !keymap_set(&set->places, place, set->count - 1))
        return NULL;
    *block = (struct idset_block){{0}};
    return block;
}

static struct idset_block *find_block(const struct idset *set, uint64_t id)
{
    uint32_t place = keymap_find(&set->places, id / IDSET_BLOCK_IDS);
    return place == KEYMAP_NONE ? NULL : &set->at[place];
}

bool idset_add(struct idset *set, uint64_t id)
{
    struct idset_block *block = find_block(set, id);
    unsigned bit = (unsigned)(id % IDSET_BLOCK_IDS);
    if (!block && !(block = add_block(set, id / IDSET_BLOCK_IDS)))
        return false;
    block->words[bit / 64] |= UINT64_C(1) << bit % 64;
    return true;
}

bool idset_has(const struct idset *set, uint64_t id)
{
    const struct idset_block *block = find_block(set, id);
    unsigned bit = (unsigned)(id % IDSET_BLOCK_IDS);
    return block && block->words[bit / 64] >> bit % 64 & 1;
}
