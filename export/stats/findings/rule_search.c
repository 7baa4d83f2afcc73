/* rule_search.c - see rule_search.h. */
#include "rule_search.h"

#include "finding_facts.h"

#include <stdlib.h>
#include <string.h>

bool rule_add_operations(struct finding_owners *owners, const struct finding_context *context,
                         rule_operation *add)
{
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        if (tl_is_work(&timeline->gpus.at[i]) && !add(owners, context, &timeline->gpus.at[i]))
            return false;
    return true;
}

/* ---- calls ---- */

/* By name, of the names that calls have. `*sum_ns`: what all of them took. NULL: no memory. */
static bool *wanted_names(const struct finding_context *context, bool (*wanted)(struct text name),
                          int64_t *sum_ns)
{
    const struct call_stats *calls = &context->facts->calls;
    bool *names = calloc((size_t)context->timeline->names.count + 1, sizeof *names);
    *sum_ns = 0;
    for (uint32_t i = 0; i < calls->count && names; i++)
        if (wanted(context->timeline->names.at[calls->at[i].name])) {
            names[calls->at[i].name] = true;
            *sum_ns += calls->at[i].sum_ns;
        }
    return names;
}

static bool is_wanted(const struct timeline *timeline, const bool *names,
                      const struct tl_slice *slice)
{
    return slice->kind == TL_API && !(slice->flags & TL_INTERNAL) &&
           slice->name < timeline->names.count && names[slice->name];
}

static bool is_within_another(const struct timeline *timeline, const bool *names,
                              const struct tl_slice *slice)
{
    while (slice->parent != TL_NONE) {
        slice = &timeline->slices.at[slice->parent];
        if (slice->kind != TL_API)
            return false;
        if (is_wanted(timeline, names, slice))
            return true;
    }
    return false;
}

static bool add_calls(struct finding_owners *owners, const struct finding_context *context,
                      const bool *names)
{
    const struct timeline *timeline = context->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (is_wanted(timeline, names, slice) && !is_within_another(timeline, names, slice) &&
            !finding_owners_add(owners, context, timeline->threads.at[slice->thread].process,
                                TL_NONE, i, slice->end_ns - slice->start_ns))
            return false;
    }
    return true;
}

bool rule_add_calls(struct finding_owners *owners, const struct finding_context *context,
                    bool (*wanted)(struct text name), uint64_t least)
{
    int64_t sum_ns;
    bool *names = wanted_names(context, wanted, &sum_ns);
    if (!names)
        return false;
    bool done = !finding_is_worth(context, sum_ns) || add_calls(owners, context, names);
    free(names);
    if (done && least > 1)
        finding_owners_drop(owners, least);
    return done;
}

/* ---- telling ---- */

int64_t rule_host_saving(const struct finding_context *context, uint32_t process, int64_t cost_ns)
{
    int64_t most_ns =
        process == TL_NONE ? context->wall_ns : finding_gaps_bound(context->gaps, process);
    return cost_ns < most_ns ? cost_ns : most_ns;
}

static bool tell_one(const struct finding_owner *owner, const struct finding_context *context,
                     const struct finding_rule *rule, struct findings *findings, rule_words *words,
                     int64_t saved_ns)
{
    char sentence[FINDING_SENTENCE_BYTES];
    struct finding finding = finding_of_owner(context, rule, owner);
    finding.saved_ns = saved_ns;
    words(context, owner, sentence);
    return findings_add(findings, context, &finding, "%s", sentence);
}

static bool tell(struct finding_owners *owners, const struct finding_context *context,
                 const struct finding_rule *rule, struct findings *findings, rule_words *words,
                 bool host)
{
    bool done = finding_owners_gather(owners, context);
    for (uint32_t i = 0; i < owners->owners.count && done; i++) {
        const struct finding_owner *owner = &owners->owners.at[i];
        int64_t saved_ns =
            host ? rule_host_saving(context, owner->process, owner->cost_ns) : owner->saved_ns;
        if (finding_is_worth(context, saved_ns))
            done = tell_one(owner, context, rule, findings, words, saved_ns);
    }
    finding_owners_fini(owners);
    return done;
}

bool rule_tell(struct finding_owners *owners, const struct finding_context *context,
               const struct finding_rule *rule, struct findings *findings, rule_words *words)
{
    return tell(owners, context, rule, findings, words, false);
}

bool rule_tell_host(struct finding_owners *owners, const struct finding_context *context,
                    const struct finding_rule *rule, struct findings *findings, rule_words *words)
{
    return tell(owners, context, rule, findings, words, true);
}

bool rule_name_in(struct text name, const char *const *names)
{
    for (; *names; names++) {
        size_t size = strcspn(*names, "*");
        if (name.size >= size && memcmp(name.bytes, *names, size) == 0 &&
            ((*names)[size] || name.size == size))
            return true;
    }
    return false;
}
