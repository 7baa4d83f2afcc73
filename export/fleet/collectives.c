#include "collective_search.h"

#include <errno.h>
#include <stdlib.h>

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

static bool is_one(const struct timeline *timeline, const struct tl_attr *attr)
{
    return count_of(timeline, attr, 1) == 1;
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
    case NCCL_GROUP:
        collective->group = whole_of(timeline, attr, &collective->group) ? collective->group : 0;
        break;
    case NCCL_CAPTURED:
        collective->captured = is_one(timeline, attr);
        break;
    case NCCL_PEER:
        collective->peer = (int32_t)count_of(timeline, attr, INT32_MAX);
        break;
    case NCCL_RANK:
        collective->own_rank = (int32_t)count_of(timeline, attr, INT32_MAX);
        break;
    case TORCH_TYPE:
        collective->type = text_of(timeline, attr);
        break;
    case TORCH_SEQUENCE:
        collective->stated = (int32_t)count_of(timeline, attr, INT32_MAX);
        break;
    case TORCH_FUNCTION:
    case TORCH_GROUP:
    case TORCH_GROUP_RANKS:
    case TORCH_IN:
    case TORCH_OUT:
    case NCCL_KEYS:
        break;
    }
}

void collectives_read_attrs(const struct search *search, struct tl_attrs attrs,
                            struct collective *collective)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        read_attr(search->recording, &attrs.at[i], collective);
}

bool collectives_has_key(struct tl_attrs attrs, uint32_t key)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (attrs.at[i].key == key)
            return true;
    return false;
}

/* A range in which a communicator is made, or stated again, says which number the rank has in
 * it. */
static void read_communicator(struct search *search, struct tl_attrs attrs)
{
    struct collective made = {NOTHING_OF_NCCL};
    collectives_read_attrs(search, attrs, &made);
    if (made.has_communicator && made.own_rank >= 0)
        search->failed |=
            !keymap_set(&search->own_ranks, made.communicator, (uint32_t)made.own_rank);
}

/* Adds the call that a range describes. NULL: no memory. */
static struct collective *add_call(struct search *search, const struct owner *owner,
                                   struct tl_attrs attrs, uint32_t name)
{
    const struct recording *recording = search->recording;
    struct collective *added = ARRAY_ADD(&search->found->all);
    search->failed |= !added;
    if (!added)
        return NULL;
    *added = (struct collective){.called_ns = owner->start_ns,
                                 .called = true,
                                 .start_ns = INT64_MAX,
                                 .end_ns = INT64_MIN,
                                 .step = step_at(search->unit, owner->start_ns),
                                 .name = name_place(recording, name),
                                 .slice = owner->slice,
                                 .process = recording->timeline->threads.at[owner->thread].process,
                                 NOTHING_OF_NCCL};
    collectives_read_attrs(search, attrs, added);
    return added;
}

static void add_range(struct search *search, const struct owner *owner, struct tl_attrs attrs)
{
    const struct recording *recording = search->recording;
    const struct timeline *timeline = recording->timeline;
    uint32_t name = name_place(recording, tl_shown_name(timeline, owner->name, owner->label));
    if (!owner->shown || unit_of_thread(recording, owner->thread) != search->unit ||
        !collectives_has_key(attrs, recording->nccl_keys[NCCL_COMMUNICATOR]) ||
        !timeline_label_is_of(timeline, owner->label, "NCCL"))
        return;
    if (holds(name_text(recording, name), "Init")) {
        read_communicator(search, attrs);
        return;
    }
    add_call(search, owner, attrs, name);
}

/* Those from `first` on that are of one owner. */
static struct tl_attrs attrs_from(const struct tl_attr *attrs, uint32_t count, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < count && attrs[end].slice == attrs[first].slice)
        end++;
    return (struct tl_attrs){attrs + first, end - first};
}

static void add_ranges(struct search *search, const struct tl_attr *attrs, uint32_t count,
                       struct owner (*owner_at)(const struct timeline *timeline, uint32_t index))
{
    struct tl_attrs of;
    for (uint32_t first = 0; first < count; first += of.count) {
        of = attrs_from(attrs, count, first);
        struct owner owner = owner_at(search->recording->timeline, of.at->slice);
        add_range(search, &owner, of);
    }
}

/* ---- PyTorch's ranges "record_param_comms": collectives of any backend ---- */

static const struct tl_attr *attr_of(const struct recording *recording, struct tl_attrs attrs,
                                     enum nccl_key key)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (attrs.at[i].key == recording->nccl_keys[key])
            return &attrs.at[i];
    return NULL;
}

static struct text text_at(const struct recording *recording, struct tl_attrs attrs,
                           enum nccl_key key)
{
    const struct tl_attr *attr = attr_of(recording, attrs, key);
    uint32_t name = attr ? text_of(recording->timeline, attr) : TL_NONE;
    return name == TL_NONE ? (struct text){"", 0} : name_text(recording, name);
}

/* Hashes the group's name and ranks: the same number on all its ranks. Even, like NCCL's ids. */
static bool read_group(const struct recording *recording, struct tl_attrs attrs,
                       struct collective *collective)
{
    char both[512];
    struct text name = text_at(recording, attrs, TORCH_GROUP);
    struct text ranks = text_at(recording, attrs, TORCH_GROUP_RANKS);
    int size = snprintf(both, sizeof both, "%.*s %.*s", (int)(name.size < 200 ? name.size : 200),
                        name.bytes, (int)(ranks.size < 200 ? ranks.size : 200), ranks.bytes);
    collective->communicator = (uint64_t)content_id((struct text){both, (size_t)size}) << 1;
    return name.size > 0;
}

/* Size of an element, by the name of its type; 0 unknown. */
static unsigned type_bytes(struct text type)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } types[] = {{"Float", 4}, {"Half", 2}, {"BFloat16", 2}, {"Double", 8}, {"Long", 8},
                 {"Int", 4},   {"Char", 1}, {"Byte", 1},     {"Bool", 1},   {"Short", 2}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_is(type, types[i].name))
            return types[i].bytes;
    return text_begins(type, "Float8") ? 1 : 0;
}

/* As NCCL counts: the smaller of what a rank sends and receives. */
static void read_size(const struct recording *recording, struct tl_attrs attrs,
                      struct collective *collective)
{
    const struct tl_attr *in = attr_of(recording, attrs, TORCH_IN),
                         *out = attr_of(recording, attrs, TORCH_OUT);
    unsigned bytes = type_bytes(text_at(recording, attrs, TORCH_TYPE));
    int64_t most = bytes ? INT64_MAX / bytes : 0;
    int64_t sent = in ? count_of(recording->timeline, in, most) : 0;
    int64_t got = out ? count_of(recording->timeline, out, most) : 0;
    int64_t elements = sent > 0 && (got <= 0 || sent < got) ? sent : got;
    collective->has_bytes = bytes && elements > 0;
    collective->bytes = collective->has_bytes ? (uint64_t)elements * bytes : 0;
}

/* These calls launch no device work. */
static bool is_call_alone(struct text function)
{
    return text_is(function, "wait") || text_is(function, "init");
}

static void add_pytorchs(struct search *search, const struct owner *owner, struct tl_attrs attrs)
{
    const struct recording *recording = search->recording;
    const struct tl_attr *function = attr_of(recording, attrs, TORCH_FUNCTION);
    uint32_t name = function ? text_of(recording->timeline, function) : TL_NONE;
    if (name == TL_NONE || !owner->shown ||
        unit_of_thread(recording, owner->thread) != search->unit ||
        is_call_alone(name_text(recording, name)))
        return;
    struct collective *added = add_call(search, owner, attrs, name);
    if (!added)
        return;
    added->is_pytorchs = true;
    added->has_communicator = read_group(recording, attrs, added);
    read_size(recording, attrs, added);
    if (collectives_is_between_two(recording, added))
        added->peer = added->own_rank, added->own_rank = -1;
}

static void add_all_pytorchs(struct search *search)
{
    const struct timeline *timeline = search->recording->timeline;
    struct tl_attrs of;
    for (uint32_t first = 0; first < timeline->attrs.count; first += of.count) {
        of = attrs_from(timeline->attrs.at, timeline->attrs.count, first);
        struct owner owner = owner_slice(timeline, of.at->slice);
        add_pytorchs(search, &owner, of);
    }
}

/* ---- places ---- */

bool collectives_is_between_two(const struct recording *recording,
                                const struct collective *collective)
{
    struct text name = name_text(recording, collective->name);
    if (collective->is_kernel)
        return holds(name, "SendRecv");
    if (collective->is_pytorchs)
        return text_is(name, "send") || text_is(name, "recv");
    return text_is(name, "NCCL:ncclSend") || text_is(name, "NCCL:ncclRecv") ||
           text_is(name, "ncclSend") || text_is(name, "ncclRecv");
}

int32_t collectives_next_place(struct keymap *counts, uint64_t key)
{
    uint32_t count = keymap_find(counts, key);
    count = count == KEYMAP_NONE ? 0 : count;
    return keymap_set(counts, key, count + 1) ? (int32_t)count : -1;
}

/* Ranges ascend. */
uint32_t collectives_range_of_slice(const struct search *search, uint32_t slice)
{
    const struct collective *all = search->found->all.at;
    uint32_t at = array_lower_bound(all, search->ranges, sizeof *all,
                                    offsetof(struct collective, slice), slice);
    return at < search->ranges && all[at].slice == slice ? at : TL_NONE;
}

/* ---- what NCCL's profiler says of their tasks ----
 *
 * Algorithm, channels and peer, in ranges of their own. */

static struct keymap ranges_of_calls(const struct search *search, bool *complete)
{
    const struct collective *all = search->found->all.at;
    struct keymap calls = {0};
    for (uint32_t i = 0; i < search->ranges && *complete; i++)
        if (all[i].call)
            *complete = keymap_set(&calls, all[i].call, i);
    return calls;
}

/* The range of the task's call; TL_NONE: none. Interfaces that report no calls: the range around
 * it. */
static uint32_t range_of_task(const struct search *search, const struct keymap *calls,
                              uint32_t slice, uint64_t call)
{
    const struct timeline *timeline = search->recording->timeline;
    if (call)
        return keymap_find(calls, call);
    uint32_t around = shown_around(timeline, timeline->slices.at[slice].parent);
    return collectives_range_of_slice(search, around);
}

static void join_task(const struct search *search, const struct keymap *calls,
                      struct tl_attrs attrs)
{
    const struct recording *recording = search->recording;
    const struct tl_slice *slice = &recording->timeline->slices.at[attrs.at[0].slice];
    struct collective task = {NOTHING_OF_NCCL};
    if (collectives_has_key(attrs, recording->nccl_keys[NCCL_COMMUNICATOR]) ||
        unit_of_thread(recording, slice->thread) != search->unit ||
        !timeline_label_is_of(recording->timeline, tl_slice_label(slice), "NCCL"))
        return;
    collectives_read_attrs(search, attrs, &task);
    uint32_t range = range_of_task(search, calls, attrs.at[0].slice, task.call);
    if (range != TL_NONE)
        collectives_read_attrs(search, attrs, &search->found->all.at[range]);
}

static void join_tasks(struct search *search)
{
    const struct timeline *timeline = search->recording->timeline;
    bool complete = true;
    struct keymap calls = ranges_of_calls(search, &complete);
    struct tl_attrs of;
    for (uint32_t first = 0; first < timeline->attrs.count && complete; first += of.count) {
        of = attrs_from(timeline->attrs.at, timeline->attrs.count, first);
        join_task(search, &calls, of);
    }
    search->failed |= !complete;
    keymap_fini(&calls);
}

/* ---- order ---- */

/* By host, all ranks call in the same order. */
static int64_t order_of(const struct collective *collective)
{
    bool runs = collective->is_kernel || !collective->called;
    return runs ? collective->start_ns : collective->called_ns;
}

/* Within the launch of a graph, by device. */
static int64_t order_in_launch(const struct collective *collective)
{
    return collective->replayed ? collective->start_ns : order_of(collective);
}

static bool number(struct search *search, const struct radix_item *order)
{
    struct keymap counts = {0}, unknown = {0};
    struct collectives *found = search->found;
    bool complete = true;
    for (uint32_t i = 0; i < found->all.count && complete; i++) {
        struct collective *collective = &found->all.at[order[i].value];
        collective->sequence = -1;
        if (collectives_is_between_two(search->recording, collective))
            continue;
        if (collective->is_kernel)
            collective->sequence = collectives_next_place(&counts, collective->name);
        else if (collective->has_communicator && collective->stated >= 0)
            collective->sequence = collective->stated;
        else if (collective->has_communicator)
            collective->sequence = collectives_next_place(&counts, collective->communicator);
        else
            collective->sequence = collectives_next_place(&unknown, 0);
        complete = collective->sequence >= 0;
    }
    keymap_fini(&counts);
    keymap_fini(&unknown);
    return complete;
}

static bool sort_by(const struct collectives *found, struct radix_item *order,
                    int64_t (*time_of)(const struct collective *collective))
{
    for (uint32_t i = 0; i < found->all.count; i++)
        order[i].key = radix_key(time_of(&found->all.at[order[i].value]));
    return radix_sort(order, found->all.count);
}

static bool number_in_order(struct search *search)
{
    uint32_t count = search->found->all.count;
    struct radix_item *order = malloc((count + (size_t)1) * sizeof *order);
    for (uint32_t i = 0; i < count && order; i++)
        order[i].value = i;
    bool numbered = order && sort_by(search->found, order, order_in_launch) &&
                    sort_by(search->found, order, order_of) && number(search, order);
    free(order);
    return numbered;
}

static void name_own_ranks(const struct search *search)
{
    for (uint32_t i = 0; i < search->found->all.count; i++) {
        struct collective *call = &search->found->all.at[i];
        if (call->is_pytorchs)
            continue;
        uint32_t rank = call->has_communicator ? keymap_find(&search->own_ranks, call->communicator)
                                               : KEYMAP_NONE;
        call->own_rank = rank == KEYMAP_NONE ? -1 : (int32_t)rank;
    }
}

/* Interfaces 1 to 4 of NCCL's profiler report tasks after their launch: these ranges contain no
 * kernel. Then the kernels say more. */
static void find_all(struct search *search)
{
    const struct recording *recording = search->recording;
    const struct timeline *timeline = recording->timeline;
    struct collectives *found = search->found;
    uint32_t others = 0;
    bool has_ranges = recording->nccl_keys[NCCL_COMMUNICATOR] != TL_NONE;
    if (has_ranges)
        add_ranges(search, timeline->attrs.at, timeline->attrs.count, owner_slice);
    search->is_pytorchs = found->all.count == 0 && recording->nccl_keys[TORCH_FUNCTION] != TL_NONE;
    if (search->is_pytorchs)
        add_all_pytorchs(search);
    search->ranges = found->all.count;
    if (search->ranges && (recording->nccl_keys[NCCL_CHANNELS] != TL_NONE ||
                           recording->nccl_keys[NCCL_PEER] != TL_NONE))
        join_tasks(search);
    kernels_find_groups(search);
    uint32_t joined = kernels_join(search, &others);
    kernels_find_captured(search);
    kernels_open_replays(search);
    if (has_ranges) {
        add_ranges(search, timeline->async_attrs.at, timeline->async_attrs.count, owner_async);
        add_ranges(search, timeline->mark_attrs.at, timeline->mark_attrs.count, owner_mark);
    }
    if (joined == 0 && others > 0) {
        found->all.count = 0;
        kernels_add_alone(search);
    }
    kernels_remove_captured(found);
    name_own_ranks(search);
}

bool collectives_init(struct collectives *collectives, const struct recording *recording,
                      uint32_t unit)
{
    struct search search = {
        .found = collectives, .recording = recording, .unit = &recording->units.at[unit]};
    *collectives = (struct collectives){0};
    find_all(&search);
    keymap_fini(&search.own_ranks);
    keymap_fini(&search.groups);
    keymap_fini(&search.replays);
    return !search.failed && number_in_order(&search);
}

void collectives_fini(struct collectives *collectives)
{
    free(collectives->all.at);
    *collectives = (struct collectives){0};
}
