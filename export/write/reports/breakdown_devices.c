/* breakdown_devices.c - what devices did, and at the same time. */
#include "breakdown_tables.h"

#include "temporal_breakdown.h"
#include "units.h"

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
            "Device %s of pid %u: before %s + after %s + idle %s + compute %s + communication %s + "
            "memory %s = window %s\n",
            device, report->timeline->processes.at[row->process].info.pid, texts[0], texts[1],
            texts[2], texts[3], texts[4], texts[5], texts[6]);
}

static const struct table_column temporal_columns[] = {
    DEVICE_COLUMNS(4),
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

bool breakdown_temporal(struct breakdown_report *report)
{
    struct temporal_breakdown breakdown;
    if (!temporal_breakdown_init(&breakdown, report->timeline, &report->classes, INT64_MAX))
        return false;
    table_begin(&report->table, "temporal",
                "What devices did, from their first operation to their last; at once: compute "
                "before communication before memory",
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
    DEVICE_COLUMNS(0), {"running", "Running"}, {"time_ns", "Time"}, {"busy_percent", "Busy %"}, {0},
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
    DEVICE_COLUMNS(0),
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

bool breakdown_overlap(struct breakdown_report *report)
{
    struct temporal_breakdown breakdown;
    if (!temporal_breakdown_init(&breakdown, report->timeline, &report->classes, INT64_MAX))
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
