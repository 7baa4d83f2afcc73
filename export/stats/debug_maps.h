/* debug_maps.h - from instructions and delegates' identifiers to debug handles, the numbers that a
 * compiler gave to the operators of a model: what an ETRecord holds.
 *
 * Keys match as a whole: instruction 1 is not instruction 10.
 */
#ifndef PROF_DEBUG_MAPS_H
#define PROF_DEBUG_MAPS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list of handles that belongs to an instruction or to a part of a delegate. */
struct debug_entry {
    struct text instruction; /* its number as text */
    struct text part;        /* of the delegate; `bytes` NULL: the instruction's own */
    struct text backend;     /* of the delegate */
    uint32_t first, count;   /* into handles[] */
};

struct debug_maps {
    TL_ARRAY(struct debug_entry) entries; /* sorted by debug_maps_sort() */
    TL_ARRAY(int64_t) handles;
    void *storage; /* texts; freed by who made the maps */
};

void debug_maps_sort(struct debug_maps *maps);

/* NULL: the maps, which may be NULL, do not know. `part`: the delegate's identifier as text; bytes
 * NULL: the instruction's own. */
const struct debug_entry *debug_maps_find(const struct debug_maps *maps, uint32_t instruction,
                                          struct text part);

#ifdef __cplusplus
}
#endif
#endif
