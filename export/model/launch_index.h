/* launch_index.h - finds the call of a correlation id. */
#ifndef PROF_LAUNCH_INDEX_H
#define PROF_LAUNCH_INDEX_H

#include "builder.h"

struct launch_entry {
    uint32_t correlation;
    uint32_t slice;
    int64_t start_ns;
};

/* entries[starts[b] .. starts[b + 1]) are those whose id begins with the bits of b. */
struct launch_index {
    struct launch_entry *entries; /* by correlation, then start */
    uint32_t *starts;
    uint32_t count, buckets, least;
    unsigned shift;
};

/* Of the calls of the process at hand. False: no memory. */
bool launch_index_init(struct launch_index *index, const struct builder *builder);
void launch_index_fini(struct launch_index *index);

/* The slice of the latest call of this id that began at or before `latest_ns`; of the first one
 * when all began later; TL_NONE when there is none. */
uint32_t launch_index_find(const struct launch_index *index, uint32_t correlation,
                           int64_t latest_ns);

#endif
