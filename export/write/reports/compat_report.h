/* compat_report.h - the tables of PyTorch's torch/_inductor/analysis/profile_analysis.py.
 *
 * A row is a kernel, in the order in which kernels came first. Runs of a kernel that agree in all of
 * their numbers are one to it, so counts and means are of the distinct ones. Means of rates are over
 * the runs that have one.
 */
#ifndef PROF_COMPAT_REPORT_H
#define PROF_COMPAT_REPORT_H

#include "compat_device.h"
#include "text_pool.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of a kernel. */
struct compat_sample {
    double flop_rate; /* a second */
    double rate;      /* GB a second */
    double duration_us;
    double flop_percent, percent; /* of what the device could */
};

struct compat_row {
    struct text name;
    uint32_t count, flop_count, rate_count;
    struct compat_sample sum;
};

/* Zeroed is an empty one. */
struct compat_rows {
    struct compat_row *at; /* by number of the name, from 1 */
    uint32_t capacity;
    struct text_pool names, samples;
};

/* False: no memory. fini may be called anyway. */
bool compat_rows_add(struct compat_rows *rows, struct text name,
                     const struct compat_sample *sample);
void compat_rows_fini(struct compat_rows *rows);

/* A device as the trace names it; `id` as it is written there. */
struct compat_device_rows {
    struct text id, name;
    const struct compat_device *device; /* NULL: unknown */
    struct compat_rows rows;
};

#define COMPAT_NAME_LIMIT 40u

/* The table of each device. False: no memory, or `to` failed. */
bool compat_report_write(FILE *to, const struct compat_device_rows *devices, uint32_t count,
                         unsigned name_limit);

/* Two reports beside each other: `other` has the same devices, in whatever order. Names stand before
 * the headings. */
bool compat_report_write_both(FILE *to, const struct compat_device_rows *devices,
                              const struct compat_device_rows *other, uint32_t count,
                              const char *const names[2], unsigned name_limit);

/* ---- what tables are made of ---- */

struct compat_cell {
    struct text text;
    bool is_number; /* stands to the right */
};

/* The first row is the heading; no newline behind the last. False: `to` failed. */
bool compat_tabulate(FILE *to, const struct compat_cell *cells, uint32_t rows, uint32_t columns);

/* Names of both, those of the first before those that the second has alone; those of one are
 * distinct. `pairs` has room for all; UINT32_MAX: not in that one. False: no memory. */
struct compat_pair {
    uint32_t first, second;
};
bool compat_zip(const struct text *first, uint32_t first_count, const struct text *second,
                uint32_t second_count, struct compat_pair *pairs, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
