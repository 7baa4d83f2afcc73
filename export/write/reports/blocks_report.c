/* blocks_report.c - profiling blocks, and ranges as such. As JSON one object:
 *
 *     {"unit": "ms", "blocks": [{"name", "process", "bundled_input", "iterations", "events":
 *     [{"name",
 *      "chain", "instruction", "delegate", "backend", "debug_handles", "depth", "durations",
 *      "start_times", "timed", "p10", "p50", "p90", "avg", "min", "max"}], "memory": [{"allocator",
 *      "allocations", "first_bytes", "total_bytes", "min_bytes", "max_bytes"}], "total"}]}
 *
 * A duration that is not known is null. "delegate" is a number, a text or null; "total" is there
 * when it was requested, and what reports.h adds too.
 */
#include "reports.h"

#include "envelope.h"
#include "markdown_text.h"
#include "python_text.h"
#include "report_cells.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what events are called ---- */

struct text block_delegate(const struct timeline *timeline, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES])
{
    if (item->delegate != -1) {
        int size = snprintf(number, BLOCK_NAME_BYTES, "%d", item->delegate);
        return (struct text){number, (size_t)size};
    }
    if (item->delegate_name != TL_NONE)
        return timeline->names.at[item->delegate_name];
    return (struct text){NULL, 0};
}

struct text block_title(const struct blocks *blocks, const struct event_block *block)
{
    const char *range = blocks->options.range;
    return range ? (struct text){range, strlen(range)} : blocks->timeline->names.at[block->name];
}

struct text block_event_name(const struct blocks *blocks, const struct block_item *item,
                             char number[BLOCK_NAME_BYTES])
{
    const char *range = blocks->options.range;
    const struct timeline *timeline = blocks->timeline;
    struct text delegate = block_delegate(timeline, item, number);
    if (range && item->depth == 0)
        return (struct text){range, strlen(range)};
    if (delegate.bytes)
        return delegate;
    return item->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[item->name];
}

/* What the program called the event; the identifier where it did not. */
static struct text own_name(const struct blocks *blocks, const struct block_item *item,
                            char number[BLOCK_NAME_BYTES])
{
    bool is_range = blocks->options.range && item->depth == 0;
    return item->name == TL_NONE || is_range ? block_event_name(blocks, item, number)
                                             : blocks->timeline->names.at[item->name];
}

/* What the runtime itself does is at no instruction; it says 0 all the same. */
static bool is_frameworks(const struct timeline *timeline, const struct block_item *item)
{
    static const char *const names[] = {"Method::init", "Method::execute", "Program::load_method"};
    struct text name =
        item->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[item->name];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(name, names[i]))
            return true;
    return false;
}

const struct debug_entry *block_event_entry(const struct timeline *timeline,
                                            const struct debug_maps *maps,
                                            const struct block_item *item)
{
    char number[BLOCK_NAME_BYTES];
    if (is_frameworks(timeline, item))
        return NULL;
    return debug_maps_find(maps, item->instruction, block_delegate(timeline, item, number));
}

bool block_event_is_shown(const struct blocks *blocks, const struct write_blocks_options *options,
                          const struct block_row *row)
{
    char number[BLOCK_NAME_BYTES];
    struct text name = block_event_name(blocks, &blocks->items.at[row->item], number);
    return !options->event || name_has_prefix(name.bytes, name.size, options->event);
}

/* In the target's unit; its ticks as a double. */
static double start_of(const struct blocks *blocks, const struct block_run *run, uint32_t row)
{
    const struct block_item *item = &blocks->items.at[run->first_item + row];
    double ticks = item->is_signed ? (double)(int64_t)item->start_ticks : (double)item->start_ticks;
    return ticks / block_run_divisor(&blocks->options, run);
}

/* ---- cells ---- */

struct report {
    const struct write_blocks_options *options;
    struct blocks blocks;
    struct table table;
};

/* All units but cycles show single nanoseconds. */
static int decimals_of(enum time_scale target)
{
    static const int decimals[] = {
        [TIME_SCALE_NS] = 1, [TIME_SCALE_US] = 3, [TIME_SCALE_MS] = 6, [TIME_SCALE_S] = 9};
    return target == TIME_SCALE_CYCLES ? 1 : decimals[target];
}

/* Separated values have whole numbers as such, as every table has them. */
static void number_text(double value, char to[PYTHON_TEXT_BYTES])
{
    if (fabs(value) < 9e15 && value == floor(value))
        snprintf(to, PYTHON_TEXT_BYTES, "%.0f", value);
    else
        python_float(value, to);
}

static void time_cell(struct table *table, const struct report *report, double value)
{
    char text[PYTHON_TEXT_BYTES];
    if (table->format == WRITE_JSON) {
        table_number(table, value);
    } else if (isnan(value)) {
        table_format(table, write_format_is_for_people(table->format) ? "?" : "");
    } else if (write_format_is_for_people(table->format)) {
        table_format(table, "%.*f", decimals_of(report->blocks.options.target), value);
    } else {
        number_text(value, text);
        table_format(table, "%s", text);
    }
}

/* "[1, 2, 3]", in JSON an array: list_begin(), numbers, list_end(). */
struct list {
    struct table *table;
    struct json_out *json; /* NULL: this is not JSON */
    char *text;
    size_t size;
    FILE *stream; /* NULL: no memory */
};

/* False: this format does not have the cell. */
static bool list_begin(struct list *list, struct table *table)
{
    *list = (struct list){.table = table};
    if (!table_shows(table))
        return false;
    if (table->format == WRITE_JSON)
        json_array_begin(list->json = table_json(table));
    else
        list->stream = open_memstream(&list->text, &list->size);
    if (list->stream)
        fputc('[', list->stream);
    return true;
}

static void list_number(struct list *list, double value)
{
    char text[PYTHON_TEXT_BYTES];
    number_text(value, text);
    if (list->json)
        json_double(list->json, value);
    else if (list->stream)
        fprintf(list->stream, "%s%s", ftell(list->stream) > 1 ? ", " : "", text);
}

static void list_int(struct list *list, int64_t value)
{
    if (list->json)
        json_int(list->json, value);
    else if (list->stream)
        fprintf(list->stream, "%s%lld", ftell(list->stream) > 1 ? ", " : "", (long long)value);
}

static void list_end(struct list *list)
{
    if (list->json) {
        json_array_end(list->json);
    } else {
        if (list->stream)
            fputc(']', list->stream);
        if (list->stream && fclose(list->stream) == 0)
            table_text(list->table, (struct text){list->text, list->size});
        else
            list->table->failed = true;
        free(list->text);
    }
}

/* ---- events ---- */

static void delegate_cell(struct table *table, const struct report *report,
                          const struct block_item *item)
{
    char number[BLOCK_NAME_BYTES];
    struct text delegate = block_delegate(report->blocks.timeline, item, number);
    if (table->format == WRITE_JSON && item->delegate != -1)
        table_int(table, item->delegate);
    else if (delegate.bytes)
        table_text(table, delegate);
    else
        table_none(table);
}

static void metadata_cell(struct table *table, const struct timeline *timeline,
                          const struct block_item *item)
{
    if (item->metadata == TL_NONE)
        table_absent(table);
    else
        table_text(table, timeline->names.at[item->metadata]);
}

/* What the maps say of an event; NULL: nothing. */
static void backend_cell(struct table *table, const struct debug_entry *entry)
{
    if (entry && entry->backend.bytes)
        table_text(table, entry->backend);
    else if (!entry && table->format == WRITE_JSON)
        table_absent(table);
    else
        table_none(table);
}

static void handles_cell(struct table *table, const struct report *report,
                         const struct debug_entry *entry)
{
    struct list list;
    if (!entry && table->format == WRITE_JSON) {
        table_absent(table);
    } else if (!entry) {
        table_none(table);
    } else if (list_begin(&list, table)) {
        for (uint32_t i = 0; i < entry->count; i++)
            list_int(&list, report->options->maps->handles.at[entry->first + i]);
        list_end(&list);
    }
}

static void durations_cell(struct table *table, const struct blocks *blocks,
                           const struct event_block *block, const struct block_row *row)
{
    struct list list;
    if (!list_begin(&list, table))
        return;
    for (uint32_t i = 0; i < block->run_count; i++)
        list_number(&list, blocks->durations[row->first_sample + i]);
    list_end(&list);
}

static void starts_cell(struct table *table, const struct blocks *blocks,
                        const struct event_block *block, uint32_t number)
{
    struct list list;
    if (!list_begin(&list, table))
        return;
    for (uint32_t i = 0; i < block->run_count; i++)
        list_number(
            &list,
            start_of(blocks, &blocks->runs.at[blocks->iterations[block->first_run + i]], number));
    list_end(&list);
}

/* Behind the start times, JSON has what was recorded. */
static void starts_json(struct table *table, const struct report *report,
                        const struct event_block *block, uint32_t number)
{
    starts_cell(table, &report->blocks, block, number);
    if (table->format == WRITE_JSON && report->options->raw)
        blocks_raw_event(&report->blocks, block, number, table->json);
}

static void event_cell(struct table *table, const struct block_item *item, struct text name)
{
    char indented[300];
    int indent = (int)(item->depth < 40 ? item->depth : 40) * 2;
    snprintf(indented, sizeof indented, "%*s%.*s", indent, "",
             (int)(name.size < 200 ? name.size : 200), name.bytes);
    table_string(table, indented);
}

/* Keys of those that are times end with the unit: "p10_ms"; readers take such a column for one of
 * numbers, so that lists do not. */
#define PEOPLE_IF(shown) ((shown) ? 0 : TABLE_FOR_PROGRAMS)
#define EVENT_COLUMNS(X)                                                                          \
    X(event_cell(table, item, block_event_name(blocks, item, buffer)), "event", "Event",          \
      TABLE_FOR_PEOPLE)                                                                           \
    X(table_text(table, block_title(blocks, block)), "block", .in = TABLE_IN_VALUES)              \
    X(table_int(table, block->input), "input", .in = TABLE_IN_VALUES)                             \
    X(table_text(table, own_name(blocks, item, buffer)), "name", .in = TABLE_FOR_PROGRAMS)        \
    X(table_count(table, item->depth), "depth", .in = TABLE_FOR_PROGRAMS)                         \
    X(table_int(table, item->chain), "chain", "Chain", PEOPLE_IF(!blocks->options.range),         \
      .rank = 7)                                                                                  \
    X(table_int(table, (int32_t)item->instruction), "instruction", "Instr",                       \
      PEOPLE_IF(!blocks->options.range), .rank = 8)                                               \
    X(delegate_cell(table, report, item), "delegate", .in = TABLE_FOR_PROGRAMS)                   \
    X(metadata_cell(table, blocks->timeline, item), "delegate_metadata", .in = TABLE_IN_JSON)     \
    X(backend_cell(table, entry), "backend", "Backend", PEOPLE_IF(report->options->maps),         \
      .rank = 5)                                                                                  \
    X(handles_cell(table, report, entry), "debug_handles", "Handles",                             \
      PEOPLE_IF(report->options->maps), .rank = 6)                                                \
    X(table_count(table, block->run_count), "iterations", .in = TABLE_IN_VALUES)                  \
    X(durations_cell(table, blocks, block, row), "samples_%s_list", .in = TABLE_FOR_PROGRAMS,     \
      .json = "durations")                                                                        \
    X(starts_json(table, report, block, number), "start_times", .in = TABLE_IN_JSON)              \
    X(table_count(table, row->summary.count), "timed", "Timed", TABLE_FOR_PEOPLE | TABLE_IN_JSON, \
      .rank = 2)                                                                                  \
    X(time_cell(table, report, row->summary.p10), "p10_%s", "p10", .rank = 4, .json = "p10")      \
    X(time_cell(table, report, row->summary.p50), "p50_%s", "p50", .json = "p50")                 \
    X(time_cell(table, report, row->summary.p90), "p90_%s", "p90", .rank = 3, .json = "p90")      \
    X(time_cell(table, report, row->summary.mean), "mean_%s", "avg", .rank = 1, .json = "avg")    \
    X(time_cell(table, report, row->summary.min), "min_%s", "min", .rank = 4, .json = "min")      \
    X(time_cell(table, report, row->summary.max), "max_%s", "max", .rank = 2, .json = "max")      \
    X(starts_cell(table, blocks, block, number), "starts_%s_list", .in = TABLE_IN_VALUES)
TABLE_ROW_CELLS(event, EVENT_COLUMNS, const struct report *report, const struct blocks *blocks,
                const struct event_block *block, uint32_t number, const struct block_row *row,
                const struct block_item *item, const struct debug_entry *entry,
                char buffer[BLOCK_NAME_BYTES])

static void add_event(struct report *report, const struct event_block *block, uint32_t number)
{
    const struct blocks *blocks = &report->blocks;
    const struct block_row *row = &blocks->rows.at[block->first_row + number];
    const struct block_item *item = &blocks->items.at[row->item];
    char buffer[BLOCK_NAME_BYTES];
    event_row(&report->table, report, blocks, block, number, row, item,
              block_event_entry(blocks->timeline, report->options->maps, item), buffer);
}

/* Of one block, or, without one, of all. */
static void add_events(struct report *report, const struct event_block *only)
{
    const struct blocks *blocks = &report->blocks;
    const struct table_column columns[] = {EVENT_COLUMNS(TABLE_COLUMN){0}};
    table_begin(&report->table, "events", NULL, columns);
    uint32_t first = only ? (uint32_t)(only - blocks->blocks.at) : 0;
    uint32_t end = only ? first + 1 : blocks->blocks.count;
    for (uint32_t i = first; i < end; i++) {
        const struct event_block *block = &blocks->blocks.at[i];
        for (uint32_t j = 0; j < block->row_count; j++)
            if (block_event_is_shown(blocks, report->options,
                                     &blocks->rows.at[block->first_row + j]))
                add_event(report, block, j);
    }
    table_end(&report->table);
}

/* ---- memory ---- */

#define MEMORY_COLUMNS(X)                                                                        \
    X(table_text(table, timeline->names.at[block->name]), "Block", "Block", TABLE_BUT_JSON)      \
    X(table_text(table, timeline->names.at[timeline->heaps.at[memory->heap].name]), "Allocator", \
      "Allocator", .json = "allocator")                                                          \
    X(table_count(table, block->run_count), "Iterations", "Iterations", TABLE_BUT_JSON)          \
    X(table_count(table, memory->allocations), "Allocations", "Allocations",                     \
      .json = "allocations")                                                                     \
    X(table_count(table, memory->first_bytes), "first_bytes", .in = TABLE_IN_JSON)               \
    X(table_count(table, memory->total_bytes), "Bytes", "Bytes", .json = "total_bytes")          \
    X(table_count(table, memory->min_bytes), "Least", "Least", .json = "min_bytes")              \
    X(table_count(table, memory->max_bytes), "Most", "Most", .json = "max_bytes")
TABLE_ROW(memory, MEMORY_COLUMNS, const struct timeline *timeline, const struct event_block *block,
          const struct block_memory *memory)

static void add_memory(struct report *report, const struct event_block *block)
{
    for (uint32_t i = 0; i < block->memory_count; i++)
        memory_row(&report->table, report->blocks.timeline, block,
                   &report->blocks.memories.at[block->first_memory + i]);
}

static bool add_memory_table(struct table *table, void *user)
{
    struct report *report = user;
    table_begin(table, "memory", NULL, memory_columns);
    for (uint32_t i = 0; i < report->blocks.blocks.count; i++)
        add_memory(report, &report->blocks.blocks.at[i]);
    table_end(table);
    return !table->failed;
}

/* ---- for people: a table per block ---- */

static void print_name(const struct write_blocks_options *options, struct text name, FILE *stream)
{
    char shown[SHOW_TEXT_BYTES(120)];
    bool rest;
    show_text(name, 120, shown, &rest);
    if (options->format == WRITE_MARKDOWN)
        markdown_text(shown, stream);
    else
        fputs(shown, stream);
    fputs(rest ? "..." : "", stream);
}

static void print_title(const struct report *report, const struct event_block *block)
{
    const struct write_blocks_options *options = report->options;
    const struct blocks *blocks = &report->blocks;
    FILE *stream = report->table.stream;
    bool marked = options->format == WRITE_MARKDOWN;
    fprintf(stream, "%s%s \"", marked ? "### " : "", blocks->options.range ? "Range" : "Block");
    print_name(options, block_title(blocks, block), stream);
    fprintf(stream, "\": %u iteration%s", block->run_count, plural(block->run_count));
    if (block->input != -1)
        fprintf(stream, " on bundled input %d", block->input);
    fprintf(stream, ", times in %s\n%s", time_scale_name(blocks->options.target),
            marked ? "\n" : "");
}

/* What stands in front of a line below a table. */
static const char *line_start(const struct write_blocks_options *options, bool first)
{
    return options->format != WRITE_MARKDOWN ? "" : first ? "\n- " : "- ";
}

static void print_memory(const struct report *report, const struct event_block *block)
{
    const struct write_blocks_options *options = report->options;
    const struct blocks *blocks = &report->blocks;
    FILE *stream = report->table.stream;
    for (uint32_t i = 0; i < block->memory_count; i++) {
        const struct block_memory *memory = &blocks->memories.at[block->first_memory + i];
        uint64_t mean = memory->total_bytes / block->run_count;
        char label[MEMORY_LABEL_BYTES], each[BYTES_TEXT_BYTES];
        memory_label(blocks->timeline, memory->heap, label);
        bytes_text((int64_t)(mean > INT64_MAX ? INT64_MAX : mean), each);
        fputs(line_start(options, i == 0), stream);
        print_name(options, (struct text){label, strlen(label)}, stream);
        fprintf(stream, ": %s%s in %llu allocation%s\n", each,
                memory->min_bytes == memory->max_bytes ? " each iteration" : " on average",
                (unsigned long long)memory->allocations, plural(memory->allocations));
    }
}

static bool print_total(struct report *report, uint32_t index)
{
    const struct write_blocks_options *options = report->options;
    struct blocks *blocks = &report->blocks;
    FILE *stream = report->table.stream;
    bool enough_memory = true;
    if (!options->total)
        return true;
    double total = blocks_total(blocks, index, options->total, &enough_memory);
    fprintf(stream, "%sTotal of ", line_start(options, true));
    print_name(options, (struct text){options->total, strlen(options->total)}, stream);
    if (isnan(total))
        fputs(": no such event\n", stream);
    else
        fprintf(stream, ": %.*f %s per iteration\n", decimals_of(blocks->options.target), total,
                time_scale_name(blocks->options.target));
    return enough_memory;
}

static bool print_blocks(struct table *table, void *user)
{
    struct report *report = user;
    const struct write_blocks_options *options = report->options;
    bool written = true;
    if (report->blocks.blocks.count == 0)
        fprintf(table->stream, "%s\n",
                options->blocks.range ? "No range of this name was recorded."
                : options->blocks.block
                    ? "No block of this name was recorded."
                    : "No blocks were recorded; --range NAME takes a range as one.");
    for (uint32_t i = 0; i < report->blocks.blocks.count && written; i++) {
        const struct event_block *block = &report->blocks.blocks.at[i];
        fputs(i ? "\n" : "", table->stream);
        print_title(report, block);
        add_events(report, block);
        print_memory(report, block);
        written = !table->failed && print_total(report, i);
    }
    return written;
}

/* ---- for programs ---- */

static bool add_values(struct table *table, void *user)
{
    add_events(user, NULL);
    return !table->failed;
}

static bool block_json(struct report *report, uint32_t index)
{
    const struct event_block *block = &report->blocks.blocks.at[index];
    const struct timeline *timeline = report->blocks.timeline;
    struct table *table = &report->table;
    struct json_out *out = table->json;
    bool enough_memory = true;
    json_newline(out), json_object_begin(out);
    json_key(out, "name"), json_text(out, block_title(&report->blocks, block));
    json_key(out, "process"), json_uint(out, timeline->processes.at[block->process].info.pid);
    json_key(out, "bundled_input"), json_int(out, block->input);
    json_key(out, "iterations"), json_uint(out, block->run_count);
    add_events(report, block);
    table->rows_in_line = true;
    table_begin(table, "memory", NULL, memory_columns);
    add_memory(report, block);
    table_end(table);
    table->rows_in_line = false;
    if (report->options->raw)
        blocks_raw_runs(&report->blocks, block, out);
    if (report->options->total) {
        json_key(out, "total");
        json_double(out,
                    blocks_total(&report->blocks, index, report->options->total, &enough_memory));
    }
    json_object_end(out);
    return enough_memory;
}

static bool add_json(struct table *table, void *user)
{
    struct report *report = user;
    struct json_out *out = table->json;
    const struct envelope envelope = {.command = "executorch_blocks",
                                      .timelines = {report->blocks.timeline}};
    bool done = envelope_begin(out, &envelope);
    json_key(out, "unit"), json_string(out, time_scale_name(report->options->blocks.target));
    json_key(out, "blocks"), json_array_begin(out);
    for (uint32_t i = 0; i < report->blocks.blocks.count && done; i++)
        done = block_json(report, i);
    json_array_end(out);
    envelope_end(out, envelope.command);
    return done;
}

/* ---- the whole ---- */

static bool report_init(struct report *report, const struct timeline *timeline,
                        const struct write_blocks_options *options, FILE *stream)
{
    *report = (struct report){.options = options,
                              .table = {.format = options->format,
                                        .frame = TABLE_BARE,
                                        .stream = stream,
                                        .most = -1,
                                        .table_width = options->table_width,
                                        .words = {time_scale_name(options->blocks.target)},
                                        .unbroken = true}};
    errno = ENOMEM;
    return blocks_init(&report->blocks, timeline, &options->blocks);
}

bool write_blocks_memory(const struct timeline *timeline,
                         const struct write_blocks_options *options, FILE *stream)
{
    struct report report;
    if (!report_init(&report, timeline, options, stream))
        return false;
    bool written =
        report.blocks.memories.count == 0 || table_write(&report.table, add_memory_table, &report);
    blocks_fini(&report.blocks);
    return written;
}

bool write_blocks(const struct timeline *timeline, const struct write_blocks_options *options,
                  FILE *stream)
{
    struct report report;
    if (!report_init(&report, timeline, options, stream))
        return false;
    bool written = table_write(&report.table,
                               write_format_is_for_people(options->format) ? print_blocks
                               : options->format == WRITE_JSON             ? add_json
                                                                           : add_values,
                               &report);
    blocks_fini(&report.blocks);
    return written;
}
