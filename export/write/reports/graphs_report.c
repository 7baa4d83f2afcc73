/* graphs_report.c - profdump graphs: per graph its launches, its time on devices, who captured its
 * nodes and who replays it. In JSON an array, the graph that kept devices busy longest first:
 *
 *     pid, id (both null: launches of unknown graphs), source, known, earlier, varies, kernels,
 *     memcpys, memsets, others, launches, whole_launches, operations, operations_min,
 *     operations_max, expected (per launch, at least; 0 unknown), missing, device_ns,
 *     captured[]: when (recorded, earlier, unknown), path[], operations, nodes, device_ns
 *     replayed[]: path[], launches, device_ns
 */

#include "envelope.h"
#include "fit.h"
#include "graph_totals.h"
#include "process_name.h"
#include "report_cells.h"
#include "reports.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <string.h>

#define PATH_COLUMNS 120u

struct report {
    const struct timeline *timeline;
    const struct graph_totals *totals;
    struct table table;
    int64_t rows;
};

/* ---- tables ---- */

/* Launches of graphs of which nothing is known have neither process nor id: `graph` is NULL. */
#define GRAPH_PROCESS (graph ? graph->process : TL_NONE)
#define GRAPH_ID (graph ? table_count(table, graph->id) : table_unknown(table))

static void captured_path_cell(struct table *table, const struct range_paths *paths,
                               const struct graph_place *place)
{
    if (place->when == TL_CAPTURED_RECORDED || table->format == WRITE_JSON)
        cell_path(table, paths, place->path);
    else
        table_unknown(table);
}

/* Separated values name the graph of each place, JSON has places in the rows of graphs. */
#define PLACE_COLUMNS(X)                                                              \
    X(cell_process(table, report->timeline, GRAPH_PROCESS), "process", "Process",     \
      TABLE_FOR_PEOPLE)                                                               \
    X(cell_pid(table, report->timeline, GRAPH_PROCESS), "pid", .in = TABLE_IN_VALUES) \
    X(GRAPH_ID, "graph", "Graph", TABLE_BUT_JSON)
#define CAPTURED_COLUMNS(X)                                                              \
    PLACE_COLUMNS(X)                                                                     \
    X(table_string(table, whens[place->when]), "when", .in = TABLE_IN_JSON)              \
    X(captured_path_cell(table, &report->totals->paths, place), "path", "Captured in")   \
    X(table_count(table, place->operations), "operations", .in = TABLE_IN_JSON)          \
    X(table_count(table, place->nodes), "nodes", "Nodes")                                \
    X(table_count(table, place->operations), "operations", "Operations", TABLE_BUT_JSON) \
    X(table_ns(table, place->device_ns), "device_ns", "On devices")
#define REPLAYED_COLUMNS(X)                                                         \
    PLACE_COLUMNS(X)                                                                \
    X(cell_path(table, &report->totals->paths, place->path), "path", "Replayed in") \
    X(table_count(table, place->operations), "launches", "Launches")                \
    X(table_ns(table, place->device_ns), "device_ns", "On devices")
static const char *const whens[] = {"recorded", "earlier", "unknown"};
TABLE_ROW(captured, CAPTURED_COLUMNS, const struct report *report, const struct tl_graph *graph,
          const struct graph_place *place)
TABLE_ROW(replayed, REPLAYED_COLUMNS, const struct report *report, const struct tl_graph *graph,
          const struct graph_place *place)

static const struct tl_graph *graph_of(const struct report *report, const struct graph_total *total)
{
    return total->graph == TL_NONE ? NULL : &report->timeline->graphs.at[total->graph];
}

static void add_places_of(const struct report *report, struct table *table,
                          const struct graph_total *total, bool replays)
{
    uint32_t first = replays ? total->first_replay : total->first_capture;
    uint32_t count = replays ? total->replay_count : total->capture_count;
    for (uint32_t i = first; i < first + count; i++)
        (replays ? replayed_row : captured_row)(table, report, graph_of(report, total),
                                                &report->totals->places.at[i]);
}

static void nest_places(struct table *table, const struct report *report,
                        const struct graph_total *total, bool replays)
{
    struct json_out *out = table_json(table);
    if (!out)
        return;
    struct table places = table_in_json(out, NULL);
    places.rows_in_line = true;
    table_begin(&places, NULL, NULL, replays ? replayed_columns : captured_columns);
    add_places_of(report, &places, total, replays);
    table_end(&places);
}

static void nodes_cell(struct table *table, const struct tl_graph *graph, uint32_t nodes)
{
    if (graph->known || table->format == WRITE_JSON)
        table_count(table, nodes);
    else
        table_unknown(table);
}

#define IF_MADE(cell) graph ? cell : table_absent(table)
#define GRAPH_COLUMNS(X)                                                                           \
    PROCESS_COLUMNS(X, report->timeline, GRAPH_PROCESS)                                            \
    X(GRAPH_ID, "graph", "Graph", .json = "id")                                                    \
    X(IF_MADE(table_count(table, graph->source)), "source", .in = TABLE_IN_JSON)                   \
    X(IF_MADE(table_bool(table, graph->known)), "known", .in = TABLE_IN_JSON)                      \
    X(IF_MADE(table_bool(table, PROF_GRAPH_EARLIER & graph->flags)), "earlier",                    \
      .in = TABLE_IN_JSON)                                                                         \
    X(IF_MADE(table_bool(table, PROF_GRAPH_VARIES & graph->flags)), "varies", .in = TABLE_IN_JSON) \
    X(IF_MADE(nodes_cell(table, graph, graph->kernels)), "kernels", "Kernels")                     \
    X(IF_MADE(nodes_cell(table, graph, graph->memcpys)), "memcpys", "Copies")                      \
    X(IF_MADE(nodes_cell(table, graph, graph->memsets)), "memsets", "Sets")                        \
    X(IF_MADE(nodes_cell(table, graph, graph->others)), "others", "Other nodes")                   \
    X(table_count(table, total->launches), "launches", "Launches")                                 \
    X(table_count(table, total->whole_launches), "whole_launches", "Recorded as a whole")          \
    X(table_count(table, total->recorded), "operations", "Operations")                             \
    X(table_count(table, total->least), "operations_min", .in = TABLE_IN_JSON)                     \
    X(table_count(table, total->most), "operations_max", .in = TABLE_IN_JSON)                      \
    X(table_count(table, total->expected), "expected", .in = TABLE_IN_JSON)                        \
    X(table_count(table, total->missing), "missing", "Missing")                                    \
    X(table_ns(table, total->device_ns), "device_ns", "On devices")                                \
    X(nest_places(table, report, total, false), "captured", .in = TABLE_IN_JSON)                   \
    X(nest_places(table, report, total, true), "replayed", .in = TABLE_IN_JSON)
TABLE_ROW(graph, GRAPH_COLUMNS, const struct report *report, const struct tl_graph *graph,
          const struct graph_total *total)

static void add_graphs(struct report *report, const char *name)
{
    const struct graph_totals *totals = report->totals;
    table_begin(&report->table, name, "Graphs", graph_columns);
    for (uint32_t i = 0; i < totals->totals.count; i++)
        graph_row(&report->table, report, graph_of(report, &totals->totals.at[i]),
                  &totals->totals.at[i]);
    table_end(&report->table);
}

static void add_places(struct report *report, bool replays)
{
    struct table *table = &report->table;
    if (replays)
        table_begin(table, "replayed", "Where they are replayed", replayed_columns);
    else
        table_begin(table, "captured", "Where their nodes were captured", captured_columns);
    for (uint32_t i = 0; i < report->totals->totals.count; i++)
        add_places_of(report, table, &report->totals->totals.at[i], replays);
    table_end(table);
}

static bool add_tables(struct table *table, void *user)
{
    struct report *report = user;
    struct json_out *json = table->json;
    if (json && !envelope_begin_report(json, "graphs", report->timeline, EVIDENCE_GRAPHS))
        return false;
    add_graphs(report, "graphs");
    if (!json)
        add_places(report, false), add_places(report, true);
    else
        envelope_end(json, "graphs");
    return true;
}

/* ---- for people ---- */

static void print_time(const struct report *report, int64_t ns, int64_t of_ns)
{
    char time[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES];
    time_text((double)ns, time);
    if (of_ns > 0)
        time_text_share(ns, of_ns, share);
    else
        share[0] = '\0';
    fprintf(report->table.stream, "  %12s  %8s", time, share);
}

static void print_path(const struct report *report, const struct graph_place *place)
{
    char text[RANGE_PATH_BYTES], out[SHOW_TEXT_BYTES(PATH_COLUMNS)];
    bool rest;
    if (place->when == TL_CAPTURED_EARLIER)
        snprintf(text, sizeof text, "(while recording was off)");
    else if (place->when == TL_CAPTURED_UNKNOWN)
        snprintf(text, sizeof text, "(not known)");
    else
        range_paths_text(&report->totals->paths, place->path, text);
    show_text((struct text){text, strlen(text)}, PATH_COLUMNS, out, &rest);
    fprintf(report->table.stream, "  %s%s\n", out, rest ? "..." : "");
}

static void print_capture(const struct report *report, const struct graph_total *total,
                          const struct graph_place *place)
{
    print_time(report, place->device_ns, total->device_ns);
    fprintf(report->table.stream, "  %8llu operation%-1s", (unsigned long long)place->operations,
            plural(place->operations));
    print_path(report, place);
}

/* If it is unknown how long its nodes took. */
static void print_nodes(const struct report *report, const struct graph_place *place)
{
    fprintf(report->table.stream, "  %8llu node%-1s", (unsigned long long)place->nodes,
            plural(place->nodes));
    print_path(report, place);
}

static void print_replay(const struct report *report, const struct graph_total *total,
                         const struct graph_place *place)
{
    print_time(report, place->device_ns, total->device_ns);
    fprintf(report->table.stream, "  %8llu launch%-2s  ", (unsigned long long)place->operations,
            place->operations == 1 ? "" : "es");
    print_path(report, place);
}

/* Whether there are operations of it: not where graphs were recorded as a whole, or never ran. */
static bool has_operations(const struct report *report, const struct graph_total *total)
{
    for (uint32_t i = 0; i < total->capture_count; i++)
        if (report->totals->places.at[total->first_capture + i].operations)
            return true;
    return false;
}

static void print_captures(const struct report *report, const struct graph_total *total)
{
    bool timed = has_operations(report, total);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < total->capture_count; i++) {
        const struct graph_place *place = &report->totals->places.at[total->first_capture + i];
        if (timed && !place->operations)
            continue; /* nodes that never ran */
        if (report->rows >= 0 && shown == report->rows)
            break;
        if (shown++ == 0)
            fprintf(report->table.stream, "  captured in\n");
        if (timed)
            print_capture(report, total, place);
        else
            print_nodes(report, place);
    }
    if (shown < total->capture_count && shown == report->rows)
        fprintf(report->table.stream, "    ... and more\n");
}

static void print_replays(const struct report *report, const struct graph_total *total)
{
    uint32_t count = total->replay_count;
    if (count)
        fprintf(report->table.stream, "  replayed in\n");
    for (uint32_t i = 0; i < count && (report->rows < 0 || i < report->rows); i++)
        print_replay(report, total, &report->totals->places.at[total->first_replay + i]);
    if (report->rows >= 0 && count > report->rows)
        fprintf(report->table.stream, "    ... and %u more\n", (unsigned)(count - report->rows));
}

static void print_per_launch(const struct report *report, const struct graph_total *total)
{
    FILE *out = report->table.stream;
    if (total->launches == 0)
        return;
    if (total->whole_launches == total->launches)
        fprintf(out, ", recorded as a whole");
    else if (total->least == total->most)
        fprintf(out, ", %u operation%s each", total->most, plural(total->most));
    else
        fprintf(out, ", %u to %u operations each, %.1f on average", total->least, total->most,
                (double)total->recorded / (double)total->launches);
    if (total->missing)
        fprintf(out, " (%llu of at least %u per launch missing)",
                (unsigned long long)total->missing, total->expected);
}

static void print_made(const struct report *report, const struct tl_graph *graph)
{
    FILE *out = report->table.stream;
    if (!graph->known) {
        fprintf(out, "  its creation was not recorded\n");
        return;
    }
    fprintf(out, "  instantiated");
    if (graph->source)
        fprintf(out, " from graph %u", graph->source);
    fprintf(out, "%s: %u kernel%s, %u cop%s, %u set%s, %u other node%s%s\n",
            graph->flags & PROF_GRAPH_EARLIER ? " while recording was off" : "", graph->kernels,
            plural(graph->kernels), graph->memcpys, graph->memcpys == 1 ? "y" : "ies",
            graph->memsets, plural(graph->memsets), graph->others, plural(graph->others),
            graph->flags & PROF_GRAPH_VARIES ? "; not all run at each launch" : "");
}

static void print_graph(const struct report *report, const struct graph_total *total)
{
    const struct timeline *timeline = report->timeline;
    char time[TIME_TEXT_BYTES];
    time_text((double)total->device_ns, time);
    if (total->graph == TL_NONE)
        fprintf(report->table.stream, "\nUnknown graphs: ");
    else
        fprintf(report->table.stream, "\nGraph %u: ", timeline->graphs.at[total->graph].id);
    if (timeline->processes.count > 1 && total->graph != TL_NONE)
        fprintf(report->table.stream, "%s, ",
                process_full_name(timeline, timeline->graphs.at[total->graph].process).text);
    fprintf(report->table.stream, "%llu launch%s", (unsigned long long)total->launches,
            total->launches == 1 ? "" : "es");
    print_per_launch(report, total);
    fprintf(report->table.stream, ", %s on the device\n", time);
    if (total->graph != TL_NONE)
        print_made(report, &timeline->graphs.at[total->graph]);
    print_captures(report, total);
    print_replays(report, total);
}

static void print_head(const struct report *report)
{
    uint64_t launches = 0, missing = 0;
    int64_t device_ns = 0;
    char time[TIME_TEXT_BYTES];
    for (uint32_t i = 0; i < report->totals->totals.count; i++) {
        launches += report->totals->totals.at[i].launches;
        missing += report->totals->totals.at[i].missing;
        device_ns += report->totals->totals.at[i].device_ns;
    }
    time_text((double)device_ns, time);
    fprintf(report->table.stream, "%u graph%s, %llu launch%s, %s on the device",
            report->totals->totals.count, plural(report->totals->totals.count),
            (unsigned long long)launches, launches == 1 ? "" : "es", time);
    if (missing)
        fprintf(report->table.stream, "; %llu operations missing", (unsigned long long)missing);
    fputc('\n', report->table.stream);
}

static bool print_all(const void *user, FILE *stream)
{
    struct report report = *(const struct report *)user;
    uint32_t count = report.totals->totals.count;
    report.table.stream = stream;
    print_head(&report);
    for (uint32_t i = 0; i < count && (report.rows < 0 || i < report.rows); i++)
        print_graph(&report, &report.totals->totals.at[i]);
    if (report.rows >= 0 && count > report.rows)
        fprintf(stream, "\n%lld of %u graphs\n", (long long)report.rows, count);
    return true;
}

/* ---- the whole ---- */

static bool write_format(struct report *report, unsigned width)
{
    if (report->table.format == WRITE_TEXT)
        return fit_written(print_all, report, width, report->table.stream) &&
               !ferror(report->table.stream);
    return table_write(&report->table, add_tables, report);
}

bool write_graphs(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct graph_totals totals;
    struct report report = {.timeline = timeline,
                            .totals = &totals,
                            .rows = options->rows,
                            .table = {.format = format,
                                      .stream = stream,
                                      .most = options->rows,
                                      .limited = true,
                                      .unbroken = true,
                                      .unit = options->unit}};
    errno = ENOMEM;
    if (!graph_totals_init(&totals, timeline))
        return false;
    bool written = write_format(&report, options->table_width);
    graph_totals_fini(&totals);
    return written;
}

bool graphs_json(struct json_out *out, const struct timeline *timeline, int64_t rows)
{
    struct graph_totals totals;
    struct report report = {
        .timeline = timeline, .totals = &totals, .table = table_in_json(out, NULL)};
    report.table.most = rows, report.table.limited = true;
    if (!graph_totals_init(&totals, timeline))
        return false;
    add_graphs(&report, NULL);
    graph_totals_fini(&totals);
    return true;
}
