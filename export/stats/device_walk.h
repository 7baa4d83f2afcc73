/* device_walk.h - what a device did, over all of its streams, in order of start.
 *
 *     for (uint32_t stream = 0; stream < timeline->streams.count;) {
 *         stream = device_walk_begin(&walk, stream);
 *         while ((gpu = device_walk_next(&walk)) != TL_NONE)
 *             ...
 *     }
 */
#ifndef PROF_DEVICE_WALK_H
#define PROF_DEVICE_WALK_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* The next kernel, copy, set or graph, into gpus[]; TL_NONE: that was all. Waits, overhead and
 * libprof's own are left out. It costs the logarithm of the number of streams. */
uint32_t device_walk_next(struct device_walk *walk);

#ifdef __cplusplus
}
#endif
#endif
