/* breakdown_report.c - profdump breakdown. A table per question. JSON is an object with the tables
 * as arrays, by their names; keys of rows are in the columns. */
#include "reports.h"

#include "operation_totals.h"
#include "process_name.h"
#include "report_cells.h"
#include "step_times.h"
#include "stragglers.h"
#include "table.h"
#include "temporal_breakdown.h"
#include "units.h"

#include <errno.h>
#include <math.h>

struct breakdown_report {
    const struct timeline *timeline;
    const struct breakdown_options *options;
    struct work_classes classes;
    struct table table;
};

/* clang-format off */
#define WHOSE_COLUMNS PROCESS_COLUMNS, {"rank", .in = TABLE_FOR_PROGRAMS}
#define DEVICE_COLUMNS WHOSE_COLUMNS, {"device", "Device"}
#define STREAM_COLUMNS DEVICE_COLUMNS, {"context", "Context"}, {"stream", "Stream"}
/* clang-format on */

/* ---- cells that several tables have ---- */

static void breakdown_whose_cells(struct breakdown_report *report, uint32_t process)
{
    const struct tl_process_info *info = &report->timeline->processes.at[process].info;
    cell_process(&report->table, report->timeline, process);
    if (info->rank < 0)
        table_unknown(&report->table);
    else
        table_int(&report->table, info->rank);
}

static void breakdown_device_cells(struct breakdown_report *report, uint32_t process,
                                   uint32_t device)
{
    breakdown_whose_cells(report, process);
    if (device == TL_NONE)
        table_unknown(&report->table);
    else
        table_count(&report->table, device);
}

static void breakdown_stream_cells(struct breakdown_report *report, uint32_t index)
{
    const struct tl_stream *stream = &report->timeline->streams.at[index];
    breakdown_device_cells(report, stream->process, stream->device);
    table_count(&report->table, stream->context);
    table_count(&report->table, stream->stream);
}

static void breakdown_name_cell(struct breakdown_report *report, uint32_t name)
{
    if (name < report->timeline->names.count)
        table_text(&report->table, report->timeline->names.at[name]);
    else
        table_string(&report->table, "(unnamed)");
}

static double breakdown_mean(int64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : (double)NAN;
}

/* ---- what devices did, and at the same time ---- */

static void temporal_row(struct breakdown_report *report, const struct temporal_row *row)
{
    struct table *table = &report->table;
    int64_t span_ns = temporal_span_ns(row);
    breakdown_device_cells(report, row->process, row->device);
    table_count(table, row->operations);
    table_ns(table, row->before_ns), table_ns(table, span_ns), table_ns(table, row->after_ns);
    table_ns(table, temporal_idle_ns(row)), table_share(table, temporal_idle_ns(row), span_ns);
    for (unsigned i = 0; i < WORK_CLASSES; i++) {
        int64_t part_ns = temporal_part_ns(row, (enum work_class)i);
        table_ns(table, part_ns), table_share(table, part_ns, span_ns);
    }
}

/* Exact and in one unit, so that it adds up by eye. */
static void temporal_identity(const struct breakdown_report *report, const struct temporal_row *row)
{
    const int64_t terms[] = {row->before_ns,
                             row->after_ns,
                             temporal_idle_ns(row),
                             temporal_part_ns(row, WORK_COMPUTE),
                             temporal_part_ns(row, WORK_COMMUNICATION),
                             temporal_part_ns(row, WORK_MEMORY),
                             row->window_ns};
    char texts[7][TIME_TEXT_BYTES], device[32] = "unknown";
    for (unsigned i = 0; i < 7; i++)
        time_text_exact(terms[i], time_text_unit((double)row->window_ns), texts[i]);
    if (row->device != TL_NONE)
        snprintf(device, sizeof device, "%u", row->device);
    fprintf(report->table.stream,
            "Device %s of %s: before %s + after %s + idle %s + compute %s + communication %s + "
            "memory %s = window %s\n",
            device, process_full_name(report->timeline, row->process).text, texts[0], texts[1],
            texts[2], texts[3], texts[4], texts[5], texts[6]);
}

static const struct table_column temporal_columns[] = {
    DEVICE_COLUMNS,
    {"operations", "Operations", .rank = 3},
    {"before_ns", "Before", .rank = 5},
    {"span_ns", "Span", .rank = 2},
    {"after_ns", "After", .rank = 5},
    {"idle_ns", "Idle", .rank = 1},
    {"idle_percent", "Idle %"},
    {"compute_ns", "Compute", .rank = 1},
    {"compute_percent", "Compute %"},
    {"communication_ns", "Communication", .rank = 1},
    {"communication_percent", "Communication %"},
    {"memory_ns", "Memory", .rank = 1},
    {"memory_percent", "Memory %"},
    {0},
};

static bool breakdown_temporal(struct breakdown_report *report)
{
    struct temporal_breakdown breakdown;
    if (!temporal_breakdown_init(&breakdown, report->timeline, &report->classes, INT64_MAX, NULL))
        return false;
    table_begin(&report->table, "temporal",
                "What devices did, from first to last operation; overlapping time counts as "
                "compute first, then communication, then memory",
                temporal_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        if (table_row(&report->table))
            temporal_row(report, &breakdown.at[i]);
    table_end(&report->table);
    for (uint32_t i = 0; i < breakdown.count && report->table.format == WRITE_TEXT; i++)
        if (report->options->rows < 0 || i < report->options->rows)
            temporal_identity(report, &breakdown.at[i]);
    temporal_breakdown_fini(&breakdown);
    return true;
}

/* ---- what ran at once ---- */

static void set_text(unsigned set, char text[64])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < WORK_CLASSES; i++)
        if (set & 1u << i)
            used += (size_t)snprintf(text + used, 64 - used, "%s%s", used ? " and " : "",
                                     work_class_name((enum work_class)i));
}

static const struct table_column overlap_columns[] = {
    DEVICE_COLUMNS, {"running", "Running"}, {"time_ns", "Time"}, {"busy_percent", "Busy %"}, {0},
};

static void overlap_rows(struct breakdown_report *report, const struct temporal_row *row)
{
    int64_t busy_ns = temporal_span_ns(row) - temporal_idle_ns(row);
    for (unsigned set = 1; set < TEMPORAL_SETS; set++) {
        char text[64];
        set_text(set, text);
        if (row->running_ns[set] == 0 || !table_row(&report->table))
            continue;
        breakdown_device_cells(report, row->process, row->device);
        table_string(&report->table, text);
        table_ns(&report->table, row->running_ns[set]);
        table_share(&report->table, row->running_ns[set], busy_ns);
    }
}

static const struct table_column hidden_columns[] = {
    DEVICE_COLUMNS,
    {"kind", "Kind"},
    {"running_ns", "Running"},
    {"beside_compute_ns", "Beside compute"},
    {"beside_compute_percent", "Beside compute %"},
    {"alone_ns", "Not beside compute"},
    {0},
};

static void hidden_row(struct breakdown_report *report, const struct temporal_row *row,
                       enum work_class class_of)
{
    int64_t union_ns = temporal_union_ns(row, class_of),
            hidden_ns = temporal_overlap_ns(row, class_of, WORK_COMPUTE);
    if (row->count[class_of] == 0 || !table_row(&report->table))
        return;
    breakdown_device_cells(report, row->process, row->device);
    table_string(&report->table, work_class_name(class_of));
    table_ns(&report->table, union_ns);
    table_ns(&report->table, hidden_ns), table_share(&report->table, hidden_ns, union_ns);
    table_ns(&report->table, union_ns - hidden_ns);
}

static bool breakdown_overlap(struct breakdown_report *report)
{
    struct temporal_breakdown breakdown;
    if (!temporal_breakdown_init(&breakdown, report->timeline, &report->classes, INT64_MAX, NULL))
        return false;
    table_begin(&report->table, "running", "What ran at the same time", overlap_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        overlap_rows(report, &breakdown.at[i]);
    table_end(&report->table);
    table_begin(&report->table, "overlap", "Communication and memory beside compute",
                hidden_columns);
    for (uint32_t i = 0; i < breakdown.count; i++) {
        hidden_row(report, &breakdown.at[i], WORK_COMMUNICATION);
        hidden_row(report, &breakdown.at[i], WORK_MEMORY);
    }
    table_end(&report->table);
    temporal_breakdown_fini(&breakdown);
    return true;
}

/* ---- kernels, copies and launches ---- */

/* ---- operations by name ---- */

static const struct table_column kernel_columns[] = {
    DEVICE_COLUMNS,
    {"kind", "Kind", .rank = 2},
    {"name", "Name"},
    {"count", "Count", .rank = 1},
    {"sum_ns", "Sum"},
    {"mean_ns", "Mean", .rank = 1},
    {"min_ns", "Min", .rank = 6},
    {"max_ns", "Max", .rank = 6},
    {"stddev_ns", "Std dev", .rank = 7},
    {"launched", "Launched", .rank = 7},
    {"mean_call_ns", "Call (mean)", .rank = 4},
    {"mean_delay_ns", "Call to start (mean)", .rank = 3},
    {0},
};

static void kernel_row(struct breakdown_report *report, const struct operation_total *total)
{
    struct table *table = &report->table;
    breakdown_device_cells(report, total->process, total->device);
    table_string(table, work_class_name(total->class_of));
    breakdown_name_cell(report, total->name);
    table_count(table, total->count), table_ns(table, total->sum_ns);
    table_duration(table, breakdown_mean(total->sum_ns, total->count));
    table_ns(table, total->min_ns), table_ns(table, total->max_ns);
    table_duration(table, total->stddev_ns);
    table_count(table, total->launched);
    table_duration(table, breakdown_mean(total->call_ns, total->launched));
    table_duration(table, breakdown_mean(total->delay_ns, total->launched));
}

static const struct table_column copy_columns[] = {
    DEVICE_COLUMNS,
    {"name", "Name"},
    {"count", "Count", .rank = 1},
    {"bytes", "Bytes", .rank = 2},
    {"time_ns", "Time"},
    {"gb_per_s", "GB/s"},
    {"min_gb_per_s", "Min GB/s", .rank = 3},
    {"max_gb_per_s", "Max GB/s", .rank = 3},
    {0},
};

static void copy_row(struct breakdown_report *report, const struct operation_total *total)
{
    struct table *table = &report->table;
    breakdown_device_cells(report, total->process, total->device);
    breakdown_name_cell(report, total->name);
    table_count(table, total->count), table_bytes(table, total->bytes);
    table_ns(table, total->sum_ns);
    table_number(table, operation_total_rate(total));
    table_number(table, total->least_rate), table_number(table, total->most_rate);
}

static bool write_operations(struct breakdown_report *report, bool copies)
{
    struct operation_totals totals;
    if (!operation_totals_init(&totals, report->timeline, &report->classes))
        return false;
    if (copies)
        table_begin(&report->table, "copies", "Copies and sets", copy_columns);
    else
        table_begin(&report->table, "kernels", "What ran, by name; longest first", kernel_columns);
    for (uint32_t i = 0; i < totals.count; i++) {
        if ((copies && totals.at[i].class_of != WORK_MEMORY) || !table_row(&report->table))
            continue;
        if (copies)
            copy_row(report, &totals.at[i]);
        else
            kernel_row(report, &totals.at[i]);
    }
    table_end(&report->table);
    operation_totals_fini(&totals);
    return true;
}

static bool breakdown_kernels(struct breakdown_report *report)
{
    return write_operations(report, false);
}

static bool breakdown_copies(struct breakdown_report *report)
{
    return write_operations(report, true);
}

/* ---- launches ---- */

static const struct table_column launch_columns[] = {
    DEVICE_COLUMNS,
    {"launched", "Launched"},
    {"others", "Others", .rank = 7},
    {"mean_call_ns", "Call (mean)", .rank = 1},
    {"mean_delay_ns", "Call to start (mean)", .rank = 1},
    {"mean_duration_ns", "Operation (mean)", .rank = 2},
    {"slow", "Slow calls", .rank = 3},
    {"slow_excess_ns", "Slow by", .rank = 4},
    {"late", "Late starts", .rank = 3},
    {"late_excess_ns", "Late by", .rank = 4},
    {"starved", "Late, stream free", .rank = 5},
    {"shorter", "Shorter than call", .rank = 5},
    {"shorter_excess_ns", "Shorter by", .rank = 6},
    {0},
};

static void some_cells(struct breakdown_report *report, const struct launch_some *some)
{
    table_count(&report->table, some->count);
    table_ns(&report->table, some->excess_ns);
}

static void launch_row(struct breakdown_report *report, const struct launch_row *row)
{
    struct table *table = &report->table;
    breakdown_device_cells(report, row->process, row->device);
    table_count(table, row->launched), table_count(table, row->others);
    table_duration(table, breakdown_mean(row->call_ns, row->launched));
    table_duration(table, breakdown_mean(row->delay_ns, row->launched));
    table_duration(table, breakdown_mean(row->duration_ns, row->launched));
    some_cells(report, &row->slow);
    some_cells(report, &row->late);
    table_count(table, row->starved.count);
    some_cells(report, &row->shorter);
}

static bool breakdown_launches(struct breakdown_report *report)
{
    struct launch_stats stats;
    if (!launch_stats_init(&stats, report->timeline, LAUNCH_SLOW_CALL_NS, LAUNCH_LATE_START_NS,
                           NULL))
        return false;
    table_begin(&report->table, "launches",
                "Launches; a slow call takes more than 50 us, a late start comes more than 100 us "
                "after the call",
                launch_columns);
    for (uint32_t i = 0; i < stats.count; i++)
        if (table_row(&report->table))
            launch_row(report, &stats.at[i]);
    table_end(&report->table);
    launch_stats_fini(&stats);
    return true;
}

/* ---- what ranges launched again and again, and which process was late ---- */

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

static bool breakdown_sequences(struct breakdown_report *report)
{
    struct kernel_sequences sequences;
    struct key_names keys;
    if (!key_names_init(&keys, report->timeline))
        return false;
    bool done = kernel_sequences_init(&sequences, report->timeline, &keys,
                                      report->options->sequences, KERNEL_SEQUENCE_LEAST, NULL);
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
    WHOSE_COLUMNS,
    {"collectives", "Collectives"},
    {"last", "Came last"},
    {"caused_ns", "Others waited"},
    {"waited_ns", "Waited itself"},
    {0},
};

static bool breakdown_stragglers(struct breakdown_report *report)
{
    struct stragglers stragglers;
    if (!stragglers_init(&stragglers, report->timeline, &report->classes, NULL))
        return false;
    table_begin(&report->table, "stragglers", "Last to arrive at collectives", straggler_columns);
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
                "%llu communication kernels not compared: their number differs between processes\n",
                (unsigned long long)stragglers.left_out);
    stragglers_fini(&stragglers);
    return true;
}

/* ---- why streams were idle, and what waited in them ---- */

static const struct table_column idle_columns[] = {
    STREAM_COLUMNS,
    {"cause", "Cause"},
    {"gaps", "Gaps"},
    {"idle_ns", "Idle"},
    {"idle_percent", "Idle %"},
    {"longest_ns", "Longest"},
    {0},
};

static void idle_rows(struct breakdown_report *report, const struct idle_row *row)
{
    for (unsigned cause = 0; cause < IDLE_CAUSES; cause++) {
        if (row->count[cause] == 0 || !table_row(&report->table))
            continue;
        breakdown_stream_cells(report, row->stream);
        table_string(&report->table, idle_cause_name((enum idle_cause)cause));
        table_count(&report->table, row->count[cause]);
        table_ns(&report->table, row->cause_ns[cause]);
        table_share(&report->table, row->cause_ns[cause], row->total_ns);
        table_ns(&report->table, row->longest_ns[cause]);
    }
}

static bool breakdown_idle(struct breakdown_report *report)
{
    struct idle_breakdown breakdown;
    if (!idle_breakdown_init(&breakdown, report->timeline, report->options->kernel_wait_ns))
        return false;
    table_begin(&report->table, "idle", "Why streams were idle between operations", idle_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        idle_rows(report, &breakdown.at[i]);
    table_end(&report->table);
    idle_breakdown_fini(&breakdown);
    return true;
}

static const struct table_column queue_columns[] = {
    STREAM_COLUMNS,
    {"changes", "Changes"},
    {"mean", "Mean"},
    {"mean_in_time", "Mean in time"},
    {"least", "Least"},
    {"most", "Most"},
    {"full_ns", "Full"},
    {"full_percent", "Full %"},
    {0},
};

static void queue_row(struct breakdown_report *report, const struct queue_row *row)
{
    breakdown_stream_cells(report, row->stream);
    table_count(&report->table, row->changes);
    table_number(&report->table, row->mean), table_number(&report->table, row->mean_in_time);
    table_int(&report->table, row->least), table_int(&report->table, row->most);
    table_ns(&report->table, row->full_ns);
    table_share(&report->table, row->full_ns, row->span_ns);
}

static bool breakdown_queues(struct breakdown_report *report)
{
    struct queue_depth depth;
    char title[128];
    if (!queue_depth_init(&depth, report->timeline, report->options->queue_full))
        return false;
    snprintf(title, sizeof title, "Operations launched but not started; queue full at %u",
             report->options->queue_full);
    table_begin(&report->table, "queue", title, queue_columns);
    for (uint32_t i = 0; i < depth.count; i++)
        if (table_row(&report->table))
            queue_row(report, &depth.at[i]);
    table_end(&report->table);
    queue_depth_fini(&depth);
    return true;
}

static const struct table_column step_columns[] = {
    WHOSE_COLUMNS,
    {"tid", "Tid", .rank = 3},
    {"step", "Step"},
    {"duration_ns", "Duration"},
    {"run_ns", "On the CPU"},
    {"queued_ns", "Queued for a CPU"},
    {"off_cpu_ns", "Off CPU"},
    {"off_cpu_percent", "Off CPU %"},
    {"longest_wait_ns", "Longest wait", .rank = 2},
    {"wait_stack", "Its stack", .rank = 4},
    {0},
};

static void step_row(struct breakdown_report *report, const struct step_time *time)
{
    const struct tl_slice *step = &report->timeline->slices.at[time->slice];
    const struct tl_thread *thread = &report->timeline->threads.at[step->thread];
    struct table *table = &report->table;
    int64_t duration_ns = time->end_ns - step->start_ns;
    breakdown_whose_cells(report, thread->process);
    table_count(table, thread->tid);
    breakdown_name_cell(report, step->name);
    table_ns(table, duration_ns), table_ns(table, time->run_ns);
    table_ns(table, time->queued_ns), table_ns(table, time->off_cpu_ns);
    table_share(table, time->off_cpu_ns, duration_ns);
    table_ns(table, time->longest_ns);
    if (time->wait_stack == TL_NONE)
        table_unknown(table);
    else
        table_count(table, time->wait_stack);
}

/* Without samples nothing is known: then a text of all tables does without this one. */
static bool breakdown_steps(struct breakdown_report *report)
{
    struct step_times times;
    if (report->table.format == WRITE_TEXT && !report->options->table &&
        report->timeline->samples.count == 0)
        return true;
    if (!step_times_init(&times, report->timeline))
        return false;
    table_begin(&report->table, "steps",
                "How each step's thread spent the step: samples and the scheduler's counters",
                step_columns);
    for (uint32_t i = 0; i < times.count; i++)
        if (table_row(&report->table))
            step_row(report, &times.at[i]);
    table_end(&report->table);
    step_times_fini(&times);
    return true;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    bool (*write)(struct breakdown_report *report);
} tables[] = {
    {"temporal", breakdown_temporal},
    {"overlap", breakdown_overlap},
    {"idle", breakdown_idle},
    {"kernels", breakdown_kernels},
    {"copies", breakdown_copies},
    {"launches", breakdown_launches},
    {"queue", breakdown_queues},
    {"sequences", breakdown_sequences},
    {"stragglers", breakdown_stragglers},
    {"steps", breakdown_steps},
};
#define TABLES (sizeof tables / sizeof tables[0])

bool breakdown_table_find(const char *name)
{
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0)
            return true;
    return false;
}

const char *breakdown_table_names(void)
{
    return "temporal, overlap, idle, kernels, copies, launches, queue, sequences, stragglers, "
           "steps";
}

void breakdown_options_default(struct breakdown_options *options)
{
    *options = (struct breakdown_options){
        .rows = -1, .kernel_wait_ns = IDLE_KERNEL_WAIT_NS, .queue_full = QUEUE_DEPTH_FULL};
}

static bool write_tables(struct table *table, void *user)
{
    struct breakdown_report *report = user;
    const char *only = report->options->table;
    (void)table; /* the report's */
    for (size_t i = 0; i < TABLES; i++)
        if ((!only || strcmp(only, tables[i].name) == 0) && !tables[i].write(report))
            return false;
    if (*report->table.skipped)
        fprintf(report->table.stream, "%sLeft out, because empty: %s\n",
                report->table.tables ? "\n" : "", report->table.skipped);
    return true;
}

bool write_breakdown(const struct timeline *timeline, const struct breakdown_options *options,
                     FILE *stream)
{
    struct breakdown_report report = {
        .timeline = timeline,
        .options = options,
        .table = {.format = options->format,
                  .stream = stream,
                  .most = options->rows,
                  .skips_empty = !options->table,
                  .width = options->width,
                  .table_width = options->table_width},
    };
    if (!work_classes_init(&report.classes, timeline)) {
        errno = ENOMEM;
        return false;
    }
    bool done = table_write(&report.table, write_tables, &report);
    work_classes_fini(&report.classes);
    return done;
}
