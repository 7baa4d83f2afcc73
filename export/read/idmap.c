/* idmap.c - see idmap.h. */
#include "idmap.h"

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
static struct idmap_pair *place_of(const struct idmap *map, uint32_t id)
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
            *place_of(map, old.pairs[i].id) = old.pairs[i];
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
    struct idmap_pair *pair = place_of(map, id);
    map->pair_count += pair->value == IDMAP_NONE;
    *pair = (struct idmap_pair){id, value};
    return true;
}

uint32_t idmap_find_slow(const struct idmap *map, uint32_t id)
{
    if (id < IDMAP_DIRECT_MAX || !map->pair_capacity)
        return IDMAP_NONE;
    return place_of(map, id)->value;
}
