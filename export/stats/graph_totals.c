#include "graph_totals.h"

#include "slice_sums.h"
#include "timeline.h"

#include <stdlib.h>

struct adding {
    struct graph_totals *out;
    const struct timeline *timeline;

    struct keymap places; /* total, path, kind -> place */
    bool failed;
};

static struct graph_total *total_of(struct adding *adding, uint32_t graph)
{
    uint32_t count = adding->timeline->graphs.count;
    return &adding->out->totals.at[graph < count ? graph : count];
}

static bool make_totals(struct adding *adding)
{
    uint32_t count = adding->timeline->graphs.count + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct graph_total *total = ARRAY_ADD(&adding->out->totals);
        if (!total)
            return false;
        *total = (struct graph_total){.graph = i + 1 < count ? i : TL_NONE, .least = UINT32_MAX};
    }
    return true;
}

/* `kind`: enum tl_captured_when, or beyond it a replay. */
#define KIND_REPLAY 3u

static struct graph_place *place_of(struct adding *adding, const struct graph_total *total,
                                    uint32_t slice, uint32_t kind)
{
    struct graph_totals *out = adding->out;
    uint32_t path = range_paths_of(&out->paths, slice);
    uint32_t index = (uint32_t)(total - out->totals.at);
    uint64_t key = ((uint64_t)path << 30 | index) << 2 | kind;
    uint32_t known = keymap_find(&adding->places, key);
    if (known != KEYMAP_NONE)
        return &out->places.at[known];
    struct graph_place *place = out->paths.failed ? NULL : ARRAY_ADD(&out->places);
    if (!place || !keymap_set(&adding->places, key, out->places.count - 1)) {
        adding->failed = true;
        return NULL;
    }
    *place = (struct graph_place){.total = index,
                                  .path = path,
                                  .when = (uint8_t)(kind == KIND_REPLAY ? 0 : kind),
                                  .is_replay = kind == KIND_REPLAY};
    return place;
}

static void add_launch(struct adding *adding, const struct tl_graph_launch *launch)
{
    const struct timeline *timeline = adding->timeline;
    struct graph_total *total = total_of(adding, launch->graph);
    int64_t device_ns = slice_launched_ns(timeline, &timeline->slices.at[launch->slice]);
    total->launches++;
    total->whole_launches += launch->whole;
    total->recorded += launch->recorded;
    total->least = launch->recorded < total->least ? launch->recorded : total->least;
    total->most = launch->recorded > total->most ? launch->recorded : total->most;
    total->expected = launch->expected > total->expected ? launch->expected : total->expected;
    total->missing += launch->expected > launch->recorded ? launch->expected - launch->recorded : 0;
    total->device_ns += device_ns;
    struct graph_place *place = place_of(adding, total, launch->slice, KIND_REPLAY);
    if (place) {
        place->operations++;
        place->device_ns += device_ns;
    }
}

/* The graph that launched an operation; what has no launch here has no graph either. */
static struct graph_total *total_of_op(struct adding *adding, const struct tl_gpu *gpu)
{
    const struct tl_graph_launch *launch =
        gpu->slice == TL_NONE ? NULL : graph_launch_of(adding->timeline, gpu->slice);
    return launch ? total_of(adding, launch->graph) : NULL;
}

static void add_captured(struct adding *adding, const struct tl_captured *captured)
{
    const struct tl_gpu *gpu = &adding->timeline->gpus.at[captured->gpu];
    const struct graph_total *total = total_of_op(adding, gpu);
    struct graph_place *place =
        total ? place_of(adding, total, captured->slice, captured->when) : NULL;
    if (!place)
        return;
    place->operations++;
    place->device_ns += gpu->end_ns > gpu->start_ns ? gpu->end_ns - gpu->start_ns : 0;
}

static void add_node(struct adding *adding, const struct tl_graph_node *node)
{
    struct graph_place *place =
        place_of(adding, total_of(adding, node->graph), node->slice, node->when);
    if (place)
        place->nodes++;
}

static int by_weight(const void *left, const void *right)
{
    const struct graph_place *a = left, *b = right;
    if (a->total != b->total)
        return a->total < b->total ? -1 : 1;
    if (a->is_replay != b->is_replay)
        return a->is_replay ? 1 : -1;
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes ? -1 : 1;
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    return a->when < b->when ? -1 : a->when > b->when;
}

static void hand_out_places(struct graph_totals *out)
{
    if (out->places.count > 1)
        qsort(out->places.at, out->places.count, sizeof *out->places.at, by_weight);
    for (uint32_t i = 0; i < out->places.count; i++) {
        const struct graph_place *place = &out->places.at[i];
        struct graph_total *total = &out->totals.at[place->total];
        uint32_t *first = place->is_replay ? &total->first_replay : &total->first_capture;
        uint32_t *count = place->is_replay ? &total->replay_count : &total->capture_count;
        if ((*count)++ == 0)
            *first = i;
    }
}

static int by_device_time(const void *left, const void *right)
{
    const struct graph_total *a = left, *b = right;
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    if (a->launches != b->launches)
        return a->launches > b->launches ? -1 : 1;
    return a->graph < b->graph ? -1 : a->graph > b->graph;
}

/* Graphs that were neither made nor launched in the trace are none. */
static void keep_graphs(struct graph_totals *out, const struct timeline *timeline)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->totals.count; i++) {
        struct graph_total *total = &out->totals.at[i];
        total->least = total->launches ? total->least : 0;
        if (total->launches || (total->graph != TL_NONE && timeline->graphs.at[total->graph].known))
            out->totals.at[kept++] = *total;
    }
    out->totals.count = kept;
    if (kept > 1)
        qsort(out->totals.at, kept, sizeof *out->totals.at, by_device_time);
}

static void add_all(struct adding *adding)
{
    const struct timeline *timeline = adding->timeline;
    for (uint32_t i = 0; i < timeline->graph_launches.count && !adding->failed; i++)
        add_launch(adding, &timeline->graph_launches.at[i]);
    for (uint32_t i = 0; i < timeline->captured.count && !adding->failed; i++)
        add_captured(adding, &timeline->captured.at[i]);
    for (uint32_t i = 0; i < timeline->graph_nodes.count && !adding->failed; i++)
        add_node(adding, &timeline->graph_nodes.at[i]);
}

bool graph_totals_init(struct graph_totals *totals, const struct timeline *timeline)
{
    struct adding adding = {.out = totals, .timeline = timeline};
    *totals = (struct graph_totals){0};
    if (!range_paths_init(&totals->paths, timeline))
        return false;
    adding.failed = !make_totals(&adding);
    if (!adding.failed)
        add_all(&adding);
    keymap_fini(&adding.places);
    if (adding.failed) {
        graph_totals_fini(totals);
        return false;
    }
    hand_out_places(totals);
    keep_graphs(totals, timeline);
    return true;
}

void graph_totals_fini(struct graph_totals *totals)
{
    free(totals->totals.at);
    free(totals->places.at);
    range_paths_fini(&totals->paths);
    *totals = (struct graph_totals){0};
}
