#include "collectives.h"

#include "maps.h"

#include <errno.h>
#include <stdlib.h>

struct search {
    struct collectives *found;
    const struct recording *recording;
    struct unit *unit;
    bool failed; /* no memory */
};

#define NOTHING_OF_NCCL \
    .counted = -1, .channels = -1, .algorithm = TL_NONE, .protocol = TL_NONE, .type = TL_NONE

static bool holds(struct text text, const char *part)
{
    return text.size && memmem(text.bytes, text.size, part, strlen(part)) != NULL;
}

/* A number, or a text of digits. */
static bool whole_of(const struct timeline *timeline, const struct tl_attr *attr, uint64_t *value)
{
    char digits[24], *end;
    *value = attr->value;
    if (attr->type == PROF_ATTR_INT)
        return (int64_t)attr->value >= 0;
    if (attr->type == PROF_ATTR_UINT || attr->type == PROF_ATTR_HEX)
        return true;
    if (attr->type != PROF_ATTR_STRING || attr->value >= timeline->names.count)
        return false;
    struct text text = timeline->names.at[attr->value];
    if (text.size == 0 || text.size >= sizeof digits || text.bytes[0] < '0' || text.bytes[0] > '9')
        return false;
    memcpy(digits, text.bytes, text.size);
    digits[text.size] = '\0';
    errno = 0;
    *value = strtoull(digits, &end, 10);
    return !*end && errno == 0;
}

/* ---- NCCL's ranges ---- */

/* A range, a begin/end range or a mark. */
struct owner {
    int64_t start_ns;
    uint32_t name, label, thread, slice;
    bool shown;
};

static struct owner owner_slice(const struct timeline *timeline, uint32_t index)
{
    const struct tl_slice *slice = &timeline->slices.at[index];
    return (struct owner){slice->start_ns, slice->name, tl_slice_label(slice),
                          slice->thread,   index,       slice_is_shown(timeline, slice)};
}

static struct owner owner_async(const struct timeline *timeline, uint32_t index)
{
    const struct tl_async *async = &timeline->asyncs.at[index];
    return (struct owner){async->start_ns, async->name, async->label, async->thread, TL_NONE, true};
}

static struct owner owner_mark(const struct timeline *timeline, uint32_t index)
{
    const struct tl_mark *mark = &timeline->marks.at[index];
    return (struct owner){mark->time_ns, mark->name, mark->label, mark->thread, TL_NONE, true};
}

static int64_t count_of(const struct timeline *timeline, const struct tl_attr *attr, int64_t max)
{
    uint64_t value;
    return whole_of(timeline, attr, &value) && value <= (uint64_t)max ? (int64_t)value : -1;
}

static uint32_t text_of(const struct timeline *timeline, const struct tl_attr *attr)
{
    bool is_text = attr->type == PROF_ATTR_STRING && attr->value < timeline->names.count;
    return is_text ? (uint32_t)attr->value : TL_NONE;
}

static enum nccl_key key_of(const struct recording *recording, uint32_t name)
{
    enum nccl_key key = 0;
    while (key < NCCL_KEYS && recording->nccl_keys[key] != name)
        key++;
    return key;
}

static void read_attr(const struct recording *recording, const struct tl_attr *attr,
                      struct collective *collective)
{
    const struct timeline *timeline = recording->timeline;
    switch (key_of(recording, attr->key)) {
    case NCCL_COMMUNICATOR:
        collective->has_communicator = whole_of(timeline, attr, &collective->communicator);
        break;
    case NCCL_BYTES:
        collective->has_bytes =
            whole_of(timeline, attr, &collective->bytes) && collective->bytes <= INT64_MAX;
        break;
    case NCCL_CALL:
        collective->call = whole_of(timeline, attr, &collective->call) ? collective->call : 0;
        break;
    case NCCL_COUNTED:
        collective->counted = count_of(timeline, attr, INT64_MAX);
        break;
    case NCCL_CHANNELS:
        collective->channels = (int32_t)count_of(timeline, attr, INT32_MAX);
        break;
    case NCCL_ALGORITHM:
        collective->algorithm = text_of(timeline, attr);
        break;
    case NCCL_PROTOCOL:
        collective->protocol = text_of(timeline, attr);
        break;
    case NCCL_TYPE:
        collective->type = text_of(timeline, attr);
        break;
    case NCCL_KEYS:
        break;
    }
}

/* Attributes of one owner; of several for one key, the last counts. */
static void read_attrs(const struct search *search, struct tl_attrs attrs,
                       struct collective *collective)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        read_attr(search->recording, &attrs.at[i], collective);
}

static bool has_key(struct tl_attrs attrs, uint32_t key)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (attrs.at[i].key == key)
            return true;
    return false;
}

static void add_range(struct search *search, const struct owner *owner, struct tl_attrs attrs)
{
    const struct recording *recording = search->recording;
    const struct timeline *timeline = recording->timeline;
    uint32_t name = name_place(recording, tl_shown_name(timeline, owner->name, owner->label));
    if (!owner->shown || unit_of_thread(recording, owner->thread) != search->unit ||
        !has_key(attrs, recording->nccl_keys[NCCL_COMMUNICATOR]) ||
        !timeline_label_is_of(timeline, owner->label, "NCCL") ||
        holds(name_text(recording, name), "Init"))
        return;
    struct collective *added = ARRAY_ADD(&search->found->all);
    search->failed |= !added;
    if (!added)
        return;
    *added = (struct collective){.called_ns = owner->start_ns,
                                 .called = true,
                                 .start_ns = INT64_MAX,
                                 .end_ns = INT64_MIN,
                                 .step = step_at(search->unit, owner->start_ns),
                                 .name = name,
                                 .slice = owner->slice,
                                 NOTHING_OF_NCCL};
    read_attrs(search, attrs, added);
}

static void add_ranges(struct search *search, const struct tl_attr *attrs, uint32_t count,
                       struct owner (*owner_at)(const struct timeline *timeline, uint32_t index))
{
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && attrs[end].slice == attrs[first].slice;)
            end++;
        struct owner owner = owner_at(search->recording->timeline, attrs[first].slice);
        add_range(search, &owner, (struct tl_attrs){attrs + first, end - first});
    }
}

/* ---- their kernels ---- */

/* The range with that number; NULL: it is none of NCCL's. Ranges come first and ascend. */
static struct collective *range_of_slice(struct collectives *found, uint32_t ranges, uint32_t slice)
{
    uint32_t at = array_lower_bound(found->all.at, ranges, sizeof *found->all.at,
                                    offsetof(struct collective, slice), slice);
    bool is_there = at < ranges && found->all.at[at].slice == slice;
    return is_there ? &found->all.at[at] : NULL;
}

static void add_kernel(const struct timeline *timeline, struct collective *collective,
                       const struct tl_gpu *gpu)
{
    if (gpu->start_ns < collective->start_ns)
        collective->start_ns = gpu->start_ns;
    if (gpu->end_ns > collective->end_ns)
        collective->end_ns = gpu->end_ns;
    if (gpu->stream == TL_NONE)
        return;
    int32_t stream = (int32_t)timeline->streams.at[gpu->stream].stream;
    if (!collective->has_stream || stream < collective->stream)
        collective->stream = stream;
    collective->has_stream = true;
}

static bool is_communication(const struct search *search, const struct tl_gpu *gpu)
{
    return tl_is_work(gpu) && class_of(search->recording, gpu) == WORD_COMMUNICATION &&
           unit_of_process(search->recording, gpu->process) == search->unit;
}

/* Returns how many kernels there are in ranges, and beside them. */
static uint32_t join_kernels(struct search *search, uint32_t ranges, uint32_t *others)
{
    const struct timeline *timeline = search->recording->timeline;
    uint32_t joined = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!is_communication(search, gpu))
            continue;
        const struct tl_slice *launch = launch_of(timeline, gpu);
        uint32_t around = launch ? shown_around(timeline, launch->parent) : TL_NONE;
        struct collective *range =
            around == TL_NONE ? NULL : range_of_slice(search->found, ranges, around);
        if (range)
            add_kernel(timeline, range, gpu);
        joined += range != NULL;
        *others += !range;
    }
    return joined;
}

/* ---- what NCCL's profiler says of their tasks: algorithm and channels, in ranges of their own ---- */

static struct keymap ranges_of_calls(const struct collectives *found, uint32_t ranges,
                                     bool *complete)
{
    struct keymap calls = {0};
    for (uint32_t i = 0; i < ranges && *complete; i++)
        if (found->all.at[i].call)
            *complete = keymap_set(&calls, found->all.at[i].call, i);
    return calls;
}

/* The range of the task's call. Interfaces that report no calls: the range around it. */
static struct collective *range_of_task(const struct search *search, const struct keymap *calls,
                                        uint32_t ranges, uint32_t slice, uint64_t call)
{
    const struct timeline *timeline = search->recording->timeline;
    uint32_t at = call ? keymap_find(calls, call) : KEYMAP_NONE;
    if (call)
        return at == KEYMAP_NONE ? NULL : &search->found->all.at[at];
    uint32_t around = shown_around(timeline, timeline->slices.at[slice].parent);
    return around == TL_NONE ? NULL : range_of_slice(search->found, ranges, around);
}

static void join_task(const struct search *search, const struct keymap *calls, uint32_t ranges,
                      struct tl_attrs attrs)
{
    const struct recording *recording = search->recording;
    const struct tl_slice *slice = &recording->timeline->slices.at[attrs.at[0].slice];
    struct collective task = {NOTHING_OF_NCCL};
    if (has_key(attrs, recording->nccl_keys[NCCL_COMMUNICATOR]) ||
        unit_of_thread(recording, slice->thread) != search->unit ||
        !timeline_label_is_of(recording->timeline, tl_slice_label(slice), "NCCL"))
        return;
    read_attrs(search, attrs, &task);
    struct collective *range = range_of_task(search, calls, ranges, attrs.at[0].slice, task.call);
    if (range)
        read_attrs(search, attrs, range);
}

static void join_tasks(struct search *search, uint32_t ranges)
{
    const struct timeline *timeline = search->recording->timeline;
    bool complete = true;
    struct keymap calls = ranges_of_calls(search->found, ranges, &complete);
    for (uint32_t first = 0, end; first < timeline->attrs.count && complete; first = end) {
        const struct tl_attr *attrs = &timeline->attrs.at[first];
        for (end = first + 1;
             end < timeline->attrs.count && attrs[end - first].slice == attrs->slice;)
            end++;
        join_task(search, &calls, ranges, (struct tl_attrs){attrs, end - first});
    }
    search->failed |= !complete;
    keymap_fini(&calls);
}

/* ---- kernels alone ---- */

static void add_kernels(struct search *search)
{
    const struct timeline *timeline = search->recording->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count && !search->failed; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!is_communication(search, gpu))
            continue;
        struct collective *added = ARRAY_ADD(&search->found->all);
        const struct tl_slice *launch = launch_of(timeline, gpu);
        search->failed = !added;
        if (!added)
            return;
        *added = (struct collective){.called_ns = launch ? launch->end_ns : 0,
                                     .called = launch != NULL,
                                     .start_ns = INT64_MAX,
                                     .end_ns = INT64_MIN,
                                     .step = step_of_operation(search->recording, gpu),
                                     .name = name_place(search->recording, gpu->name),
                                     .slice = TL_NONE,
                                     .is_kernel = true,
                                     NOTHING_OF_NCCL};
        add_kernel(timeline, added, gpu);
    }
}

/* ---- places ---- */

/* Kernels are matched by name, ranges by communicator. */
static bool is_between_two(const struct recording *recording, const struct collective *collective)
{
    struct text name = name_text(recording, collective->name);
    if (collective->is_kernel)
        return holds(name, "SendRecv");
    return text_is(name, "NCCL:ncclSend") || text_is(name, "NCCL:ncclRecv") ||
           text_is(name, "ncclSend") || text_is(name, "ncclRecv");
}

static int64_t order_of(const struct collective *collective)
{
    return collective->is_kernel ? collective->start_ns : collective->called_ns;
}

/* The next place among those of the same key. -1: no memory. */
static int32_t next_place(struct keymap *counts, uint64_t key)
{
    uint32_t count = keymap_find(counts, key);
    count = count == KEYMAP_NONE ? 0 : count;
    return keymap_set(counts, key, count + 1) ? (int32_t)count : -1;
}

static bool number(struct search *search, const struct radix_item *order)
{
    struct keymap counts = {0}, unknown = {0};
    struct collectives *found = search->found;
    bool complete = true;
    for (uint32_t i = 0; i < found->all.count && complete; i++) {
        struct collective *collective = &found->all.at[order[i].value];
        collective->sequence = -1;
        if (is_between_two(search->recording, collective))
            continue;
        if (collective->is_kernel)
            collective->sequence = next_place(&counts, collective->name);
        else if (collective->has_communicator)
            collective->sequence = next_place(&counts, collective->communicator);
        else
            collective->sequence = next_place(&unknown, 0);
        complete = collective->sequence >= 0;
    }
    keymap_fini(&counts);
    keymap_fini(&unknown);
    return complete;
}

static bool number_in_order(struct search *search)
{
    uint32_t count = search->found->all.count;
    struct radix_item *order = malloc((count + (size_t)1) * sizeof *order);
    for (uint32_t i = 0; i < count && order; i++)
        order[i] = (struct radix_item){radix_key(order_of(&search->found->all.at[i])), i};
    bool numbered = order && radix_sort(order, count) && number(search, order);
    free(order);
    return numbered;
}

/* Interfaces 1 to 4 of NCCL's profiler report tasks after their launch: these ranges hold no kernel. Kernels tell more then. */
bool collectives_init(struct collectives *collectives, const struct recording *recording,
                      uint32_t unit)
{
    const struct timeline *timeline = recording->timeline;
    struct search search = {collectives, recording, &recording->units.at[unit], false};
    uint32_t others = 0;
    *collectives = (struct collectives){0};
    if (recording->nccl_keys[NCCL_COMMUNICATOR] != TL_NONE)
        add_ranges(&search, timeline->attrs.at, timeline->attrs.count, owner_slice);
    uint32_t ranges = collectives->all.count, joined = join_kernels(&search, ranges, &others);
    if (ranges && recording->nccl_keys[NCCL_CHANNELS] != TL_NONE)
        join_tasks(&search, ranges);
    if (recording->nccl_keys[NCCL_COMMUNICATOR] != TL_NONE) {
        add_ranges(&search, timeline->async_attrs.at, timeline->async_attrs.count, owner_async);
        add_ranges(&search, timeline->mark_attrs.at, timeline->mark_attrs.count, owner_mark);
    }
    if (joined == 0 && others > 0) {
        collectives->all.count = 0;
        add_kernels(&search);
    }
    return !search.failed && number_in_order(&search);
}

void collectives_fini(struct collectives *collectives)
{
    free(collectives->all.at);
    *collectives = (struct collectives){0};
}
