#include "collectives.h"

#include "maps.h"

#include <errno.h>
#include <stdlib.h>

struct search {
    struct collectives *found;
    const struct recording *recording;
    struct unit *unit;
    struct keymap own_ranks; /* the rank's number in a communicator */
    struct keymap groups;    /* first of a group's calls */
    struct keymap replays;   /* rows of what graphs replayed, by captured row and launch */
    bool failed;             /* no memory */
};

/* Rows from `first` to before `end`. */
struct span {
    uint32_t first, end;
};

#define NOTHING_OF_NCCL                                                           \
    .counted = -1, .channels = -1, .peer = -1, .own_rank = -1, .group_place = -1, \
    .algorithm = TL_NONE, .protocol = TL_NONE, .type = TL_NONE

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

/* A range in which a communicator is made, or stated again, says which number the rank has in it. */
static void read_communicator(struct search *search, struct tl_attrs attrs)
{
    struct collective made = {NOTHING_OF_NCCL};
    read_attrs(search, attrs, &made);
    if (made.has_communicator && made.own_rank >= 0)
        search->failed |=
            !keymap_set(&search->own_ranks, made.communicator, (uint32_t)made.own_rank);
}

static void add_range(struct search *search, const struct owner *owner, struct tl_attrs attrs)
{
    const struct recording *recording = search->recording;
    const struct timeline *timeline = recording->timeline;
    uint32_t name = name_place(recording, tl_shown_name(timeline, owner->name, owner->label));
    if (!owner->shown || unit_of_thread(recording, owner->thread) != search->unit ||
        !has_key(attrs, recording->nccl_keys[NCCL_COMMUNICATOR]) ||
        !timeline_label_is_of(timeline, owner->label, "NCCL"))
        return;
    if (holds(name_text(recording, name), "Init")) {
        read_communicator(search, attrs);
        return;
    }
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
                                 .process = timeline->threads.at[owner->thread].process,
                                 NOTHING_OF_NCCL};
    read_attrs(search, attrs, added);
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

/* The next place among those of the same key. -1: no memory. */
static int32_t next_place(struct keymap *counts, uint64_t key)
{
    uint32_t count = keymap_find(counts, key);
    count = count == KEYMAP_NONE ? 0 : count;
    return keymap_set(counts, key, count + 1) ? (int32_t)count : -1;
}

/* ---- what NCCL's profiler says of their tasks: algorithm, channels and peer, in ranges of their own ---- */

/* The range with that number; TL_NONE: it is none of NCCL's. Ranges come first and ascend. */
static uint32_t range_of_slice(const struct collectives *found, uint32_t ranges, uint32_t slice)
{
    uint32_t at = array_lower_bound(found->all.at, ranges, sizeof *found->all.at,
                                    offsetof(struct collective, slice), slice);
    return at < ranges && found->all.at[at].slice == slice ? at : TL_NONE;
}

static struct keymap ranges_of_calls(const struct collectives *found, uint32_t ranges,
                                     bool *complete)
{
    struct keymap calls = {0};
    for (uint32_t i = 0; i < ranges && *complete; i++)
        if (found->all.at[i].call)
            *complete = keymap_set(&calls, found->all.at[i].call, i);
    return calls;
}

/* The range of the task's call; TL_NONE: none. Interfaces that report no calls: the range around it. */
static uint32_t range_of_task(const struct search *search, const struct keymap *calls,
                              uint32_t ranges, uint32_t slice, uint64_t call)
{
    const struct timeline *timeline = search->recording->timeline;
    if (call)
        return keymap_find(calls, call);
    return range_of_slice(search->found, ranges,
                          shown_around(timeline, timeline->slices.at[slice].parent));
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
    uint32_t range = range_of_task(search, calls, ranges, attrs.at[0].slice, task.call);
    if (range != TL_NONE)
        read_attrs(search, attrs, &search->found->all.at[range]);
}

static void join_tasks(struct search *search, uint32_t ranges)
{
    const struct timeline *timeline = search->recording->timeline;
    bool complete = true;
    struct keymap calls = ranges_of_calls(search->found, ranges, &complete);
    struct tl_attrs of;
    for (uint32_t first = 0; first < timeline->attrs.count && complete; first += of.count) {
        of = attrs_from(timeline->attrs.at, timeline->attrs.count, first);
        join_task(search, &calls, ranges, of);
    }
    search->failed |= !complete;
    keymap_fini(&calls);
}

/* ---- groups of calls: they share kernels, which their launch tells ---- */

/* Processes of a rank count their groups each. */
static uint64_t key_of_group(uint32_t process, uint64_t group)
{
    return (uint64_t)process << 40 ^ group;
}

/* A thread is in one group at a time, so the calls of a group follow each other. */
static struct span calls_of_group(const struct search *search, uint32_t ranges, uint64_t key)
{
    const struct collective *all = search->found->all.at;
    uint32_t first = keymap_find(&search->groups, key), end = first;
    while (end < ranges && key_of_group(all[end].process, all[end].group) == key)
        end++;
    return (struct span){first, end};
}

/* UINT64_MAX: unknown, or too many. */
static uint64_t sum_of_bytes(uint64_t sum, const struct collective *call)
{
    bool known = call->has_bytes && sum <= INT64_MAX && call->bytes <= INT64_MAX - sum;
    return known ? sum + call->bytes : UINT64_MAX;
}

/* Places and bytes among the calls of the same communicator. Collectives have places of their own. */
static bool place_in_group(struct search *search, struct span calls)
{
    struct keymap firsts = {0}, places = {0};
    struct collective *all = search->found->all.at;
    bool complete = true;
    for (uint32_t i = calls.first; i < calls.end && complete; i++) {
        uint64_t communicator = all[i].communicator & ~UINT64_C(1);
        uint32_t first = keymap_find(&firsts, communicator);
        complete = first != KEYMAP_NONE || keymap_set(&firsts, communicator, i);
        first = first == KEYMAP_NONE ? i : first;
        all[first].group_bytes = sum_of_bytes(all[first].group_bytes, &all[i]);
        all[i].group_place =
            next_place(&places, communicator | is_between_two(search->recording, &all[i]));
        complete &= all[i].group_place >= 0;
    }
    for (uint32_t i = calls.first; i < calls.end && complete; i++)
        all[i].group_bytes =
            all[keymap_find(&firsts, all[i].communicator & ~UINT64_C(1))].group_bytes;
    keymap_fini(&firsts);
    keymap_fini(&places);
    return complete;
}

static void find_groups(struct search *search, uint32_t ranges)
{
    const struct collective *all = search->found->all.at;
    for (uint32_t first = 0, end; first < ranges && !search->failed; first = end) {
        uint64_t key = key_of_group(all[first].process, all[first].group);
        end = first + 1;
        if (!all[first].group)
            continue;
        search->failed = !keymap_set(&search->groups, key, first);
        struct span calls = calls_of_group(search, ranges, key);
        end = calls.end;
        search->failed |= !place_in_group(search, calls);
    }
}

/* ---- their kernels ---- */

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

/* The innermost range around a call, or around a range that a file names as the origin; TL_NONE: none. */
static uint32_t range_around(const struct timeline *timeline, uint32_t slice)
{
    slice = shown_around(timeline, slice);
    while (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = shown_around(timeline, timeline->slices.at[slice].parent);
    return slice;
}

/* The group whose kernels were launched in that range of NCCL's profiler; 0: it is none. */
static uint64_t group_of_launch(const struct search *search, uint32_t slice)
{
    const struct recording *recording = search->recording;
    struct collective launch = {NOTHING_OF_NCCL};
    struct tl_attrs attrs = timeline_slice_attrs(recording->timeline, slice);
    if (!has_key(attrs, recording->nccl_keys[NCCL_GROUP]))
        return 0;
    read_attrs(search, attrs, &launch);
    return launch.group;
}

/* The calls that the kernels launched, or captured, there are of. */
static struct span calls_of_launch(const struct search *search, uint32_t ranges, uint32_t slice)
{
    const struct timeline *timeline = search->recording->timeline;
    uint32_t around = range_around(timeline, slice);
    if (around == TL_NONE)
        return (struct span){0, 0};
    uint32_t call = range_of_slice(search->found, ranges, around);
    if (call != TL_NONE)
        return (struct span){call, call + 1};
    uint64_t group = group_of_launch(search, around);
    uint32_t process = timeline->threads.at[timeline->slices.at[around].thread].process;
    return group ? calls_of_group(search, ranges, key_of_group(process, group))
                 : (struct span){0, 0};
}

/* The row of a call in one launch of the graph that captured it; NULL: no memory. */
static struct collective *replay_of(struct search *search, uint32_t call, const struct tl_gpu *gpu)
{
    const struct tl_slice *launch = launch_of(search->recording->timeline, gpu);
    uint64_t key = (uint64_t)call << 32 | gpu->correlation;
    uint32_t at = launch ? keymap_find(&search->replays, key) : KEYMAP_NONE;
    if (at != KEYMAP_NONE)
        return &search->found->all.at[at];
    at = search->found->all.count;
    struct collective *added = ARRAY_ADD(&search->found->all);
    if (!added || (launch && !keymap_set(&search->replays, key, at)))
        return NULL;
    *added = search->found->all.at[call];
    added->called = launch != NULL;
    added->called_ns = launch ? launch->start_ns : 0;
    added->start_ns = INT64_MAX;
    added->end_ns = INT64_MIN;
    added->step = step_of_operation(search->recording, gpu);
    added->has_stream = added->captured = false;
    added->replayed = true;
    return added;
}

static void add_replay(struct search *search, uint32_t call, const struct tl_gpu *gpu)
{
    search->found->all.at[call].captured = true;
    struct collective *replay = replay_of(search, call, gpu);
    search->failed |= !replay;
    if (replay)
        add_kernel(search->recording->timeline, replay, gpu);
}

/* False: it is of none of the calls. */
static bool join_kernel(struct search *search, uint32_t ranges, uint32_t index)
{
    const struct timeline *timeline = search->recording->timeline;
    const struct tl_gpu *gpu = &timeline->gpus.at[index];
    const struct tl_captured *captured = captured_of(timeline, index);
    bool is_replay = captured && captured->slice != TL_NONE;
    struct span calls = calls_of_launch(search, ranges, is_replay ? captured->slice : gpu->slice);
    for (uint32_t i = calls.first; i < calls.end && !search->failed; i++) {
        if (is_replay)
            add_replay(search, i, gpu);
        else
            add_kernel(timeline, &search->found->all.at[i], gpu);
    }
    return calls.first < calls.end;
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
    for (uint32_t i = 0; i < timeline->gpus.count && !search->failed; i++) {
        if (!is_communication(search, &timeline->gpus.at[i]))
            continue;
        bool is_of_range = join_kernel(search, ranges, i);
        joined += is_of_range;
        *others += !is_of_range;
    }
    return joined;
}

/* ---- captured calls: only their replays run ---- */

/* NCCL's profiler says so; of NVTX's ranges, the nodes of graphs do. */
static void find_captured(struct search *search, uint32_t ranges)
{
    const struct timeline *timeline = search->recording->timeline;
    for (uint32_t i = 0; i < timeline->graph_nodes.count; i++) {
        uint32_t slice = timeline->graph_nodes.at[i].slice;
        struct span calls = calls_of_launch(search, ranges, slice);
        for (uint32_t j = calls.first; j < calls.end; j++)
            search->found->all.at[j].captured = true;
    }
}

static void remove_captured(struct collectives *found)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->all.count; i++) {
        const struct collective *call = &found->all.at[i];
        if (!call->captured || call->start_ns <= call->end_ns)
            found->all.at[kept++] = *call;
    }
    found->all.count = kept;
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
        uint32_t rank = call->has_communicator ? keymap_find(&search->own_ranks, call->communicator)
                                               : KEYMAP_NONE;
        call->own_rank = rank == KEYMAP_NONE ? -1 : (int32_t)rank;
    }
}

/* Interfaces 1 to 4 of NCCL's profiler report tasks after their launch: these ranges hold no kernel. Kernels tell more then. */
static void find_all(struct search *search)
{
    const struct recording *recording = search->recording;
    const struct timeline *timeline = recording->timeline;
    struct collectives *found = search->found;
    uint32_t others = 0;
    bool has_ranges = recording->nccl_keys[NCCL_COMMUNICATOR] != TL_NONE;
    if (has_ranges)
        add_ranges(search, timeline->attrs.at, timeline->attrs.count, owner_slice);
    uint32_t ranges = found->all.count;
    if (ranges && (recording->nccl_keys[NCCL_CHANNELS] != TL_NONE ||
                   recording->nccl_keys[NCCL_PEER] != TL_NONE))
        join_tasks(search, ranges);
    find_groups(search, ranges);
    uint32_t joined = join_kernels(search, ranges, &others);
    find_captured(search, ranges);
    if (has_ranges) {
        add_ranges(search, timeline->async_attrs.at, timeline->async_attrs.count, owner_async);
        add_ranges(search, timeline->mark_attrs.at, timeline->mark_attrs.count, owner_mark);
    }
    if (joined == 0 && others > 0) {
        found->all.count = 0;
        add_kernels(search);
    }
    remove_captured(found);
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
