/* graphs_sheet.c - profdump graphs as tables. */
#include "graph_totals.h"
#include "table.h"
#include "table_sheets.h"

#include <errno.h>

struct graphs_sheet {
    struct table table;
    const struct timeline *timeline;
    struct graph_totals totals;
};

/* Launches of graphs of which nothing is known have neither. */
static void add_graph_id(struct graphs_sheet *of, uint32_t index)
{
    if (index == TL_NONE) {
        table_unknown(&of->table), table_unknown(&of->table);
        return;
    }
    const struct tl_graph *graph = &of->timeline->graphs.at[index];
    table_count(&of->table, of->timeline->processes.at[graph->process].info.pid);
    table_count(&of->table, graph->id);
}

static void add_nodes(struct graphs_sheet *of, uint32_t index)
{
    const struct tl_graph *graph = index != TL_NONE ? &of->timeline->graphs.at[index] : NULL;
    const uint32_t counts[] = {graph ? graph->kernels : 0, graph ? graph->memcpys : 0,
                               graph ? graph->memsets : 0, graph ? graph->others : 0};
    for (unsigned i = 0; i < 4; i++)
        if (graph && graph->known)
            table_count(&of->table, counts[i]);
        else
            table_unknown(&of->table);
}

static void add_graphs(struct graphs_sheet *of)
{
    static const struct table_column columns[] = {{"pid", "Pid"},
                                                  {"graph", "Graph"},
                                                  {"kernels", "Kernels"},
                                                  {"memcpys", "Copies"},
                                                  {"memsets", "Sets"},
                                                  {"others", "Other nodes"},
                                                  {"launches", "Launches"},
                                                  {"whole_launches", "Recorded as a whole"},
                                                  {"operations", "Operations"},
                                                  {"missing", "Missing"},
                                                  {"device_ns", "On devices"},
                                                  {0}};
    struct table *table = &of->table;
    table_begin(table, "graphs", "Graphs", columns);
    for (uint32_t i = 0; i < of->totals.totals.count; i++) {
        const struct graph_total *total = &of->totals.totals.at[i];
        if (!table_row(table))
            continue;
        add_graph_id(of, total->graph);
        add_nodes(of, total->graph);
        table_count(table, total->launches), table_count(table, total->whole_launches);
        table_count(table, total->recorded), table_count(table, total->missing);
        table_ns(table, total->device_ns);
    }
    table_end(table);
}

static void add_path(struct graphs_sheet *of, const struct graph_place *place)
{
    char text[RANGE_PATH_BYTES];
    bool is_seen = place->is_replay || place->when == TL_CAPTURED_RECORDED;
    if (is_seen) {
        range_paths_text(&of->totals.paths, place->path, text);
        table_string(&of->table, text);
    } else {
        table_unknown(&of->table);
    }
}

static void add_place(struct graphs_sheet *of, const struct graph_total *total,
                      const struct graph_place *place)
{
    if (!table_row(&of->table))
        return;
    add_graph_id(of, total->graph);
    add_path(of, place);
    if (!place->is_replay)
        table_count(&of->table, place->nodes);
    table_count(&of->table, place->operations);
    table_ns(&of->table, place->device_ns);
}

static void add_places(struct graphs_sheet *of, bool replays)
{
    for (uint32_t i = 0; i < of->totals.totals.count; i++) {
        const struct graph_total *total = &of->totals.totals.at[i];
        uint32_t first = replays ? total->first_replay : total->first_capture;
        uint32_t count = replays ? total->replay_count : total->capture_count;
        for (uint32_t j = 0; j < count; j++)
            add_place(of, total, &of->totals.places.at[first + j]);
    }
    table_end(&of->table);
}

static bool add_tables(struct table *table, void *user)
{
    static const struct table_column captured[] = {{"pid", "Pid"},
                                                   {"graph", "Graph"},
                                                   {"path", "Captured in"},
                                                   {"nodes", "Nodes"},
                                                   {"operations", "Operations"},
                                                   {"device_ns", "On devices"},
                                                   {0}};
    static const struct table_column replayed[] = {
        {"pid", "Pid"},           {"graph", "Graph"},          {"path", "Replayed in"},
        {"launches", "Launches"}, {"device_ns", "On devices"}, {0}};
    struct graphs_sheet *of = user;
    add_graphs(of);
    table_begin(table, "captured", "Where their nodes were captured", captured);
    add_places(of, false);
    table_begin(table, "replayed", "Where they are replayed", replayed);
    add_places(of, true);
    return true;
}

bool graphs_sheet(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct graphs_sheet of = {
        .table = {.format = format, .stream = stream, .most = options->rows, .unit = options->unit},
        .timeline = timeline};
    errno = ENOMEM;
    if (!graph_totals_init(&of.totals, timeline))
        return false;
    bool done = table_write(&of.table, add_tables, &of);
    graph_totals_fini(&of.totals);
    return done;
}
