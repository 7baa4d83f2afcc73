/* parts.c - for each part size, a word states the chunk from which parts are taken, and how many
 * were:
 *
 *     bits 0..15     parts taken
 *     bits 16..31    process_generation()
 *     bits 32..63    chunk number + 1; 0: none
 *
 * The generation makes a compare-and-swap fail in a child that a signal handler forks before it:
 * the chunk is the parent's.
 */
#include "chunks.h"

#include "atomic.h"
#include "clock.h"
#include "process.h"
#include "signals.h"
#include "test_point.h"

#define PARTS_CURRENT(chunk, generation) (((chunk) + 1) << 32 | ((generation)&0xffffull) << 16)

static uint64_t parts_of[PARTS_SIZES] GUEST_DATA;
static uint64_t
    parts_spare[PARTS_SIZES] GUEST_DATA;  /* number + 1 of a chunk that was not mapped in time */
static uint32_t parts_turning GUEST_DATA; /* lock of `parts_spare` and the step to another chunk */

uint32_t parts_bytes(enum parts_size size)
{
    return size == PARTS_SMALL ? 4096 : 16384;
}

static bool parts_is_of(uint64_t current, uint32_t generation)
{
    return current >> 32 && (current >> 16 & 0xffff) == (generation & 0xffff);
}

/* A chunk that is mapped already; NULL while the file is suspended, and in a child that was forked
 * meanwhile. */
static struct prof_chunk_header *parts_chunk(uint64_t current)
{
    return chunks_memory_now((current >> 32) - 1);
}

/* Of a chunk that is old, the time of an event would soon not fit its record. */
static bool parts_has_one(uint64_t current, uint32_t bytes)
{
    const struct prof_chunk_header *header = parts_chunk(current);
    return header && (current & 0xffff) < PROF_CHUNK_BYTES / bytes &&
           clock_read() - header->base_ticks <= PROF_TICKS_MAX / 2;
}

static void parts_count_left(struct prof_chunk_header *header, uint32_t count)
{
    uint32_t all = PROF_CHUNK_BYTES / header->part_bytes;
    uint32_t left = fetch_add_seq_cst(&header->parts_left, count) + count;
    INVARIANT(left <= all);
    if (left == all)
        chunks_retire(header->index, PROF_CHUNK_BYTES / sizeof(uint64_t));
}

/* ---- from chunk to chunk ---- */

/* All of these with the lock held. */

/* The parts that nobody will take. */
static void parts_abandon(uint64_t current, uint32_t bytes)
{
    struct prof_chunk_header *header = current >> 32 ? parts_chunk(current) : NULL;
    uint32_t rest = PROF_CHUNK_BYTES / bytes - (uint32_t)(current & 0xffff);
    if (header && rest)
        parts_count_left(header, rest);
}

static struct prof_chunk_header *parts_claim(enum parts_size size, uint64_t *chunk)
{
    *chunk = parts_spare[size] ? parts_spare[size] - 1 : chunks_claim(false);
    struct prof_chunk_header *header = *chunk == CHUNKS_NO_CHUNK ? NULL : chunks_memory(*chunk);
    parts_spare[size] = !header && *chunk != CHUNKS_NO_CHUNK ? *chunk + 1 : 0;
    return header;
}

/* Another thread may have taken a part of the old chunk meanwhile, and even the last one. */
static bool parts_replace(enum parts_size size, uint64_t seen, uint32_t generation, bool *limit)
{
    uint64_t chunk;
    struct prof_chunk_header *header = parts_claim(size, &chunk);
    *limit = chunk == CHUNKS_NO_CHUNK;
    if (!header)
        return false;
    header->kind = PROF_CHUNK_PARTS;
    header->header_bytes = PROF_CHUNK_HEADER_BYTES;
    header->base_ticks = clock_read();
    header->index = chunk;
    header->part_bytes = parts_bytes(size);
    store_release(&header->magic, PROF_CHUNK_MAGIC);
    while (!cas_acq_rel(&parts_of[size], &seen, PARTS_CURRENT(chunk, generation)))
        ;
    parts_abandon(seen, parts_bytes(size));
    return true;
}

/* ---- taking and leaving ---- */

/* False: there is no other chunk. */
static bool parts_turn(enum parts_size size, uint64_t seen, uint32_t generation, bool *limit)
{
    struct signals_saved saved;
    bool turned = true;
    if (!signals_lock_within(&saved, &parts_turning, CHUNKS_WAITS))
        return false;
    if (generation == process_generation() && load_acquire(&parts_of[size]) == seen)
        turned = parts_replace(size, seen, generation, limit);
    signals_unlock(&saved, &parts_turning);
    return turned;
}

uint64_t *parts_take(enum parts_size size, bool *limit)
{
    uint32_t generation = process_generation(), bytes = parts_bytes(size);
    uint64_t seen = load_acquire(&parts_of[size]);
    for (*limit = false; generation == process_generation();) {
        if (!parts_is_of(seen, generation) || !parts_has_one(seen, bytes)) {
            if (!parts_turn(size, seen, generation, limit))
                return NULL;
            seen = load_acquire(&parts_of[size]);
        } else if (cas_acq_rel(&parts_of[size], &seen, seen + 1)) {
            size_t at = (seen & 0xffff) * bytes;
            uint8_t *chunk = (uint8_t *)parts_chunk(seen);
            return chunk ? (uint64_t *)(void *)(chunk + (at ? at : PROF_CHUNK_HEADER_BYTES)) : NULL;
        }
    }
    return NULL;
}

void parts_leave(const uint64_t *word)
{
    uintptr_t chunk = (uintptr_t)word & ~(uintptr_t)(PROF_CHUNK_BYTES - 1);
    parts_count_left((struct prof_chunk_header *)chunk, 1);
}

uint64_t parts_current(enum parts_size size)
{
    uint64_t current = load_acquire(&parts_of[size]);
    return current >> 32 ? (current >> 32) - 1 : 0;
}

GUEST_PATH void parts_fork_child(void)
{
    for (unsigned size = 0; size < PARTS_SIZES; size++)
        parts_of[size] = parts_spare[size] = 0;
    parts_turning = 0;
}
