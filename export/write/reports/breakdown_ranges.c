/* breakdown_ranges.c - what ranges launched again and again, and which process was late. */
#include "breakdown_tables.h"

#include "operation_totals.h"
#include "stragglers.h"

#define SEQUENCE_NAMES_SHOWN 64u
#define SEQUENCE_TEXT_BYTES 4096u

/* ---- sequences ---- */

static const struct table_column sequence_columns[] = {
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
    table_text(&report->table, (struct text){text, used});
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
        table_begin(&report->table, "sequences", "Sequences of operations that ranges launched",
                    sequence_columns);
        for (uint32_t i = 0; i < sequences.count; i++) {
            const struct kernel_sequence *row = &sequences.at[i];
            if (!table_row(&report->table))
                continue;
            table_text(&report->table, key_names_text(&keys, row->key));
            table_count(&report->table, row->count), table_count(&report->table, row->length);
            table_ns(&report->table, row->device_ns), table_ns(&report->table, row->range_ns);
            sequence_cell(report, row);
        }
        table_end(&report->table);
        kernel_sequences_fini(&sequences);
    }
    key_names_fini(&keys);
    return done;
}

/* ---- processes ---- */

static const struct table_column straggler_columns[] = {
    WHOSE_COLUMNS(0),
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
    table_begin(&report->table, "stragglers", "Who came last to collectives", straggler_columns);
    for (uint32_t i = 0; i < stragglers.count; i++) {
        const struct straggler *row = &stragglers.at[i];
        if (!table_row(&report->table))
            continue;
        breakdown_whose_cells(report, row->process);
        table_count(&report->table, row->collectives), table_count(&report->table, row->last);
        table_ns(&report->table, row->caused_ns), table_ns(&report->table, row->waited_ns);
    }
    table_end(&report->table);
    if (report->table.format == WRITE_TEXT && stragglers.left_out)
        fprintf(report->table.stream,
                "%llu communication kernels are not as many in each process: not compared\n",
                (unsigned long long)stragglers.left_out);
    stragglers_fini(&stragglers);
    return true;
}
