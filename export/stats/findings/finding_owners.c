#include "finding_owners.h"

#include "finding_gaps.h"
#include "rules.h"
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

void finding_owners_fini(struct finding_owners *owners)
{
    free(owners->owners.at);
    keymap_fini(&owners->known);
    *owners = (struct finding_owners){0};
}

/* Devices and processes are few: 16 bits each; what is beyond shares a row, never a device's
 * row. */
static uint64_t owner_key(uint32_t process, uint32_t device, uint32_t path)
{
    uint64_t place = (uint64_t)(process & 0xffff) << 16 | (device & 0xffff);
    return place << 32 | path;
}

static struct finding_owner *owner_of(struct finding_owners *owners, uint32_t process,
                                      uint32_t device, uint32_t path)
{
    uint64_t key = owner_key(process, device, path);
    uint32_t known = keymap_find(&owners->known, key);
    if (known != KEYMAP_NONE)
        return &owners->owners.at[known];
    struct finding_owner *owner = ARRAY_ADD(&owners->owners);
    if (!owner || !keymap_set(&owners->known, key, owners->owners.count - 1)) {
        owners->failed = true;
        return NULL;
    }
    *owner = (struct finding_owner){
        .process = process, .device = device, .path = path, .slice = TL_NONE, .call = TL_NONE};
    return owner;
}

static struct finding_owner *add_cost(struct finding_owners *owners,
                                      const struct finding_context *context, uint32_t process,
                                      uint32_t device, uint32_t slice, int64_t cost_ns)
{
    uint32_t path = slice == TL_NONE ? TL_NONE : range_paths_of(context->paths, slice);
    owners->failed |= context->paths->failed;
    struct finding_owner *owner = owners->failed ? NULL : owner_of(owners, process, device, path);
    if (!owner)
        return NULL;
    if (owner->count == 0 || cost_ns > owner->largest_ns) {
        owner->slice = slice;
        owner->largest_ns = cost_ns;
    }
    owner->count++;
    owner->cost_ns += cost_ns;
    return owner;
}

static uint32_t step_of(const struct finding_context *context, uint32_t process, uint32_t slice)
{
    if (slice == TL_NONE || process == TL_NONE)
        return TL_NONE;
    return finding_steps_at(context->steps, process, context->timeline->slices.at[slice].start_ns);
}

struct finding_owner *finding_owners_add(struct finding_owners *owners,
                                         const struct finding_context *context, uint32_t process,
                                         uint32_t device, uint32_t slice, int64_t cost_ns)
{
    struct finding_owner *owner = add_cost(owners, context, process, device, slice, cost_ns);
    if (owner && context->steps)
        finding_parts_add(context->steps, &owner->parts, step_of(context, process, slice),
                          (struct finding_amounts){.count = 1, .cost_ns = cost_ns});
    return owner;
}

struct finding_owner *finding_owners_add_time(struct finding_owners *owners,
                                              const struct finding_context *context,
                                              uint32_t process, uint32_t device, uint32_t slice,
                                              int64_t start_ns, int64_t end_ns)
{
    struct finding_owner *owner =
        add_cost(owners, context, process, device, slice, end_ns - start_ns);
    if (owner && context->steps) {
        finding_parts_add(context->steps, &owner->parts,
                          finding_steps_at(context->steps, process, start_ns),
                          (struct finding_amounts){.count = 1});
        finding_parts_add_time(context->steps, &owner->parts, process, start_ns, end_ns,
                               (struct finding_amounts){.cost_ns = 1});
    }
    return owner;
}

void finding_owner_adjust(struct finding_owner *owner, const struct finding_context *context,
                          int64_t count, int64_t saved_ns)
{
    owner->count += (uint64_t)count;
    owner->saved_ns += saved_ns;
    if (context->steps && owner->parts.last)
        finding_parts_add(context->steps, &owner->parts,
                          context->steps->parts.at[owner->parts.last - 1].step,
                          (struct finding_amounts){.count = count, .saved_ns = saved_ns});
}

/* `from` is not an owner any more. */
static void merge_owner(const struct finding_context *context, struct finding_owner *into,
                        const struct finding_owner *from)
{
    if (into->count == 0 || from->largest_ns > into->largest_ns) {
        into->slice = from->slice;
        into->call = from->call;
        into->largest_ns = from->largest_ns;
    }
    into->count += from->count;
    into->cost_ns += from->cost_ns;
    into->saved_ns += from->saved_ns;
    into->more += from->more;
    finding_parts_move(context->steps, &into->parts, &from->parts);
}

/* Deepest paths first: a path's number is larger than that of what is around it. Outside of every
 * range comes last. */
static int by_path(const void *left, const void *right)
{
    const struct finding_owner *a = left, *b = right;
    uint32_t a_path = a->path + 1, b_path = b->path + 1;
    return (a_path < b_path) - (a_path > b_path);
}

static int by_cost(const void *left, const void *right)
{
    const struct finding_owner *a = left, *b = right;
    if (a->cost_ns != b->cost_ns)
        return (a->cost_ns < b->cost_ns) - (a->cost_ns > b->cost_ns);
    return (a->path > b->path) - (a->path < b->path);
}

/* Every range around an owner is one too, so that there is a way out. */
static bool add_parents(struct finding_owners *owners, const struct finding_context *context)
{
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        struct finding_owner owner = owners->owners.at[i];
        if (owner.path == TL_NONE)
            continue;
        uint32_t parent = context->paths->paths.at[owner.path].parent;
        if (!owner_of(owners, owner.process, owner.device, parent))
            return false;
    }
    return true;
}

static bool reindex(struct finding_owners *owners)
{
    keymap_fini(&owners->known);
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        const struct finding_owner *owner = &owners->owners.at[i];
        if (!keymap_set(&owners->known, owner_key(owner->process, owner->device, owner->path), i))
            return false;
    }
    return true;
}

/* The owner outside of every range, of the same device: there is one for each device. */
static uint32_t outermost_of(const struct finding_owners *owners, const struct finding_owner *owner)
{
    return keymap_find(&owners->known, owner_key(owner->process, owner->device, TL_NONE));
}

/* All that was found on a device, by the place of its outermost owner. NULL: no memory. */
static int64_t *sum_devices(const struct finding_owners *owners)
{
    int64_t *sums_ns = calloc(owners->owners.count, sizeof *sums_ns);
    for (uint32_t i = 0; i < owners->owners.count && sums_ns; i++)
        sums_ns[outermost_of(owners, &owners->owners.at[i])] += owners->owners.at[i].cost_ns;
    return sums_ns;
}

static bool stands_alone(const struct finding_context *context, const struct finding_owner *owner,
                         int64_t sum_ns)
{
    return finding_is_worth(context, owner->cost_ns) &&
           (owner->path == TL_NONE ||
            (double)owner->cost_ns >= context->limits->owner_share * (double)sum_ns);
}

static void merge_into_parents(struct finding_owners *owners, const struct finding_context *context,
                               const int64_t *sums_ns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        struct finding_owner owner = owners->owners.at[i];
        if (stands_alone(context, &owner, sums_ns[outermost_of(owners, &owner)])) {
            owners->owners.at[kept++] = owner;
        } else if (owner.path != TL_NONE && owner.count) {
            uint32_t parent = context->paths->paths.at[owner.path].parent;
            merge_owner(context, owner_of(owners, owner.process, owner.device, parent), &owner);
        } else {
            finding_leave_short(context, owner.count, owner.cost_ns);
        }
    }
    owners->owners.count = kept;
}

static void copy_parts(struct finding_owners *owners, struct finding_steps *steps)
{
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        const struct finding_parts shared = owners->owners.at[i].parts;
        owners->owners.at[i].parts = (struct finding_parts){0};
        finding_parts_join(steps, &owners->owners.at[i].parts, &shared);
    }
}

bool finding_owners_copy(struct finding_owners *to, const struct finding_owners *from,
                         struct finding_steps *steps)
{
    uint32_t count = from->owners.count;
    *to = (struct finding_owners){0};
    to->owners.at = malloc((count + (size_t)1) * sizeof *to->owners.at);
    if (!to->owners.at)
        return false;
    if (count)
        memcpy(to->owners.at, from->owners.at, count * sizeof *to->owners.at);
    to->owners.count = to->owners.capacity = count;
    copy_parts(to, steps);
    if (reindex(to))
        return true;
    finding_owners_fini(to);
    return false;
}

bool finding_owners_gather(struct finding_owners *owners, const struct finding_context *context)
{
    if (owners->failed || !add_parents(owners, context))
        return false;
    if (owners->owners.count == 0)
        return true;
    qsort(owners->owners.at, owners->owners.count, sizeof *owners->owners.at, by_path);
    int64_t *sums_ns = reindex(owners) ? sum_devices(owners) : NULL;
    if (!sums_ns)
        return false;
    merge_into_parents(owners, context, sums_ns);
    free(sums_ns);
    keymap_fini(&owners->known); /* the places are gone */
    qsort(owners->owners.at, owners->owners.count, sizeof *owners->owners.at, by_cost);
    return true;
}

void finding_owners_drop(struct finding_owners *owners, const struct finding_context *context,
                         uint64_t least_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        const struct finding_owner *owner = &owners->owners.at[i];
        if (owner->count >= least_count)
            owners->owners.at[kept++] = *owner;
        else
            finding_leave_rare(context, owner->count, owner->cost_ns);
    }
    owners->owners.count = kept;
    owners->failed |= !reindex(owners);
}

struct finding finding_of_owner(const struct finding_context *context,
                                const struct finding_rule *rule, const struct finding_owner *owner)
{
    struct finding finding = FINDING_OF_ALL;
    finding.rule = rule;
    finding.process = owner->process;
    finding.device = owner->device;
    finding.path = owner->path;
    finding.slice = owner->slice;
    finding.count = owner->count;
    finding.cost_ns = owner->cost_ns;
    finding.saved_ns = owner->saved_ns;
    finding.parts = owner->parts;
    if (owner->slice != TL_NONE)
        finding.stack = stack_of_slice(context->timeline, owner->slice);
    if (finding.stack == TL_NONE && owner->call != TL_NONE) {
        finding.stack = stack_of_slice(context->timeline, owner->call);
        finding.stack_of = rule == &gap_rules[GAP_END] ? FINDING_STACK_LAST : FINDING_STACK_NEXT;
    }
    return finding;
}

/* ---- what rules have in common ---- */

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

/* By name, of the names that calls have. `all`: how many there are, and what they took. NULL: no
 * memory. */
static bool *wanted_names(const struct finding_context *context, bool (*wanted)(struct text name),
                          struct finding_below *all)
{
    const struct call_stats *calls = &context->facts->calls;
    bool *names = calloc((size_t)context->timeline->names.count + 1, sizeof *names);
    *all = (struct finding_below){0};
    for (uint32_t i = 0; i < calls->count && names; i++)
        if (wanted(context->timeline->names.at[calls->at[i].name])) {
            names[calls->at[i].name] = true;
            all->count += calls->at[i].count;
            all->cost_ns += calls->at[i].sum_ns;
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
    for (unsigned calls = 0; slice->parent != TL_NONE && calls < TL_CALLS_AROUND_MAX; calls++) {
        slice = &timeline->slices.at[slice->parent];
        if (slice->kind != TL_API)
            return false;
        if (is_wanted(timeline, names, slice))
            return true;
    }
    return false;
}

static bool add_wanted_calls(struct finding_owners *owners, const struct finding_context *context,
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
    struct finding_below all;
    bool *names = wanted_names(context, wanted, &all);
    if (!names)
        return false;
    bool is_worth = finding_is_worth(context, all.cost_ns);
    bool done = !is_worth || add_wanted_calls(owners, context, names);
    free(names);
    if (!is_worth)
        finding_leave_short(context, all.count, all.cost_ns);
    if (done && least > 1)
        finding_owners_drop(owners, context, least);
    return done;
}

/* ---- telling ---- */

void rule_save_host(const struct finding_context *context, struct finding *finding)
{
    int64_t most_ns = finding->process == TL_NONE
                          ? context->wall_ns
                          : finding_gaps_bound(context->gaps, finding->process);
    finding->saved_ns = finding->cost_ns < most_ns ? finding->cost_ns : most_ns;
    finding->saving = FINDING_SAVES_IDLE;
}

static bool report_owner(const struct finding_owner *owner, const struct finding_context *context,
                         const struct finding_rule *rule, struct findings *findings,
                         rule_words *words, enum finding_saving saving)
{
    char sentence[FINDING_SENTENCE_BYTES];
    struct finding finding = finding_of_owner(context, rule, owner);
    finding.saving = saving;
    if (saving == FINDING_SAVES_IDLE)
        rule_save_host(context, &finding);
    if (!finding_is_worth(context, finding.saved_ns)) {
        finding_leave_little(context, finding.count, finding.cost_ns);
        return true;
    }
    words(context, owner, sentence);
    return findings_add(findings, context, &finding, "%s", sentence);
}

static bool report_owners(struct finding_owners *owners, const struct finding_context *context,
                          const struct finding_rule *rule, struct findings *findings,
                          rule_words *words, enum finding_saving saving)
{
    bool done = finding_owners_gather(owners, context);
    for (uint32_t i = 0; i < owners->owners.count && done; i++)
        done = report_owner(&owners->owners.at[i], context, rule, findings, words, saving);
    finding_owners_fini(owners);
    return done;
}

bool rule_report(struct finding_owners *owners, const struct finding_context *context,
                 const struct finding_rule *rule, struct findings *findings, rule_words *words)
{
    return report_owners(owners, context, rule, findings, words, FINDING_SAVES_SUM);
}

bool rule_report_host(struct finding_owners *owners, const struct finding_context *context,
                      const struct finding_rule *rule, struct findings *findings, rule_words *words)
{
    return report_owners(owners, context, rule, findings, words, FINDING_SAVES_IDLE);
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
