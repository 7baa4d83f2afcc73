/* compat_groups.h - a part of blocks_compat.c: blocks by name, in the order of their first appearance.
 */
#ifndef PROF_COMPAT_GROUPS_H
#define PROF_COMPAT_GROUPS_H

#include "write_blocks.h"

struct group {
    uint32_t name;
    uint32_t first, count; /* into members[] */
};

struct compat {
    const struct timeline *timeline;
    enum time_scale source;
    bool raw; /* JSON has ticks as well */
    TL_ARRAY(struct group) groups;
    uint32_t *members; /* blocks, by group */
};

/* False: no memory. compat_fini() either way. */
bool compat_make_groups(struct compat *compat);
void compat_fini(struct compat *compat);

/* The n-th block of its group. */
static inline const struct tl_block *member(const struct compat *compat, const struct group *group,
                                            uint32_t number)
{
    return &compat->timeline->blocks.at[compat->members[group->first + number]];
}

#endif
