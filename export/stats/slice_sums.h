/* slice_sums.h - what slices come to: their own time, and that of the devices they kept busy. */
#ifndef PROF_SLICE_SUMS_H
#define PROF_SLICE_SUMS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct slice_sums {
    int64_t self_ns; /* duration without the slices directly inside */
    int64_t
        device_ns; /* of the operations launched inside, however deep; of a range that CUDA events timed
                               the time between the two */
    int64_t self_device_ns; /* of a range, of those whose innermost range it is; 0 of a call */
};

/* By slice; free() it. A slice that is not shown hands what is inside of it to the one around it. NULL: no memory. */
struct slice_sums *slice_sums_create(const struct timeline *timeline);

/* Whether outputs show the slice: not what libprof did, nor calls that are only known because they failed. */
static inline bool slice_is_shown(const struct timeline *timeline, const struct tl_slice *slice)
{
    bool failed_only = slice->kind == TL_API && timeline->apis.at[slice->api].failed_only;
    return !(slice->flags & TL_INTERNAL) && !failed_only;
}

/* Device time of what a slice itself launched. */
int64_t slice_launched_ns(const struct timeline *timeline, const struct tl_slice *slice);

#ifdef __cplusplus
}
#endif
#endif
