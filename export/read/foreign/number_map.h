/* number_map.h - a table from 64-bit ids, as files of others have them, to 32-bit numbers. */
#ifndef PROF_NUMBER_MAP_H
#define PROF_NUMBER_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define NUMBER_MAP_NONE UINT32_MAX

struct number_slot {
    int64_t id;
    uint32_t number; /* NUMBER_MAP_NONE: the place is empty */
};

/* A zeroed struct number_map is an empty one. */
struct number_map {
    struct number_slot *slots; /* open addressing, a power of two */
    uint32_t count, capacity;
};

void number_map_fini(struct number_map *map);

/* Sets what `id` means, NUMBER_MAP_NONE excepted. False: no memory. */
bool number_map_set(struct number_map *map, int64_t id, uint32_t number);

/* NUMBER_MAP_NONE when the id was never set. */
uint32_t number_map_find(const struct number_map *map, int64_t id);

#endif
