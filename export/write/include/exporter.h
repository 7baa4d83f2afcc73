/* exporter.h - one walk over a timeline for every output that is a stream of events.
 *
 * An output format is a const struct exporter: callbacks, NULL meaning "not interested".
 * exporter_walk() calls them in the order of time across all threads and streams; at equal times a
 * thread's slices and Python calls come first (parents before children), then its marks and
 * counters, then timed ranges and what devices did. What libprof did itself is left out.
 */
#ifndef PROF_EXPORTER_H
#define PROF_EXPORTER_H

#include "timeline.h"

struct exporter {
    const char *name;
    void (*begin)(void *user, const struct timeline *timeline);
    /* `attrs` are the slice's attributes, `attr_count` of them. */
    void (*slice)(void *user, uint32_t index, const struct tl_attr *attrs, uint32_t attr_count);
    void (*frame)(void *user, uint32_t index); /* of frames[]; nests with slices */
    void (*async)(void *user, uint32_t index);
    void (*mark)(void *user, uint32_t index);
    void (*counter)(void *user, uint32_t index);
    void (*timing)(void *user, uint32_t index);
    void (*gpu)(void *user, uint32_t index);
    void (*memory)(void *user, uint32_t index);    /* of memory_events[] */
    void (*migration)(void *user, uint32_t index); /* of migrations[] */
    void (*end)(void *user);
};

/* Whether an arrow leads from a launch that is shown to this operation. */
static inline bool exporter_has_arrow(const struct timeline *timeline, const struct tl_gpu *op)
{
    return op->slice != TL_NONE && tl_is_work(op) &&
           !(timeline->slices.at[op->slice].flags & TL_INTERNAL);
}

/* Returns false when memory is short: then nothing was called but perhaps begin(). Linear but for
 * the merge, which costs the logarithm of the number of threads and streams that are interleaved.
 * */
bool exporter_walk(const struct exporter *exporter, void *user, const struct timeline *timeline);

/* Viewers draw a curve up to its last point, so writers repeat its last value where the timeline
 * ends. */

/* When nothing happens any more, values of counters and changes of memory included. */
int64_t exporter_end_ns(const struct timeline *timeline);

/* Visits the last number of each counter of each process, where it is before that. False: no
 * memory. */
bool exporter_visit_last_counters(const struct timeline *timeline,
                                  void (*visit)(void *user, uint32_t index, int64_t end_ns),
                                  void *user);

#endif
