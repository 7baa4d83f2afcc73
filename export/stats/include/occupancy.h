/* occupancy.h - how full a kernel can keep a multiprocessor, from the device's limits. */
#ifndef PROF_OCCUPANCY_H
#define PROF_OCCUPANCY_H

#include "timeline.h"

struct occupancy {
    double blocks_per_sm; /* blocks of the grid / multiprocessors */
    double warps_per_sm;
    double waves; /* times that the device is filled with blocks; 0 when its limits are not known */
    int percent;  /* estimated achieved occupancy; -1 when the device's limits are not known */
};

/* Returns what the device's facts allow: all zero and -1 when not even the number of
 * multiprocessors is known. */
struct occupancy occupancy_of(const struct tl_kernel *kernel, const struct tl_device_info *device);

#endif
