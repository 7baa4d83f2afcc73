/* augment_plan.c - see augment_plan.h. */
#include "augment_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding things again ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, struct text text)
{
    for (size_t i = 0; i < text.size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text.bytes + i, text.size - i < 8 ? text.size - i : 8);
        hash = mix(hash, word);
    }
    return hash;
}

static uint64_t key_of_kernel(int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
    return mix(mix(mix(1, (uint64_t)start_ns), (uint64_t)end_ns), correlation);
}

static uint64_t key_of_range(int64_t start_ns, int64_t duration_ns, struct text name)
{
    return mix_text(mix(mix(2, (uint64_t)start_ns), (uint64_t)duration_ns), name);
}

static bool index_init(struct augment_index *index, uint32_t most)
{
    index->things = malloc(((size_t)most + 1) * sizeof *index->things);
    index->next = malloc(((size_t)most + 1) * sizeof *index->next);
    return index->things && index->next;
}

static void index_fini(struct augment_index *index)
{
    keymap_fini(&index->first);
    free(index->things);
    free(index->next);
}

/* In front of others with the key: add the last thing first. */
static bool index_add(struct augment_index *index, uint64_t key, uint32_t thing)
{
    uint32_t element = index->count++;
    index->things[element] = thing;
    index->next[element] = keymap_find(&index->first, key);
    return keymap_set(&index->first, key, element);
}

typedef bool is_wanted(const struct augment_plan *plan, uint32_t thing,
                       const struct kineto_event *event);

/* The chain ends with an element that stands for nothing, as places of a keymap cannot be emptied. */
static uint32_t take(struct augment_plan *plan, struct augment_index *index, uint64_t key,
                     is_wanted *wanted, const struct kineto_event *event)
{
    uint32_t element = keymap_find(&index->first, key), before = TL_NONE;
    while (element != TL_NONE &&
           (index->things[element] == TL_NONE || !wanted(plan, index->things[element], event))) {
        before = element;
        element = index->next[element];
    }
    if (element == TL_NONE)
        return TL_NONE;
    uint32_t thing = index->things[element], next = index->next[element];
    if (before != TL_NONE)
        index->next[before] = next;
    else if (next != TL_NONE)
        keymap_set(&index->first, key, next);
    else
        index->things[element] = TL_NONE;
    return thing;
}

/* ---- what there is ---- */

static int64_t duration_of(const struct timeline *timeline, uint32_t slice)
{
    return timeline->slices.at[slice].end_ns - timeline->slices.at[slice].start_ns;
}

/* Of ranges in several pieces, all of them. `by_first` has room for every slice, and is 0. */
static void add_pieces(const struct timeline *timeline, int64_t *by_first)
{
    for (uint32_t i = 0; i < timeline->pieces.count; i++)
        by_first[timeline->pieces.at[i].first] +=
            duration_of(timeline, timeline->pieces.at[i].slice);
}

static bool add_owners(struct augment_plan *plan, const bool *gives, const int64_t *more_ns)
{
    const struct timeline *timeline = plan->timeline;
    bool good = true;
    for (uint32_t i = timeline->slices.count; i-- > 0 && good;) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (gives[i])
            good = index_add(&plan->owners,
                             key_of_range(slice->start_ns, duration_of(timeline, i) + more_ns[i],
                                          timeline->names.at[slice->name]),
                             i);
    }
    return good;
}

static bool index_owners(struct augment_plan *plan)
{
    const struct timeline *timeline = plan->timeline;
    size_t slices = (size_t)timeline->slices.count + 1;
    bool *gives = calloc(slices, sizeof *gives);
    int64_t *more_ns = calloc(slices, sizeof *more_ns);
    bool good = gives && more_ns;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->works.count && good; i++) {
        uint32_t slice = plan->works.at[i].slice;
        if (slice == TL_NONE || gives[slice])
            continue;
        gives[slice] = true;
        count++;
    }
    if (good)
        add_pieces(timeline, more_ns);
    good = good && index_init(&plan->owners, count) && add_owners(plan, gives, more_ns);
    free(gives);
    free(more_ns);
    return good;
}

static bool index_kernels(struct augment_plan *plan)
{
    const struct timeline *timeline = plan->timeline;
    bool good = index_init(&plan->kernels, timeline->gpus.count);
    for (uint32_t i = timeline->gpus.count; i-- > 0 && good;) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->kind == TL_KERNEL)
            good = index_add(&plan->kernels,
                             key_of_kernel(gpu->start_ns, gpu->end_ns, gpu->correlation), i);
    }
    return good;
}

bool augment_plan_init(struct augment_plan *plan, const struct timeline *timeline)
{
    *plan = (struct augment_plan){.timeline = timeline};
    bool known = kernel_works_init(&plan->works, timeline);
    return known && range_works_init(&plan->ranges, timeline) && index_kernels(plan) &&
           index_owners(plan);
}

void augment_plan_fini(struct augment_plan *plan)
{
    if (plan->works.at)
        kernel_works_fini(&plan->works);
    if (plan->ranges.of_slice)
        range_works_fini(&plan->ranges);
    index_fini(&plan->kernels);
    index_fini(&plan->owners);
    free(plan->name);
    *plan = (struct augment_plan){0};
}

/* ---- events ---- */

static uint32_t correlation_of(const struct kineto_event *event)
{
    int64_t correlation = kineto_number(&event->args, KINETO_CORRELATION, 0);
    return correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
}

static bool is_kernel(const struct augment_plan *plan, uint32_t gpu,
                      const struct kineto_event *event)
{
    const struct tl_gpu *at = &plan->timeline->gpus.at[gpu];
    return at->start_ns == event->time_ns - plan->zero_ns &&
           at->end_ns - at->start_ns == event->duration_ns &&
           at->correlation == correlation_of(event);
}

static bool is_owner(const struct augment_plan *plan, uint32_t slice,
                     const struct kineto_event *event)
{
    const struct tl_slice *at = &plan->timeline->slices.at[slice];
    struct text name = plan->timeline->names.at[at->name];
    return at->start_ns == event->time_ns - plan->zero_ns && name.size == event->name.size &&
           memcmp(name.bytes, event->name.bytes, name.size) == 0;
}

/* Why no FLOPs are known of a kernel. */
static unsigned reason_of(const struct augment_plan *plan, uint32_t gpu)
{
    const struct timeline *timeline = plan->timeline;
    uint32_t slice = timeline->gpus.at[gpu].slice;
    if (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = timeline->slices.at[slice].parent;
    return slice == TL_NONE ? AUGMENT_NO_RANGE : plan->works.at[gpu].flop_known;
}

static struct augment_work work_of_kernel(struct augment_plan *plan,
                                          const struct kineto_event *event)
{
    int64_t start_ns = event->time_ns - plan->zero_ns;
    uint32_t gpu =
        take(plan, &plan->kernels,
             key_of_kernel(start_ns, start_ns + event->duration_ns, correlation_of(event)),
             is_kernel, event);
    plan->counts.kernels++;
    if (gpu == TL_NONE) {
        plan->counts.without[AUGMENT_NOT_FOUND]++;
        return (struct augment_work){NAN, NAN};
    }
    const struct kernel_work *work = &plan->works.at[gpu];
    if (isfinite(work->flop))
        plan->counts.with_flop++;
    else
        plan->counts.without[reason_of(plan, gpu)]++;
    plan->counts.with_bytes += isfinite(work->bytes) != 0;
    return (struct augment_work){work->flop, work->bytes};
}

static struct augment_work work_of_range(struct augment_plan *plan,
                                         const struct kineto_event *event)
{
    struct text name = {event->name.bytes, event->name.size};
    uint32_t slice = take(plan, &plan->owners,
                          key_of_range(event->time_ns - plan->zero_ns, event->duration_ns, name),
                          is_owner, event);
    uint32_t at = slice == TL_NONE ? TL_NONE : plan->ranges.of_slice[slice];
    if (at == TL_NONE)
        return (struct augment_work){NAN, NAN};
    const struct op_work *work = &plan->ranges.all.at[at].work;
    return (struct augment_work){work->flop, work->bytes};
}

/* The event with a name that is as in the timeline. */
static struct kineto_event plainly(struct augment_plan *plan, const struct kineto_event *event)
{
    struct kineto_event plain = *event;
    if (!event->name.escaped)
        return plain;
    if (event->name.size > plan->name_room) {
        char *name = realloc(plan->name, event->name.size);
        plan->failed |= !name;
        if (!name)
            return plain;
        plan->name = name;
        plan->name_room = event->name.size;
    }
    plain.name.size = (uint32_t)json_unescape(&event->name, plan->name);
    plain.name.bytes = plan->name;
    return plain;
}

/* The reader counts from the first event that it takes a time of. */
static void see_time(struct augment_plan *plan, const struct kineto_event *event)
{
    bool counts =
        event->phase && strchr("XBEbeSFCiIRn", event->phase) && (event->flags & KINETO_EVENT_TIME);
    if (plan->has_zero || !counts)
        return;
    plan->zero_ns = event->time_ns;
    plan->has_zero = true;
}

struct augment_work augment_plan_work(struct augment_plan *plan, const struct kineto_event *event)
{
    see_time(plan, event);
    if (event->phase != 'X' || !(event->flags & KINETO_EVENT_TIME))
        return (struct augment_work){NAN, NAN};
    if (event->category == KINETO_KERNEL)
        return work_of_kernel(plan, event);
    if (kineto_is_device(event->category) || event->category == KINETO_RUNTIME_CALL ||
        event->category == KINETO_DRIVER_CALL || event->category == KINETO_PYTHON)
        return (struct augment_work){NAN, NAN};
    struct kineto_event plain = plainly(plan, event);
    return work_of_range(plan, &plain);
}

const char *augment_reason_text(unsigned reason)
{
    if (reason == AUGMENT_NO_RANGE)
        return "launched by no operator in the file";
    if (reason == AUGMENT_NOT_FOUND)
        return "without a place in the timeline";
    return op_known_text((enum op_known)reason);
}
