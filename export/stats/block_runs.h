/* block_runs.h - gathering runs for blocks.c. */
#ifndef PROF_BLOCK_RUNS_H
#define PROF_BLOCK_RUNS_H

#include "blocks.h"

/* Appends the runs of the timeline and their events, put together by instruction. False: no memory.
 */
bool block_runs_of_blocks(struct blocks *blocks);
bool block_runs_of_range(struct blocks *blocks);

#endif
