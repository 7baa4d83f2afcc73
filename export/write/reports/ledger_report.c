/* ledger_report.c - profdump ledger: launched = recorded + each cause, a line per stream and graph.
 *
 * Columns without a number in any line are left out, but for those that say that nothing is wrong.
 */
#include "failed_text.h"
#include "fit.h"
#include "ledger_json.h"
#include "run_facts.h"
#include "write_report.h"

#include "facts_json.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define PLACE_WIDTH 36
#define PLACE_BYTES 128u

enum {
    COLUMN_LAUNCHED,
    COLUMN_RECORDED,
    COLUMN_LOST,
    COLUMN_RECYCLED = COLUMN_LOST + PROF_LOSS_COUNT,
    COLUMN_UNDELIVERED,
    COLUMN_UNOBSERVED,
    COLUMN_MISSING,
    COLUMN_ORPHANS,
    COLUMN_AMBIGUOUS,
    COLUMN_OUTSIDE,
    COLUMNS
};

_Static_assert(COLUMNS < FIT_TABLE_COLUMNS, "a column for the place, too");

struct report {
    const struct timeline *timeline;
    FILE *stream;
    struct tl_ledger_row total; /* of all streams, not of graphs */
    bool shown[COLUMNS];
    struct fit_table table;
};

static uint64_t value_of(const struct tl_ledger_row *row, unsigned column)
{
    const uint64_t rest[] = {row->recycled, row->undelivered, row->unobserved, row->missing,
                             row->orphans,  row->ambiguous,   row->outside};
    if (column == COLUMN_LAUNCHED)
        return row->launched;
    if (column == COLUMN_RECORDED)
        return row->recorded;
    return column < COLUMN_RECYCLED ? row->lost[column - COLUMN_LOST]
                                    : rest[column - COLUMN_RECYCLED];
}

static const char *title_of(unsigned column)
{
    static const char *const rest[] = {"recycled", "undelivered", "unobserved", "missing",
                                       "orphans",  "ambiguous",   "outside"};
    if (column == COLUMN_LAUNCHED)
        return "launched";
    if (column == COLUMN_RECORDED)
        return "recorded";
    return column < COLUMN_RECYCLED
               ? run_facts_cause_name((enum prof_loss_cause)(column - COLUMN_LOST))
               : rest[column - COLUMN_RECYCLED];
}

static const char *sentence_of(unsigned column)
{
    static const char *const rest[] = {
        "in chunks that are not in the file any more",
        "not yet delivered when the process was killed",
        "its device side was not recorded: see the GPU mode",
        "no record, for no known reason",
        "recorded, and its launch is not in the file",
        "recorded, and calls of several processes can have launched it: joined to none",
        "lost, and its launch is not in the file either: no part of launched",
    };
    return column < COLUMN_RECYCLED
               ? run_facts_cause_sentence((enum prof_loss_cause)(column - COLUMN_LOST))
               : rest[column - COLUMN_RECYCLED];
}

static int width_of(unsigned column)
{
    int width = (int)strlen(title_of(column));
    return width < 9 ? 9 : width;
}

static void add_up(struct report *report)
{
    const struct timeline *timeline = report->timeline;
    struct tl_ledger_row *total = &report->total;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        for (unsigned column = 0; column < COLUMNS; column++)
            report->shown[column] |= value_of(row, column) != 0;
        if (row->kind == TL_LEDGER_GRAPH)
            continue;
        total->launched += row->launched, total->recorded += row->recorded;
        for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
            total->lost[cause] += row->lost[cause];
        total->recycled += row->recycled, total->undelivered += row->undelivered;
        total->unobserved += row->unobserved, total->missing += row->missing;
        total->orphans += row->orphans, total->ambiguous += row->ambiguous;
        total->outside += row->outside;
    }
    report->shown[COLUMN_LAUNCHED] = report->shown[COLUMN_RECORDED] = true;
    report->shown[COLUMN_MISSING] = report->shown[COLUMN_ORPHANS] = true;
}

static void print_line(struct report *report, const char *place, const struct tl_ledger_row *row)
{
    fit_table_cell(&report->table, place);
    for (unsigned column = 0; column < COLUMNS; column++)
        if (report->shown[column])
            fit_table_count(&report->table, value_of(row, column));
}

/* What was lost is told below as well, and what is zero is left out first. */
static unsigned rank_of(const struct report *report, unsigned column)
{
    if (column == COLUMN_LAUNCHED || column == COLUMN_RECORDED)
        return 0;
    return value_of(&report->total, column) ? 1 : 2;
}

static void print_titles(struct report *report)
{
    fit_table_column(&report->table, "", PLACE_WIDTH, 0);
    for (unsigned column = 0; column < COLUMNS; column++)
        if (report->shown[column])
            fit_table_column(&report->table, title_of(column), (unsigned)width_of(column),
                             rank_of(report, column));
    fit_table_begin(&report->table);
}

static void describe(const struct report *report, const struct tl_ledger_row *row,
                     char place[PLACE_BYTES])
{
    const struct timeline *timeline = report->timeline;
    size_t used = 0;
    if (timeline->processes.count > 1)
        used = (size_t)snprintf(place, PLACE_BYTES, "pid %u, ",
                                timeline->processes.at[row->process].info.pid);
    if (row->kind == TL_LEDGER_GRAPH) {
        snprintf(place + used, PLACE_BYTES - used, row->graph ? "graph %u" : "graphs", row->graph);
    } else if (row->stream >= timeline->streams.count) {
        snprintf(place + used, PLACE_BYTES - used, "unknown stream");
    } else {
        const struct tl_stream *stream = &timeline->streams.at[row->stream];
        snprintf(place + used, PLACE_BYTES - used, "device %d, context %u, stream %u",
                 stream->device == TL_NONE ? -1 : (int)stream->device, stream->context,
                 stream->stream);
    }
}

static void print_rows(struct report *report, bool graphs)
{
    for (uint32_t i = 0; i < report->timeline->ledger_rows.count; i++) {
        const struct tl_ledger_row *row = &report->timeline->ledger_rows.at[i];
        char place[PLACE_BYTES];
        if ((row->kind == TL_LEDGER_GRAPH) != graphs)
            continue;
        describe(report, row, place);
        print_line(report, place, row);
    }
}

static void print_identity(const struct report *report)
{
    fprintf(report->stream, "\nLaunched %llu = recorded %llu",
            (unsigned long long)report->total.launched, (unsigned long long)report->total.recorded);
    for (unsigned column = COLUMN_LOST; column <= COLUMN_MISSING; column++)
        if (value_of(&report->total, column))
            fprintf(report->stream, " + %s %llu", title_of(column),
                    (unsigned long long)value_of(&report->total, column));
    fputc('\n', report->stream);
    for (unsigned column = COLUMN_LOST; column < COLUMNS; column++)
        if (report->shown[column] && (value_of(&report->total, column) || column < COLUMN_MISSING))
            fprintf(report->stream, "  %-15s %s\n", title_of(column), sentence_of(column));
}

static bool print_all(const void *user, FILE *stream)
{
    struct report report = *(const struct report *)user;
    report.stream = report.table.stream = stream;
    add_up(&report);
    print_titles(&report);
    print_rows(&report, false);
    print_line(&report, "all streams", &report.total);
    print_rows(&report, true);
    fit_table_end(&report.table);
    print_identity(&report);
    return failed_text(stream, report.timeline, UINT32_MAX);
}

bool write_ledger(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream)
{
    const struct report report = {.timeline = timeline, .table.width = options->table_width};
    if (!fit_written(print_all, &report, options->table_width, stream)) {
        errno = ENOMEM;
        return false;
    }
    return !ferror(stream);
}

bool write_ledger_json(const struct timeline *timeline, const struct write_options *options,
                       FILE *stream)
{
    struct run_facts facts;
    struct json_out out;
    (void)options;
    run_facts_init(&facts, timeline);
    if (json_out_init(&out, -1, stream)) {
        json_object_begin(&out);
        facts_json_run(&out, &facts);
        if (!ledger_json(&out, timeline))
            out.error = ENOMEM;
        json_newline(&out), facts_json_loss(&out, &facts);
        json_object_end(&out);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}
