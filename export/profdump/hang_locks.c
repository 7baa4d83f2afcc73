#include "hang_locks.h"

#include "hang_lines.h"

#include <stdlib.h>
#include <string.h>

static bool read_waits(struct hang_locks *locks, const char *text)
{
    const char *line = hang_lines_of_last(text);
    for (; (line = hang_lines_find(line, "thread")); line = hang_lines_next(line)) {
        struct hang_wait wait = {.tid = (uint32_t)hang_line_number(line, "tid"),
                                 .owner = (uint32_t)hang_line_number(line, "owner"),
                                 .mutex = hang_line_number(line, "mutex"),
                                 .is_rlock = hang_line_number(line, "rlock") != 0};
        if (!wait.owner || !hang_line_field(line, "name", &wait.name))
            continue;
        struct hang_wait *added = ARRAY_ADD(&locks->waits);
        if (!added)
            return false;
        *added = wait;
    }
    return true;
}

/* ---- cycles: each thread waits for one mutex at most ---- */

static struct hang_wait *wait_of(const struct hang_locks *locks, uint32_t tid)
{
    for (uint32_t i = 0; i < locks->waits.count; i++)
        if (locks->waits.at[i].tid == tid)
            return &locks->waits.at[i];
    return NULL;
}

/* Follows the waits from `first`. If they lead back to it, marks them as a deadlock. */
static void mark(struct hang_locks *locks, struct hang_wait *first)
{
    struct hang_wait *wait = first;
    uint32_t steps = 0;
    do
        wait = wait_of(locks, wait->owner);
    while (wait && wait != first && !wait->deadlock && ++steps < locks->waits.count);
    if (wait != first)
        return;
    locks->deadlocks++;
    do {
        struct hang_wait *next = wait_of(locks, wait->owner);
        wait->deadlock = locks->deadlocks;
        next->holds = wait->mutex;
        next->holds_rlock = wait->is_rlock;
        wait = next;
    } while (wait != first);
}

/* Replaces all waits by those of the deadlocks, each deadlock's in order. */
static bool put_in_order(struct hang_locks *locks)
{
    uint32_t count = locks->waits.count;
    for (uint32_t number = 1; number <= locks->deadlocks; number++) {
        uint32_t first = 0;
        while (locks->waits.at[first].deadlock != number)
            first++;
        uint32_t tid = locks->waits.at[first].tid, next = tid;
        do {
            struct hang_wait wait = *wait_of(locks, next), *added = ARRAY_ADD(&locks->waits);
            if (!added)
                return false;
            *added = wait;
            next = wait.owner;
        } while (next != tid);
    }
    locks->waits.count -= count;
    if (locks->waits.count)
        memmove(locks->waits.at, locks->waits.at + count,
                locks->waits.count * sizeof *locks->waits.at);
    return true;
}

bool hang_locks_read(struct hang_locks *locks, const char *text)
{
    *locks = (struct hang_locks){.deadlocks = 0};
    if (!read_waits(locks, text))
        return false;
    for (uint32_t i = 0; i < locks->waits.count; i++)
        if (!locks->waits.at[i].deadlock)
            mark(locks, &locks->waits.at[i]);
    return put_in_order(locks);
}

void hang_locks_fini(struct hang_locks *locks)
{
    free(locks->waits.at);
}
