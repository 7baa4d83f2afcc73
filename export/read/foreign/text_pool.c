/* text_pool.c - see text_pool.h. */
#include "text_pool.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES (UINT32_C(1) << 16)
#define FIRST_SLOTS 1024u

struct text_block {
    struct text_block *next;
    size_t used, size;
    char bytes[];
};

void text_pool_fini(struct text_pool *pool)
{
    for (struct text_block *block = pool->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(pool->texts);
    free(pool->hashes);
    free(pool->slots);
    memset(pool, 0, sizeof *pool);
}

/* Eight bytes at a time; names are short and many. */
static uint64_t hash_of(struct text text)
{
    uint64_t hash = text.size * UINT64_C(0x9e3779b97f4a7c15), word;
    size_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        memcpy(&word, text.bytes + at, 8);
        hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 32;
    }
    word = 0;
    if (at < text.size)
        memcpy(&word, text.bytes + at, text.size - at);
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 29;
}

struct text text_pool_copy(struct text_pool *pool, struct text text)
{
    struct text_block *block = pool->blocks;
    if (!block || block->size - block->used <= text.size) {
        size_t size = text.size + 1 > BLOCK_BYTES ? text.size + 1 : BLOCK_BYTES;
        block = malloc(sizeof *block + size);
        if (!block)
            return (struct text){NULL, 0};
        *block = (struct text_block){pool->blocks, 0, size};
        pool->blocks = block;
    }
    char *bytes = block->bytes + block->used;
    if (text.size)
        memcpy(bytes, text.bytes, text.size);
    bytes[text.size] = '\0';
    block->used += text.size + 1;
    return (struct text){bytes, text.size};
}

/* The slot that holds the text, or the empty one where it belongs. */
static uint32_t *find_slot(const struct text_pool *pool, struct text text, uint64_t hash)
{
    uint32_t mask = pool->slot_count - 1;
    for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
        uint32_t number = pool->slots[i];
        if (!number || (pool->hashes[number] == hash && pool->texts[number].size == text.size &&
                        memcmp(pool->texts[number].bytes, text.bytes, text.size) == 0))
            return &pool->slots[i];
    }
}

static bool grow_slots(struct text_pool *pool)
{
    uint32_t count = pool->slot_count ? pool->slot_count * 2 : FIRST_SLOTS;
    uint32_t *slots = count ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t number = 1; number < pool->count; number++) {
        uint32_t i = (uint32_t)pool->hashes[number] & (count - 1);
        while (slots[i])
            i = (i + 1) & (count - 1);
        slots[i] = number;
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    return true;
}

static bool grow_texts(struct text_pool *pool)
{
    uint32_t capacity = pool->capacity ? pool->capacity * 2 : FIRST_SLOTS;
    struct text *texts = realloc(pool->texts, capacity * sizeof *texts);
    if (texts)
        pool->texts = texts;
    uint64_t *hashes = realloc(pool->hashes, capacity * sizeof *hashes);
    if (hashes)
        pool->hashes = hashes;
    if (!texts || !hashes)
        return false;
    pool->capacity = capacity;
    if (!pool->count)
        pool->count = 1;
    return true;
}

uint32_t text_pool_find(const struct text_pool *pool, struct text text)
{
    return pool->slot_count ? *find_slot(pool, text, hash_of(text)) : 0;
}

uint32_t text_pool_number(struct text_pool *pool, struct text text)
{
    if (pool->count == pool->capacity && !grow_texts(pool))
        return 0;
    if ((uint64_t)pool->count * 2 >= pool->slot_count && !grow_slots(pool))
        return 0;
    uint64_t hash = hash_of(text);
    uint32_t *slot = find_slot(pool, text, hash);
    if (*slot)
        return *slot;
    struct text copy = text_pool_copy(pool, text);
    if (!copy.bytes)
        return 0;
    pool->texts[pool->count] = copy;
    pool->hashes[pool->count] = hash;
    return *slot = pool->count++;
}
