/* alloc.c - the program's own allocators.
 *
 * An allocator keeps its number for the life of the process, whether or not anything is recorded,
 * and in forked children: programs ask once and keep it in a static variable. So names are kept
 * here, and stated in every file.
 *
 *     alloc_names: | name NUL name NUL ...          |   taken from the front by threads that
 *                                                       register
 *     alloc_of:    | name of 1 | name of 2 | NULL ..|   the first empty place is won by
 *                                                       compare-and-swap; the loser looks again
 *
 * So a name has the same number for all threads, without a lock, also in signal handlers.
 */
#include "annotate.h"

#define PROF_IMPLEMENTATION
#include "prof/prof.h"

#include "atomic.h"
#include "memory.h"
#include "session.h"
#include "thread.h"

#include <string.h>

#define ALLOC_MAX 1024u
#define ALLOC_NAMES_BYTES (64u << 10)

static char *alloc_names; /* memory_once(); each name is its registrar's until published */
/* May exceed ALLOC_NAMES_BYTES; advanced by threads that register. */
static uint32_t alloc_names_used;
static const char *alloc_of[ALLOC_MAX]; /* by number - 1; cas_acq_rel -> load_acquire */

static const char *alloc_copy(const char *name, size_t size)
{
    if (!MEMORY_ONCE(&alloc_names, ALLOC_NAMES_BYTES) ||
        load_relaxed(&alloc_names_used) > ALLOC_NAMES_BYTES - size - 1)
        return NULL;
    uint32_t at = fetch_add_relaxed(&alloc_names_used, (uint32_t)size + 1);
    if (at > ALLOC_NAMES_BYTES - size - 1)
        return NULL;
    memcpy(alloc_names + at, name, size);
    return alloc_names + at;
}

static bool alloc_is(const char *known, const char *name, size_t size)
{
    return strncmp(known, name, size) == 0 && known[size] == '\0';
}

/* The allocator's number; 0: there is no room for another one (counted). */
static uint32_t alloc_number(const char *name, size_t size)
{
    const char *mine = NULL;
    for (uint32_t i = 0; i < ALLOC_MAX; i++) {
        const char *known = load_acquire(&alloc_of[i]);
        if (!known && !mine && !(mine = alloc_copy(name, size)))
            break;
        if (!known && cas_acq_rel(&alloc_of[i], &known, mine))
            return i + 1;
        if (alloc_is(known, name, size))
            return i + 1;
    }
    loss_add(PROF_LOSS_NAMES, 1);
    return 0;
}

const char *alloc_name(uint32_t allocator)
{
    const char *name = allocator - 1 < ALLOC_MAX ? load_acquire(&alloc_of[allocator - 1]) : NULL;
    return name ? name : "";
}

static void alloc_emit(uint32_t allocator)
{
    const char *name = alloc_of[allocator - 1];
    struct prof_rec_allocator record = {.allocator = allocator};
    record.name = names_intern(name, strlen(name));
    meta_append(PROF_REC_ALLOCATOR, &record, sizeof record, NULL, 0);
}

static void alloc_emit_all(void)
{
    for (uint32_t i = 0; i < ALLOC_MAX && load_acquire(&alloc_of[i]); i++)
        alloc_emit(i + 1);
}

const struct collector alloc_collector = {.name = "alloc", .file_created = alloc_emit_all};

uint32_t prof_alloc_track(const char *name)
{
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return 0;
    }
    uint32_t allocator = alloc_number(name, strlen(name));
    /* A file that is made right now states it, too: twice harms nobody. */
    if (allocator && session_has_file())
        alloc_emit(allocator);
    return allocator;
}

static bool alloc_is_registered(uint32_t allocator)
{
    if (allocator - 1 < ALLOC_MAX && load_acquire(&alloc_of[allocator - 1]))
        return true;
    loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return false;
}

void prof_alloc(uint32_t allocator, const void *address, size_t bytes)
{
    unsigned words = sizeof(struct prof_rec_alloc) / 8;
    if (!recorder_on() || !alloc_is_registered(allocator))
        return;
    uint64_t *space = thread_reserve(PROF_REC_ALLOC, words);
    if (!space)
        return;
    struct prof_rec_alloc *record = (struct prof_rec_alloc *)(void *)space;
    record->address = (uint64_t)(uintptr_t)address;
    record->bytes = bytes;
    record->allocator = allocator;
    thread_commit(space, PROF_REC_ALLOC, words, thread_ticks(space));
}

void prof_free(uint32_t allocator, const void *address)
{
    unsigned words = sizeof(struct prof_rec_free) / 8;
    if (!address || !recorder_on() || !alloc_is_registered(allocator))
        return;
    uint64_t *space = thread_reserve(PROF_REC_FREE, words);
    if (!space)
        return;
    struct prof_rec_free *record = (struct prof_rec_free *)(void *)space;
    record->address = (uint64_t)(uintptr_t)address;
    record->allocator = allocator;
    thread_commit(space, PROF_REC_FREE, words, thread_ticks(space));
}
