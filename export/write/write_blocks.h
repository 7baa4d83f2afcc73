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
    bool units;                    /* columns of the Inspector's name their unit */
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

/* Framework tax: of executions in blocks, and of ranges. Not as separated values: see tax_sheet() of
 * table_sheets.h. */
bool write_tax(const struct timeline *timeline, const struct write_blocks_options *options,
               FILE *stream);

/* ---- as ExecuTorch's own programs print it ---- */

enum blocks_compat { COMPAT_ALL, COMPAT_TAX, COMPAT_MEMORY };

/* The tables of its parser of prof buffers: times in milliseconds, or in cycles. With WRITE_JSON,
 * the same as one object. When iterations differ, nothing is written, and `refusal` gets the
 * parser's sentence (a literal), else NULL. */
bool write_blocks_compat(const struct timeline *timeline,
                         const struct write_blocks_options *options, enum blocks_compat what,
                         const char **refusal, FILE *stream);

/* The data frame of its Inspector, with the index column, separated by tabs or commas. */
bool write_inspector(const struct timeline *timeline, const struct write_blocks_options *options,
                     FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
