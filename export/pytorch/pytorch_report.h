/* pytorch_report.h - the tables of PyTorch's torch/_inductor/analysis/profile_analysis.py.
 *
 * A row is a kernel, in the order in which kernels came first. Runs of a kernel that agree in all
 * of their numbers are one to it, so counts and means are of the distinct ones. Means of rates are
 * over the runs that have one.
 *
 * Names of devices are compared whole, and traces have longer ones: "NVIDIA A100-SXM4-80GB" is not
 * among them. Their numbers are those of that program's middle of 2025: with sparsity for H100 and
 * L4, the bandwidth of an H100 for L4.
 */
#ifndef PROF_PYTORCH_REPORT_H
#define PROF_PYTORCH_REPORT_H

#include "read.h"
#include "text_pool.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pytorch_type {
    PYTORCH_NO_TYPE,
    PYTORCH_F64,
    PYTORCH_F32,
    PYTORCH_BF16,
    PYTORCH_F16,
    PYTORCH_I64,
    PYTORCH_I32,
    PYTORCH_I16,
    PYTORCH_I8,
    PYTORCH_U8,
    PYTORCH_BOOL,
    PYTORCH_C64,
    PYTORCH_C128,
};

/* "float32", "c10::Half", "long int" ...; PYTORCH_NO_TYPE: it knows none of that name. */
enum pytorch_type pytorch_type_find(struct text name);
const char *pytorch_type_name(enum pytorch_type type); /* "torch.float32" */

/* 10^12 operations a second. A member that is 0 is not there. */
struct pytorch_device {
    const char *name;
    double f64, f32, tf32, half, f8, i8;
    const char *bandwidth, *memory; /* GB/s and GB, as it writes them */
    bool i8_first;                  /* it lists int8 before tf32 */
};

/* NULL: unknown. */
const struct pytorch_device *pytorch_device_find(struct text name);

/* 0: it has no number for the type. */
double pytorch_device_tops(const struct pytorch_device *device, enum pytorch_type type);
double pytorch_device_bandwidth(const struct pytorch_device *device);

/* One run of a kernel. */
struct pytorch_sample {
    double flop_rate; /* a second */
    double rate;      /* GB a second */
    double duration_us;
    double flop_percent, percent; /* of what the device could */
};

struct pytorch_row {
    struct text name;
    uint32_t count, flop_count, rate_count;
    struct pytorch_sample sum;
};

/* A zeroed struct is empty. */
struct pytorch_rows {
    struct pytorch_row *at; /* by number of the name, from 1 */
    uint32_t capacity;
    struct text_pool names, samples;
};

/* False: no memory. fini may be called anyway. */
bool pytorch_rows_add(struct pytorch_rows *rows, struct text name,
                      const struct pytorch_sample *sample);
void pytorch_rows_fini(struct pytorch_rows *rows);

/* A device as named in the trace; `id` as written there. */
struct pytorch_device_rows {
    struct text id, name;
    const struct pytorch_device *device; /* NULL: unknown */
    struct pytorch_rows rows;
};

/* The one with that id; NULL: none. */
struct pytorch_device_rows *pytorch_device_rows_find(struct pytorch_device_rows *devices,
                                                     uint32_t count, struct text id);

#define PYTORCH_NAME_LIMIT 40u

/* The table of each device. False: no memory, or `to` failed. */
bool pytorch_report_write(FILE *to, const struct pytorch_device_rows *devices, uint32_t count,
                          unsigned name_limit);

/* Two reports side by side: `other` has the same devices, in any order. Names prefix the
 * headings. */
bool pytorch_report_write_both(FILE *to, const struct pytorch_device_rows *devices,
                               const struct pytorch_device_rows *other, uint32_t count,
                               const char *const names[2], unsigned name_limit);

/* ---- what tables are made of ---- */

struct pytorch_cell {
    struct text text;
    bool is_number; /* right-aligned */
};

/* The first row is the heading; no newline after the last. False: `to` failed. */
bool pytorch_tabulate(FILE *to, const struct pytorch_cell *cells, uint32_t rows, uint32_t columns);

/* Pairs the names of both: those of the first, then those that only the second has. Names within
 * one are distinct. `pairs` has room for all; UINT32_MAX: not in that one. False: no memory. */
struct pytorch_pair {
    uint32_t first, second;
};
bool pytorch_zip(const struct text *first, uint32_t first_count, const struct text *second,
                 uint32_t second_count, struct pytorch_pair *pairs, uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
