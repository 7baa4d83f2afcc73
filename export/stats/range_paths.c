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
    for (uint32_t i = 0; i < paths->paths.count; i++)
        free(paths->paths.at[i].pattern);
    free(paths->paths.at);
    free(paths->of_slice);
    free(paths->way.at);
    keymap_fini(&paths->known);
    keymap_fini(&paths->numbered);
    *paths = (struct range_paths){0};
}

/* ---- names that differ only in numbers ---- */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* How many bytes at `at` are a number: "12" in "frame 12", none in "conv2d". */
static size_t number_size(struct text name, size_t at)
{
    size_t end = at;
    while (end < name.size && is_digit(name.bytes[end]))
        end++;
    bool is_in_word =
        end < name.size && ((name.bytes[end] | 0x20) >= 'a' && (name.bytes[end] | 0x20) <= 'z');
    return is_in_word || (at && is_digit(name.bytes[at - 1])) ? 0 : end - at;
}

static bool has_number(struct text name)
{
    for (size_t i = 0; i < name.size; i++)
        if (number_size(name, i))
            return true;
    return false;
}

/* "frame *" for "frame 12"; at most as long. */
static void write_pattern(struct text name, char *to)
{
    for (size_t i = 0, number; i < name.size; i += number ? number : 1) {
        number = number_size(name, i);
        *to++ = number ? '*' : name.bytes[i];
    }
    *to = '\0';
}

static bool differ_in_numbers(struct text left, struct text right)
{
    size_t i = 0, j = 0;
    while (i < left.size && j < right.size) {
        size_t number = number_size(left, i), other = number_size(right, j);
        if (!number != !other || (!number && left.bytes[i] != right.bytes[j]))
            return false;
        i += number ? number : 1, j += other ? other : 1;
    }
    return i == left.size && j == right.size;
}

static struct text unordered_name(const struct range_paths *paths, uint32_t name)
{
    return name < paths->timeline->names.count ? paths->timeline->names.at[name]
                                               : (struct text){"", 0};
}

static uint64_t pattern_key(uint32_t parent, struct text name)
{
    uint64_t key = parent;
    for (size_t i = 0, number; i < name.size; i += number ? number : 1) {
        number = number_size(name, i);
        key = keymap_mix(key, number ? '*' : (unsigned char)name.bytes[i]);
    }
    return key;
}

/* The path beside it whose name differs only in numbers, as "frame *" from now on; TL_NONE. */
static uint32_t join_numbered(struct range_paths *paths, uint32_t parent, struct text name)
{
    uint32_t found = keymap_find(&paths->numbered, pattern_key(parent, name));
    if (found == KEYMAP_NONE || paths->paths.at[found].parent != parent ||
        !differ_in_numbers(unordered_name(paths, paths->paths.at[found].name), name))
        return TL_NONE;
    struct range_path *path = &paths->paths.at[found];
    if (!path->pattern) {
        path->pattern = calloc(name.size + 1, 1);
        paths->failed |= !path->pattern;
        if (path->pattern)
            write_pattern(name, path->pattern);
    }
    return found;
}

/* ---- paths ---- */

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
    struct text text = unordered_name(paths, name);
    bool is_numbered = paths->merge_numbers && from->kind == TL_RANGE && has_number(text);
    uint32_t place = is_numbered ? join_numbered(paths, parent, text) : TL_NONE;
    if (place == TL_NONE) {
        struct range_path *path = ARRAY_ADD(&paths->paths);
        place = paths->paths.count - 1;
        paths->failed |= !path || (is_numbered &&
                                   !keymap_set(&paths->numbered, pattern_key(parent, text), place));
        if (path)
            *path = (struct range_path){parent, name, NULL};
    }
    paths->failed |= !keymap_set(&paths->known, key, place);
    return paths->failed ? TL_NONE : place;
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
    const char *pattern = paths->paths.at[path].pattern;
    if (pattern)
        return (struct text){pattern, strlen(pattern)};
    if (paths->keys)
        return key_names_text(paths->keys, name);
    return name < paths->timeline->names.count ? paths->timeline->names.at[name]
                                               : (struct text){"?", 1};
}

struct text range_paths_example(const struct range_paths *paths, uint32_t path, uint32_t slice)
{
    while (path != TL_NONE && !paths->paths.at[path].pattern)
        path = paths->paths.at[path].parent;
    while (slice != TL_NONE && path != TL_NONE && paths->of_slice[slice] != path + 1)
        slice = paths->timeline->slices.at[slice].parent;
    return path == TL_NONE || slice == TL_NONE
               ? (struct text){"", 0}
               : unordered_name(paths, paths->timeline->slices.at[slice].name);
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
