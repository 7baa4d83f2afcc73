/* perfetto_open.h - slices that have begun and not ended yet.
 *
 * The walk gives a slice at its start; Perfetto wants its end as an event of its own, in the order of
 * time. What is open waits in a heap by its end: as much as is open at once, however long the trace is.
 */
#ifndef PROF_PERFETTO_OPEN_H
#define PROF_PERFETTO_OPEN_H

#include <stdbool.h>
#include <stdint.h>

struct perfetto_open_slice {
    int64_t end_ns;
    uint64_t order; /* of beginning: of those that end together, the last begun ends first */
    uint32_t track;
    uint32_t depth; /* on its track */
    uint32_t lane;  /* what its end sets free: perfetto_tracks.h; UINT32_MAX nothing */
};

struct perfetto_open {
    struct perfetto_open_slice *heap;
    uint32_t count, capacity;
    uint64_t order;
};

/* Zeroed is empty. */
void perfetto_open_fini(struct perfetto_open *open);

/* `order` of the slice is given here. False: no memory. By pointer, member by member: a copy of what was
 * just written piecewise stalls for longer than all the rest takes. */
bool perfetto_open_add(struct perfetto_open *open, const struct perfetto_open_slice *slice);

/* Removes the one that ends first, heap[0]. There must be one. */
void perfetto_open_remove(struct perfetto_open *open);

/* Whether one ends before something begins at `time_ns` on that track and depth: what ends at that
 * very moment does, unless the new one lies inside it. */
static inline bool perfetto_open_is_due(const struct perfetto_open *open, int64_t time_ns,
                                        uint32_t track, uint32_t depth)
{
    if (open->count == 0 || open->heap[0].end_ns > time_ns)
        return false;
    const struct perfetto_open_slice *first = &open->heap[0];
    return first->end_ns < time_ns || first->track != track || first->depth >= depth;
}

#endif
