/* finding_idle.c - which idle time each finding is about: see finding_gaps.h.
 *
 * The owner of a segment of idle time is a path. Of the findings of one rule, the one with the
 * innermost path around it is about that segment, as finding_owners_gather() has merged it.
 */
#include "finding_gaps.h"
#include "rules.h"

#include <stdlib.h>

struct idle_search {
    const struct findings *findings;
    struct keymap known; /* rule, process, device and path -> finding */
    uint32_t *around;    /* by path: it, or the innermost around it, that has findings; TL_NONE */
    bool has_findings[FINDING_RULES_MAX];
    struct finding_idle *idle;
};

static uint64_t key_of(uint32_t rule, uint32_t process, uint32_t device, uint32_t path)
{
    uint64_t place = (uint64_t)rule << 26 | (uint64_t)(process & 0xffff) << 10 | (device & 0x3ff);
    return place << 32 | path;
}

static uint32_t rule_number(const struct finding_rule *rule)
{
    uint32_t number = 0;
    while (finding_rules[number] != rule)
        number++;
    return number;
}

static bool list_findings(struct idle_search *search)
{
    bool set = true;
    for (uint32_t i = 0; i < search->findings->found.count && set; i++) {
        const struct finding *finding = &search->findings->found.at[i];
        uint32_t rule = rule_number(finding->rule);
        uint64_t key = key_of(rule, finding->process, finding->device, finding->path);
        search->has_findings[rule] = true;
        if (keymap_find(&search->known, key) == KEYMAP_NONE)
            set = keymap_set(&search->known, key, i);
    }
    return set;
}

static bool find_around(struct idle_search *search)
{
    const struct findings *findings = search->findings;
    const struct range_paths *paths = findings->context.paths;
    search->around = calloc((size_t)paths->paths.count + 1, sizeof *search->around);
    if (!search->around)
        return false;
    for (uint32_t i = 0; i < findings->found.count; i++)
        if (findings->found.at[i].path != TL_NONE)
            search->around[findings->found.at[i].path] = 1;
    for (uint32_t path = 0; path < paths->paths.count; path++) {
        uint32_t parent = paths->paths.at[path].parent;
        search->around[path] = search->around[path] ? path
                               : parent == TL_NONE  ? TL_NONE
                                                    : search->around[parent];
    }
    return true;
}

/* About that path on that device, on all of the process, or on all. */
static uint32_t finding_at(const struct idle_search *search, uint32_t rule,
                           const struct finding_owner *owner, uint32_t path)
{
    uint32_t found = keymap_find(&search->known, key_of(rule, owner->process, owner->device, path));
    if (found == KEYMAP_NONE)
        found = keymap_find(&search->known, key_of(rule, owner->process, TL_NONE, path));
    if (found == KEYMAP_NONE)
        found = keymap_find(&search->known, key_of(rule, TL_NONE, TL_NONE, path));
    return found;
}

static void add_owner(struct idle_search *search, unsigned cause, const struct finding_owner *owner)
{
    const struct range_paths *paths = search->findings->context.paths;
    for (uint32_t rule = 0; finding_rules[rule]; rule++) {
        if (!search->has_findings[rule] || !(finding_rules[rule]->explains & 1u << cause))
            continue;
        uint32_t path = owner->path == TL_NONE ? TL_NONE : search->around[owner->path];
        uint32_t found = finding_at(search, rule, owner, path);
        while (found == KEYMAP_NONE && path != TL_NONE) {
            uint32_t parent = paths->paths.at[path].parent;
            path = parent == TL_NONE ? TL_NONE : search->around[parent];
            found = finding_at(search, rule, owner, path);
        }
        if (found == KEYMAP_NONE)
            continue;
        search->idle[found].ns[cause] += owner->cost_ns;
        finding_parts_join(search->findings->context.steps, &search->idle[found].parts[cause],
                           &owner->parts);
    }
}

bool findings_idle(const struct findings *findings, struct finding_idle *idle)
{
    struct idle_search search = {.findings = findings, .idle = idle};
    const struct finding_gaps *gaps = findings->context.gaps;
    bool listed = list_findings(&search) && find_around(&search);
    for (unsigned cause = 0; cause < GAP_CAUSES && listed; cause++)
        for (uint32_t i = 0; i < gaps->owners[cause].owners.count; i++)
            add_owner(&search, cause, &gaps->owners[cause].owners.at[i]);
    keymap_fini(&search.known);
    free(search.around);
    return listed;
}
