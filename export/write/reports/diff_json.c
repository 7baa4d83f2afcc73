/* diff_json.c - see diff_json.h. */
#include "diff_json.h"

#include "json_out.h"

#include <errno.h>
#include <stdlib.h>

struct writer {
    const struct diff *diff;
    const struct write_diff_options *options;
    struct json_out out;
};

static void doubles(struct json_out *out, const double values[2])
{
    json_array_begin(out);
    json_double(out, values[0]), json_double(out, values[1]);
    json_array_end(out);
}

static void counts(struct json_out *out, const uint64_t values[2])
{
    json_array_begin(out);
    json_uint(out, values[0]), json_uint(out, values[1]);
    json_array_end(out);
}

static void change(struct json_out *out, const struct bootstrap_interval *ratio,
                   enum diff_verdict verdict)
{
    json_key(out, "ratio"), json_double(out, ratio->ratio);
    json_key(out, "interval");
    if (ratio->known)
        doubles(out, (double[]){ratio->low, ratio->high});
    else
        json_null(out);
    json_key(out, "verdict"), json_string(out, diff_verdict_name(verdict));
}

/* ---- the whole ---- */

static void side(struct writer *writer, const struct diff_side *of)
{
    struct json_out *out = &writer->out;
    json_object_begin(out);
    json_key(out, "processes"), json_array_begin(out);
    for (uint32_t i = 0; i < of->timeline->processes.count; i++)
        json_string(out, of->timeline->processes.at[i].path);
    json_array_end(out);
    json_key(out, "steps"), json_uint(out, of->steps);
    json_key(out, "clock_ns"), json_double(out, of->tick_ns);
    json_key(out, "device_clock_ns"), json_double(out, of->device_tick_ns);
    json_object_end(out);
}

static void facts(struct writer *writer)
{
    struct json_out *out = &writer->out;
    json_key(out, "differs"), json_array_begin(out);
    for (uint32_t i = 0; i < DIFF_FACTS; i++) {
        const struct diff_fact *fact = &writer->diff->facts.at[i];
        if (!fact->differs)
            continue;
        json_object_begin(out);
        json_key(out, "name"), json_string(out, fact->name);
        json_key(out, "values"), json_array_begin(out);
        for (unsigned of = 0; of < 2; of++)
            if (fact->value[of][0])
                json_string(out, fact->value[of]);
            else
                json_null(out);
        json_array_end(out);
        json_object_end(out);
    }
    json_array_end(out);
}

static void total(struct json_out *out, const struct diff_total *of)
{
    if (!of->known) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    json_key(out, "values_ns"), doubles(out, of->value_ns);
    json_key(out, "samples"), counts(out, of->samples);
    change(out, &of->ratio, of->verdict);
    json_object_end(out);
}

/* ---- rows ---- */

static void names(struct writer *writer, const struct diff_row *row)
{
    json_array_begin(&writer->out);
    for (unsigned of = 0; of < 2; of++)
        if (row->entry[of] == TL_NONE)
            json_null(&writer->out);
        else
            json_text(&writer->out, writer->diff->sides[of]->entries.at[row->entry[of]].name);
    json_array_end(&writer->out);
}

static void path(struct writer *writer, const struct diff_row *row)
{
    uint32_t at[KEY_PATH_DEPTH_MAX], depth = 0;
    unsigned of = row->entry[0] == TL_NONE;
    const struct diff_side *from = writer->diff->sides[of];
    const struct key_path *paths = from->averages.paths;
    uint32_t index = from->entries.at[row->entry[of]].path;
    for (; index != TL_NONE && depth < KEY_PATH_DEPTH_MAX; index = paths[index].parent)
        at[depth++] = index;
    json_key(&writer->out, "path"), json_array_begin(&writer->out);
    while (depth-- > 0)
        json_text(&writer->out, paths[at[depth]].name);
    json_array_end(&writer->out);
}

static void measure(struct json_out *out, const struct diff_measure *of)
{
    json_object_begin(out);
    json_key(out, "samples"), counts(out, of->samples);
    json_key(out, "totals_ns"), doubles(out, of->total_ns);
    json_key(out, "means_ns"), doubles(out, of->mean_ns);
    json_key(out, "medians_ns"), doubles(out, of->median_ns);
    change(out, &of->ratio, of->verdict);
    json_object_end(out);
}

static void row_members(struct writer *writer, const struct diff_table *table,
                        const struct diff_row *row)
{
    struct json_out *out = &writer->out;
    json_object_begin(out);
    json_key(out, "names"), names(writer, row);
    if (table->by == DIFF_BY_PATH)
        path(writer, row);
    json_key(out, "match");
    json_string(out, row->match == DIFF_SAME_NAME ? "name"
                     : row->ambiguous             ? "ambiguous"
                                                  : "renamed");
    json_key(out, "calls"), doubles(out, row->count);
    json_key(out, "time"), measure(out, &row->time);
    json_key(out, "device");
    if (row->device.samples[0] || row->device.samples[1])
        measure(out, &row->device);
    else
        json_null(out);
    json_key(out, "delta_ns"), json_double(out, row->delta_ns);
    json_key(out, "share"), json_double(out, row->share);
    json_key(out, "device_delta_ns"), json_double(out, row->device_delta_ns);
    json_object_end(out);
}

static void verdicts(struct json_out *out, const struct diff_table *table)
{
    json_key(out, "verdicts"), json_object_begin(out);
    for (unsigned i = 0; i < DIFF_VERDICTS; i++) {
        json_string(out, diff_verdict_name((enum diff_verdict)i)), json_colon(out);
        json_uint(out, table->verdicts[i]);
    }
    json_object_end(out);
}

static void table_members(struct writer *writer, const struct diff_table *table)
{
    struct json_out *out = &writer->out;
    json_object_begin(out);
    json_key(out, "by"), json_string(out, diff_by_name(table->by));
    json_key(out, "change_ns"), json_double(out, table->change_ns);
    verdicts(out, table);
    json_key(out, "renamed"), json_uint(out, table->renamed);
    json_key(out, "ambiguous"), json_uint(out, table->ambiguous);
    json_key(out, "rows"), json_array_begin(out);
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (writer->options->rows < 0 || i < writer->options->rows) {
            json_newline(out);
            row_members(writer, table, &table->rows.at[i]);
        }
    json_array_end(out);
    json_object_end(out);
}

static void gate(struct writer *writer)
{
    static const char *const subjects[] = {"", "step", "device", "kernel"};
    static const char *const results[] = {"", "passed", "failed", "unknown"};
    const struct diff_gate *of = &writer->diff->gate;
    struct json_out *out = &writer->out;
    json_key(out, "gate");
    if (of->result == DIFF_GATE_NONE) {
        json_null(out);
        return;
    }
    json_object_begin(out);
    json_key(out, "of"), json_string(out, subjects[of->of]);
    json_key(out, "limit"), json_double(out, of->limit);
    json_key(out, "result"), json_string(out, results[of->result]);
    json_key(out, "row");
    if (of->table)
        names(writer, &of->table->rows.at[of->row]);
    else
        json_null(out);
    change(out, &of->ratio, diff_verdict_of(&of->ratio));
    json_object_end(out);
}

static void head(struct writer *writer)
{
    const struct diff *diff = writer->diff;
    struct json_out *out = &writer->out;
    json_key(out, "names"), json_array_begin(out);
    json_string(out, writer->options->names[0]), json_string(out, writer->options->names[1]);
    json_array_end(out);
    json_key(out, "confidence"), json_double(out, diff->options.confidence);
    json_key(out, "resamples"), json_uint(out, diff->options.resamples);
    json_key(out, "per_step"), json_bool(out, diff->per_step);
    json_key(out, "lengths_differ"), json_bool(out, diff->lengths_differ);
    json_key(out, "nothing_in_common"), json_bool(out, diff->nothing_in_common);
    json_key(out, "sides"), json_array_begin(out);
    side(writer, diff->sides[0]), side(writer, diff->sides[1]);
    json_array_end(out);
    facts(writer);
    json_key(out, "step"), total(out, &diff->step);
    json_key(out, "device_time"), total(out, &diff->device);
}

bool diff_json_write(const struct diff *diff, const struct write_diff_options *options,
                     FILE *stream)
{
    struct writer writer = {.diff = diff, .options = options};
    struct json_out *out = &writer.out;
    bool ready = json_out_init(out, -1, stream);
    json_object_begin(out);
    head(&writer);
    json_key(out, "tables"), json_array_begin(out);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (diff->options.tables & 1u << by)
            table_members(&writer, &diff->tables[by]);
    json_array_end(out);
    gate(&writer);
    json_object_end(out);
    out->comma = false, json_newline(out);
    int error = json_out_fini(out);
    if (error)
        errno = error;
    return ready && error == 0;
}
