/* graphs_report.c - profdump graphs: per graph its launches, its time on devices, who captured its nodes
 * and who replays it. */
#include "fit.h"
#include "graph_totals.h"
#include "text.h"
#include "units.h"
#include "write_report.h"

#include <errno.h>
#include <string.h>

#define PATH_COLUMNS 120u

struct report {
    const struct timeline *timeline;
    const struct graph_totals *totals;
    FILE *stream;
    int64_t rows;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_time(const struct report *report, int64_t ns, int64_t of_ns)
{
    char time[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES];
    time_text((double)ns, time);
    if (of_ns > 0)
        time_text_share(ns, of_ns, share);
    else
        share[0] = '\0';
    fprintf(report->stream, "  %12s  %8s", time, share);
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
    fprintf(report->stream, "  %s%s\n", out, rest ? "..." : "");
}

static void print_capture(const struct report *report, const struct graph_total *total,
                          const struct graph_place *place)
{
    print_time(report, place->device_ns, total->device_ns);
    fprintf(report->stream, "  %8llu operation%-1s", (unsigned long long)place->operations,
            plural(place->operations));
    print_path(report, place);
}

/* Where nothing tells how long its nodes took. */
static void print_nodes(const struct report *report, const struct graph_place *place)
{
    fprintf(report->stream, "  %8llu node%-1s", (unsigned long long)place->nodes,
            plural(place->nodes));
    print_path(report, place);
}

static void print_replay(const struct report *report, const struct graph_total *total,
                         const struct graph_place *place)
{
    print_time(report, place->device_ns, total->device_ns);
    fprintf(report->stream, "  %8llu launch%-2s  ", (unsigned long long)place->operations,
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
            fprintf(report->stream, "  captured in\n");
        if (timed)
            print_capture(report, total, place);
        else
            print_nodes(report, place);
    }
    if (shown < total->capture_count && shown == report->rows)
        fprintf(report->stream, "    ... and more\n");
}

static void print_replays(const struct report *report, const struct graph_total *total)
{
    uint32_t count = total->replay_count;
    if (count)
        fprintf(report->stream, "  replayed in\n");
    for (uint32_t i = 0; i < count && (report->rows < 0 || i < report->rows); i++)
        print_replay(report, total, &report->totals->places.at[total->first_replay + i]);
    if (report->rows >= 0 && count > report->rows)
        fprintf(report->stream, "    ... and %u more\n", (unsigned)(count - report->rows));
}

static void print_per_launch(const struct report *report, const struct graph_total *total)
{
    FILE *out = report->stream;
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
    FILE *out = report->stream;
    if (!graph->known) {
        fprintf(out, "  its making was not seen\n");
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
        fprintf(report->stream, "\nUnknown graphs: ");
    else
        fprintf(report->stream, "\nGraph %u: ", timeline->graphs.at[total->graph].id);
    if (timeline->processes.count > 1 && total->graph != TL_NONE)
        fprintf(report->stream, "pid %u, ",
                timeline->processes.at[timeline->graphs.at[total->graph].process].info.pid);
    fprintf(report->stream, "%llu launch%s", (unsigned long long)total->launches,
            total->launches == 1 ? "" : "es");
    print_per_launch(report, total);
    fprintf(report->stream, ", %s on the device\n", time);
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
    fprintf(report->stream, "%u graph%s, %llu launch%s, %s on the device",
            report->totals->totals.count, plural(report->totals->totals.count),
            (unsigned long long)launches, launches == 1 ? "" : "es", time);
    if (missing)
        fprintf(report->stream, "; %llu operations missing", (unsigned long long)missing);
    fputc('\n', report->stream);
}

static bool print_all(const void *user, FILE *stream)
{
    struct report report = *(const struct report *)user;
    uint32_t count = report.totals->totals.count;
    report.stream = stream;
    print_head(&report);
    for (uint32_t i = 0; i < count && (report.rows < 0 || i < report.rows); i++)
        print_graph(&report, &report.totals->totals.at[i]);
    if (report.rows >= 0 && count > report.rows)
        fprintf(stream, "\n%lld of %u graphs\n", (long long)report.rows, count);
    return true;
}

bool write_graphs(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream)
{
    struct graph_totals totals;
    if (!graph_totals_init(&totals, timeline)) {
        errno = ENOMEM;
        return false;
    }
    const struct report report = {timeline, &totals, stream, options->rows};
    bool written = fit_written(print_all, &report, options->table_width, stream);
    graph_totals_fini(&totals);
    return written && !ferror(stream);
}
