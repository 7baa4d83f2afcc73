/* device_time.h - how each device spent its time.
 *
 *     sum of self device time = busy + overlap
 *     busy + idle             = window
 *
 * busy is the union of the device's operations over all of its streams, overlap is what ran beside
 * something else, and window is the time from the first to the last event of the process, of any
 * kind. Kernels, copies and sets count; waits, overhead and libprof's own operations do not.
 */
#ifndef PROF_DEVICE_TIME_H
#define PROF_DEVICE_TIME_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a device did, over all of its streams, in order of start ----
 *
 *     for (uint32_t stream = 0; stream < timeline->streams.count;) {
 *         stream = device_walk_begin(&walk, stream);
 *         while ((gpu = device_walk_next(&walk)) != TL_NONE)
 *             ...
 *     }
 */

struct device_cursor;

struct device_walk {
    const struct timeline *timeline;
    struct device_cursor *heap; /* a stream each: the earliest on top */
    uint32_t count;
};

/* False: no memory; fini is not needed then. */
bool device_walk_init(struct device_walk *walk, const struct timeline *timeline);
void device_walk_fini(struct device_walk *walk);

/* Begins with the device of streams[first]: it has that stream and those behind it that are of the
 * same process and device. Returns where the next device's begin. */
uint32_t device_walk_begin(struct device_walk *walk, uint32_t first);

/* Begins with several devices at once: those of the processes for which `wanted` holds. */
void device_walk_begin_processes(struct device_walk *walk,
                                 bool (*wanted)(void *user, uint32_t process), void *user);

/* The next kernel, copy, set or graph, into gpus[]; TL_NONE: that was all. Waits, overhead and
 * libprof's own are left out. It costs the logarithm of the number of streams. */
uint32_t device_walk_next(struct device_walk *walk);

/* ---- times ---- */

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

#ifdef __cplusplus
}
#endif
#endif
