/* collective_kernels.c - the kernels of collectives: of single calls, of groups, and of what CUDA
 * graphs replay. */
#include "collective_search.h"

#include <stdlib.h>

/* ---- groups of calls: they share kernels, which their launch identifies ---- */

/* Processes of a rank count their groups each. */
static uint64_t key_of_group(uint32_t process, uint64_t group)
{
    return (uint64_t)process << 40 ^ group;
}

/* A thread is in one group at a time, so the calls of a group follow each other. */
static struct span calls_of_group(const struct search *search, uint64_t key)
{
    const struct collective *all = search->found->all.at;
    uint32_t first = keymap_find(&search->groups, key), end = first;
    while (end < search->ranges && key_of_group(all[end].process, all[end].group) == key)
        end++;
    return (struct span){first, end};
}

/* UINT64_MAX: unknown, or too many. */
static uint64_t sum_of_bytes(uint64_t sum, const struct collective *call)
{
    bool known = call->has_bytes && sum <= INT64_MAX && call->bytes <= INT64_MAX - sum;
    return known ? sum + call->bytes : UINT64_MAX;
}

/* Places and bytes among the calls of the same communicator. Collectives have places of their
 * own. */
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
        all[i].group_place = collectives_next_place(
            &places, communicator | collectives_is_between_two(search->recording, &all[i]));
        complete &= all[i].group_place >= 0;
    }
    for (uint32_t i = calls.first; i < calls.end && complete; i++)
        all[i].group_bytes =
            all[keymap_find(&firsts, all[i].communicator & ~UINT64_C(1))].group_bytes;
    keymap_fini(&firsts);
    keymap_fini(&places);
    return complete;
}

void kernels_find_groups(struct search *search)
{
    const struct collective *all = search->found->all.at;
    for (uint32_t first = 0, end; first < search->ranges && !search->failed; first = end) {
        uint64_t key = key_of_group(all[first].process, all[first].group);
        end = first + 1;
        if (!all[first].group)
            continue;
        search->failed = !keymap_set(&search->groups, key, first);
        struct span calls = calls_of_group(search, key);
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

/* The innermost range around a call, or around a range that a file names as the origin; TL_NONE:
 * none. */
static uint32_t range_around(const struct timeline *timeline, uint32_t slice)
{
    slice = shown_around(timeline, slice);
    for (unsigned calls = 0; slice != TL_NONE && timeline->slices.at[slice].kind == TL_API; calls++)
        slice = calls < TL_CALLS_AROUND_MAX
                    ? shown_around(timeline, timeline->slices.at[slice].parent)
                    : TL_NONE;
    return slice;
}

/* The group whose kernels were launched in that range of NCCL's profiler; 0: it is not one. */
static uint64_t group_of_launch(const struct search *search, uint32_t slice)
{
    const struct recording *recording = search->recording;
    struct collective launch = {NOTHING_OF_NCCL};
    struct tl_attrs attrs = timeline_slice_attrs(recording->timeline, slice);
    if (!collectives_has_key(attrs, recording->nccl_keys[NCCL_GROUP]))
        return 0;
    collectives_read_attrs(search, attrs, &launch);
    return launch.group;
}

/* The calls that the kernels launched, or captured, there are of. */
static struct span calls_of_launch(const struct search *search, uint32_t slice)
{
    const struct timeline *timeline = search->recording->timeline;
    uint32_t around = range_around(timeline, slice);
    if (around == TL_NONE)
        return (struct span){0, 0};
    uint32_t call = collectives_range_of_slice(search, around);
    while (search->is_pytorchs && call == TL_NONE && around != TL_NONE) {
        around = range_around(timeline, timeline->slices.at[around].parent);
        call = around == TL_NONE ? TL_NONE : collectives_range_of_slice(search, around);
    }
    if (around == TL_NONE)
        return (struct span){0, 0};
    if (call != TL_NONE)
        return (struct span){call, call + 1};
    uint64_t group = group_of_launch(search, around);
    uint32_t process = timeline->threads.at[timeline->slices.at[around].thread].process;
    return group ? calls_of_group(search, key_of_group(process, group)) : (struct span){0, 0};
}

/* The row of a captured call in one launch of its graph, TL_NONE: an unknown launch. NULL: no
 * memory. */
static struct collective *replay_of(struct search *search, uint32_t call, uint32_t launch)
{
    uint64_t key = (uint64_t)call << 32 | launch;
    uint32_t at = launch == TL_NONE ? KEYMAP_NONE : keymap_find(&search->replays, key);
    if (at != KEYMAP_NONE)
        return &search->found->all.at[at];
    at = search->found->all.count;
    struct collective *added = ARRAY_ADD(&search->found->all);
    if (!added || (launch != TL_NONE && !keymap_set(&search->replays, key, at)))
        return NULL;
    *added = search->found->all.at[call];
    added->called = launch != TL_NONE;
    added->called_ns =
        launch == TL_NONE ? 0 : search->recording->timeline->slices.at[launch].start_ns;
    added->start_ns = INT64_MAX;
    added->end_ns = INT64_MIN;
    added->step = added->called ? step_at(search->unit, added->called_ns) : NULL;
    added->has_stream = added->captured = false;
    added->replayed = true;
    return added;
}

static void add_replay(struct search *search, uint32_t call, const struct tl_gpu *gpu)
{
    const struct recording *recording = search->recording;
    search->found->all.at[call].captured = true;
    struct collective *replay =
        replay_of(search, call, shown_around(recording->timeline, gpu->slice));
    search->failed |= !replay;
    if (!replay)
        return;
    if (!replay->called)
        replay->step = step_of_operation(recording, gpu);
    add_kernel(recording->timeline, replay, gpu);
}

/* False: it is of none of the calls. */
static bool join_kernel(struct search *search, uint32_t index)
{
    const struct timeline *timeline = search->recording->timeline;
    const struct tl_gpu *gpu = &timeline->gpus.at[index];
    const struct tl_captured *captured = captured_of(timeline, index);
    bool is_replay = captured && captured->slice != TL_NONE;
    struct span calls = calls_of_launch(search, is_replay ? captured->slice : gpu->slice);
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
    return tl_is_work(gpu) && class_of(search->recording, gpu) == WORK_COMMUNICATION &&
           unit_of_process(search->recording, gpu->process) == search->unit;
}

uint32_t kernels_join(struct search *search, uint32_t *others)
{
    const struct timeline *timeline = search->recording->timeline;
    uint32_t joined = 0;
    for (uint32_t i = 0; i < timeline->gpus.count && !search->failed; i++) {
        if (!is_communication(search, &timeline->gpus.at[i]))
            continue;
        bool is_of_range = join_kernel(search, i);
        joined += is_of_range;
        *others += !is_of_range;
    }
    return joined;
}

/* ---- captured calls: only their replays run ---- */

/* NCCL's profiler says so; of NVTX's ranges, the nodes of graphs do. */
void kernels_find_captured(struct search *search)
{
    const struct timeline *timeline = search->recording->timeline;
    for (uint32_t i = 0; i < timeline->graph_nodes.count; i++) {
        uint32_t slice = timeline->graph_nodes.at[i].slice;
        struct span calls = calls_of_launch(search, slice);
        for (uint32_t j = calls.first; j < calls.end; j++)
            search->found->all.at[j].captured = true;
    }
}

/* Nodes of graphs, by graph. */
struct nodes {
    uint32_t *order, *first; /* of each graph, and an end */
};

static bool nodes_init(struct nodes *nodes, const struct timeline *timeline)
{
    const struct tl_graph_node *all = timeline->graph_nodes.at;
    uint32_t count = timeline->graph_nodes.count, graphs = timeline->graphs.count;
    nodes->order = malloc((count + (size_t)1) * sizeof *nodes->order);
    nodes->first = calloc(graphs + (size_t)2, sizeof *nodes->first);
    if (!nodes->order || !nodes->first)
        return false;
    uint32_t *next = nodes->first + 1; /* ends where the next graph's begin */
    for (uint32_t i = 0; i < count; i++)
        next[all[i].graph + 1]++;
    for (uint32_t i = 1; i <= graphs; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < count; i++)
        nodes->order[next[all[i].graph]++] = i;
    return true;
}

static void nodes_fini(struct nodes *nodes)
{
    free(nodes->order);
    free(nodes->first);
}

/* Rows for the calls of one node in one launch, where they have none yet. A call made after the
 * launch came with an update. */
static void open_node(struct search *search, uint32_t node, uint32_t launch)
{
    const struct timeline *timeline = search->recording->timeline;
    struct span calls = calls_of_launch(search, timeline->graph_nodes.at[node].slice);
    int64_t launched_ns = timeline->slices.at[launch].start_ns;
    for (uint32_t i = calls.first; i < calls.end && !search->failed; i++)
        if (search->found->all.at[i].called_ns < launched_ns)
            search->failed = !replay_of(search, i, launch);
}

/* A launch that has all its operations lacks no collective. One that is recorded as a whole shows
 * none. */
static bool is_incomplete(const struct search *search, const struct tl_graph_launch *launch)
{
    const struct timeline *timeline = search->recording->timeline;
    uint32_t thread = timeline->slices.at[launch->slice].thread;
    return !launch->whole && launch->graph != TL_NONE && launch->recorded < launch->expected &&
           slice_is_shown(timeline, &timeline->slices.at[launch->slice]) &&
           unit_of_thread(search->recording, thread) == search->unit;
}

void kernels_open_replays(struct search *search)
{
    const struct timeline *timeline = search->recording->timeline;
    struct nodes nodes = {0};
    for (uint32_t i = 0; i < timeline->graph_launches.count && !search->failed; i++) {
        const struct tl_graph_launch *launch = &timeline->graph_launches.at[i];
        if (!is_incomplete(search, launch))
            continue;
        if (!nodes.first)
            search->failed = !nodes_init(&nodes, timeline);
        for (uint32_t j = search->failed ? UINT32_MAX : nodes.first[launch->graph];
             !search->failed && j < nodes.first[launch->graph + 1]; j++)
            open_node(search, nodes.order[j], launch->slice);
    }
    nodes_fini(&nodes);
}

void kernels_remove_captured(struct collectives *found)
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

void kernels_add_alone(struct search *search)
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
