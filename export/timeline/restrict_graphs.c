/* restrict_graphs.c - CUDA graphs that were made or launched in a window. */
#include "restrict.h"

void restrict_find_graphs(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->graphs.count; i++) {
        const struct tl_graph *graph = &timeline->graphs.at[i];
        with->graphs[i] = graph->known && restrict_has(with, graph->made_ns) ? 0 : TL_NONE;
    }
    for (uint32_t i = 0; i < timeline->graph_launches.count; i++) {
        const struct tl_graph_launch *launch = &timeline->graph_launches.at[i];
        if (launch->graph != TL_NONE && with->slice_stays[launch->slice])
            with->graphs[launch->graph] = 0;
    }
    for (uint32_t i = 0; i < timeline->graphs.count; i++)
        if (with->graphs[i] != TL_NONE)
            with->graphs[i] = next++;
}

static void move_graphs(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->graphs.count; i++)
        if (with->graphs[i] != TL_NONE)
            timeline->graphs.at[next++] = timeline->graphs.at[i];
    timeline->graphs.count = next;
}

/* What was captured in a range or call that is not here was captured before the window. */
static void move_origin(const struct restriction *with, uint32_t *slice, uint8_t *when)
{
    if (*slice == TL_NONE)
        return;
    if (with->slice_stays[*slice]) {
        *slice = with->slices[*slice];
        return;
    }
    *slice = TL_NONE;
    *when = TL_CAPTURED_EARLIER;
}

static void move_nodes(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->graph_nodes.count; i++) {
        struct tl_graph_node node = timeline->graph_nodes.at[i];
        node.graph = with->graphs[node.graph];
        if (node.graph == TL_NONE)
            continue;
        move_origin(with, &node.slice, &node.when);
        timeline->graph_nodes.at[next++] = node;
    }
    timeline->graph_nodes.count = next;
}

static void move_captured(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->captured.count; i++) {
        struct tl_captured captured = timeline->captured.at[i];
        captured.gpu = with->gpus[captured.gpu];
        if (captured.gpu == TL_NONE)
            continue;
        move_origin(with, &captured.slice, &captured.when);
        timeline->captured.at[next++] = captured;
    }
    timeline->captured.count = next;
}

static void move_launches(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->graph_launches.count; i++) {
        struct tl_graph_launch launch = timeline->graph_launches.at[i];
        if (!with->slice_stays[launch.slice])
            continue;
        launch.slice = with->slices[launch.slice];
        launch.graph = launch.graph == TL_NONE ? TL_NONE : with->graphs[launch.graph];
        timeline->graph_launches.at[next++] = launch;
    }
    timeline->graph_launches.count = next;
}

void restrict_graphs(struct restriction *with)
{
    move_graphs(with);
    move_nodes(with);
    move_captured(with);
    move_launches(with);
}
