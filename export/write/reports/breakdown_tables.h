/* breakdown_tables.h - the tables of profdump breakdown, and the cells they share. */
#ifndef PROF_BREAKDOWN_TABLES_H
#define PROF_BREAKDOWN_TABLES_H

#include "breakdown_report.h"
#include "temporal_breakdown.h"

struct breakdown_report {
    const struct timeline *timeline;
    const struct breakdown_options *options;
    struct work_classes classes;
    struct sheet sheet;
};

/* Each writes one table, or two. False: no memory. */
bool breakdown_temporal(struct breakdown_report *report);   /* breakdown_devices.c */
bool breakdown_overlap(struct breakdown_report *report);    /* breakdown_devices.c */
bool breakdown_idle(struct breakdown_report *report);       /* breakdown_streams.c */
bool breakdown_queues(struct breakdown_report *report);     /* breakdown_streams.c */
bool breakdown_kernels(struct breakdown_report *report);    /* breakdown_operations.c */
bool breakdown_copies(struct breakdown_report *report);     /* breakdown_operations.c */
bool breakdown_launches(struct breakdown_report *report);   /* breakdown_operations.c */
bool breakdown_sequences(struct breakdown_report *report);  /* breakdown_ranges.c */
bool breakdown_stragglers(struct breakdown_report *report); /* breakdown_ranges.c */

#define WHOSE_COLUMNS  \
    {"pid", "Pid"},    \
    {                  \
        "rank", "Rank" \
    }
#define DEVICE_COLUMNS     \
    WHOSE_COLUMNS,         \
    {                      \
        "device", "Device" \
    }
#define STREAM_COLUMNS                      \
    DEVICE_COLUMNS, {"context", "Context"}, \
    {                                       \
        "stream", "Stream"                  \
    }

void breakdown_whose_cells(struct breakdown_report *report, uint32_t process);
void breakdown_device_cells(struct breakdown_report *report, uint32_t process, uint32_t device);
void breakdown_stream_cells(struct breakdown_report *report, uint32_t index);
void breakdown_name_cell(struct breakdown_report *report, uint32_t name);

/* NaN of nothing. */
double breakdown_mean(int64_t sum, uint64_t count);

#endif
