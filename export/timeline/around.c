/* around.c - see around.h. A slice comes after those that enclose it. */
#include "around.h"

#include <stdlib.h>

static uint32_t *find(const struct timeline *timeline, around_has *has, void *user, bool outermost)
{
    uint32_t *found = malloc(((size_t)timeline->slices.count + 1) * sizeof *found);
    for (uint32_t i = 0; found && i < timeline->slices.count; i++) {
        uint32_t parent = timeline->slices.at[i].parent;
        uint32_t outer = parent == TL_NONE ? TL_NONE : found[parent];
        bool keeps = outermost && outer != TL_NONE;
        found[i] = !keeps && has(user, i) ? i : outer;
    }
    return found;
}

uint32_t *around_innermost(const struct timeline *timeline, around_has *has, void *user)
{
    return find(timeline, has, user, false);
}

uint32_t *around_outermost(const struct timeline *timeline, around_has *has, void *user)
{
    return find(timeline, has, user, true);
}
