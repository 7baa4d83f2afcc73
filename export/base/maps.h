/* maps.h - tables from ids to 32-bit numbers (idmap: 32-bit ids; keymap: any 64 bits), and sets of
 * ids (idset). */
#ifndef PROF_MAPS_H
#define PROF_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ids in a trace are small and dense, so most of them index an array; the rest, which only a
 * damaged or hostile file has in numbers, goes to a hash table. Memory grows with the largest small
 * id and with the count of large ones, never with the value of a large id. */

#define IDMAP_NONE UINT32_MAX
#define IDMAP_DIRECT_MAX (1u << 20)

struct idmap_pair {
    uint32_t id, value; /* value IDMAP_NONE: the place is empty */
};

struct idmap {
    uint32_t *direct; /* by id */
    uint32_t direct_count;
    struct idmap_pair *pairs; /* open addressing, a power of two */
    uint32_t pair_count, pair_capacity;
};

/* A zeroed struct idmap is an empty one. */
void idmap_fini(struct idmap *map);

/* Sets what `id` means, IDMAP_NONE excepted. False: no memory. */
bool idmap_set(struct idmap *map, uint32_t id, uint32_t value);

uint32_t idmap_find_slow(const struct idmap *map, uint32_t id);

/* IDMAP_NONE when the id was never set. */
static inline uint32_t idmap_find(const struct idmap *map, uint32_t id)
{
    return id < map->direct_count ? map->direct[id] : idmap_find_slow(map, id);
}

#define KEYMAP_NONE UINT32_MAX

struct keymap_pair {
    uint64_t key;
    uint32_t value; /* KEYMAP_NONE: the place is empty */
};

/* Zeroed is empty. */
struct keymap {
    struct keymap_pair *pairs;
    uint32_t count, capacity; /* a power of two */
};

void keymap_fini(struct keymap *map);

/* Sets what the key means, KEYMAP_NONE excepted. False: no memory. */
bool keymap_set(struct keymap *map, uint64_t key, uint32_t value);
uint32_t keymap_find(const struct keymap *map, uint64_t key);

/* A key of several numbers: starts with any `hash`, and adds a value to it. */
static inline uint64_t keymap_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

/* The same for ids that are signed in their file. */
static inline bool keymap_set_id(struct keymap *map, int64_t id, uint32_t value)
{
    return keymap_set(map, (uint64_t)id, value);
}

static inline uint32_t keymap_find_id(const struct keymap *map, int64_t id)
{
    return keymap_find(map, (uint64_t)id);
}

/* A set of ids that come in runs, as those that a program counts up: a bit for each, in blocks. An
 * id on its own takes a block. */
#define IDSET_BLOCK_IDS 512u

struct idset_block {
    uint64_t words[IDSET_BLOCK_IDS / 64];
};

/* Zeroed is empty. */
struct idset {
    struct keymap places;   /* id / IDSET_BLOCK_IDS -> at[] */
    struct idset_block *at; /* of the shape of TL_ARRAY */
    uint32_t count, capacity;
};

void idset_fini(struct idset *set);

/* False: no memory. */
bool idset_add(struct idset *set, uint64_t id);
bool idset_has(const struct idset *set, uint64_t id);

#ifdef __cplusplus
}
#endif
#endif
