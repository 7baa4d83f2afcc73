/* device_time.h - the accounts of each device: what its operations add up to, and how much of the
 * recording it was busy.
 *
 *     sum of self device time = busy + overlap
 *     busy + idle             = window
 *
 * busy is the union of the device's operations over all of its streams, overlap what ran beside
 * something else, and the window the time from the first to the last event of the process, of
 * whatever kind. Kernels, copies and sets count; waits, overhead and libprof's own do not.
 */
#ifndef PROF_DEVICE_TIME_H
#define PROF_DEVICE_TIME_H

#include "timeline.h"

struct device_time {
    uint32_t process;
    uint32_t device; /* ordinal in its process */
    uint64_t operations;
    int64_t sum_ns, busy_ns, overlap_ns, window_ns, idle_ns;
};

struct device_times {
    struct device_time *at; /* devices with operations, by process and ordinal */
    uint32_t count;
    struct device_time total; /* the sums; windows too, so that it adds up */
};

/* Linear but for the merge of a device's streams, which costs the logarithm of their number. False:
 * no memory; fini is not needed then. */
bool device_times_init(struct device_times *times, const struct timeline *timeline);
void device_times_fini(struct device_times *times);

#endif
