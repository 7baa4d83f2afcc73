/* memory.h - tables that most processes never use. As static arrays they would count as data of
 * every process that loads the library: a program would not start where the limit on its data
 * (ulimit -d) is tight, and each fork() would copy page tables for them.
 */
#ifndef PROF_MEMORY_H
#define PROF_MEMORY_H

#include "atomic.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* The zeroed memory that `*place` points to: mapped by the first caller, and kept for the life of
 * the process. Readers load `*place` with load_acquire(), and find NULL while the table is empty.
 * NULL: there is no memory. Threads: any, in signal handlers, too; no lock, keeps errno. Of two
 * that map it at once, one gives its memory back. */
static inline void *memory_once(void **place, size_t bytes)
{
    void *known = load_acquire(place);
    if (known)
        return known;
    int saved_errno = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED && !cas_acq_rel(place, &known, memory))
        munmap(memory, bytes);
    errno = saved_errno;
    return load_acquire(place);
}

/* The same for a table of `count` of what the pointer at `place` points to. */
#define MEMORY_ONCE(place, count) \
    ((__typeof__(*(place)))memory_once((void **)(place), (count) * sizeof **(place)))

#endif
