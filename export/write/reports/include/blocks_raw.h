/* blocks_raw.h - what was recorded of event blocks, for programs that reckon with it themselves: with
 * --raw, the JSON of blocks_json.c and of executorch_tables.c has more members.
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
#ifndef PROF_BLOCKS_RAW_H
#define PROF_BLOCKS_RAW_H

#include "blocks.h"
#include "json_out.h"

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

#endif
