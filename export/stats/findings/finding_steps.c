#include "finding_steps.h"

#include "array.h"

#include <stdlib.h>

void finding_steps_fini(struct finding_steps *steps)
{
    if (steps)
        free(steps->parts.at);
}

uint32_t finding_steps_at(const struct finding_steps *steps, uint32_t process, int64_t time_ns)
{
    uint32_t step = steps ? steps_find(steps->all, process, time_ns) : TL_NONE;
    return step != TL_NONE && steps->is_apart[step] ? step : TL_NONE;
}

/* A part that several lists have is not changed but for its `next`, which those that end with it do
 * not follow. */
static void append(struct finding_steps *steps, struct finding_parts *to, uint32_t step,
                   struct finding_amounts amounts)
{
    struct finding_part *part = ARRAY_ADD(&steps->parts);
    if (!part) {
        steps->failed = true;
        return;
    }
    *part = (struct finding_part){.step = step, .amounts = amounts};
    if (to->last)
        steps->parts.at[to->last - 1].next = steps->parts.count;
    else
        to->first = steps->parts.count;
    to->last = steps->parts.count;
}

void finding_parts_add(struct finding_steps *steps, struct finding_parts *to, uint32_t step,
                       struct finding_amounts amounts)
{
    if (!steps || steps->failed)
        return;
    struct finding_part *last = to->last ? &steps->parts.at[to->last - 1] : NULL;
    if (!last || last->step != step) {
        append(steps, to, step, amounts);
        return;
    }
    last->amounts.count += amounts.count;
    last->amounts.cost_ns += amounts.cost_ns;
    last->amounts.saved_ns += amounts.saved_ns;
    last->amounts.most_ns += amounts.most_ns;
}

static void add_length(struct finding_steps *steps, struct finding_parts *to, uint32_t step,
                       int64_t ns, const struct finding_amounts *per_ns)
{
    const struct finding_amounts amounts = {per_ns->count * ns, per_ns->cost_ns * ns,
                                            per_ns->saved_ns * ns, per_ns->most_ns * ns};
    if (ns > 0)
        finding_parts_add(steps, to, step, amounts);
}

/* A step has the time until it ends or the next one begins, as steps_find() has it. */
void finding_parts_add_time(struct finding_steps *steps, struct finding_parts *to, uint32_t process,
                            int64_t start_ns, int64_t end_ns, struct finding_amounts per_ns)
{
    if (!steps)
        return;
    const struct steps *all = steps->all;
    uint32_t next = steps_first_after(all, process, start_ns);
    while (start_ns < end_ns) {
        uint32_t step = finding_steps_at(steps, process, start_ns);
        int64_t until_ns = end_ns;
        if (next < all->first[process + 1] && all->at.at[next].start_ns < until_ns)
            until_ns = all->at.at[next].start_ns;
        if (step != TL_NONE && all->at.at[step].end_ns < until_ns)
            until_ns = all->at.at[step].end_ns;
        add_length(steps, to, step, until_ns - start_ns, &per_ns);
        start_ns = until_ns;
        while (next < all->first[process + 1] && all->at.at[next].start_ns <= start_ns)
            next++;
    }
}

void finding_parts_join(struct finding_steps *steps, struct finding_parts *to,
                        const struct finding_parts *from)
{
    if (!steps)
        return;
    for (uint32_t at = from->first; at && !steps->failed;) {
        const struct finding_part part = steps->parts.at[at - 1];
        append(steps, to, part.step, part.amounts);
        at = at == from->last ? 0 : part.next;
    }
}

void finding_parts_move(struct finding_steps *steps, struct finding_parts *to,
                        const struct finding_parts *from)
{
    if (!steps || !from->last)
        return;
    if (to->last)
        steps->parts.at[to->last - 1].next = from->first;
    else
        to->first = from->first;
    to->last = from->last;
}

const struct finding_part *finding_parts_next(const struct finding_steps *steps,
                                              const struct finding_parts *parts,
                                              const struct finding_part *part)
{
    uint32_t at = part ? (uint32_t)(part - steps->parts.at) + 1 : 0;
    if (part && at == parts->last)
        return NULL;
    uint32_t next = part ? part->next : parts->first;
    return next ? &steps->parts.at[next - 1] : NULL;
}
