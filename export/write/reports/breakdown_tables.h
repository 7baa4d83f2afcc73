/* breakdown_tables.h - the tables of profdump breakdown, and the cells they share. */
#ifndef PROF_BREAKDOWN_TABLES_H
#define PROF_BREAKDOWN_TABLES_H

#include "breakdown_report.h"
#include "temporal_breakdown.h"

struct breakdown_report {
    const struct timeline *timeline;
    const struct breakdown_options *options;
    struct work_classes classes;
    struct table table;
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

/* `left` is the rank at which a terminal may do without the process's rank: see table.h. */
/* clang-format off */
#define WHOSE_COLUMNS(left) {"pid", "Pid"}, {"rank", "Rank", .rank = left}
#define DEVICE_COLUMNS(left) WHOSE_COLUMNS(left), {"device", "Device"}
#define STREAM_COLUMNS(left) DEVICE_COLUMNS(left), {"context", "Context"}, {"stream", "Stream"}
/* clang-format on */

void breakdown_whose_cells(struct breakdown_report *report, uint32_t process);
void breakdown_device_cells(struct breakdown_report *report, uint32_t process, uint32_t device);
void breakdown_stream_cells(struct breakdown_report *report, uint32_t index);
void breakdown_name_cell(struct breakdown_report *report, uint32_t name);

/* NaN of nothing. */
double breakdown_mean(int64_t sum, uint64_t count);

#endif
