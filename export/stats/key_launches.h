/* key_launches.h - device time by the calls that launched it. */
#ifndef PROF_KEY_LAUNCHES_H
#define PROF_KEY_LAUNCHES_H

#include "timeline.h"

/* Calls with device work, in the order of their slices, and the device time up to each. */
struct key_launches {
    const struct timeline *timeline;
    uint32_t *slices;
    int64_t *sums_ns; /* sums_ns[i]: of the first i calls */
    uint32_t count;
};

/* Returns false when memory is short; fini is not needed then. */
bool key_launches_init(struct key_launches *launches, const struct timeline *timeline);
void key_launches_fini(struct key_launches *launches);

/* What the thread of a begin/end range launched within it; 0 when it ended on another thread. */
int64_t key_launches_within(const struct key_launches *launches, const struct tl_async *async);

/* Kernels, copies, sets and whole graphs of the program. */
static inline bool key_is_device_work(const struct tl_gpu *op)
{
    return tl_is_work(op);
}

/* Device time launched by one slice itself. */
static inline int64_t key_launched_ns(const struct timeline *timeline, const struct tl_slice *slice)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *op =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        if (key_is_device_work(op) && op->end_ns > op->start_ns)
            sum += op->end_ns - op->start_ns;
    }
    return sum;
}

#endif
