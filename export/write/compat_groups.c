/* compat_groups.c - see compat_groups.h. */
#include "compat_groups.h"

#include "array.h"
#include "maps.h"

#include <stdlib.h>

void compat_fini(struct compat *compat)
{
    free(compat->groups.at);
    free(compat->members);
}

static bool count_groups(struct compat *compat, uint32_t *group_of)
{
    const struct timeline *timeline = compat->timeline;
    struct keymap known = {0};
    bool done = true;
    for (uint32_t i = 0; i < timeline->blocks.count && done; i++) {
        uint32_t name = timeline->blocks.at[i].name;
        uint32_t group = keymap_find(&known, name);
        if (group == KEYMAP_NONE) {
            group = compat->groups.count;
            struct group *added = ARRAY_ADD(&compat->groups);
            done = added && keymap_set(&known, name, group);
            if (added)
                *added = (struct group){.name = name};
        }
        if (done && group < compat->groups.count && compat->groups.at)
            compat->groups.at[group].count++;
        group_of[i] = group;
    }
    keymap_fini(&known);
    return done;
}

bool compat_make_groups(struct compat *compat)
{
    uint32_t blocks = compat->timeline->blocks.count, next = 0;
    uint32_t *group_of = calloc((size_t)blocks + 1, sizeof *group_of);
    compat->members = calloc((size_t)blocks + 1, sizeof *compat->members);
    bool done = group_of && compat->members && count_groups(compat, group_of);
    for (uint32_t i = 0; i < compat->groups.count && done; i++) {
        compat->groups.at[i].first = next;
        next += compat->groups.at[i].count;
        compat->groups.at[i].count = 0;
    }
    for (uint32_t i = 0; i < blocks && done && compat->groups.at; i++) {
        struct group *group = &compat->groups.at[group_of[i]];
        compat->members[group->first + group->count++] = i;
    }
    free(group_of);
    return done;
}
