/* thread_walk.h - what a thread did in a stretch of time: pieces, each of the innermost slice that was
 * open. They have no gaps and do not overlap. */
#ifndef PROF_THREAD_WALK_H
#define PROF_THREAD_WALK_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct thread_walk {
    const struct timeline *timeline;
    int64_t at_ns, to_ns;
    uint32_t open; /* innermost slice at `at_ns`; TL_NONE */
    uint32_t next; /* begins later */
    uint32_t end;  /* behind the thread's last */
};

struct thread_piece {
    int64_t start_ns, end_ns;
    uint32_t slice; /* not one of libprof's own; TL_NONE outside of all */
};

/* `near` is a slice of the thread: to find the beginning costs as many steps as there are slices between
 * the two. */
void thread_walk_begin(struct thread_walk *walk, const struct timeline *timeline, uint32_t near,
                       int64_t from_ns, int64_t to_ns);

/* False: that was all. */
bool thread_walk_next(struct thread_walk *walk, struct thread_piece *piece);

#ifdef __cplusplus
}
#endif
#endif
