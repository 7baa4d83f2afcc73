/* compare_values.c - profdump executorch blocks --compare: what two runs computed, side by side. */
#include "cmd_blocks.h"

#include "envelope.h"
#include "foreign.h"
#include "grid.h"
#include "json_out.h"
#include "python_text.h"
#include "tensor_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct text name_or(const struct timeline *timeline, uint32_t name, const char *other,
                           size_t size)
{
    return name == TL_NONE ? (struct text){other, size} : timeline->names.at[name];
}

static void metric_cell(struct grid *grid, double value)
{
    char text[PYTHON_TEXT_BYTES];
    python_float(value, text);
    grid_string(grid, text);
}

static void row_cells(const struct timeline *timeline, const struct compare_row *row,
                      struct grid *grid)
{
    const struct tl_debug *debug = &timeline->debugs.at[row->debug];
    char number[24];
    int size = snprintf(number, sizeof number, "%d", debug->delegate);
    grid_text(grid, timeline->names.at[timeline->blocks.at[row->block].name]);
    grid_format(grid, "%u", row->iteration + 1);
    if (debug->is_output)
        grid_string(grid, "(output)");
    else
        grid_text(grid, name_or(timeline, debug->name, "", 0));
    grid_format(grid, "%d", debug->instruction);
    grid_text(grid, debug->delegate != -1 ? (struct text){number, (size_t)size}
                                          : name_or(timeline, debug->delegate_name, "", 0));
    grid_format(grid, "%u", row->part);
    grid_format(grid, "%llu", (unsigned long long)row->metrics.elements);
    if (row->problem == COMPARE_OK) {
        metric_cell(grid, row->metrics.snr), metric_cell(grid, row->metrics.mse);
        metric_cell(grid, row->metrics.cosine), metric_cell(grid, row->metrics.l1);
    } else {
        for (int i = 0; i < 4; i++)
            grid_string(grid, "");
    }
    grid_string(grid, compare_problem_text(row->problem));
}

static bool write_grid(const struct timeline *timeline, const struct compare_rows *rows,
                       enum write_format format, FILE *stream)
{
    static const char *const headers[] = {"Block",    "Iteration", "Value",    "Instr",
                                          "Delegate", "Part",      "Elements", "SNR",
                                          "MSE",      "Cosine",    "L1",       "Problem"};
    struct grid grid;
    grid_init(&grid, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        grid_string(&grid, headers[i]);
    for (uint32_t i = 0; i < rows->rows.count; i++)
        row_cells(timeline, &rows->rows.at[i], &grid);
    bool written = grid_write(&grid, write_format_style(format), NULL, stream);
    grid_fini(&grid);
    return written;
}

static void row_json(const struct timeline *timeline, const struct compare_row *row,
                     struct json_out *out)
{
    const struct tl_debug *debug = &timeline->debugs.at[row->debug];
    json_newline(out), json_object_begin(out);
    json_key(out, "block");
    json_text(out, timeline->names.at[timeline->blocks.at[row->block].name]);
    json_key(out, "iteration"), json_uint(out, row->iteration + 1);
    json_key(out, "name"), json_text(out, name_or(timeline, debug->name, "", 0));
    json_key(out, "output"), json_bool(out, debug->is_output);
    json_key(out, "instruction"), json_int(out, debug->instruction);
    json_key(out, "part"), json_uint(out, row->part);
    json_key(out, "elements"), json_uint(out, row->metrics.elements);
    if (row->problem == COMPARE_OK) {
        json_key(out, "snr"), json_double(out, row->metrics.snr);
        json_key(out, "mse"), json_double(out, row->metrics.mse);
        json_key(out, "cosine"), json_double(out, row->metrics.cosine);
        json_key(out, "l1"), json_double(out, row->metrics.l1);
    } else {
        json_key(out, "problem"), json_string(out, compare_problem_text(row->problem));
    }
    json_object_end(out);
}

/* An infinite SNR is null: nothing differs, and the MSE is 0. */
static bool write_rows_json(const struct timeline *timeline, const struct compare_rows *rows,
                            FILE *stream)
{
    const struct envelope envelope = {.command = "executorch_compare", .timelines = {timeline}};
    struct json_out out;
    bool done = json_out_init(&out, -1, stream);
    json_object_begin(&out);
    envelope_begin(&out, &envelope);
    json_key(&out, "values"), json_array_begin(&out);
    for (uint32_t i = 0; i < rows->rows.count; i++)
        row_json(timeline, &rows->rows.at[i], &out);
    json_array_end(&out);
    envelope_end(&out, envelope.command);
    json_object_end(&out);
    out.comma = false, json_newline(&out);
    int error = json_out_fini(&out);
    if (error)
        errno = error;
    return done && error == 0;
}

static bool write_values(const struct compare_side *reference, const struct compare_side *run,
                         enum write_format format, FILE *stream)
{
    struct compare_rows rows;
    if (!compare_rows_init(&rows, reference, run)) {
        errno = ENOMEM;
        return false;
    }
    bool written = true;
    if (format == WRITE_JSON)
        written = write_rows_json(run->timeline, &rows, stream);
    else if (rows.rows.count == 0 && write_format_is_for_people(format))
        fputs("No values were logged.\n", stream);
    else
        written = write_grid(run->timeline, &rows, format, stream);
    compare_rows_fini(&rows);
    return written;
}

/* ---- the two sides ---- */

/* Reads and unpacks a whole file. NULL after having complained. */
static uint8_t *read_buffer(const char *path, size_t *size)
{
    struct read_error error;
    struct source *source = source_open(path, &error);
    uint8_t *bytes = source ? source_read_all(source, SIZE_MAX / 4, size, &error) : NULL;
    if (!bytes)
        complain("%s", error.message);
    source_close(source);
    return bytes;
}

/* Splits "REF.etdp:buffer.bin". If a file has the whole name, the colon belongs to it. */
static bool split_reference(const char *argument, char **path, const char **buffer)
{
    struct read_error error;
    struct source *source = source_open(argument, &error);
    const char *colon = strrchr(argument, ':');
    *buffer = NULL;
    *path = strdup(argument);
    if (*path && !source && colon) {
        (*path)[colon - argument] = '\0';
        *buffer = colon + 1;
    }
    source_close(source);
    if (!*path)
        complain("%s: %s", argument, strerror(ENOMEM));
    return *path != NULL;
}

static int compare_with(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path, const char *buffer)
{
    struct read_error error;
    struct compare_side run = {.timeline = timeline}, reference = {0};
    uint8_t *run_bytes = NULL, *reference_bytes = NULL;
    int status = EXIT_FAILURE;
    struct timeline *other = timeline_load_by(foreign_open, &path, 1, options->partial, &error);
    if (!other)
        complain("%s", error.message);
    bool ready = other != NULL;
    if (ready && options->debug_buffer)
        ready = (run_bytes = read_buffer(options->debug_buffer, &run.size)) != NULL;
    if (ready && buffer)
        ready = (reference_bytes = read_buffer(buffer, &reference.size)) != NULL;
    if (ready) {
        run.buffer = run_bytes;
        reference.buffer = reference_bytes;
        reference.timeline = other;
        status = finish(options, timeline,
                        write_values(&reference, &run, options->format, options->out));
    }
    free(run_bytes);
    free(reference_bytes);
    timeline_destroy(other);
    return status;
}

int compare_values(const struct profdump_options *options, const struct timeline *timeline)
{
    char *path = NULL;
    const char *buffer = NULL;
    int status = EXIT_FAILURE;
    if (split_reference(options->compare, &path, &buffer))
        status = compare_with(options, timeline, path, buffer);
    free(path);
    return status;
}
