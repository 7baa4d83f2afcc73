#include "range_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool range_paths_init(struct range_paths *paths, const struct timeline *timeline)
{
    *paths = (struct range_paths){.timeline = timeline};
    paths->of_slice = calloc(timeline->slices.count + (size_t)1, sizeof *paths->of_slice);
    return paths->of_slice != NULL;
}

void range_paths_fini(struct range_paths *paths)
{
    free(paths->paths.at);
    free(paths->of_slice);
    free(paths->way.at);
    keymap_fini(&paths->known);
    *paths = (struct range_paths){0};
}

static uint32_t add_path(struct range_paths *paths, uint32_t parent, uint32_t slice)
{
    const struct tl_slice *from = &paths->timeline->slices.at[slice];
    uint32_t name = tl_shown_name(paths->timeline, from->name, tl_slice_label(from));
    if (paths->keys)
        name = key_names_of(paths->keys, name);
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t known = keymap_find(&paths->known, key);
    if (known != KEYMAP_NONE)
        return known;
    struct range_path *path = ARRAY_ADD(&paths->paths);
    if (!path || !keymap_set(&paths->known, key, paths->paths.count - 1)) {
        paths->failed = true;
        return TL_NONE;
    }
    *path = (struct range_path){parent, name};
    return paths->paths.count - 1;
}

/* From the slice up to where a path is known, and back through those on the way. */
uint32_t range_paths_of(struct range_paths *paths, uint32_t slice)
{
    uint32_t at = slice;
    paths->way.count = 0;
    while (at != TL_NONE && !paths->of_slice[at] && !paths->failed) {
        uint32_t *step = ARRAY_ADD(&paths->way);
        paths->failed |= !step;
        if (step)
            *step = at;
        at = paths->timeline->slices.at[at].parent;
    }
    uint32_t path = at == TL_NONE || paths->failed ? TL_NONE : paths->of_slice[at] - 1;
    for (uint32_t i = paths->way.count; i-- > 0 && !paths->failed;) {
        path = add_path(paths, path, paths->way.at[i]);
        paths->of_slice[paths->way.at[i]] = path + 1;
    }
    return paths->failed ? TL_NONE : path;
}

struct text range_paths_name(const struct range_paths *paths, uint32_t path)
{
    uint32_t name = paths->paths.at[path].name;
    if (paths->keys)
        return key_names_text(paths->keys, name);
    return name < paths->timeline->names.count ? paths->timeline->names.at[name]
                                               : (struct text){"?", 1};
}

void range_paths_text(const struct range_paths *paths, uint32_t path, char to[RANGE_PATH_BYTES])
{
    static const char between[] = " > ", cut[] = "... > ";
    char text[RANGE_PATH_BYTES - sizeof cut];
    size_t at = sizeof text;
    if (path == TL_NONE) {
        snprintf(to, RANGE_PATH_BYTES, "(outside of any range)");
        return;
    }
    for (bool last = true; path != TL_NONE; last = false) {
        struct text name = range_paths_name(paths, path);
        size_t tail = last ? 0 : sizeof between - 1;
        if (name.size + tail > at)
            break;
        at -= tail;
        memcpy(text + at, between, tail);
        at -= name.size;
        memcpy(text + at, name.bytes, name.size);
        path = paths->paths.at[path].parent;
    }
    snprintf(to, RANGE_PATH_BYTES, "%s%.*s", path == TL_NONE ? "" : cut, (int)(sizeof text - at),
             text + at);
}
