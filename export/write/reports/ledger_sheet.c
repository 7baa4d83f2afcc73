/* ledger_sheet.c - profdump ledger as tables, with a column for every cause. */
#include "failed_calls.h"
#include "run_facts.h"
#include "table.h"
#include "table_sheets.h"

#include <errno.h>

#define PLACE_COLUMNS 6u
#define REST_COLUMNS 7u
#define COLUMNS (PLACE_COLUMNS + 2u + PROF_LOSS_COUNT + REST_COLUMNS)

struct ledger_sheet {
    struct table table;
    const struct timeline *timeline;
    struct table_column columns[COLUMNS + 1];
};

static void add_index(struct table *table, uint32_t index)
{
    if (index == TL_NONE)
        table_none(table);
    else
        table_count(table, index);
}

static void find_columns(struct ledger_sheet *of)
{
    static const char *const place[] = {"pid",    "kind",  "device",   "context",
                                        "stream", "graph", "launched", "recorded"};
    static const char *const rest[] = {"recycled", "undelivered", "unobserved", "missing",
                                       "orphans",  "ambiguous",   "outside"};
    for (unsigned i = 0; i < COLUMNS; i++) {
        unsigned cause = i - PLACE_COLUMNS - 2;
        const char *key = i < PLACE_COLUMNS + 2 ? place[i]
                          : cause < PROF_LOSS_COUNT
                              ? run_facts_cause_name((enum prof_loss_cause)cause)
                              : rest[cause - PROF_LOSS_COUNT];
        of->columns[i] = (struct table_column){key, key};
    }
}

static void add_row(struct ledger_sheet *of, const struct tl_ledger_row *row)
{
    static const char *const kinds[] = {"stream", "unknown", "graph"};
    const struct timeline *timeline = of->timeline;
    const struct tl_stream none = {.device = TL_NONE, .context = TL_NONE, .stream = TL_NONE};
    const struct tl_stream *stream =
        row->stream < timeline->streams.count ? &timeline->streams.at[row->stream] : &none;
    struct table *table = &of->table;
    table_row(table);
    table_count(table, timeline->processes.at[row->process].info.pid);
    table_string(table, kinds[row->kind]);
    add_index(table, stream->device), add_index(table, stream->context);
    add_index(table, stream->stream), add_index(table, row->graph ? row->graph : TL_NONE);
    table_count(table, row->launched), table_count(table, row->recorded);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        table_count(table, row->lost[cause]);
    table_count(table, row->recycled), table_count(table, row->undelivered);
    table_count(table, row->unobserved), table_count(table, row->missing);
    table_count(table, row->orphans), table_count(table, row->ambiguous);
    table_count(table, row->outside);
}

static void add_failed(struct ledger_sheet *of, const struct failed_call *call)
{
    const struct timeline *timeline = of->timeline;
    const struct tl_slice *first = &timeline->slices.at[call->first];
    const char *error = cuda_error_name((enum prof_api_domain)call->domain, call->result);
    struct table *table = &of->table;
    table_row(table);
    table_text(table, timeline->names.at[call->name]);
    if (error)
        table_string(table, error);
    else
        table_unknown(table);
    table_int(table, call->result);
    table_count(table, call->count);
    table_ns(table, first->start_ns - timeline->origin_ns);
}

static bool add_tables(struct table *table, void *user)
{
    static const struct table_column columns[] = {
        {"call", "Call"},   {"error", "Error"},          {"result", "Code"},
        {"count", "Count"}, {"after_ns", "First after"}, {0}};
    struct ledger_sheet *of = user;
    struct failed_calls calls;
    if (!failed_calls_init(&calls, of->timeline))
        return false;
    table_begin(table, "ledger", "Launched = recorded + each way of not being recorded",
                of->columns);
    for (uint32_t i = 0; i < of->timeline->ledger_rows.count; i++)
        add_row(of, &of->timeline->ledger_rows.at[i]);
    table_end(table);
    table_begin(table, "failed_calls", "CUDA calls that failed", columns);
    for (uint32_t i = 0; i < calls.count; i++)
        add_failed(of, &calls.at[i]);
    table_end(table);
    failed_calls_fini(&calls);
    return true;
}

bool ledger_sheet(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct ledger_sheet of = {
        .table = {.format = format, .stream = stream, .most = -1, .unit = options->unit},
        .timeline = timeline};
    find_columns(&of);
    return table_write(&of.table, add_tables, &of);
}
