/* finding_owners.c - see finding_owners.h. */
#include "finding_owners.h"

#include "stack_of.h"

#include <stdlib.h>
#include <string.h>

void finding_owners_fini(struct finding_owners *owners)
{
    free(owners->owners.at);
    keymap_fini(&owners->known);
    *owners = (struct finding_owners){0};
}

/* Devices and processes are few: 16 bits each; what is beyond shares a row, never a device's row. */
static uint64_t key_of(uint32_t process, uint32_t device, uint32_t path)
{
    uint64_t place = (uint64_t)(process & 0xffff) << 16 | (device & 0xffff);
    return place << 32 | path;
}

static struct finding_owner *owner_of(struct finding_owners *owners, uint32_t process,
                                      uint32_t device, uint32_t path)
{
    uint64_t key = key_of(process, device, path);
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

struct finding_owner *finding_owners_add(struct finding_owners *owners,
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

static void merge(struct finding_owner *into, const struct finding_owner *from)
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

static bool index_again(struct finding_owners *owners)
{
    keymap_fini(&owners->known);
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        const struct finding_owner *owner = &owners->owners.at[i];
        if (!keymap_set(&owners->known, key_of(owner->process, owner->device, owner->path), i))
            return false;
    }
    return true;
}

/* The owner outside of every range, of the same device: there is one for each device. */
static uint32_t outermost_of(const struct finding_owners *owners, const struct finding_owner *owner)
{
    return keymap_find(&owners->known, key_of(owner->process, owner->device, TL_NONE));
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

static void hand_out(struct finding_owners *owners, const struct finding_context *context,
                     const int64_t *sums_ns)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < owners->owners.count; i++) {
        struct finding_owner owner = owners->owners.at[i];
        if (stands_alone(context, &owner, sums_ns[outermost_of(owners, &owner)])) {
            owners->owners.at[kept++] = owner;
        } else if (owner.path != TL_NONE && owner.count) {
            uint32_t parent = context->paths->paths.at[owner.path].parent;
            merge(owner_of(owners, owner.process, owner.device, parent), &owner);
        }
    }
    owners->owners.count = kept;
}

bool finding_owners_copy(struct finding_owners *to, const struct finding_owners *from)
{
    uint32_t count = from->owners.count;
    *to = (struct finding_owners){0};
    to->owners.at = malloc((count + (size_t)1) * sizeof *to->owners.at);
    if (!to->owners.at)
        return false;
    if (count)
        memcpy(to->owners.at, from->owners.at, count * sizeof *to->owners.at);
    to->owners.count = to->owners.capacity = count;
    if (index_again(to))
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
    int64_t *sums_ns = index_again(owners) ? sum_devices(owners) : NULL;
    if (!sums_ns)
        return false;
    hand_out(owners, context, sums_ns);
    free(sums_ns);
    keymap_fini(&owners->known); /* the places are gone */
    qsort(owners->owners.at, owners->owners.count, sizeof *owners->owners.at, by_cost);
    return true;
}

void finding_owners_drop(struct finding_owners *owners, uint64_t least_count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < owners->owners.count; i++)
        if (owners->owners.at[i].count >= least_count)
            owners->owners.at[kept++] = owners->owners.at[i];
    owners->owners.count = kept;
    owners->failed |= !index_again(owners);
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
    if (owner->slice != TL_NONE)
        finding.stack = stack_of_slice(context->timeline, owner->slice);
    if (finding.stack == TL_NONE && owner->call != TL_NONE)
        finding.stack = stack_of_slice(context->timeline, owner->call);
    return finding;
}
