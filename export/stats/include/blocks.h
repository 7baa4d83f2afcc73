/* blocks.h - profiling blocks, and ranges taken as such: the same code run again and again.
 *
 * What ran is a list of runs: the blocks of a trace (prof/block.h, prof buffers, ETDumps), or all
 * outermost calls of a range. A run's events are put together by instruction: by (instruction,
 * chain, delegate) in the order in which each was first seen. Runs whose events then have the same
 * signatures - name, instruction, chain, delegate, depth, whether a value was logged - one by one,
 * and which have the same name and input, are iterations of one event block; event blocks are in
 * the order in which they first appeared. Events of one run that have equal signatures stay apart,
 * as rows of their own. A value that was logged is an event only where nothing else of its
 * instruction was recorded.
 *
 * Durations are those of the file's ticks where it has such, else of nanoseconds. One that is not
 * known - no end, an end before the begin - is NaN and in no statistic.
 */
#ifndef PROF_BLOCKS_H
#define PROF_BLOCKS_H

#include "percentile.h"
#include "timeline.h"
#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- intervals and names ---- */

struct interval {
    int64_t start, end;
};

/* The length of what at least one of them covers between `from` and `to`: what lies in another, or
 * partly so, counts once. Sorts them. One that ends before it starts covers nothing. */
int64_t intervals_union(struct interval *intervals, size_t count, int64_t from, int64_t to);

/* Whether `name` is `prefix` or continues it with something that is part of no word, so that
 * "conv1" is a prefix of "conv1.weight" and "conv1/relu", but neither of "conv10" nor of
 * "conv1_bn". A prefix that ends with such a character or with "_" is followed by anything. */
bool name_has_prefix(const char *name, size_t size, const char *prefix);

/* ---- blocks ---- */

struct blocks_options {
    enum time_scale source; /* of the file's ticks; libprof's own times are nanoseconds */
    enum time_scale target;
    bool wrap32;       /* ticks are 32 bits wide: see block_item_duration() */
    const char *block; /* only blocks of this name; NULL all */
    const char *range; /* calls of this range instead of blocks; NULL blocks */
};

/* An event of a run. */
struct block_item {
    uint64_t start_ticks, end_ticks;
    uint32_t name;
    int64_t chain;
    uint32_t instruction;
    int32_t delegate;       /* -1 none */
    uint32_t delegate_name; /* TL_NONE none */
    uint32_t metadata;      /* TL_NONE none */
    uint32_t depth;         /* of a range's parts: 0 the range itself */
    uint32_t debug;         /* the value itself, into debugs[]; TL_NONE: it is not a value */
    bool ended;
    bool is_logged; /* a value was logged at the instruction whose first event this is */
    bool is_signed; /* its ticks are libprof's nanoseconds, which may be below 0 */
};

struct block_run {
    uint32_t name;
    uint32_t process;
    int32_t input;
    uint32_t block;                  /* into timeline.blocks; TL_NONE: a range's call */
    uint32_t slice;                  /* the range's call; TL_NONE */
    uint32_t first_item, item_count; /* by instruction */
    uint32_t number;                 /* how many runs of its name and process came before it */
    bool has_ticks;                  /* the file's own: `source` applies */
};

struct block_row {
    uint32_t item;         /* of the first iteration, into items[] */
    uint32_t first_sample; /* into durations[]: one for each iteration */
    struct percentile_summary summary;
};

/* What was allocated in all iterations from one allocator. */
struct block_memory {
    uint32_t heap; /* into timeline.heaps */
    uint64_t allocations;
    uint64_t first_bytes;          /* in the first iteration */
    uint64_t total_bytes;          /* in all */
    uint64_t min_bytes, max_bytes; /* over iterations */
};

struct event_block {
    uint32_t name, process;
    int32_t input;
    uint32_t first_run, run_count; /* into iterations[] */
    uint32_t first_row, row_count;
    uint32_t first_memory, memory_count;
};

struct blocks {
    const struct timeline *timeline;
    struct blocks_options options;
    TL_ARRAY(struct event_block) blocks;
    TL_ARRAY(struct block_row) rows;
    TL_ARRAY(struct block_memory) memories;
    TL_ARRAY(struct block_run) runs; /* in the order of the trace */
    TL_ARRAY(struct block_item) items;
    uint32_t *iterations; /* into runs[], by event block */
    uint32_t *block_of;   /* by run: its event block; TL_NONE not shown */
    double *durations;    /* in the target's unit */
};

/* False: no memory. */
bool blocks_init(struct blocks *blocks, const struct timeline *timeline,
                 const struct blocks_options *options);
void blocks_fini(struct blocks *blocks);

/* Ticks. With wrap32, when both ends are below 2^32 and the end is before the start, the counter
 * began anew once: (end - start) modulo 2^32. False: it is not known. */
bool block_item_duration(const struct blocks_options *options, const struct block_item *item,
                         uint64_t *ticks);

/* What the run's ticks are divided by. */
double block_run_divisor(const struct blocks_options *options, const struct block_run *run);

/* Average over the iterations of the time that events with this prefix (see name_has_prefix()) took
 * in one; what lies within another such event counts once, calls that hold a kernel's event
 * (OPERATOR_CALL) do not. NaN: there is none. */
double blocks_total(struct blocks *blocks, uint32_t block, const char *prefix, bool *enough_memory);

/* ---- differences between runs ---- */

/* The first way in which a run differs from the run of the same name before it. */
enum block_difference {
    BLOCK_SAME,
    BLOCK_EVENT_COUNT,
    BLOCK_EVENT_NAME,
    BLOCK_ALLOC_COUNT,
    BLOCK_ALLOCATOR,
    BLOCK_ALLOC_BYTES,
};

struct block_mismatch {
    enum block_difference kind;
    uint32_t before, run; /* into timeline.blocks */
    uint32_t number;      /* of the run among those of its name, from 0 */
    uint32_t index;       /* of the event or allocation in it, from 0 */
};

/* Of the second block from the first; `index` gets which event or allocation it is. */
enum block_difference block_compare(const struct timeline *timeline, const struct tl_block *first,
                                    const struct tl_block *second, uint32_t *index);

/* Compares each block with the one of its name and process before it, in the order of their
 * appearance; starts with the `from`-th block of the timeline. Returns the index after the one
 * that differs, 0 when none does. False in `enough_memory`: no memory. */
uint32_t blocks_mismatch(const struct timeline *timeline, uint32_t from,
                         struct block_mismatch *mismatch, bool *enough_memory);

/* ---- debug maps ----
 *
 * From instructions and delegates' identifiers to debug handles, the numbers that a
 * compiler gave to the operators of a model: what an ETRecord holds.
 *
 * Keys match as a whole: instruction 1 is not instruction 10.
 */

/* A list of handles that belongs to an instruction or to a part of a delegate. */
struct debug_entry {
    struct text instruction; /* its number as text */
    struct text part;        /* of the delegate; `bytes` NULL: the instruction's own */
    struct text backend;     /* of the delegate */
    uint32_t first, count;   /* into handles[] */
};

struct debug_maps {
    TL_ARRAY(struct debug_entry) entries; /* sorted by debug_maps_sort() */
    TL_ARRAY(int64_t) handles;
    void *storage; /* texts; freed by who made the maps */
};

void debug_maps_sort(struct debug_maps *maps);

/* NULL: the maps, which may be NULL, do not know. `part`: the delegate's identifier as text; bytes
 * NULL: the instruction's own. */
const struct debug_entry *debug_maps_find(const struct debug_maps *maps, uint32_t instruction,
                                          struct text part);

/* ---- gathering runs: block_runs.c, for blocks_init() ---- */

/* Append the runs of the timeline and their events, grouped by instruction. False: no memory. */
bool block_runs_of_blocks(struct blocks *blocks);
bool block_runs_of_range(struct blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
