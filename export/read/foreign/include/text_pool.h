/* text_pool.h - distinct texts, numbered from 1. */
#ifndef PROF_TEXT_POOL_H
#define PROF_TEXT_POOL_H

#include "read.h"

struct text_pool {
    struct text *texts; /* texts[0] is unused */
    uint32_t count, capacity;
    uint32_t *slots; /* open addressing: number, 0 empty; a power of two */
    uint32_t slot_count;
    uint64_t *hashes; /* parallel to texts */
    struct text_block *blocks;
};

/* A zeroed struct text_pool is an empty one. */
void text_pool_fini(struct text_pool *pool);

/* Number of the text; the bytes are copied when it is new. 0: no memory. */
uint32_t text_pool_number(struct text_pool *pool, struct text text);

/* Number of the text; 0: it is not there. */
uint32_t text_pool_find(const struct text_pool *pool, struct text text);

/* A copy that lives as long as the pool, NUL-terminated beside its size. `bytes` NULL: no memory. */
struct text text_pool_copy(struct text_pool *pool, struct text text);

#endif
