/* diff_match.c - see diff_match.h. */
#include "diff_match.h"

#include "array.h"
#include "diff_pair.h"

#include <stdlib.h>
#include <string.h>

/* ---- shared numbers ---- */

/* Outermost ranges have a parent that no path is. */
static uint32_t share_path(struct diff_names *names, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t known = keymap_find(&names->paths, key);
    if (known != KEYMAP_NONE)
        return known;
    return keymap_set(&names->paths, key, names->path_count) ? names->path_count++ : TL_NONE;
}

static bool share_paths(struct diff_names *names, const struct key_averages *averages,
                        unsigned side)
{
    uint32_t *of = malloc(((size_t)averages->path_count + 1) * sizeof *of);
    names->path_of[side] = of;
    for (uint32_t i = 0; i < averages->path_count && of; i++) {
        const struct key_path *path = &averages->paths[i];
        uint32_t parent = path->parent == TL_NONE ? TL_NONE : of[path->parent];
        uint32_t name = namepool_intern(&names->pool, path->name);
        of[i] = name == TL_NONE ? TL_NONE : share_path(names, parent, name);
        if (of[i] == TL_NONE)
            return false;
    }
    return of != NULL;
}

bool diff_names_init(struct diff_names *names, const struct diff_side *const sides[2])
{
    memset(names, 0, sizeof *names);
    bool ready = namepool_init(&names->pool, &names->texts);
    for (unsigned side = 0; side < 2 && ready; side++)
        ready = share_paths(names, &sides[side]->averages, side);
    if (!ready)
        diff_names_fini(names);
    return ready;
}

void diff_names_fini(struct diff_names *names)
{
    namepool_fini(&names->pool);
    namepool_free_storage(names->texts.storage);
    free(names->texts.names.at);
    keymap_fini(&names->paths);
    free(names->path_of[0]);
    free(names->path_of[1]);
    memset(names, 0, sizeof *names);
}

/* ---- rows ---- */

struct matcher {
    struct diff *diff;
    struct diff_names names;
    struct keymap rows[DIFF_BY_COUNT]; /* kind, or a path's mark, and number -> row */
};

/* What is the same on both sides. False: no memory. */
static bool key_of(struct matcher *matcher, unsigned side, const struct diff_entry *entry,
                   uint64_t *key)
{
    bool by_path = entry->by == DIFF_BY_PATH;
    uint32_t number = by_path ? diff_names_path(&matcher->names, side, entry)
                              : namepool_intern(&matcher->names.pool, entry->name);
    *key = (uint64_t)entry->kind << 32 | number;
    return number != TL_NONE;
}

static bool add_entry(struct matcher *matcher, unsigned side, uint32_t index)
{
    const struct diff_entry *entry = &matcher->diff->sides[side]->entries.at[index];
    struct diff_table *table = &matcher->diff->tables[entry->by];
    uint64_t key;
    if (!key_of(matcher, side, entry, &key))
        return false;
    uint32_t known = keymap_find(&matcher->rows[entry->by], key);
    if (known != KEYMAP_NONE && table->rows.at[known].entry[side] == TL_NONE) {
        table->rows.at[known].entry[side] = index;
        return true;
    }
    uint32_t place = table->rows.count;
    struct diff_row *row = ARRAY_ADD(&table->rows);
    if (!row)
        return false;
    *row = (struct diff_row){.entry = {TL_NONE, TL_NONE}};
    row->entry[side] = index;
    return keymap_set(&matcher->rows[entry->by], key, place);
}

static bool add_entries(struct matcher *matcher)
{
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < matcher->diff->sides[side]->entries.count; i++)
            if (!add_entry(matcher, side, i))
                return false;
    return true;
}

bool diff_match(struct diff *diff)
{
    struct matcher matcher = {.diff = diff};
    if (!diff_names_init(&matcher.names, diff->sides))
        return false;
    bool matched = add_entries(&matcher);
    if (matched && diff->options.match)
        matched = diff_pair(diff, &matcher.names);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        keymap_fini(&matcher.rows[by]);
    diff_names_fini(&matcher.names);
    return matched;
}
