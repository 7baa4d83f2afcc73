/* write_blocks.h - profiling blocks, and ranges as such, for people and for programs. */
#ifndef PROF_WRITE_BLOCKS_H
#define PROF_WRITE_BLOCKS_H

#include "blocks.h"
#include "json_out.h"
#include "write_format.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct debug_maps;

struct write_blocks_options {
    struct blocks_options blocks;
    enum write_format format;
    bool raw;                      /* JSON: also what was recorded, see below */
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

/* ---- what the events of blocks are called ---- */

#define BLOCK_NAME_BYTES 24

/* The identifier that a delegate gave, `bytes` NULL: none. A number is written into `number`. */
struct text block_delegate(const struct timeline *timeline, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES]);

/* What the event block is called: a range as it was asked for. */
struct text block_title(const struct blocks *blocks, const struct event_block *block);

/* Events of delegates are called by the identifier. */
struct text block_event_name(const struct blocks *blocks, const struct block_item *item,
                             char number[BLOCK_NAME_BYTES]);

/* What the maps say of it; NULL nothing. */
const struct debug_entry *block_event_entry(const struct timeline *timeline,
                                            const struct debug_maps *maps,
                                            const struct block_item *item);

/* False if an option of the user leaves it out. */
bool block_event_is_shown(const struct blocks *blocks, const struct write_blocks_options *options,
                          const struct block_row *row);

/* ---- what was recorded of event blocks, for programs that reckon with it themselves ----
 *
 * With --raw, JSON has more members:
 *
 *     event  "start_ticks", "end_ticks"  the file's own numbers, by iteration; an end that was not
 *                                        recorded is null
 *            "delegate_metadatas"        by iteration, base64 or null; only where there is one
 *            "is_value"                  true: nothing was timed, a value was logged
 *     block  "runs"                      by iteration: {"offset", "allocations": [{"allocator",
 *                                        "bytes"}], "values": [{"name", "chain", "instruction",
 *                                        "delegate", "output", "kind", ...}]}
 *
 * What follows "kind" (none, int, bool, float, double, tensor, tensor_list, string) is "value", or
 * "tensors": [{"type", "sizes", "strides", "offset"}], the type a number of PyTorch's ScalarType and the
 * offset one into the debug buffer. A number that JSON lacks is "nan", "inf" or "-inf".
 */

/* Of the n-th row of the block. */
void blocks_raw_event(const struct blocks *blocks, const struct event_block *block, uint32_t number,
                      struct json_out *out);
void blocks_raw_runs(const struct blocks *blocks, const struct event_block *block,
                     struct json_out *out);

/* `is_signed`: they are nanoseconds of libprof's own, which may be below 0. */
static inline void blocks_raw_ticks(struct json_out *out, uint64_t ticks, bool is_signed)
{
    if (is_signed)
        json_int(out, (int64_t)ticks);
    else
        json_uint(out, ticks);
}

#ifdef __cplusplus
}
#endif
#endif
