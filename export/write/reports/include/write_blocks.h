/* write_blocks.h - profiling blocks, and ranges as such, for people and for programs. */
#ifndef PROF_WRITE_BLOCKS_H
#define PROF_WRITE_BLOCKS_H

#include "blocks.h"
#include "write_format.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct debug_maps;

struct write_blocks_options {
    struct blocks_options blocks;
    enum write_format format;
    bool raw;                      /* JSON: also what was recorded, see blocks_raw.h */
    const char *event;             /* only events with this prefix; NULL all */
    const char *total;             /* the time of events with this prefix; NULL none */
    const struct debug_maps *maps; /* what an ETRecord says of instructions; NULL nothing */
};

/* Event blocks with the statistics of their events, and memory by allocator. */
bool write_blocks(const struct timeline *timeline, const struct write_blocks_options *options,
                  FILE *stream);

/* What each allocator handed out in blocks. */
bool write_blocks_memory(const struct timeline *timeline,
                         const struct write_blocks_options *options, FILE *stream);

/* Framework tax: of executions in blocks, and of ranges. */
bool write_tax(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
