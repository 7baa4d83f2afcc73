/* text_pool.h - distinct texts, each stored once, NUL-terminated, with an index. */
#ifndef PROF_TEXT_POOL_H
#define PROF_TEXT_POOL_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TEXT_POOL_NONE UINT32_MAX

struct text_pool_slot {
    uint32_t hash;
    uint32_t index; /* TEXT_POOL_NONE: empty */
};

/* Zeroed is empty. Texts keep their address until text_pool_fini(). */
struct text_pool {
    struct text *at; /* by index */
    uint32_t count, capacity;
    uint32_t slot_count;            /* a power of two */
    struct text_pool_slot *slots;   /* open addressing */
    struct text_pool_block *blocks; /* the texts' bytes; the one being filled is first */
    size_t block_used;              /* bytes of the first */
};

void text_pool_fini(struct text_pool *pool);

/* Frees what finds a text. The texts stay, but nothing may be added or searched any more. */
void text_pool_seal(struct text_pool *pool);

/* The text's index, added if it is new. TEXT_POOL_NONE: no memory. */
uint32_t text_pool_add(struct text_pool *pool, struct text text);

/* The same of a formatted text, cut at 255 bytes. */
uint32_t text_pool_format(struct text_pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The text's index; TEXT_POOL_NONE: it was never added. */
uint32_t text_pool_find(const struct text_pool *pool, struct text text);

/* A copy that lives as long as the pool, but has no index. `bytes` is NULL: no memory. */
struct text text_pool_copy(struct text_pool *pool, struct text text);

/* For those to whom 0 means no text: the number of a text is its index + 1. */

/* 0: no memory. */
static inline uint32_t text_pool_number(struct text_pool *pool, struct text text)
{
    return text_pool_add(pool, text) + 1;
}

/* 0: it was never added. */
static inline uint32_t text_pool_find_number(const struct text_pool *pool, struct text text)
{
    return text_pool_find(pool, text) + 1;
}

/* Before: `number` is of this pool, and not 0. */
static inline struct text text_pool_text(const struct text_pool *pool, uint32_t number)
{
    return pool->at[number - 1];
}

#ifdef __cplusplus
}
#endif
#endif
