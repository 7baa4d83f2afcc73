/* stream_ranges.h - ranges projected onto streams: from the start of the first operation that was
 * launched within a range to the end of the last, one for each stream that it launched on.
 *
 * Of ranges of one thread the projections nest as the ranges do, where the stream runs in order.
 * Those of several threads that share a stream may cross, and so may any where operations of the
 * stream overlap: each has a lane, and within a lane they nest. Steps are not projected: the
 * TensorBoard plugin takes what is called ProfilerStep for a step of its own, wherever it is. Nor
 * is what needs more than 64 lanes.
 */
#ifndef PROF_STREAM_RANGES_H
#define PROF_STREAM_RANGES_H

#include "timeline.h"

struct stream_range {
    int64_t start_ns, end_ns;
    uint32_t slice, stream;
    uint32_t operations;
    uint32_t lane;  /* of the stream, from 0 */
    uint32_t next;  /* the one inside it that starts with the same operation; TL_NONE */
    uint32_t older; /* stream_ranges.c's: the one around it in its lane */
    uint32_t first; /* the operation it starts with */
};

struct stream_ranges {
    const struct timeline *timeline;
    TL_ARRAY(struct stream_range) all;
    /* The outermost that starts with an operation, TL_NONE; NULL where there are none at all */
    uint32_t *by_op;
};

/* Linear in operations and slices. Returns false when memory is short; fini is harmless then. */
bool stream_ranges_init(struct stream_ranges *ranges, const struct timeline *timeline);
void stream_ranges_fini(struct stream_ranges *ranges);

/* The outermost range that starts with an operation, into all[]; TL_NONE. More: next. */
static inline uint32_t stream_ranges_at(const struct stream_ranges *ranges, uint32_t op)
{
    return ranges->by_op ? ranges->by_op[op] : TL_NONE;
}

#endif
