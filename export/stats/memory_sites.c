/* memory_sites.c - what is live at a moment, grouped by the code that allocated it. */
#include "memory_use.h"

#include "array.h"
#include "maps.h"

#include <stdlib.h>

struct grouping {
    const struct timeline *timeline;
    struct memory_sites *sites;
    uint32_t *path_of;      /* by slice: path + 1; 0 not yet */
    struct keymap paths;    /* parent and name -> path */
    struct keymap groups;   /* heap and path -> site */
    TL_ARRAY(uint32_t) way; /* slices without a path, from the innermost out */
    bool failed;
};

static uint32_t add_path(struct grouping *grouping, uint32_t parent, uint32_t slice)
{
    uint32_t name = grouping->timeline->slices.at[slice].name;
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t known = keymap_find(&grouping->paths, key);
    if (known != KEYMAP_NONE)
        return known;
    struct memory_path *path = ARRAY_ADD(&grouping->sites->paths);
    if (!path || !keymap_set(&grouping->paths, key, grouping->sites->paths.count - 1)) {
        grouping->failed = true;
        return TL_NONE;
    }
    *path = (struct memory_path){parent, name, slice};
    return grouping->sites->paths.count - 1;
}

/* Out to where a path is known, and back in. */
static uint32_t path_of(struct grouping *grouping, uint32_t slice)
{
    uint32_t at = slice;
    grouping->way.count = 0;
    while (at != TL_NONE && !grouping->path_of[at] && !grouping->failed) {
        uint32_t *step = ARRAY_ADD(&grouping->way);
        grouping->failed |= !step;
        if (step)
            *step = at;
        at = grouping->timeline->slices.at[at].parent;
    }
    uint32_t path = at == TL_NONE || grouping->failed ? TL_NONE : grouping->path_of[at] - 1;
    for (uint32_t i = grouping->way.count; i-- > 0 && !grouping->failed;) {
        path = add_path(grouping, path, grouping->way.at[i]);
        grouping->path_of[grouping->way.at[i]] = path + 1;
    }
    return grouping->failed ? TL_NONE : path;
}

static void add_memory(struct grouping *grouping, uint32_t index)
{
    const struct tl_memory *memory = &grouping->timeline->memories.at[index];
    struct memory_sites *sites = grouping->sites;
    uint32_t path = path_of(grouping, memory->slice);
    uint64_t key = (uint64_t)memory->heap << 32 | path;
    uint32_t known = keymap_find(&grouping->groups, key);
    if (known == KEYMAP_NONE) {
        struct memory_site *site = ARRAY_ADD(&sites->sites);
        known = sites->sites.count - 1;
        if (!site || !keymap_set(&grouping->groups, key, known)) {
            grouping->failed = true;
            return;
        }
        *site = (struct memory_site){.heap = memory->heap, .path = path, .memory = index};
    }
    sites->sites.at[known].count++;
    sites->sites.at[known].bytes += memory->bytes;
    sites->count++;
    sites->bytes += memory->bytes;
}

/* By bytes; equal ones as they came. */
static int compare_sites(const void *left, const void *right)
{
    const struct memory_site *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->memory < b->memory ? -1 : a->memory > b->memory;
}

static bool is_wanted(const struct tl_memory *memory, uint32_t heap, bool at_end)
{
    return (heap == TL_NONE || memory->heap == heap) && !(at_end && memory->address == 0);
}

static void add_live(struct grouping *grouping, uint32_t event, uint32_t heap)
{
    const struct timeline *timeline = grouping->timeline;
    uint8_t *live = calloc(timeline->memories.count + (size_t)1, 1);
    grouping->failed |= !live;
    for (uint32_t i = 0; live && i < timeline->memory_events.count && i <= event; i++)
        live[timeline->memory_events.at[i].memory] = !timeline->memory_events.at[i].is_end;
    for (uint32_t i = 0; live && i < timeline->memories.count && !grouping->failed; i++)
        if (live[i] && is_wanted(&timeline->memories.at[i], heap, event == TL_NONE))
            add_memory(grouping, i);
    free(live);
}

bool memory_sites_init(struct memory_sites *sites, const struct timeline *timeline, uint32_t event,
                       uint32_t heap)
{
    struct grouping grouping = {.timeline = timeline, .sites = sites};
    *sites = (struct memory_sites){0};
    grouping.path_of = calloc(timeline->slices.count + (size_t)1, sizeof *grouping.path_of);
    grouping.failed = !grouping.path_of;
    if (!grouping.failed)
        add_live(&grouping, event, heap);
    if (!grouping.failed && sites->sites.count > 1)
        qsort(sites->sites.at, sites->sites.count, sizeof *sites->sites.at, compare_sites);
    free(grouping.path_of);
    free(grouping.way.at);
    keymap_fini(&grouping.paths);
    keymap_fini(&grouping.groups);
    if (grouping.failed)
        memory_sites_fini(sites);
    return !grouping.failed;
}

void memory_sites_fini(struct memory_sites *sites)
{
    free(sites->sites.at);
    free(sites->paths.at);
    *sites = (struct memory_sites){0};
}
