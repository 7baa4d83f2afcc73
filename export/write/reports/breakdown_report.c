/* breakdown_report.c - a table per question. JSON is an object with the tables as arrays, by their names;
 * keys of rows are in the columns. */
#include "breakdown_report.h"

#include "breakdown_tables.h"
#include "temporal_breakdown.h"

#include <errno.h>
#include <math.h>

/* ---- cells that several tables have ---- */

void breakdown_whose_cells(struct breakdown_report *report, uint32_t process)
{
    const struct read_process *info = &report->timeline->processes.at[process].info;
    table_count(&report->table, info->pid);
    if (info->rank < 0)
        table_unknown(&report->table);
    else
        table_int(&report->table, info->rank);
}

void breakdown_device_cells(struct breakdown_report *report, uint32_t process, uint32_t device)
{
    breakdown_whose_cells(report, process);
    if (device == TL_NONE)
        table_unknown(&report->table);
    else
        table_count(&report->table, device);
}

void breakdown_stream_cells(struct breakdown_report *report, uint32_t index)
{
    const struct tl_stream *stream = &report->timeline->streams.at[index];
    breakdown_device_cells(report, stream->process, stream->device);
    table_count(&report->table, stream->context);
    table_count(&report->table, stream->stream);
}

void breakdown_name_cell(struct breakdown_report *report, uint32_t name)
{
    if (name < report->timeline->names.count)
        table_text(&report->table, report->timeline->names.at[name]);
    else
        table_string(&report->table, "(unnamed)");
}

double breakdown_mean(int64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : (double)NAN;
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
    return "temporal, overlap, idle, kernels, copies, launches, queue, sequences, stragglers";
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
