/* block_store.h - profiling blocks of a foreign file, gathered in its order and appended to a
 * timeline.
 *
 * A reader adds a block, then what is in it, then the next block. One process with one thread.
 * Texts and arrays are copied. Memory that runs out is remembered. Threads: one.
 */
#ifndef PROF_BLOCK_STORE_H
#define PROF_BLOCK_STORE_H

#include "read.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct block_store;

/* An event of the block that was added last. */
struct store_event {
    uint32_t name;
    int32_t chain;
    uint32_t instruction;
    struct block_event detail; /* `wrapped` is set by the store */
};

/* The clock says how ticks become nanoseconds. NULL: no memory. */
struct block_store *block_store_create(struct source_clock clock);
void block_store_destroy(struct block_store *store); /* accepts NULL */

/* As unordered_name(). */
uint32_t block_store_name(struct block_store *store, struct text text);

/* Its start is set by the store. */
void block_store_block(struct block_store *store, const struct whole_block *block);
void block_store_event(struct block_store *store, const struct store_event *event);

/* Number of the allocator for block_store_alloc(): one for each pair of id and name. */
uint32_t block_store_allocator(struct block_store *store, uint32_t id, uint32_t name);
void block_store_alloc(struct block_store *store, uint32_t allocator, uint64_t bytes);
void block_store_debug(struct block_store *store, const struct debug_value *debug);

/* Something that is wrong with the file, `count` times more; `what` is a literal. */
void block_store_warn(struct block_store *store, const char *what, uint64_t count);

/* Makes a trace_file of it, which owns the store. `format` is a literal. NULL: memory was short,
 * the store was destroyed. */
struct trace_file *block_store_file(struct block_store *store, const struct source *source,
                                    const char *format, struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
