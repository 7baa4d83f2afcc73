/* breakdown_report.c - profdump breakdown. A table per question. JSON is an object with the tables
 * as arrays, by their names; keys of rows are in the columns. */
#include "reports.h"

#include "envelope.h"
#include "operation_totals.h"
#include "process_name.h"
#include "report_cells.h"
#include "steps.h"
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

/* ---- columns that several tables have ---- */

#define WHOSE_COLUMNS(X, process)                 \
    PROCESS_COLUMNS(X, report->timeline, process) \
    X(cell_rank(table, report->timeline, process), "rank", .in = TABLE_FOR_PROGRAMS)
#define DEVICE_COLUMNS(X, process, number) \
    WHOSE_COLUMNS(X, process)              \
    X(known_cell(table, number), "device", "Device")
#define STREAM_COLUMNS(X, index)                                        \
    DEVICE_COLUMNS(X, STREAM(index)->process, STREAM(index)->device)    \
    X(table_count(table, STREAM(index)->context), "context", "Context") \
    X(table_count(table, STREAM(index)->stream), "stream", "Stream")
#define STREAM(index) (&report->timeline->streams.at[index])

static void known_cell(struct table *table, uint32_t number)
{
    if (number == TL_NONE)
        table_unknown(table);
    else
        table_count(table, number);
}

static double breakdown_mean(int64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : (double)NAN;
}

/* ---- what devices did, and at the same time ---- */

#define TEMPORAL_PART(X, class_of, name, title)                                                    \
    X(table_ns(table, temporal_part_ns(row, class_of)), name "_ns", title, .rank = 1)              \
    X(table_share(table, temporal_part_ns(row, class_of), temporal_span_ns(row)), name "_percent", \
      title " %")
#define TEMPORAL_COLUMNS(X)                                                                       \
    DEVICE_COLUMNS(X, row->process, row->device)                                                  \
    X(table_count(table, row->operations), "operations", "Operations", .rank = 3)                 \
    X(table_ns(table, row->before_ns), "before_ns", "Before", .rank = 5)                          \
    X(table_ns(table, temporal_span_ns(row)), "span_ns", "Span", .rank = 2)                       \
    X(table_ns(table, row->after_ns), "after_ns", "After", .rank = 5)                             \
    X(table_ns(table, temporal_idle_ns(row)), "idle_ns", "Idle", .rank = 1)                       \
    X(table_share(table, temporal_idle_ns(row), temporal_span_ns(row)), "idle_percent", "Idle %") \
    TEMPORAL_PART(X, WORK_COMPUTE, "compute", "Compute")                                          \
    TEMPORAL_PART(X, WORK_COMMUNICATION, "communication", "Communication")                        \
    TEMPORAL_PART(X, WORK_MEMORY, "memory", "Memory")
TABLE_ROW(temporal, TEMPORAL_COLUMNS, const struct breakdown_report *report,
          const struct temporal_row *row)

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
        temporal_row(&report->table, report, &breakdown.at[i]);
    table_end(&report->table);
    for (uint32_t i = 0; i < breakdown.count && report->table.format == WRITE_TEXT; i++)
        if (report->options->rows < 0 || i < report->options->rows)
            temporal_identity(report, &breakdown.at[i]);
    temporal_breakdown_fini(&breakdown);
    return true;
}

/* ---- what ran at once ---- */

static void set_cell(struct table *table, unsigned set)
{
    char text[64] = "";
    size_t used = 0;
    for (unsigned i = 0; i < WORK_CLASSES; i++)
        if (set & 1u << i)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " and " : "",
                                     work_class_name((enum work_class)i));
    table_string(table, text);
}

#define OVERLAP_COLUMNS(X)                                                                     \
    DEVICE_COLUMNS(X, row->process, row->device)                                               \
    X(set_cell(table, set), "running", "Running")                                              \
    X(table_ns(table, row->running_ns[set]), "time_ns", "Time")                                \
    X(table_share(table, row->running_ns[set], temporal_span_ns(row) - temporal_idle_ns(row)), \
      "busy_percent", "Busy %")
TABLE_ROW(overlap, OVERLAP_COLUMNS, const struct breakdown_report *report,
          const struct temporal_row *row, unsigned set)

#define HIDDEN_NS temporal_overlap_ns(row, class_of, WORK_COMPUTE)
#define HIDDEN_COLUMNS(X)                                                                        \
    DEVICE_COLUMNS(X, row->process, row->device)                                                 \
    X(table_string(table, work_class_name(class_of)), "kind", "Kind")                            \
    X(table_ns(table, temporal_union_ns(row, class_of)), "running_ns", "Running")                \
    X(table_ns(table, HIDDEN_NS), "beside_compute_ns", "Beside compute")                         \
    X(table_share(table, HIDDEN_NS, temporal_union_ns(row, class_of)), "beside_compute_percent", \
      "Beside compute %")                                                                        \
    X(table_ns(table, temporal_union_ns(row, class_of) - HIDDEN_NS), "alone_ns",                 \
      "Not beside compute")
TABLE_ROW(hidden, HIDDEN_COLUMNS, const struct breakdown_report *report,
          const struct temporal_row *row, enum work_class class_of)

static bool breakdown_overlap(struct breakdown_report *report)
{
    struct temporal_breakdown breakdown;
    if (!temporal_breakdown_init(&breakdown, report->timeline, &report->classes, INT64_MAX, NULL))
        return false;
    table_begin(&report->table, "running", "What ran at the same time", overlap_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        for (unsigned set = 1; set < TEMPORAL_SETS; set++)
            if (breakdown.at[i].running_ns[set])
                overlap_row(&report->table, report, &breakdown.at[i], set);
    table_end(&report->table);
    table_begin(&report->table, "overlap", "Communication and memory beside compute",
                hidden_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        for (enum work_class class_of = WORK_COMMUNICATION; class_of <= WORK_MEMORY; class_of++)
            if (breakdown.at[i].count[class_of])
                hidden_row(&report->table, report, &breakdown.at[i], class_of);
    table_end(&report->table);
    temporal_breakdown_fini(&breakdown);
    return true;
}

/* ---- kernels, copies and launches ---- */

/* ---- operations by name ---- */

#define KERNEL_COLUMNS(X)                                                                   \
    DEVICE_COLUMNS(X, row->process, row->device)                                            \
    X(table_string(table, work_class_name(row->class_of)), "kind", "Kind", .rank = 2)       \
    X(table_text(table, name_or_unnamed(report->timeline, row->name)), "name", "Name")      \
    X(table_count(table, row->count), "count", "Count", .rank = 1)                          \
    X(table_ns(table, row->sum_ns), "sum_ns", "Sum")                                        \
    X(table_duration(table, breakdown_mean(row->sum_ns, row->count)), "mean_ns", "Mean",    \
      .rank = 1)                                                                            \
    X(table_ns(table, row->min_ns), "min_ns", "Min", .rank = 6)                             \
    X(table_ns(table, row->max_ns), "max_ns", "Max", .rank = 6)                             \
    X(table_duration(table, row->stddev_ns), "stddev_ns", "Std dev", .rank = 7)             \
    X(table_count(table, row->launched), "launched", "Launched", .rank = 7)                 \
    X(table_duration(table, breakdown_mean(row->call_ns, row->launched)), "mean_call_ns",   \
      "Call (mean)", .rank = 4)                                                             \
    X(table_duration(table, breakdown_mean(row->delay_ns, row->launched)), "mean_delay_ns", \
      "Call to start (mean)", .rank = 3)
TABLE_ROW(kernel, KERNEL_COLUMNS, const struct breakdown_report *report,
          const struct operation_total *row)

#define COPY_COLUMNS(X)                                                                \
    DEVICE_COLUMNS(X, row->process, row->device)                                       \
    X(table_text(table, name_or_unnamed(report->timeline, row->name)), "name", "Name") \
    X(table_count(table, row->count), "count", "Count", .rank = 1)                     \
    X(table_bytes(table, row->bytes), "bytes", "Bytes", .rank = 2)                     \
    X(table_ns(table, row->sum_ns), "time_ns", "Time")                                 \
    X(table_number(table, operation_total_rate(row)), "gb_per_s", "GB/s")              \
    X(table_number(table, row->least_rate), "min_gb_per_s", "Min GB/s", .rank = 3)     \
    X(table_number(table, row->most_rate), "max_gb_per_s", "Max GB/s", .rank = 3)
TABLE_ROW(copy, COPY_COLUMNS, const struct breakdown_report *report,
          const struct operation_total *row)

static bool write_operations(struct breakdown_report *report, bool copies)
{
    struct operation_totals totals;
    if (!operation_totals_init(&totals, report->timeline, &report->classes))
        return false;
    if (copies)
        table_begin(&report->table, "copies", "Copies and sets", copy_columns);
    else
        table_begin(&report->table, "kernels", "What ran, by name; longest first", kernel_columns);
    for (uint32_t i = 0; i < totals.count; i++)
        if (!copies)
            kernel_row(&report->table, report, &totals.at[i]);
        else if (totals.at[i].class_of == WORK_MEMORY)
            copy_row(&report->table, report, &totals.at[i]);
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

#define LAUNCH_COLUMNS(X)                                                                         \
    DEVICE_COLUMNS(X, row->process, row->device)                                                  \
    X(table_count(table, row->launched), "launched", "Launched")                                  \
    X(table_count(table, row->others), "others", "Others", .rank = 7)                             \
    X(table_duration(table, breakdown_mean(row->call_ns, row->launched)), "mean_call_ns",         \
      "Call (mean)", .rank = 1)                                                                   \
    X(table_duration(table, breakdown_mean(row->delay_ns, row->launched)), "mean_delay_ns",       \
      "Call to start (mean)", .rank = 1)                                                          \
    X(table_duration(table, breakdown_mean(row->duration_ns, row->launched)), "mean_duration_ns", \
      "Operation (mean)", .rank = 2)                                                              \
    X(table_count(table, row->slow.count), "slow", "Slow calls", .rank = 3)                       \
    X(table_ns(table, row->slow.excess_ns), "slow_excess_ns", "Slow by", .rank = 4)               \
    X(table_count(table, row->late.count), "late", "Late starts", .rank = 3)                      \
    X(table_ns(table, row->late.excess_ns), "late_excess_ns", "Late by", .rank = 4)               \
    X(table_count(table, row->starved.count), "starved", "Late, stream free", .rank = 5)          \
    X(table_count(table, row->shorter.count), "shorter", "Shorter than call", .rank = 5)          \
    X(table_ns(table, row->shorter.excess_ns), "shorter_excess_ns", "Shorter by", .rank = 6)
TABLE_ROW(launch, LAUNCH_COLUMNS, const struct breakdown_report *report,
          const struct launch_row *row)

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
        launch_row(&report->table, report, &stats.at[i]);
    table_end(&report->table);
    launch_stats_fini(&stats);
    return true;
}

/* ---- what ranges launched again and again, and which process was late ---- */

#define SEQUENCE_NAMES_SHOWN 64u
#define SEQUENCE_TEXT_BYTES 4096u

/* ---- sequences ---- */

static void sequence_cell(struct table *table, const struct breakdown_report *report,
                          const struct kernel_sequence *sequence)
{
    uint32_t names[SEQUENCE_NAMES_SHOWN];
    uint32_t count = kernel_sequence_names(report->timeline, sequence, names, SEQUENCE_NAMES_SHOWN);
    char text[SEQUENCE_TEXT_BYTES];
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof text - 1; i++) {
        struct text name = name_or_unnamed(report->timeline, names[i]);
        int size = name.size < 1000 ? (int)name.size : 1000;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", i ? " | " : "", size,
                                 name.bytes);
    }
    if (used >= sizeof text)
        used = sizeof text - 1;
    if (count < sequence->length && used + 8 < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, " | ...");
    table_text(table, (struct text){text, used});
}

#define SEQUENCE_COLUMNS(X)                                                \
    X(table_text(table, key_names_text(keys, row->key)), "range", "Range") \
    X(table_count(table, row->count), "count", "Count")                    \
    X(table_count(table, row->length), "operations", "Operations")         \
    X(table_ns(table, row->device_ns), "device_ns", "On devices")          \
    X(table_ns(table, row->range_ns), "range_ns", "In ranges")             \
    X(sequence_cell(table, report, row), "sequence", "Sequence")
TABLE_ROW(sequence, SEQUENCE_COLUMNS, const struct breakdown_report *report,
          const struct key_names *keys, const struct kernel_sequence *row)

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
        for (uint32_t i = 0; i < sequences.count; i++)
            sequence_row(&report->table, report, &keys, &sequences.at[i]);
        table_end(&report->table);
        kernel_sequences_fini(&sequences);
    }
    key_names_fini(&keys);
    return done;
}

/* ---- processes ---- */

#define STRAGGLER_COLUMNS(X)                                              \
    WHOSE_COLUMNS(X, row->process)                                        \
    X(table_count(table, row->collectives), "collectives", "Collectives") \
    X(table_count(table, row->last), "last", "Came last")                 \
    X(table_ns(table, row->caused_ns), "caused_ns", "Others waited")      \
    X(table_ns(table, row->waited_ns), "waited_ns", "Waited itself")
TABLE_ROW(straggler, STRAGGLER_COLUMNS, const struct breakdown_report *report,
          const struct straggler *row)

static bool breakdown_stragglers(struct breakdown_report *report)
{
    struct stragglers stragglers;
    if (!stragglers_init(&stragglers, report->timeline, &report->classes, NULL))
        return false;
    table_begin(&report->table, "stragglers", "Last to arrive at collectives", straggler_columns);
    for (uint32_t i = 0; i < stragglers.count; i++)
        straggler_row(&report->table, report, &stragglers.at[i]);
    table_end(&report->table);
    if (report->table.format == WRITE_TEXT && stragglers.left_out)
        fprintf(report->table.stream,
                "%llu communication kernels not compared: their number differs between processes\n",
                (unsigned long long)stragglers.left_out);
    stragglers_fini(&stragglers);
    return true;
}

/* ---- why streams were idle, and what waited in them ---- */

#define IDLE_COLUMNS(X)                                                                  \
    STREAM_COLUMNS(X, row->stream)                                                       \
    X(table_string(table, idle_cause_name(cause)), "cause", "Cause")                     \
    X(table_count(table, row->count[cause]), "gaps", "Gaps")                             \
    X(table_ns(table, row->cause_ns[cause]), "idle_ns", "Idle")                          \
    X(table_share(table, row->cause_ns[cause], row->total_ns), "idle_percent", "Idle %") \
    X(table_ns(table, row->longest_ns[cause]), "longest_ns", "Longest")
TABLE_ROW(idle, IDLE_COLUMNS, const struct breakdown_report *report, const struct idle_row *row,
          enum idle_cause cause)

static bool breakdown_idle(struct breakdown_report *report)
{
    struct idle_breakdown breakdown;
    if (!idle_breakdown_init(&breakdown, report->timeline, report->options->kernel_wait_ns))
        return false;
    table_begin(&report->table, "idle", "Why streams were idle between operations", idle_columns);
    for (uint32_t i = 0; i < breakdown.count; i++)
        for (enum idle_cause cause = 0; cause < IDLE_CAUSES; cause++)
            if (breakdown.at[i].count[cause])
                idle_row(&report->table, report, &breakdown.at[i], cause);
    table_end(&report->table);
    idle_breakdown_fini(&breakdown);
    return true;
}

#define QUEUE_COLUMNS(X)                                                      \
    STREAM_COLUMNS(X, row->stream)                                            \
    X(table_count(table, row->changes), "changes", "Changes")                 \
    X(table_number(table, row->mean), "mean", "Mean")                         \
    X(table_number(table, row->mean_in_time), "mean_in_time", "Mean in time") \
    X(table_int(table, row->least), "least", "Least")                         \
    X(table_int(table, row->most), "most", "Most")                            \
    X(table_ns(table, row->full_ns), "full_ns", "Full")                       \
    X(table_share(table, row->full_ns, row->span_ns), "full_percent", "Full %")
TABLE_ROW(queue, QUEUE_COLUMNS, const struct breakdown_report *report, const struct queue_row *row)

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
        queue_row(&report->table, report, &depth.at[i]);
    table_end(&report->table);
    queue_depth_fini(&depth);
    return true;
}

#define STEP_COLUMNS(X)                                                                      \
    WHOSE_COLUMNS(X, thread->process)                                                        \
    X(table_count(table, thread->tid), "tid", "Tid", .rank = 3)                              \
    X(table_text(table, name_or_unnamed(report->timeline, slice->name)), "step", "Step")     \
    X(table_ns(table, row->end_ns - slice->start_ns), "duration_ns", "Duration")             \
    X(table_ns(table, row->run_ns), "run_ns", "On the CPU")                                  \
    X(table_ns(table, row->queued_ns), "queued_ns", "Queued for a CPU")                      \
    X(table_ns(table, row->off_cpu_ns), "off_cpu_ns", "Off CPU")                             \
    X(table_share(table, row->off_cpu_ns, row->end_ns - slice->start_ns), "off_cpu_percent", \
      "Off CPU %")                                                                           \
    X(table_ns(table, row->longest_ns), "longest_wait_ns", "Longest wait", .rank = 2)        \
    X(known_cell(table, row->wait_stack), "wait_stack", "Its stack", .rank = 4)
TABLE_ROW(step, STEP_COLUMNS, const struct breakdown_report *report, const struct step_time *row,
          const struct tl_slice *slice, const struct tl_thread *thread)

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
    for (uint32_t i = 0; i < times.count; i++) {
        const struct tl_slice *slice = &report->timeline->slices.at[times.at[i].slice];
        step_row(&report->table, report, &times.at[i], slice,
                 &report->timeline->threads.at[slice->thread]);
    }
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

void breakdown_options_default(struct breakdown_options *options)
{
    *options = (struct breakdown_options){
        .rows = -1, .kernel_wait_ns = IDLE_KERNEL_WAIT_NS, .queue_full = QUEUE_DEPTH_FULL};
}

static bool write_tables(struct table *table, void *user)
{
    struct breakdown_report *report = user;
    const char *only = report->options->table;
    struct json_out *json = table->json;
    if (json && !envelope_begin_report(json, "breakdown", report->timeline, EVIDENCE_DEVICE))
        return false;
    for (size_t i = 0; i < TABLES; i++)
        if ((!only || strcmp(only, tables[i].name) == 0) && !tables[i].write(report))
            return false;
    if (json)
        envelope_end(json, "breakdown");
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
