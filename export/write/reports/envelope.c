/* envelope.c - see envelope.h. */
#include "envelope.h"

#include "members.h"
#include "report_cells.h"
#include "reports.h"
#include "run_facts.h"
#include "table.h"

#include <string.h>

#define SCHEMA_VERSION 1
#define INPUTS_MAX 64 /* the others are counted in "truncated" */

#define INPUT_COLUMNS(X)                                                  \
    X(table_string(table, process->path ? process->path : ""), "file")    \
    X(process->info.format.size ? table_text(table, process->info.format) \
                                : table_string(table, "libprof"),         \
      "format")                                                           \
    X(table_text(table, process->info.program), "program")                \
    X(cell_rank(table, timeline, index), "rank")
TABLE_ROW(input, INPUT_COLUMNS, const struct timeline *timeline, uint32_t index,
          const struct tl_process *process)

static void add_inputs(struct json_out *out, const struct envelope *envelope)
{
    struct table inputs = table_in_json(out, NULL);
    inputs.most = INPUTS_MAX;
    inputs.limited = true;
    table_begin(&inputs, "inputs", NULL, input_columns);
    for (unsigned i = 0; i < 2; i++) {
        const struct timeline *timeline = envelope->timelines[i];
        for (uint32_t j = 0; timeline && j < timeline->processes.count; j++)
            input_row(&inputs, timeline, j, &timeline->processes.at[j]);
    }
    table_end(&inputs);
}

/* Counts of what was lost, of all inputs, by the names that "loss" of stats has for them. */

static void add_lost(struct json_out *out, const char *name, uint64_t first, uint64_t second)
{
    if (!first && !second)
        return;
    json_string(out, name), json_colon(out);
    json_uint(out, first + second);
}

static void add_losses(struct json_out *out, const struct run_facts facts[2])
{
    struct run_trouble troubles[2][RUN_TROUBLES] = {{{0}}};
    for (unsigned i = 0; i < 2; i++)
        run_facts_troubles(&facts[i], troubles[i]);
    json_key(out, "lost"), json_object_begin(out);
    const struct tl_ledger *first = &facts[0].ledger, *second = &facts[1].ledger;
    add_lost(out, "lost_operations", first->lost_operations, second->lost_operations);
    add_lost(out, "lost_device", first->lost_device, second->lost_device);
    add_lost(out, "lost_host", first->lost_host, second->lost_host);
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        if (troubles[0][i].is_loss)
            add_lost(out, troubles[0][i].name, troubles[0][i].count, troubles[1][i].count);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        add_lost(out, run_facts_cause_name(cause), facts[0].loss[cause], facts[1].loss[cause]);
    json_object_end(out);
}

static void add_run(struct json_out *out, const struct envelope *envelope)
{
    static const struct timeline nothing;
    struct run_facts facts[2];
    for (unsigned i = 0; i < 2; i++)
        run_facts_init(&facts[i], envelope->timelines[i] ? envelope->timelines[i] : &nothing);
    bool mixed = envelope->timelines[1] && strcmp(facts[0].mode, facts[1].mode) != 0;
    json_key(out, "mode"), json_string(out, mixed ? "mixed" : facts[0].mode);
    json_key(out, "mode_reason");
    json_text(out, mixed ? (struct text){"", 0} : facts[0].mode_reason);
    json_key(out, "simulated"), json_bool(out, facts[0].simulated || facts[1].simulated);
    json_key(out, "lost_anything");
    json_bool(out, facts[0].lost_anything || facts[1].lost_anything);
    add_losses(out, facts);
}

bool envelope_begin(struct json_out *out, const struct envelope *envelope)
{
    json_key(out, "schema_version"), json_int(out, SCHEMA_VERSION);
    json_key(out, "command"), json_string(out, envelope->command);
    json_key(out, "libprof"), json_constant(out, PROF_VERSION);
    add_inputs(out, envelope);
    add_run(out, envelope);
    json_key(out, "abstained");
    if (envelope->abstained)
        json_string(out, envelope->abstained);
    else
        json_null(out);
    return !out->error;
}

bool envelope_begin_report(struct json_out *out, const char *command,
                           const struct timeline *timeline, enum evidence_report report)
{
    char lacking[EVIDENCE_BYTES];
    struct envelope envelope = {.command = command, .timelines = {timeline}};
    if (evidence_missing(timeline, report, lacking))
        envelope.abstained = lacking;
    return envelope_begin(out, &envelope);
}

#define CUT_COLUMNS(X)                         \
    X(table_string(table, cut->name), "table") \
    X(table_int(table, cut->rows), "rows")     \
    X(table_int(table, cut->total), "total_rows")
TABLE_ROW(cut, CUT_COLUMNS, const struct json_cut *cut)

void envelope_truncated(struct json_out *out)
{
    struct table cuts = table_in_json(out, NULL);
    table_begin(&cuts, "truncated", NULL, cut_columns);
    for (unsigned i = 0; i < out->cut_count; i++)
        cut_row(&cuts, &out->cuts[i]);
    table_end(&cuts);
}

void envelope_end(struct json_out *out, const char *command)
{
    envelope_truncated(out);
    members_write_units(out, command);
}
