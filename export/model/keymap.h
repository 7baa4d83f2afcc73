/* keymap.h - a hash table from 64-bit keys to 32-bit numbers. */
#ifndef PROF_KEYMAP_H
#define PROF_KEYMAP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
