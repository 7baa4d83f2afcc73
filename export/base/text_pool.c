#include "text_pool.h"

#include "array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u
#define FIRST_SLOTS 1024u

struct text_pool_block {
    struct text_pool_block *next;
    char bytes[];
};

void text_pool_seal(struct text_pool *pool)
{
    free(pool->slots);
    pool->slots = NULL;
    pool->slot_count = 0;
}

void text_pool_fini(struct text_pool *pool)
{
    for (struct text_pool_block *block = pool->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(pool->at);
    free(pool->slots);
    memset(pool, 0, sizeof *pool);
}

static struct text_pool_block *add_block(struct text_pool_block **place, size_t size)
{
    struct text_pool_block *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->next = *place;
    return *place = block;
}

/* A large text gets a block of its own, after the one that is being filled. */
static char *reserve(struct text_pool *pool, size_t size)
{
    if (pool->blocks && size <= BLOCK_BYTES - pool->block_used) {
        pool->block_used += size;
        return pool->blocks->bytes + pool->block_used - size;
    }
    bool alone = size > BLOCK_BYTES / 4, behind = alone && pool->blocks;
    struct text_pool_block *block =
        add_block(behind ? &pool->blocks->next : &pool->blocks, alone ? size : BLOCK_BYTES);
    if (!block)
        return NULL;
    if (!behind)
        pool->block_used = alone ? BLOCK_BYTES : size;
    return block->bytes;
}

struct text text_pool_copy(struct text_pool *pool, struct text text)
{
    char *bytes = reserve(pool, text.size + 1);
    if (!bytes)
        return (struct text){NULL, 0};
    if (text.size)
        memcpy(bytes, text.bytes, text.size);
    bytes[text.size] = '\0';
    return (struct text){bytes, text.size};
}

/* Both halves of the product depend on all bits of both. */
static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Sixteen bytes at a time: names are short and many, and call stacks are long. */
static uint32_t hash_of(struct text text)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15), other = UINT64_C(0x9fb21c651e98df25);
    uint64_t hash = text.size * odd, rest[2] = {0, 0};
    size_t at = 0;
    for (; at + 16 <= text.size; at += 16)
        hash = mixed(text_eight_at(text.bytes + at) ^ odd ^ hash,
                     text_eight_at(text.bytes + at + 8) ^ other);
    if (at < text.size)
        memcpy(rest, text.bytes + at, text.size - at);
    hash = mixed(rest[0] ^ odd ^ hash, rest[1] ^ other);
    return (uint32_t)(hash ^ hash >> 32);
}

/* The slot that holds the text, or the empty one where it belongs. */
static struct text_pool_slot *slot_of(const struct text_pool *pool, struct text text, uint32_t hash)
{
    uint32_t mask = pool->slot_count - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        struct text_pool_slot *slot = &pool->slots[i];
        if (slot->index == TEXT_POOL_NONE ||
            (slot->hash == hash && text_equals(pool->at[slot->index], text)))
            return slot;
    }
}

static bool grow_slots(struct text_pool *pool)
{
    uint32_t count = pool->slot_count ? pool->slot_count * 2 : FIRST_SLOTS;
    struct text_pool_slot *slots = count ? malloc(count * sizeof *slots) : NULL;
    if (!slots)
        return false;
    memset(slots, 0xff, count * sizeof *slots);
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].index == TEXT_POOL_NONE)
            continue;
        uint32_t at = pool->slots[i].hash & (count - 1);
        while (slots[at].index != TEXT_POOL_NONE)
            at = (at + 1) & (count - 1);
        slots[at] = pool->slots[i];
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    return true;
}

static uint32_t add_text(struct text_pool *pool, struct text text)
{
    struct text copy = text_pool_copy(pool, text);
    struct text *added = copy.bytes ? ARRAY_ADD(pool) : NULL;
    if (!added)
        return TEXT_POOL_NONE;
    *added = copy;
    return pool->count - 1;
}

uint32_t text_pool_add(struct text_pool *pool, struct text text)
{
    if (pool->count >= pool->slot_count / 2 && !grow_slots(pool))
        return TEXT_POOL_NONE;
    uint32_t hash = hash_of(text);
    struct text_pool_slot *slot = slot_of(pool, text, hash);
    if (slot->index == TEXT_POOL_NONE)
        *slot = (struct text_pool_slot){hash, add_text(pool, text)};
    return slot->index;
}

uint32_t text_pool_format(struct text_pool *pool, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return length < 0 ? TEXT_POOL_NONE : text_pool_add(pool, (struct text){text, strlen(text)});
}

uint32_t text_pool_find(const struct text_pool *pool, struct text text)
{
    return pool->slot_count ? slot_of(pool, text, hash_of(text))->index : TEXT_POOL_NONE;
}
