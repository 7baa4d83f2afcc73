/* call_stats.h - how long CUDA calls took, by name, and those that took far longer than the others.
 *
 * Calls that are recorded only where they fail have no duration and are left out, as are libprof's own.
 */
#ifndef PROF_CALL_STATS_H
#define PROF_CALL_STATS_H

#include "key_spread.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An outlier takes more than so many times the median of its name. */
#define CALL_OUTLIER_TIMES 20

struct call_stat {
    uint32_t name;    /* into names[] */
    uint32_t slowest; /* slice */
    uint64_t count;
    int64_t sum_ns, max_ns, median_ns;
    uint64_t outliers;
    int64_t outliers_ns; /* what they took beyond the median */
};

struct call_stats {
    struct call_stat *at; /* longest in all first */
    uint32_t count, capacity;
};

/* Linear. False: no memory; fini is not needed then. */
bool call_stats_init(struct call_stats *stats, const struct timeline *timeline);
void call_stats_fini(struct call_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
