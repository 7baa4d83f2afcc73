/* namepool.c - see namepool.h. */
#include "namepool.h"

#include "array.h"
#include "demangle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536u

struct storage_block {
    struct storage_block *next;
    char bytes[];
};

struct namepool_slot {
    uint32_t hash;
    uint32_t name; /* TL_NONE: empty */
};

bool namepool_init(struct namepool *pool, struct timeline *timeline)
{
    memset(pool, 0, sizeof *pool);
    pool->timeline = timeline;
    timeline->storage = calloc(1, sizeof *timeline->storage);
    return timeline->storage != NULL;
}

void namepool_fini(struct namepool *pool)
{
    free(pool->slots);
    idmap_fini(&pool->demangled);
    memset(pool, 0, sizeof *pool);
}

void namepool_free_storage(struct tl_storage *storage)
{
    if (!storage)
        return;
    for (struct storage_block *block = storage->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(storage);
}

/* Space for `size` bytes. A large text gets a block of its own, behind the one that is being
 * filled. */
static char *storage_take(struct tl_storage *storage, size_t size)
{
    bool fits = storage->blocks && size <= BLOCK_BYTES - storage->block_used;
    if (!fits) {
        bool alone = size > BLOCK_BYTES / 4;
        struct storage_block *block = malloc(sizeof *block + (alone ? size : BLOCK_BYTES));
        if (!block)
            return NULL;
        struct storage_block **place =
            alone && storage->blocks ? &storage->blocks->next : &storage->blocks;
        block->next = *place;
        *place = block;
        if (alone) {
            if (place == &storage->blocks)
                storage->block_used = BLOCK_BYTES; /* nothing more fits */
            return block->bytes;
        }
        storage->block_used = 0;
    }
    char *bytes = storage->blocks->bytes + storage->block_used;
    storage->block_used += size;
    return bytes;
}

struct text namepool_copy(struct namepool *pool, struct text text)
{
    char *bytes = storage_take(pool->timeline->storage, text.size + 1);
    if (!bytes)
        return (struct text){NULL, 0};
    if (text.size)
        memcpy(bytes, text.bytes, text.size);
    bytes[text.size] = 0;
    return (struct text){bytes, text.size};
}

static bool same(struct text a, struct text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* The text's slot, or the empty one where it belongs. */
static struct namepool_slot *slot_of(const struct namepool *pool, uint32_t hash, struct text text)
{
    const struct text *names = pool->timeline->names.at;
    uint32_t mask = pool->slot_count - 1;
    uint32_t at = hash & mask;
    for (;; at = (at + 1) & mask) {
        struct namepool_slot *slot = &pool->slots[at];
        if (slot->name == TL_NONE || (slot->hash == hash && same(names[slot->name], text)))
            return slot;
    }
}

static bool grow_slots(struct namepool *pool)
{
    uint32_t count = pool->slot_count ? pool->slot_count * 2 : 256;
    struct namepool_slot *slots = malloc(count * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, count * sizeof *slots);
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].name == TL_NONE)
            continue;
        uint32_t at = pool->slots[i].hash & (count - 1);
        while (slots[at].name != TL_NONE)
            at = (at + 1) & (count - 1);
        slots[at] = pool->slots[i];
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    return true;
}

static uint32_t add_name(struct namepool *pool, struct text text)
{
    struct timeline *timeline = pool->timeline;
    struct text copy = namepool_copy(pool, text);
    struct text *name = copy.bytes ? ARRAY_ADD(&timeline->names) : NULL;
    if (!name)
        return TL_NONE;
    *name = copy;
    return timeline->names.count - 1;
}

uint32_t namepool_intern(struct namepool *pool, struct text text)
{
    if (pool->timeline->names.count >= pool->slot_count / 2 && !grow_slots(pool))
        return TL_NONE;
    uint32_t hash = text_hash(text);
    struct namepool_slot *slot = slot_of(pool, hash, text);
    if (slot->name == TL_NONE)
        *slot = (struct namepool_slot){hash, add_name(pool, text)};
    return slot->name;
}

uint32_t namepool_format(struct namepool *pool, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return TL_NONE;
    return namepool_intern(pool, (struct text){text, strlen(text)});
}

static uint32_t demangle(struct namepool *pool, uint32_t name)
{
    struct text mangled = pool->timeline->names.at[name];
    struct text plain;
    char *text = demangle_name(mangled.bytes, mangled.size, &plain.size);
    if (!text)
        return name;
    plain.bytes = text;
    uint32_t index = namepool_intern(pool, plain);
    free(text);
    return index;
}

uint32_t namepool_demangled(struct namepool *pool, uint32_t name)
{
    uint32_t known = idmap_find(&pool->demangled, name);
    if (known != IDMAP_NONE)
        return known;
    uint32_t index = demangle(pool, name);
    if (index == TL_NONE || !idmap_set(&pool->demangled, name, index))
        return TL_NONE;
    return index;
}
