/* breakdown_ranges.c - what ranges launched again and again, and which process was late. */
#include "breakdown_tables.h"

#include "operation_totals.h"
#include "stragglers.h"

#define SEQUENCE_NAMES_SHOWN 64u
#define SEQUENCE_TEXT_BYTES 4096u

/* ---- sequences ---- */

static const struct sheet_column sequence_columns[] = {
    {"range", "Range"},
    {"count", "Count"},
    {"operations", "Operations"},
    {"device_ns", "On devices"},
    {"range_ns", "In ranges"},
    {"sequence", "Sequence"},
    {0},
};

static void sequence_cell(struct breakdown_report *report, const struct kernel_sequence *sequence)
{
    uint32_t names[SEQUENCE_NAMES_SHOWN];
    uint32_t count = kernel_sequence_names(report->timeline, sequence, names, SEQUENCE_NAMES_SHOWN);
    char text[SEQUENCE_TEXT_BYTES];
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof text - 1; i++) {
        struct text name = {"(unnamed)", 9};
        if (names[i] < report->timeline->names.count)
            name = report->timeline->names.at[names[i]];
        int size = name.size < 1000 ? (int)name.size : 1000;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", i ? " | " : "", size,
                                 name.bytes);
    }
    if (used >= sizeof text)
        used = sizeof text - 1;
    if (count < sequence->length && used + 8 < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, " | ...");
    sheet_text(&report->sheet, (struct text){text, used});
}

bool breakdown_sequences(struct breakdown_report *report)
{
    struct kernel_sequences sequences;
    struct key_names keys;
    if (!key_names_init(&keys, report->timeline))
        return false;
    bool done = kernel_sequences_init(&sequences, report->timeline, &keys,
                                      report->options->sequences, KERNEL_SEQUENCE_LEAST);
    if (done) {
        sheet_begin(&report->sheet, "sequences", "Sequences of operations that ranges launched",
                    sequence_columns);
        for (uint32_t i = 0; i < sequences.count; i++) {
            const struct kernel_sequence *row = &sequences.at[i];
            if (!sheet_row(&report->sheet))
                continue;
            sheet_text(&report->sheet, key_names_text(&keys, row->key));
            sheet_count(&report->sheet, row->count), sheet_count(&report->sheet, row->length);
            sheet_ns(&report->sheet, row->device_ns), sheet_ns(&report->sheet, row->range_ns);
            sequence_cell(report, row);
        }
        sheet_end(&report->sheet);
        kernel_sequences_fini(&sequences);
    }
    key_names_fini(&keys);
    return done;
}

/* ---- processes ---- */

static const struct sheet_column straggler_columns[] = {
    WHOSE_COLUMNS,
    {"collectives", "Collectives"},
    {"last", "Came last"},
    {"caused_ns", "Others waited"},
    {"waited_ns", "Waited itself"},
    {0},
};

bool breakdown_stragglers(struct breakdown_report *report)
{
    struct stragglers stragglers;
    if (!stragglers_init(&stragglers, report->timeline, &report->classes))
        return false;
    sheet_begin(&report->sheet, "stragglers", "Who came last to collectives", straggler_columns);
    for (uint32_t i = 0; i < stragglers.count; i++) {
        const struct straggler *row = &stragglers.at[i];
        if (!sheet_row(&report->sheet))
            continue;
        breakdown_whose_cells(report, row->process);
        sheet_count(&report->sheet, row->collectives), sheet_count(&report->sheet, row->last);
        sheet_ns(&report->sheet, row->caused_ns), sheet_ns(&report->sheet, row->waited_ns);
    }
    sheet_end(&report->sheet);
    if (report->sheet.format == WRITE_TEXT && stragglers.left_out)
        fprintf(report->sheet.stream,
                "%llu communication kernels are not as many in each process: not compared\n",
                (unsigned long long)stragglers.left_out);
    stragglers_fini(&stragglers);
    return true;
}
