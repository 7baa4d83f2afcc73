/* Allocators are known to the process, not to a file: one may be tracked before there is a file, or
 * while recording is off. So its name is kept here and stated in META at its first allocation in a
 * file. */
#define PROF_IMPLEMENTATION
#include "alloc.h"

#include "prof/prof.h"
#include "thread.h"

#include <string.h>

#define ALLOCATORS_MAX 256u

struct allocator {
    char name[PROF_NAME_BYTES_MAX + 1]; /* written before `ready` */
    uint32_t ready;                     /* released by prof_alloc_track() -> prof_alloc() */
    uint32_t stated;                    /* in the file at hand; whoever allocates first */
};

static struct allocator allocators[ALLOCATORS_MAX]; /* by number - 1; pages appear when used */
static uint32_t allocators_tracked;

uint32_t prof_alloc_track(const char *name)
{
    uint32_t number = name ? fetch_add_relaxed(&allocators_tracked, 1u) + 1 : ALLOCATORS_MAX + 1;
    if (number > ALLOCATORS_MAX) {
        if (name)
            fetch_add_relaxed(&allocators_tracked, (uint32_t)-1);
        loss_add(name ? PROF_LOSS_NAMES : PROF_LOSS_BAD_ARGUMENT, 1);
        return 0;
    }
    struct allocator *allocator = &allocators[number - 1];
    size_t size = strnlen(name, PROF_NAME_BYTES_MAX);
    memcpy(allocator->name, name, size);
    store_release(&allocator->ready, 1u);
    return number;
}

/* Twice, when two threads come at once, does no harm. */
static void alloc_state(struct allocator *allocator, uint32_t number)
{
    struct prof_rec_allocator record = {
        .allocator = number, .name = names_intern(allocator->name, strlen(allocator->name))};
    if (meta_append(PROF_REC_ALLOCATOR, &record, sizeof record, NULL, 0))
        store_relaxed(&allocator->stated, 1u);
}

static bool alloc_is_tracked(uint32_t number)
{
    return number - 1 < ALLOCATORS_MAX && load_acquire(&allocators[number - 1].ready);
}

void prof_alloc(uint32_t allocator, const void *address, size_t bytes)
{
    enum { WORDS = sizeof(struct prof_rec_alloc) / sizeof(uint64_t) };
    if (!thread_ready(&thread_self))
        return;
    if (!alloc_is_tracked(allocator)) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, allocator != 0);
        return;
    }
    if (!load_relaxed(&allocators[allocator - 1].stated))
        alloc_state(&allocators[allocator - 1], allocator);
    uint64_t *record = thread_reserve(PROF_REC_ALLOC, WORDS);
    if (!record)
        return;
    record[1] = (uintptr_t)address;
    record[2] = bytes;
    record[3] = allocator;
    thread_commit(record, PROF_REC_ALLOC, WORDS, thread_ticks(record));
}

static void alloc_fork_child(void)
{
    uint32_t tracked = load_relaxed(&allocators_tracked);
    for (uint32_t i = 0; i < tracked && i < ALLOCATORS_MAX; i++)
        store_relaxed(&allocators[i].stated, 0u);
}

const struct collector alloc_collector = {
    .name = "alloc",
    .fork_child = alloc_fork_child,
};
