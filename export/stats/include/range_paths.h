/* range_paths.h - where slices lie, as a tree of names: slices whose ranges and calls are called
 * alike, from the outermost in, have one path. */
#ifndef PROF_RANGE_PATHS_H
#define PROF_RANGE_PATHS_H

#include "array.h"
#include "key_averages.h"
#include "maps.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct range_path {
    uint32_t parent; /* TL_NONE: outermost */
    uint32_t name;   /* into timeline.names; a key where there are keys */
    char *pattern;   /* "frame *": ranges whose names differ in a number; NULL: one name */
};

struct range_paths {
    const struct timeline *timeline;
    const struct key_names *keys; /* which names count as one; NULL: equal ones */
    bool merge_numbers; /* ranges of one place whose names differ only in numbers have one path */
    TL_ARRAY(struct range_path) paths;
    uint32_t *of_slice;     /* path + 1; 0 not requested yet */
    struct keymap known;    /* parent and name -> path */
    struct keymap numbered; /* parent and name without its numbers -> path */
    TL_ARRAY(uint32_t) way; /* slices without a path, from the innermost out */
    bool failed;            /* no memory */
};

/* False: no memory; fini is not needed then. `keys`, which must outlive it, and `merge_numbers` can
 * be set right after it. */
bool range_paths_init(struct range_paths *paths, const struct timeline *timeline);
void range_paths_fini(struct range_paths *paths);

/* The last name of a path. */
struct text range_paths_name(const struct range_paths *paths, uint32_t path);

/* TL_NONE: of TL_NONE, or no memory. */
uint32_t range_paths_of(struct range_paths *paths, uint32_t slice);

/* Where ranges whose names differ in a number have one path: the name of that around the slice, as
 * "frame 12". Size 0: the path has no such part, or the slice is not in it. */
struct text range_paths_example(const struct range_paths *paths, uint32_t path, uint32_t slice);

/* "outer > inner"; the outer part gives way to "... > ". */
#define RANGE_PATH_BYTES 640u
void range_paths_text(const struct range_paths *paths, uint32_t path, char to[RANGE_PATH_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
