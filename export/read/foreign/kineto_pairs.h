/* kineto_pairs.h - events that are told by their ends: B and E of a thread, b and e of an id. */
#ifndef PROF_KINETO_PAIRS_H
#define PROF_KINETO_PAIRS_H

#include "array.h"
#include "event_store.h"

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One end. */
struct kineto_end {
    int64_t time_ns;
    uint32_t owner;  /* B and E: the thread; b and e: number of what they have in common */
    uint32_t thread; /* of the store */
    uint32_t name;
    uint32_t correlation;
    uint8_t kind, flags; /* as in struct read_slice */
    bool is_end;
};

struct kineto_ends {
    struct kineto_end *at;
    uint32_t count, capacity;
};

static inline void kineto_ends_fini(struct kineto_ends *ends)
{
    free(ends->at);
}

/* False: no memory. */
bool kineto_ends_add(struct kineto_ends *ends, const struct kineto_end *end);

/* Adds the pairs to the store: of a thread as slices, the others as ranges. They are taken in the
 * order of their times, those of one time in the order of the file; an end closes what was begun
 * last. What has no end lasts to `last_ns`. False: no memory. */
bool kineto_pairs_slices(struct kineto_ends *ends, struct event_store *store, int64_t last_ns);
bool kineto_pairs_ranges(struct kineto_ends *ends, struct event_store *store);

#ifdef __cplusplus
}
#endif
#endif
