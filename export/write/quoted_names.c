/* quoted_names.c - strings packed into blocks that are freed together. */
#include "quoted_names.h"

#include "json_out.h"

#include <stdlib.h>

#define BLOCK_BYTES (256u << 10)

struct quoted_block {
    struct quoted_block *next;
    size_t used, size;
    char bytes[];
};

static const struct quoted_name nothing = {"\"\"", 2};

bool quoted_names_init(struct quoted_names *names, const struct timeline *timeline)
{
    *names = (struct quoted_names){.timeline = timeline};
    names->at = calloc(timeline->names.count + (size_t)1, sizeof *names->at);
    return names->at != NULL;
}

void quoted_names_fini(struct quoted_names *names)
{
    while (names->blocks) {
        struct quoted_block *block = names->blocks;
        names->blocks = block->next;
        free(block);
    }
    free(names->at);
    *names = (struct quoted_names){0};
}

static char *reserve(struct quoted_names *names, size_t size)
{
    struct quoted_block *block = names->blocks;
    if (!block || block->size - block->used < size) {
        size_t bytes = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = malloc(sizeof *block + bytes);
        if (!block)
            return NULL;
        *block = (struct quoted_block){.next = names->blocks, .size = bytes};
        names->blocks = block;
    }
    return block->bytes + block->used;
}

struct quoted_name quoted_names_slow(struct quoted_names *names, uint32_t name)
{
    if (name >= names->timeline->names.count)
        return nothing;
    struct text text = names->timeline->names.at[name];
    char *json = reserve(names, text.size * JSON_ESCAPE_GROWTH + 2);
    if (!json)
        return nothing;
    size_t size = 0;
    json[size++] = '"';
    for (size_t at = 0, used; at < text.size; at += used)
        size += json_escape(text.bytes + at, text.size - at, json + size, &used);
    json[size++] = '"';
    names->blocks->used += size;
    names->at[name] = (struct quoted_name){json, size};
    return names->at[name];
}
