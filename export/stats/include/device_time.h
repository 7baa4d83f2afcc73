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

/* Begins with the device of streams[first]: it has that stream and those after it that are of the
 * same process and device. Returns where the next device's begin. */
uint32_t device_walk_begin(struct device_walk *walk, uint32_t first);

/* Begins with several devices at once: those of the processes for which `wanted` holds. */
void device_walk_begin_processes(struct device_walk *walk,
                                 bool (*wanted)(void *user, uint32_t process), void *user);

/* The next kernel, copy, set or graph, into gpus[]; TL_NONE: that was all. Waits, overhead and
 * libprof's own are left out. It costs the logarithm of the number of streams. */
uint32_t device_walk_next(struct device_walk *walk);

/* ---- when which classes of work run ----
 *
 * Between the starts of two operations, what runs changes only where a class ends, at most once for
 * each class:
 *
 *     for each operation, in order of start: {
 *         while (sweep.now_ns < operation->start_ns) {
 *             int64_t end_ns = operation->start_ns;
 *             unsigned running = class_sweep_running(&sweep, &end_ns);
 *             ... // these run from sweep.now_ns to end_ns
 *             sweep.now_ns = end_ns;
 *         }
 *         class_sweep_add(&sweep, class, operation->end_ns);
 *     }
 */

enum work_class { WORK_COMPUTE, WORK_COMMUNICATION, WORK_MEMORY, WORK_CLASSES };

struct class_sweep {
    int64_t now_ns;
    int64_t until_ns[WORK_CLASSES]; /* the latest end so far of the class's operations */
};

/* Nothing has run yet. */
static inline void class_sweep_begin(struct class_sweep *sweep, int64_t now_ns)
{
    *sweep = (struct class_sweep){now_ns, {INT64_MIN, INT64_MIN, INT64_MIN}};
}

/* The classes that run at `now_ns`, as bits 1 << enum work_class. Lowers *end_ns to the first end
 * of one of them. */
static inline unsigned class_sweep_running(const struct class_sweep *sweep, int64_t *end_ns)
{
    unsigned running = 0;
    for (unsigned i = 0; i < WORK_CLASSES; i++) {
        if (sweep->until_ns[i] <= sweep->now_ns)
            continue;
        running |= 1u << i;
        *end_ns = sweep->until_ns[i] < *end_ns ? sweep->until_ns[i] : *end_ns;
    }
    return running;
}

static inline void class_sweep_add(struct class_sweep *sweep, enum work_class class_of,
                                   int64_t end_ns)
{
    if (end_ns > sweep->until_ns[class_of])
        sweep->until_ns[class_of] = end_ns;
}

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
