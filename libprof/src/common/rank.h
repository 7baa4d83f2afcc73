/* rank.h - the process's place in a parallel job, as its launcher says in the environment. */
#ifndef PROF_RANK_H
#define PROF_RANK_H

#include <stdint.h>

struct rank {
    int32_t rank;       /* -1: not part of a parallel job, or the launcher is unknown to us */
    int32_t local_rank; /* -1 unknown */
    int32_t world_size; /* -1 unknown */
    const char *source; /* the variable that gave `rank`, "" none */
};

void rank_read(struct rank *rank);

#endif
