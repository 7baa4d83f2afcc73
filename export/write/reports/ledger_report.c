/* ledger_report.c - profdump check --ledger. In JSON:
 *
 *     "ledger": [{pid, kind ("stream", "unknown", "graph"), device, context, stream, graph,
 *                 launched, recorded, "lost": {cause: count}, recycled, undelivered, unobserved,
 *                 missing, orphans, ambiguous, outside}],
 *     "failed_calls": [{call, domain, result, error, count, time_ns, "ranges": [outermost first],
 *                       stack}]
 *
 * launched = recorded + the sum of lost + recycled + undelivered + unobserved + missing. What a row
 * does not have is null: a graph's stream, the name of an unknown error, a stack that was not
 * taken.
 */
#include "device_api.h"
#include "envelope.h"
#include "reports.h"

#include "failed_calls.h"
#include "fit.h"
#include "process_name.h"
#include "report_cells.h"
#include "run_facts.h"
#include "text.h"
#include "timeline.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define PLACE_BYTES 128u

/* The counts of a row, which struct tl_ledger_row has in this order. */
enum {
    COUNT_LAUNCHED,
    COUNT_RECORDED,
    COUNT_LOST,
    COUNT_RECYCLED = COUNT_LOST + PROF_LOSS_COUNT,
    COUNT_UNDELIVERED,
    COUNT_UNOBSERVED,
    COUNT_MISSING,
    COUNT_ORPHANS,
    COUNT_AMBIGUOUS,
    COUNT_OUTSIDE,
    COUNTS
};

_Static_assert(offsetof(struct tl_ledger_row, outside) ==
                   offsetof(struct tl_ledger_row, launched) + COUNT_OUTSIDE * sizeof(uint64_t),
               "no other member among the counts");

struct ledger {
    const struct timeline *timeline;
    uint64_t total[COUNTS]; /* of all streams, not of graphs */
    bool seen[COUNTS];      /* as text, columns without a number in any line are left out */
    struct table table;
    struct table_column columns[COUNTS + 10];
};

static const uint64_t *counts_of(const struct tl_ledger_row *row)
{
    const char *bytes = (const char *)row;
    return (const uint64_t *)(const void *)(bytes + offsetof(struct tl_ledger_row, launched));
}

static bool is_cause(unsigned count)
{
    return count >= COUNT_LOST && count < COUNT_RECYCLED;
}

static const char *name_of(unsigned count)
{
    static const char *const names[] = {
        [COUNT_LAUNCHED] = "launched",     [COUNT_RECORDED] = "recorded",
        [COUNT_RECYCLED] = "recycled",     [COUNT_UNDELIVERED] = "undelivered",
        [COUNT_UNOBSERVED] = "unobserved", [COUNT_MISSING] = "missing",
        [COUNT_ORPHANS] = "orphans",       [COUNT_AMBIGUOUS] = "ambiguous",
        [COUNT_OUTSIDE] = "outside"};
    return is_cause(count) ? run_facts_cause_name((enum prof_loss_cause)(count - COUNT_LOST))
                           : names[count];
}

static const char *sentence_of(unsigned count)
{
    static const char *const sentences[] = {
        [COUNT_RECYCLED] = "in chunks that are not in the file any more",
        [COUNT_UNDELIVERED] = "not yet delivered when the process was killed",
        [COUNT_UNOBSERVED] = "its device side was not recorded: see the GPU mode",
        [COUNT_MISSING] = "no record, for no known reason",
        [COUNT_ORPHANS] = "recorded, and its launch is not in the file",
        [COUNT_AMBIGUOUS] =
            "recorded, and calls of several processes can have launched it: joined to none",
        [COUNT_OUTSIDE] = "lost, and its launch is not in the file either: not counted in launched",
    };
    return is_cause(count) ? run_facts_cause_sentence((enum prof_loss_cause)(count - COUNT_LOST))
                           : sentences[count];
}

/* ---- counts ---- */

static void add_up(struct ledger *ledger)
{
    const struct timeline *timeline = ledger->timeline;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        for (unsigned count = 0; count < COUNTS; count++) {
            ledger->seen[count] |= counts_of(row)[count] != 0;
            ledger->total[count] += row->kind == TL_LEDGER_GRAPH ? 0 : counts_of(row)[count];
        }
    }
    ledger->seen[COUNT_LAUNCHED] = ledger->seen[COUNT_RECORDED] = true;
    ledger->seen[COUNT_MISSING] = ledger->seen[COUNT_ORPHANS] = true; /* or that nothing is wrong */
}

/* What was lost is told below as well, and what is zero is left out first. */
static uint8_t rank_of(const struct ledger *ledger, unsigned count)
{
    if (count == COUNT_LAUNCHED || count == COUNT_RECORDED)
        return 0;
    return ledger->total[count] ? 1 : 2;
}

static struct table_column count_column(const struct ledger *ledger, unsigned count)
{
    const char *name = name_of(count);
    size_t width = strlen(name) < 9 ? 9 : strlen(name);
    int in = TABLE_IN_VALUES | TABLE_IN_MARKDOWN | (is_cause(count) ? 0 : TABLE_IN_JSON) |
             (ledger->seen[count] ? TABLE_IN_TEXT : 0);
    return (struct table_column){name, name, (uint8_t)in, rank_of(ledger, count), (uint8_t)width};
}

/* ---- rows ---- */

static void describe(const struct timeline *timeline, const struct tl_ledger_row *row,
                     char place[PLACE_BYTES])
{
    size_t used = 0;
    if (timeline->processes.count > 1)
        used = (size_t)snprintf(place, PLACE_BYTES, "%s, ",
                                process_short_name(timeline, row->process).text);
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

/* NULL: the sum of all streams, which only the text has. */
static void place_cell(struct table *table, const struct ledger *ledger,
                       const struct tl_ledger_row *row)
{
    char place[PLACE_BYTES] = "all streams";
    if (row)
        describe(ledger->timeline, row, place);
    table_string(table, place);
}

static const char *kind_name(const struct tl_ledger_row *row)
{
    static const char *const kinds[] = {"stream", "unknown", "graph"};
    return row ? kinds[row->kind] : "";
}

#define PLACE_COLUMNS(X)                                                                       \
    X(place_cell(table, ledger, row), "place", "", TABLE_IN_TEXT, .width = 36)                 \
    X(cell_process(table, ledger->timeline, process), "process", "process", TABLE_IN_MARKDOWN) \
    X(cell_pid(table, ledger->timeline, process), "pid", .in = TABLE_FOR_PROGRAMS)             \
    X(table_string(table, kind_name(row)), "kind", "kind", TABLE_BUT_TEXT)                     \
    X(cell_index(table, stream->device), "device", "device", TABLE_BUT_TEXT)                   \
    X(cell_index(table, stream->context), "context", "context", TABLE_BUT_TEXT)                \
    X(cell_index(table, stream->stream), "stream", "stream", TABLE_BUT_TEXT)                   \
    X(cell_index(table, row && row->graph ? row->graph : TL_NONE), "graph", "graph", TABLE_BUT_TEXT)
TABLE_ROW(place, PLACE_COLUMNS, const struct ledger *ledger, const struct tl_ledger_row *row,
          uint32_t process, const struct tl_stream *stream)

static void find_columns(struct ledger *ledger)
{
    struct table_column *column =
        ledger->columns + sizeof place_columns / sizeof *place_columns - 1;
    memcpy(ledger->columns, place_columns, sizeof place_columns);
    for (unsigned count = 0; count < COUNTS; count++) {
        if (count == COUNT_LOST)
            *column++ = (struct table_column){"lost", .in = TABLE_IN_JSON};
        *column++ = count_column(ledger, count);
    }
}

static void add_counts(struct table *table, const uint64_t counts[COUNTS])
{
    for (unsigned count = 0; count < COUNTS; count++) {
        struct json_out *out = count == COUNT_LOST ? table_json(table) : NULL;
        if (out)
            json_object_begin(out);
        for (unsigned cause = COUNT_LOST; out && cause < COUNT_RECYCLED; cause++)
            if (counts[cause])
                json_string(out, name_of(cause)), json_colon(out), json_uint(out, counts[cause]);
        if (out)
            json_object_end(out);
        table_count(table, counts[count]);
    }
}

static void add_row(struct ledger *ledger, const struct tl_ledger_row *row)
{
    static const struct tl_stream none = {.device = TL_NONE, .context = TL_NONE, .stream = TL_NONE};
    const struct timeline *timeline = ledger->timeline;
    bool known = row && row->stream < timeline->streams.count;
    place_row(&ledger->table, ledger, row, row ? row->process : TL_NONE,
              known ? &timeline->streams.at[row->stream] : &none);
    add_counts(&ledger->table, row ? counts_of(row) : ledger->total);
}

/* Streams, their sum, graphs. */
static void add_rows_for_people(struct ledger *ledger)
{
    for (unsigned graphs = 0; graphs < 2; graphs++) {
        for (uint32_t i = 0; i < ledger->timeline->ledger_rows.count; i++) {
            const struct tl_ledger_row *row = &ledger->timeline->ledger_rows.at[i];
            if ((row->kind == TL_LEDGER_GRAPH) == graphs)
                add_row(ledger, row);
        }
        if (!graphs)
            add_row(ledger, NULL);
    }
}

static void add_ledger(struct ledger *ledger)
{
    add_up(ledger);
    find_columns(ledger);
    table_begin(&ledger->table, "ledger", "Launched = recorded + each way of not being recorded",
                ledger->columns);
    if (ledger->table.format == WRITE_TEXT)
        add_rows_for_people(ledger);
    else
        for (uint32_t i = 0; i < ledger->timeline->ledger_rows.count; i++)
            add_row(ledger, &ledger->timeline->ledger_rows.at[i]);
    table_end(&ledger->table);
}

/* ---- calls that failed ---- */

#define NAME_COLUMNS 60u
#define RANGES_SHOWN 6u
#define RANGES_MAX 64u

static struct text range_name(const struct timeline *timeline, uint32_t slice)
{
    const struct tl_slice *range = &timeline->slices.at[slice];
    return timeline->names.at[tl_shown_name(timeline, range->name, range->label)];
}

static void print_text(FILE *stream, struct text text)
{
    char shown[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    show_text(text, NAME_COLUMNS, shown, &rest);
    fprintf(stream, "%s%s", shown, rest ? "..." : "");
}

static void print_ranges(FILE *stream, const struct timeline *timeline, uint32_t slice)
{
    uint32_t ranges[RANGES_SHOWN];
    uint32_t count = failed_calls_ranges(timeline, slice, ranges, RANGES_SHOWN);
    fputs(count == 0 ? " outside of ranges" : count > RANGES_SHOWN ? " in .../" : " in ", stream);
    for (uint32_t i = 0; i < count && i < RANGES_SHOWN; i++) {
        fputs(i ? "/" : "", stream);
        print_text(stream, range_name(timeline, ranges[i]));
    }
}

/* In the time of its process, as the summary's. */
static int64_t time_of(const struct timeline *timeline, uint32_t slice)
{
    const struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[slice].thread];
    return timeline->slices.at[slice].start_ns - timeline->processes.at[thread->process].start_ns;
}

void failed_call_text(FILE *stream, const struct timeline *timeline, const struct failed_call *call)
{
    const char *error = cuda_error_name((enum prof_api_domain)call->domain, call->result);
    char at[TIME_TEXT_BYTES];
    time_text((double)time_of(timeline, call->first), at);
    fputs("  ", stream);
    print_text(stream, timeline->names.at[call->name]);
    fprintf(stream, ": %s%s%d%s x %llu, first at %s", error ? error : "error", error ? " (" : " ",
            call->result, error ? ")" : "", (unsigned long long)call->count, at);
    print_ranges(stream, timeline, call->first);
    fputc('\n', stream);
}

bool failed_calls_text(FILE *stream, const struct timeline *timeline, uint32_t most)
{
    struct failed_calls calls;
    if (!failed_calls_init(&calls, timeline))
        return false;
    if (calls.count)
        fprintf(stream, "Failed %s calls:\n", device_api_name(device_api_of(timeline)));
    for (uint32_t i = 0; i < calls.count && i < most; i++)
        failed_call_text(stream, timeline, &calls.at[i]);
    if (calls.count > most)
        fprintf(stream, "  and %u more kinds\n", calls.count - most);
    failed_calls_fini(&calls);
    return true;
}

static void error_cell(struct table *table, const struct failed_call *call)
{
    const char *error = cuda_error_name((enum prof_api_domain)call->domain, call->result);
    if (error)
        table_string(table, error);
    else
        table_unknown(table);
}

static void ranges_cell(struct table *table, const struct timeline *timeline, uint32_t slice)
{
    struct json_out *out = table_json(table);
    uint32_t ranges[RANGES_MAX];
    uint32_t count = out ? failed_calls_ranges(timeline, slice, ranges, RANGES_MAX) : 0;
    if (!out)
        return;
    json_array_begin(out);
    for (uint32_t i = 0; i < count && i < RANGES_MAX; i++)
        json_text(out, range_name(timeline, ranges[i]));
    json_array_end(out);
}

#define FAILED_COLUMNS(X)                                                                         \
    X(table_text(table, timeline->names.at[call->name]), "call", "Call")                          \
    X(table_string(table, call->domain == PROF_API_DRIVER ? "driver" : "runtime"), "domain",      \
      .in = TABLE_IN_JSON)                                                                        \
    X(error_cell(table, call), "error", "Error", TABLE_BUT_JSON)                                  \
    X(table_int(table, call->result), "result", "Code")                                           \
    X(error_cell(table, call), "error", .in = TABLE_IN_JSON)                                      \
    X(table_count(table, call->count), "count", "Count")                                          \
    X(table_ns(table, start_ns), "time_ns", .in = TABLE_IN_JSON)                                  \
    X(table_ns(table, start_ns - timeline->origin_ns), "after_ns", "First after", TABLE_BUT_JSON) \
    X(ranges_cell(table, timeline, call->first), "ranges", .in = TABLE_IN_JSON)                   \
    X(cell_index(table, stack_of_slice(timeline, call->first)), "stack", .in = TABLE_IN_JSON)
TABLE_ROW(failed, FAILED_COLUMNS, const struct timeline *timeline, const struct failed_call *call,
          int64_t start_ns)

static bool add_failed_calls(struct ledger *ledger)
{
    const struct timeline *timeline = ledger->timeline;
    struct failed_calls calls;
    if (!failed_calls_init(&calls, timeline))
        return false;
    char title[32];
    table_begin(
        &ledger->table, "failed_calls",
        device_api_words(device_api_of(timeline), "CUDA calls that failed", title, sizeof title),
        failed_columns);
    for (uint32_t i = 0; i < calls.count; i++)
        failed_row(&ledger->table, timeline, &calls.at[i],
                   timeline->slices.at[calls.at[i].first].start_ns);
    table_end(&ledger->table);
    failed_calls_fini(&calls);
    return true;
}

/* ---- the whole ---- */

bool ledger_json(struct json_out *out, const struct timeline *timeline)
{
    struct ledger ledger = {.timeline = timeline,
                            .table = {.format = WRITE_JSON, .json = out, .most = -1}};
    add_ledger(&ledger);
    return add_failed_calls(&ledger);
}

static bool add_tables(struct table *table, void *user)
{
    struct ledger *ledger = user;
    struct run_facts facts;
    bool is_json = table->format == WRITE_JSON;
    run_facts_init(&facts, ledger->timeline);
    if (is_json &&
        !envelope_begin_report(table->json, "check_ledger", ledger->timeline, EVIDENCE_CHECK))
        return false;
    add_ledger(ledger);
    bool done = add_failed_calls(ledger);
    if (is_json) {
        json_newline(table->json), facts_json_loss(table->json, &facts);
        envelope_end(table->json, "check_ledger");
    }
    return done;
}

static void print_identity(const struct ledger *ledger)
{
    FILE *stream = ledger->table.stream;
    const uint64_t *total = ledger->total;
    struct run_facts facts;
    fprintf(stream, "\nLaunched %llu = recorded %llu", (unsigned long long)total[COUNT_LAUNCHED],
            (unsigned long long)total[COUNT_RECORDED]);
    for (unsigned count = COUNT_LOST; count <= COUNT_MISSING; count++)
        if (total[count])
            fprintf(stream, " + %s %llu", name_of(count), (unsigned long long)total[count]);
    if (ledger->timeline->ledger.captured)
        fprintf(stream, ", and %llu captured",
                (unsigned long long)ledger->timeline->ledger.captured);
    run_facts_init(&facts, ledger->timeline);
    fprintf(stream, "%s%s\n", facts.lost_anything ? "" : "; ",
            facts.lost_anything ? "" : facts.verdict);
    for (unsigned count = COUNT_LOST; count < COUNTS; count++)
        if (ledger->seen[count] && (total[count] || count < COUNT_MISSING))
            fprintf(stream, "  %-15s %s\n", name_of(count), sentence_of(count));
    if (ledger->timeline->ledger.captured)
        fprintf(stream, "  %-15s %s\n", "captured",
                "launched into a stream capture: starts no operation, not counted in launched");
}

static bool print_all(const void *user, FILE *stream)
{
    struct ledger ledger = *(const struct ledger *)user;
    ledger.table.stream = stream;
    add_ledger(&ledger);
    if (!table_finish(&ledger.table))
        return false;
    print_identity(&ledger);
    return failed_calls_text(stream, ledger.timeline, UINT32_MAX);
}

bool write_ledger(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct ledger ledger = {.timeline = timeline,
                            .table = {.format = format,
                                      .frame = TABLE_FIXED,
                                      .stream = stream,
                                      .most = -1,
                                      .table_width = options->table_width,
                                      .unit = options->unit}};
    if (format != WRITE_TEXT) {
        ledger.table.frame = TABLE_TITLED;
        return table_write(&ledger.table, add_tables, &ledger);
    }
    if (!fit_written(print_all, &ledger, options->table_width, stream)) {
        errno = ENOMEM;
        return false;
    }
    return !ferror(stream);
}
