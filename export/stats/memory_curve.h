/* memory_curve.h - bytes in use over time, per process, on the host's side and on the devices';
 * made to be asked for the largest value of a stretch of time. */
#ifndef PROF_MEMORY_CURVE_H
#define PROF_MEMORY_CURVE_H

#include "memory_ranges.h"

struct memory_curve {
    const struct timeline *timeline;
    uint32_t *first;                 /* by process: its first event; one more at the end */
    uint64_t *tallest[MEMORY_SIDES]; /* a tree over the events: see memory_curve.c */
    uint32_t leaves;
};

/* False: no memory. */
bool memory_curve_init(struct memory_curve *curve, const struct timeline *timeline);
void memory_curve_fini(struct memory_curve *curve);

/* Raises peak[] to the most bytes that the slice's process used while the slice was open. */
void memory_curve_peak(const struct memory_curve *curve, uint32_t slice,
                       uint64_t peak[MEMORY_SIDES]);

#endif
