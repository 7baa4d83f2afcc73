/* ledger_sheet.c - profdump ledger as tables, with a column for every cause. */
#include "failed_calls.h"
#include "run_facts.h"
#include "sheet.h"
#include "table_sheets.h"

#include <errno.h>

#define PLACE_COLUMNS 6u
#define REST_COLUMNS 7u
#define COLUMNS (PLACE_COLUMNS + 2u + PROF_LOSS_COUNT + REST_COLUMNS)

struct ledger_sheet {
    struct sheet sheet;
    const struct timeline *timeline;
    struct sheet_column columns[COLUMNS + 1];
};

static void add_index(struct sheet *sheet, uint32_t index)
{
    if (index == TL_NONE)
        sheet_none(sheet);
    else
        sheet_count(sheet, index);
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
        of->columns[i] = (struct sheet_column){key, key};
    }
}

static void add_row(struct ledger_sheet *of, const struct tl_ledger_row *row)
{
    static const char *const kinds[] = {"stream", "unknown", "graph"};
    const struct timeline *timeline = of->timeline;
    const struct tl_stream none = {.device = TL_NONE, .context = TL_NONE, .stream = TL_NONE};
    const struct tl_stream *stream =
        row->stream < timeline->streams.count ? &timeline->streams.at[row->stream] : &none;
    struct sheet *sheet = &of->sheet;
    sheet_row(sheet);
    sheet_count(sheet, timeline->processes.at[row->process].info.pid);
    sheet_string(sheet, kinds[row->kind]);
    add_index(sheet, stream->device), add_index(sheet, stream->context);
    add_index(sheet, stream->stream), add_index(sheet, row->graph ? row->graph : TL_NONE);
    sheet_count(sheet, row->launched), sheet_count(sheet, row->recorded);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        sheet_count(sheet, row->lost[cause]);
    sheet_count(sheet, row->recycled), sheet_count(sheet, row->undelivered);
    sheet_count(sheet, row->unobserved), sheet_count(sheet, row->missing);
    sheet_count(sheet, row->orphans), sheet_count(sheet, row->ambiguous);
    sheet_count(sheet, row->outside);
}

static void add_failed(struct ledger_sheet *of, const struct failed_call *call)
{
    const struct timeline *timeline = of->timeline;
    const struct tl_slice *first = &timeline->slices.at[call->first];
    const char *error = cuda_error_name((enum prof_api_domain)call->domain, call->result);
    struct sheet *sheet = &of->sheet;
    sheet_row(sheet);
    sheet_text(sheet, timeline->names.at[call->name]);
    if (error)
        sheet_string(sheet, error);
    else
        sheet_unknown(sheet);
    sheet_int(sheet, call->result);
    sheet_count(sheet, call->count);
    sheet_ns(sheet, first->start_ns - timeline->origin_ns);
}

static bool add_tables(struct sheet *sheet, void *user)
{
    static const struct sheet_column columns[] = {
        {"call", "Call"},   {"error", "Error"},          {"result", "Code"},
        {"count", "Count"}, {"after_ns", "First after"}, {0}};
    struct ledger_sheet *of = user;
    struct failed_calls calls;
    if (!failed_calls_init(&calls, of->timeline))
        return false;
    sheet_begin(sheet, "ledger", "Launched = recorded + each way of not being recorded",
                of->columns);
    for (uint32_t i = 0; i < of->timeline->ledger_rows.count; i++)
        add_row(of, &of->timeline->ledger_rows.at[i]);
    sheet_end(sheet);
    sheet_begin(sheet, "failed_calls", "CUDA calls that failed", columns);
    for (uint32_t i = 0; i < calls.count; i++)
        add_failed(of, &calls.at[i]);
    sheet_end(sheet);
    failed_calls_fini(&calls);
    return true;
}

bool ledger_sheet(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct ledger_sheet of = {
        .sheet = {.format = format, .stream = stream, .most = -1, .unit = options->unit},
        .timeline = timeline};
    find_columns(&of);
    return sheet_write(&of.sheet, add_tables, &of);
}
