/* build_memory.h - memory, while it is built; part of struct builder.
 *
 *     build_memory.c      what the reader tells; heaps
 *     build_memory_pair.c allocations paired with their ends, by time
 *     build_pools.c       memory pools
 *     build_migrations.c  managed memory: what kernel, what range
 */
#ifndef PROF_BUILD_MEMORY_H
#define PROF_BUILD_MEMORY_H

#include "maps.h"
#include "tl_memory.h"

#include <stdbool.h>

struct builder;
struct launch_index;

/* An allocation or a release as the file tells it. */
struct build_memory_op {
    int64_t time_ns;
    uint64_t address, bytes;
    uint64_t pool, pool_bytes;
    uint32_t space; /* whose addresses: 0 CUDA's, else an allocator's number */
    uint32_t heap;  /* of an allocation */
    uint32_t slice; /* TL_NONE: to be found by correlation */
    uint32_t thread;
    uint32_t correlation;
    uint32_t flags;
    bool is_end;
};

/* What is known of a pool at a moment. */
struct build_pool_state {
    int64_t time_ns;
    uint64_t address, bytes, used_bytes, release_threshold;
    uint32_t device;
    uint8_t operation; /* as prof_rec_memory_pool.operation; 0: an allocation told of it */
    uint8_t type;
};

struct build_memory {
    struct {
        struct build_memory_op *at;
        uint32_t count, capacity;
    } ops;
    struct {
        struct build_pool_state *at;
        uint32_t count, capacity;
    } pools;
    struct keymap heaps;  /* allocator, or kind and device -> heaps[] */
    struct keymap living; /* address -> pools[]: the newest pool there */
    uint32_t first_heap, first_memory, first_event, first_pool, first_migration;
};

void build_memory_begin(struct builder *builder);
void build_memory_forget(struct builder *builder);
void build_memory_fini(struct builder *builder);

/* After the slices are in their place and device operations are sorted. False: no memory. */
bool build_memory_end(struct builder *builder);
bool build_memory_pair(struct builder *builder, const struct launch_index *index);
bool build_pools(struct builder *builder);
bool build_migrations(struct builder *builder);

/* The pool that was at `address`; TL_NONE. */
uint32_t build_pool_at(const struct builder *builder, uint64_t address);

#endif
