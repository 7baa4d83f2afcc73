/* finding_causes.c - the order of findings, and which of them have one cause. */
#include "findings.h"
#include "maps.h"
#include "rules.h"

#include <stdlib.h>
#include <string.h>

bool finding_has_owner(const struct finding *finding)
{
    return finding->path != TL_NONE || finding->stack != TL_NONE;
}

/* If two save the same, the one of a rule about calls comes first: its remedy is more specific. */
static int by_owner_and_saved(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    if (finding_has_owner(a) != finding_has_owner(b))
        return finding_has_owner(a) ? -1 : 1;
    if (a->saved_ns != b->saved_ns)
        return (a->saved_ns < b->saved_ns) - (a->saved_ns > b->saved_ns);
    if (a->cost_ns != b->cost_ns)
        return (a->cost_ns < b->cost_ns) - (a->cost_ns > b->cost_ns);
    if (rule_is_about_idle(a->rule) != rule_is_about_idle(b->rule))
        return rule_is_about_idle(a->rule) ? 1 : -1;
    return strcmp(a->sentence, b->sentence);
}

/* Two rules about one cause of idle time in one place see the same: copies of pageable memory, and
 * a device that waits for them. 0: the finding has no such place or cause. */
static uint64_t cause_key(const struct finding *finding, uint32_t device)
{
    uint32_t cause = finding->rule->explains;
    bool is_one = cause && !(cause & (cause - 1));
    uint64_t place = keymap_mix(keymap_mix(cause, finding->process), finding->path);
    return is_one && finding->path != TL_NONE ? keymap_mix(place, device) | 1 : 0;
}

static bool has_one_cause(const struct finding *first, const struct finding *other)
{
    return first->rule != other->rule && first->rule->explains == other->rule->explains &&
           first->process == other->process && first->path == other->path &&
           (first->device == other->device || first->device == TL_NONE || other->device == TL_NONE);
}

/* That on the same device, or else on any or no device; KEYMAP_NONE. */
static uint32_t find_first(const struct keymap *known, const struct finding *finding)
{
    uint32_t first = keymap_find(known, cause_key(finding, finding->device));
    return first != KEYMAP_NONE ? first : keymap_find(known, cause_key(finding, TL_NONE));
}

static bool keep_first(struct keymap *known, const struct finding *finding, uint32_t place)
{
    const uint64_t keys[] = {cause_key(finding, finding->device), cause_key(finding, TL_NONE)};
    bool kept = true;
    for (size_t i = 0; i < 2 && kept; i++)
        if (keymap_find(known, keys[i]) == KEYMAP_NONE)
            kept = keymap_set(known, keys[i], place);
    return kept;
}

/* `first` shows the stack of the other if it has none. */
static bool join(struct findings *findings, struct finding *first, const struct finding *other)
{
    struct finding *also = ARRAY_ADD(&findings->also);
    if (!also)
        return false;
    *also = *other;
    also->also = first->also;
    first->also = findings->also.count;
    if (first->stack == TL_NONE) {
        first->stack = other->stack;
        first->stack_of = other->stack_of;
    }
    return true;
}

bool findings_order(struct findings *findings)
{
    struct finding *found = findings->found.at;
    struct keymap known = {0};
    bool done = true;
    uint32_t kept = 0;
    if (findings->found.count)
        qsort(found, findings->found.count, sizeof *found, by_owner_and_saved);
    for (uint32_t i = 0; i < findings->found.count && done; i++) {
        bool has_cause = cause_key(&found[i], TL_NONE) != 0;
        uint32_t first = has_cause ? find_first(&known, &found[i]) : KEYMAP_NONE;
        if (first != KEYMAP_NONE && has_one_cause(&found[first], &found[i])) {
            done = join(findings, &found[first], &found[i]);
            continue;
        }
        if (has_cause)
            done = keep_first(&known, &found[i], kept);
        found[kept++] = found[i];
    }
    keymap_fini(&known);
    findings->found.count = done ? kept : findings->found.count;
    return done;
}
