/* graphs_sheet.c - profdump graphs as tables. */
#include "graph_totals.h"
#include "sheet.h"
#include "table_sheets.h"

#include <errno.h>

struct graphs_sheet {
    struct sheet sheet;
    const struct timeline *timeline;
    struct graph_totals totals;
};

/* Launches of graphs of which nothing is known have neither. */
static void add_graph_id(struct graphs_sheet *of, uint32_t index)
{
    if (index == TL_NONE) {
        sheet_unknown(&of->sheet), sheet_unknown(&of->sheet);
        return;
    }
    const struct tl_graph *graph = &of->timeline->graphs.at[index];
    sheet_count(&of->sheet, of->timeline->processes.at[graph->process].info.pid);
    sheet_count(&of->sheet, graph->id);
}

static void add_nodes(struct graphs_sheet *of, uint32_t index)
{
    const struct tl_graph *graph = index != TL_NONE ? &of->timeline->graphs.at[index] : NULL;
    const uint32_t counts[] = {graph ? graph->kernels : 0, graph ? graph->memcpys : 0,
                               graph ? graph->memsets : 0, graph ? graph->others : 0};
    for (unsigned i = 0; i < 4; i++)
        if (graph && graph->known)
            sheet_count(&of->sheet, counts[i]);
        else
            sheet_unknown(&of->sheet);
}

static void add_graphs(struct graphs_sheet *of)
{
    static const struct sheet_column columns[] = {{"pid", "Pid"},
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
    struct sheet *sheet = &of->sheet;
    sheet_begin(sheet, "graphs", "Graphs", columns);
    for (uint32_t i = 0; i < of->totals.totals.count; i++) {
        const struct graph_total *total = &of->totals.totals.at[i];
        if (!sheet_row(sheet))
            continue;
        add_graph_id(of, total->graph);
        add_nodes(of, total->graph);
        sheet_count(sheet, total->launches), sheet_count(sheet, total->whole_launches);
        sheet_count(sheet, total->recorded), sheet_count(sheet, total->missing);
        sheet_ns(sheet, total->device_ns);
    }
    sheet_end(sheet);
}

static void add_path(struct graphs_sheet *of, const struct graph_place *place)
{
    char text[RANGE_PATH_BYTES];
    bool is_seen = place->is_replay || place->when == TL_CAPTURED_RECORDED;
    if (is_seen) {
        range_paths_text(&of->totals.paths, place->path, text);
        sheet_string(&of->sheet, text);
    } else {
        sheet_unknown(&of->sheet);
    }
}

static void add_place(struct graphs_sheet *of, const struct graph_total *total,
                      const struct graph_place *place)
{
    if (!sheet_row(&of->sheet))
        return;
    add_graph_id(of, total->graph);
    add_path(of, place);
    if (!place->is_replay)
        sheet_count(&of->sheet, place->nodes);
    sheet_count(&of->sheet, place->operations);
    sheet_ns(&of->sheet, place->device_ns);
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
    sheet_end(&of->sheet);
}

static bool add_tables(struct sheet *sheet, void *user)
{
    static const struct sheet_column captured[] = {{"pid", "Pid"},
                                                   {"graph", "Graph"},
                                                   {"path", "Captured in"},
                                                   {"nodes", "Nodes"},
                                                   {"operations", "Operations"},
                                                   {"device_ns", "On devices"},
                                                   {0}};
    static const struct sheet_column replayed[] = {
        {"pid", "Pid"},           {"graph", "Graph"},          {"path", "Replayed in"},
        {"launches", "Launches"}, {"device_ns", "On devices"}, {0}};
    struct graphs_sheet *of = user;
    add_graphs(of);
    sheet_begin(sheet, "captured", "Where their nodes were captured", captured);
    add_places(of, false);
    sheet_begin(sheet, "replayed", "Where they are replayed", replayed);
    add_places(of, true);
    return true;
}

bool graphs_sheet(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct graphs_sheet of = {
        .sheet = {.format = format, .stream = stream, .most = options->rows, .unit = options->unit},
        .timeline = timeline};
    errno = ENOMEM;
    if (!graph_totals_init(&of.totals, timeline))
        return false;
    bool done = sheet_write(&of.sheet, add_tables, &of);
    graph_totals_fini(&of.totals);
    return done;
}
