/* overruns.h - operations that still run when a later one of their stream begins.
 *
 * A stream does one thing after the other. So where an operation seems to overlap with a later one,
 * its duration is wrong, and with it all sums of the device's time: a driver that lost an end, a
 * clock that jumped. Not counted: up to a microsecond (times are rounded); operations of one
 * launch, since branches of a graph run side by side; a kernel that overlaps with the next few
 * kernels, since programmatic dependent launches let them begin early.
 */
#ifndef PROF_OVERRUNS_H
#define PROF_OVERRUNS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct overruns {
    uint64_t count;      /* of operations; 0: all that follows is 0 */
    uint64_t operations; /* of all streams */
    int64_t sum_ns;      /* durations of those counted */
    int64_t all_ns;      /* durations of all */
    int64_t longest_ns;  /* how long the worst runs on */
    uint32_t worst;      /* into gpus[] */
};

/* Linear; allocates nothing. */
void overruns_find(const struct timeline *timeline, struct overruns *overruns);

#define OVERRUNS_TEXT_BYTES 320u

/* One sentence without a full stop. There must be some. */
void overruns_text(const struct timeline *timeline, const struct overruns *overruns,
                   char to[OVERRUNS_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
