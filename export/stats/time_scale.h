/* time_scale.h - units of time that a table may be read and shown in. */
#ifndef PROF_TIME_SCALE_H
#define PROF_TIME_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum time_scale { TIME_SCALE_NS, TIME_SCALE_US, TIME_SCALE_MS, TIME_SCALE_S, TIME_SCALE_CYCLES };

/* "ns", "us", "ms", "s", "cycles". False: none of them. */
bool time_scale_find(const char *name, enum time_scale *scale);
const char *time_scale_name(enum time_scale scale);

/* Nanoseconds of one unit; 1 for cycles, of which nobody knows. */
uint64_t time_scale_ns(enum time_scale scale);

/* Cycles are no time: they become nothing else. */
bool time_scale_fits(enum time_scale source, enum time_scale target);

/* What a number in the source's unit is divided by. */
double time_scale_divisor(enum time_scale source, enum time_scale target);

#ifdef __cplusplus
}
#endif
#endif
