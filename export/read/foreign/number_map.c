/* number_map.c - see number_map.h. */
#include "number_map.h"

#include <stdlib.h>

#define CAPACITY_LEAST 64u
#define CAPACITY_MOST (1u << 31)

void number_map_fini(struct number_map *map)
{
    free(map->slots);
    *map = (struct number_map){0};
}

static uint32_t place_of(const struct number_map *map, int64_t id)
{
    uint64_t hash = (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    uint32_t at = (uint32_t)(hash >> 32) & (map->capacity - 1);
    while (map->slots[at].number != NUMBER_MAP_NONE && map->slots[at].id != id)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

static bool grow(struct number_map *map)
{
    if (map->capacity == CAPACITY_MOST)
        return false;
    struct number_map grown = {.capacity = map->capacity ? map->capacity * 2 : CAPACITY_LEAST,
                               .count = map->count};
    grown.slots = malloc(grown.capacity * sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (uint32_t i = 0; i < grown.capacity; i++)
        grown.slots[i].number = NUMBER_MAP_NONE;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->slots[i].number != NUMBER_MAP_NONE)
            grown.slots[place_of(&grown, map->slots[i].id)] = map->slots[i];
    free(map->slots);
    *map = grown;
    return true;
}

bool number_map_set(struct number_map *map, int64_t id, uint32_t number)
{
    if ((uint64_t)map->count * 2 >= map->capacity && !grow(map))
        return false;
    struct number_slot *slot = &map->slots[place_of(map, id)];
    map->count += slot->number == NUMBER_MAP_NONE;
    *slot = (struct number_slot){id, number};
    return true;
}

uint32_t number_map_find(const struct number_map *map, int64_t id)
{
    return map->capacity ? map->slots[place_of(map, id)].number : NUMBER_MAP_NONE;
}
