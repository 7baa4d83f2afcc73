/* launch_index.h - finds the call of a correlation id. */
#ifndef PROF_LAUNCH_INDEX_H
#define PROF_LAUNCH_INDEX_H

#include "build.h"

/* launches[starts[b] .. starts[b + 1]) are those whose id begins with the bits of b. */
struct launch_index {
    const struct build_launch *launches; /* the builder's: by correlation, then start */
    const struct tl_slice *slices;
    uint32_t *starts;
    uint32_t count, buckets, least;
    unsigned shift;
};

/* Of the calls of the process at hand, whose list is put in order for it: builder->launches must
 * stay as it is while the index is in use. False: no memory. */
bool launch_index_init(struct launch_index *index, struct builder *builder);
void launch_index_fini(struct launch_index *index);

/* The slice of the latest call of this id that began at or before `latest_ns`; of the first one
 * when all began later; TL_NONE when there is none. */
uint32_t launch_index_find(const struct launch_index *index, uint32_t correlation,
                           int64_t latest_ns);

#endif
