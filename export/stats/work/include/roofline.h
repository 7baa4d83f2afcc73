/* roofline.h - what kernels achieved of what their device can do.
 *
 * A device can compute at most `peak` operations per second (of a type), and move at most
 * `bandwidth` bytes per second. A kernel that does `intensity` operations per byte can reach at
 * most
 *
 *     min(peak, intensity x bandwidth)
 *
 *      operations per second
 *          peak  |          .------------   right of the ridge: bound by computing
 *                |        .'
 *                |      .'                  left of it: bound by memory
 *                |    .'
 *                +----------|----------- operations per byte
 *                     ridge = peak / bandwidth
 *
 * Operations and bytes are those that the operator needs (op_work.h), not what the hardware
 * counted: a row above 100 % did less than its formula, found its data in a cache, or ran at a
 * higher clock than the table's.
 *
 * A row is of one name on one device. Every instance counts, also one without a duration, which has
 * no rate. Sums are over the instances that have the number, and rates are such sums by such times:
 * the mean over time, not the mean of rates, which short instances would govern. NaN is unknown.
 */
#ifndef PROF_ROOFLINE_H
#define PROF_ROOFLINE_H

#include "kernel_work.h"
#include "peak_rates.h"

#ifdef __cplusplus
extern "C" {
#endif

enum roofline_bound { ROOFLINE_UNKNOWN, ROOFLINE_COMPUTE, ROOFLINE_MEMORY };

enum roofline_by {
    ROOFLINE_BY_KERNEL,
    ROOFLINE_BY_OP,    /* the range whose work it is, else the innermost one around the launch */
    ROOFLINE_BY_RANGE, /* the outermost range around the launch that is not a step */
};

enum roofline_column {
    ROOFLINE_TIME,
    ROOFLINE_COUNT,
    ROOFLINE_MEAN,
    ROOFLINE_MEDIAN,
    ROOFLINE_FLOP,
    ROOFLINE_FLOP_RATE,
    ROOFLINE_BYTE_RATE,
    ROOFLINE_INTENSITY,
    ROOFLINE_COMPUTE_SHARE,
    ROOFLINE_BANDWIDTH_SHARE,
    ROOFLINE_ROOF_SHARE,
    ROOFLINE_NAME,
};

/* Why instances have no operations, or no bytes: enum op_known, and one more. */
#define ROOFLINE_NO_OP (OP_NO_TYPE + 1u) /* launched outside any range */
#define ROOFLINE_REASONS (OP_NO_TYPE + 2u)

/* Instances that have a number, and a duration. */
struct roofline_part {
    double amount;  /* operations or bytes */
    double seconds; /* their time */
};

struct roofline_row {
    uint32_t name;   /* into names[]; TL_NONE: launched outside of every range */
    uint32_t device; /* into roofline.devices[] */
    uint32_t number; /* stays what it is when rows are sorted */
    uint64_t count;
    uint64_t untimed; /* of these without a duration */
    int64_t total_ns;
    double median_ns;
    double flop, bytes;                    /* sums; NaN: no instance has it */
    uint64_t flop_count, bytes_count;      /* instances that have it */
    uint32_t types;                        /* bit 1 << enum op_type of those that are known */
    double flop_rate, byte_rate;           /* per second */
    double intensity;                      /* operations per byte, of instances that have both */
    double ridge;                          /* of the device, for the types of these */
    double compute_share, bandwidth_share; /* 1: the peak */
    double roof_share;                     /* of what is attainable at its intensity */
    enum roofline_bound bound;
    uint64_t flop_why[ROOFLINE_REASONS], bytes_why[ROOFLINE_REASONS];
    struct roofline_part flop_timed, bytes_timed;
    struct roofline_part flop_rated; /* `seconds`: operations that were possible in their time */
    struct roofline_part both_flop, both_bytes, both_rated;
};

struct roofline_device {
    uint32_t process, ordinal;
    uint32_t device;               /* into the timeline's devices[], TL_NONE: not in the trace */
    uint32_t first_row, row_count; /* into rows[] */
    struct peak_rates peak;
    uint64_t kernels, graphs; /* graphs: launched ones that were recorded as a whole */
    uint64_t untimed;
    int64_t total_ns;           /* of kernels, beside each other or not */
    int64_t busy_ns, window_ns; /* device_time.h: copies and sets as well */
    double flop, bytes;         /* sums; NaN: none has any */
    uint64_t flop_count, bytes_count;
    int64_t flop_ns;    /* of the kernels that have operations */
    enum op_type type;  /* in which most operations are done; OP_TYPE_UNKNOWN none */
    double utilization; /* operations by those possible in that type in the window */
    double busy_share;  /* the same of the time in which the device was busy */
    uint64_t flop_why[ROOFLINE_REASONS], bytes_why[ROOFLINE_REASONS];
    uint64_t untyped;    /* instances with operations of unknown type */
    uint64_t unrated;    /* or for whose type the device has no known rate */
    uint32_t above_peak; /* rows */
};

/* One operation, as it was added to its row. */
struct roofline_instance {
    uint32_t gpu, row; /* into gpus[]; `number` of the row */
    int64_t ns;
    double flop, bytes; /* NaN unknown */
    double tops;        /* what the device can do in its type; NaN unknown */
};

struct roofline_options {
    enum roofline_by by;
    enum op_type type;            /* assumed for kernels of unknown type; OP_TYPE_UNKNOWN none */
    const struct peak_file *file; /* NULL none */
    void (*each)(void *user, const struct roofline_instance *instance); /* NULL: not requested */
    void *user;
};

struct roofline {
    const struct timeline *timeline;
    struct roofline_device *devices; /* with kernels, by process and ordinal */
    struct roofline_row *rows;       /* by device */
    uint32_t device_count, row_count, device_capacity, row_capacity;
};

/* Linear in the number of operations. `works` is needed only here. False: no memory; fini is not
 * needed then. */
bool roofline_init(struct roofline *roofline, const struct timeline *timeline,
                   const struct kernel_works *works, const struct roofline_options *options);
void roofline_fini(struct roofline *roofline);

/* Each device's rows: names ascending, all else descending, the unknown last. */
void roofline_sort(struct roofline *roofline, enum roofline_column column);

/* "time", "count" ...; false: there is no such column. */
bool roofline_column_find(const char *name, enum roofline_column *column);
const char *roofline_column_names(void); /* "time, count, ..." */

/* The row's type; OP_TYPE_UNKNOWN: none is known, or several. */
enum op_type roofline_row_type(const struct roofline_row *row);

/* "compute", "memory", "unknown" */
const char *roofline_bound_name(enum roofline_bound bound);

/* "operator has no formula" ...: ROOFLINE_REASONS of them. */
const char *roofline_reason(unsigned reason);
const char *roofline_reason_key(unsigned reason); /* "no_formula" ... */

#ifdef __cplusplus
}
#endif
#endif
