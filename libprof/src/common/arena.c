/* arena.c - a block is filled by advancing its `used`; a thread that finds no room adds a new block
 * in front. What is left of the old one is lost; a block that loses that race is given back.
 */
#include "memory.h"

#include "atomic.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA_BLOCK ((size_t)1 << 20)

struct arena_block {
    size_t bytes; /* this header included */
    size_t used;  /* advanced by each thread that takes; may exceed `bytes` */
};

static struct arena_block *arena_current; /* CAS -> load_acquire, by threads that take */
static size_t arena_mapped;

static struct arena_block *arena_map(size_t bytes)
{
    if (fetch_add_relaxed(&arena_mapped, bytes) + bytes > ARENA_BYTES_MAX) {
        fetch_add_relaxed(&arena_mapped, -bytes);
        return NULL;
    }
    int saved_errno = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    if (memory == MAP_FAILED)
        return NULL;
    struct arena_block *block = memory;
    block->bytes = bytes;
    block->used = (sizeof *block + 15) & ~(size_t)15;
    return block;
}

static void *arena_alloc_from(struct arena_block *block, size_t bytes)
{
    size_t at = fetch_add_relaxed(&block->used, bytes);
    return at <= block->bytes && bytes <= block->bytes - at ? (char *)block + at : NULL;
}

void *arena_alloc_uncounted(size_t bytes)
{
    size_t rounded = (bytes + 15) & ~(size_t)15;
    if (rounded < bytes || rounded > ARENA_BLOCK / 4)
        return NULL;
    for (;;) {
        struct arena_block *block = load_acquire(&arena_current);
        void *taken = block ? arena_alloc_from(block, rounded) : NULL;
        if (taken)
            return taken;
        struct arena_block *fresh = arena_map(ARENA_BLOCK);
        if (!fresh)
            return NULL;
        if (!cas_acq_rel(&arena_current, &block, fresh)) {
            munmap(fresh, ARENA_BLOCK);
            fetch_add_relaxed(&arena_mapped, -ARENA_BLOCK);
        }
    }
}

void *arena_alloc(size_t bytes)
{
    void *taken = arena_alloc_uncounted(bytes);
    if (!taken)
        loss_add(PROF_LOSS_NAMES, 1);
    return taken;
}
