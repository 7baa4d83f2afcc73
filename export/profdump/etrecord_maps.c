/* etrecord_maps.c - --etrecord FILE: the maps of an ETRecord. */
#include "cmd_blocks.h"

#include "array.h"
#include "etrecord.h"

#include <stdlib.h>
#include <string.h>

/* The texts of the maps, one after the other, each freed by itself. */
struct words {
    TL_ARRAY(char *) at;
};

struct backend {
    struct text instruction, name;
};

struct loader {
    struct debug_maps *maps;
    struct words *words;
    TL_ARRAY(struct backend) backends;
};

static bool same(struct text a, struct text b)
{
    if (!a.bytes || !b.bytes)
        return !a.bytes && !b.bytes;
    return text_equals(a, b);
}

static bool keep(struct loader *loader, struct text *text)
{
    char *copy = text->bytes ? strndup(text->bytes, text->size) : NULL;
    char **place = copy ? ARRAY_ADD(&loader->words->at) : NULL;
    if (text->bytes && !place) {
        free(copy);
        return false;
    }
    if (place)
        *place = copy;
    text->bytes = copy;
    text->size = copy ? strlen(copy) : 0;
    return true;
}

/* Handles of one list come one after the other. */
static bool add_handle(struct loader *loader, struct text instruction, struct text part,
                       int64_t handle)
{
    struct debug_maps *maps = loader->maps;
    uint32_t count = maps->entries.count;
    struct debug_entry *entry = count ? &maps->entries.at[count - 1] : NULL;
    if (!entry || !same(entry->instruction, instruction) || !same(entry->part, part)) {
        if (!keep(loader, &instruction) || !keep(loader, &part))
            return false;
        entry = ARRAY_ADD(&maps->entries);
        if (!entry)
            return false;
        *entry = (struct debug_entry){
            .instruction = instruction, .part = part, .first = maps->handles.count};
    }
    int64_t *place = ARRAY_ADD(&maps->handles);
    if (!place)
        return false;
    *place = handle;
    entry->count++;
    return true;
}

static bool take_handle(void *user, const struct text *keys, uint32_t count, int64_t handle)
{
    struct text none = {NULL, 0};
    if (count >= 2 && text_is(keys[0], "debug_handle_map"))
        return add_handle(user, keys[count - 1], none, handle);
    if (count >= 4 && text_is(keys[0], "delegate_map") && text_is(keys[count - 2], "delegate_map"))
        return add_handle(user, keys[count - 3], keys[count - 1], handle);
    return true;
}

static bool take_word(void *user, const struct text *keys, uint32_t count, struct text word)
{
    struct loader *loader = user;
    if (count < 3 || !text_is(keys[0], "delegate_map") || !text_is(keys[count - 1], "name") ||
        text_is(keys[count - 2], "delegate_map"))
        return true;
    struct backend backend = {keys[count - 2], word};
    if (!keep(loader, &backend.instruction) || !keep(loader, &backend.name))
        return false;
    struct backend *added = ARRAY_ADD(&loader->backends);
    if (added)
        *added = backend;
    return added != NULL;
}

static int compare_backends(const void *left, const void *right)
{
    const struct backend *a = left, *b = right;
    return strcmp(a->instruction.bytes, b->instruction.bytes);
}

static void name_backends(struct loader *loader)
{
    if (loader->backends.count > 1)
        qsort(loader->backends.at, loader->backends.count, sizeof *loader->backends.at,
              compare_backends);
    for (uint32_t i = 0; i < loader->maps->entries.count && loader->backends.count; i++) {
        struct debug_entry *entry = &loader->maps->entries.at[i];
        struct backend wanted = {.instruction = entry->instruction};
        const struct backend *found =
            entry->part.bytes ? bsearch(&wanted, loader->backends.at, loader->backends.count,
                                        sizeof wanted, compare_backends)
                              : NULL;
        if (found)
            entry->backend = found->name;
    }
}

struct debug_maps *etrecord_maps_load(const char *path)
{
    struct read_error error = {"out of memory"};
    struct debug_maps *maps = calloc(1, sizeof *maps);
    struct loader loader = {.maps = maps, .words = calloc(1, sizeof *loader.words)};
    struct etrecord_sink sink = {&loader, take_handle, take_word};
    if (maps)
        maps->storage = loader.words;
    if (!maps || !loader.words || !etrecord_read(path, &sink, &error)) {
        complain("%s", error.message);
        if (!maps)
            free(loader.words);
        etrecord_maps_free(maps);
        maps = NULL;
    } else {
        name_backends(&loader);
        debug_maps_sort(maps);
    }
    free(loader.backends.at);
    return maps;
}

void etrecord_maps_free(struct debug_maps *maps)
{
    struct words *words = maps ? maps->storage : NULL;
    for (uint32_t i = 0; words && i < words->at.count; i++)
        free(words->at.at[i]);
    if (words)
        free(words->at.at);
    free(words);
    if (maps) {
        free(maps->entries.at);
        free(maps->handles.at);
    }
    free(maps);
}
