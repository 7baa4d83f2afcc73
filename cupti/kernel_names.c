#define _DEFAULT_SOURCE
#include "kernel_names.h"

#include "atomic.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* 4,096 slots: a large PyTorch job shows some hundred kernels, TensorRT some thousand. */
#define SLOT_BITS 12
#define SLOT_COUNT (1u << SLOT_BITS)
#define ARENA_BYTES ((size_t)8 << 20)

/* Immutable once published. */
struct entry {
    const char *given;
    uint32_t id;
    char text[];
};

static struct entry
    *slots[SLOT_COUNT];   /* store_release on a miss -> load_acquire on every look-up */
static char *arena;       /* set once by compare-and-swap; pages appear when touched */
static size_t arena_used; /* grows only, may pass ARENA_BYTES */

static uint32_t slot_of(const char *name)
{
    return (uint32_t)(((uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ull) >> (64 - SLOT_BITS));
}

static char *arena_get(void)
{
    char *have = load_acquire(&arena);
    if (have)
        return have;
    int kept_errno = errno;
    void *map = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map != MAP_FAILED && !cas_acq_rel(&arena, &have, (char *)map))
        munmap(map, ARENA_BYTES);
    errno = kept_errno;
    return load_acquire(&arena);
}

static struct entry *allocate(size_t bytes)
{
    char *base = arena_get();
    size_t at = fetch_add_relaxed(&arena_used, (bytes + 7) & ~(size_t)7);
    return base && at + bytes <= ARENA_BYTES ? (struct entry *)(void *)(base + at) : NULL;
}

static void remember(const char *name, size_t size, uint32_t id)
{
    if (size > PROF_NAME_BYTES_MAX || load_relaxed(&arena_used) >= ARENA_BYTES)
        return;
    struct entry *entry = allocate(sizeof *entry + size + 1);
    if (!entry)
        return;
    entry->given = name;
    entry->id = id;
    memcpy(entry->text, name, size);
    store_release(&slots[slot_of(name)], entry);
}

static uint32_t intern_slow(const char *name)
{
    size_t size = strlen(name);
    uint32_t id = names_intern(name, size);
    if (id)
        remember(name, size, id);
    return id;
}

uint32_t kernel_names_id(const char *name)
{
    if (!name)
        return 0;
    const struct entry *entry = load_acquire(&slots[slot_of(name)]);
    if (entry && entry->given == name && strcmp(entry->text, name) == 0)
        return entry->id;
    return intern_slow(name);
}
