/* arena.h - memory for what a program registers with NVTX or ITT: it is never freed, since neither
 * has a call that unregisters a string.
 *
 * Not the host's malloc: its allocator may itself be annotated, and would wait for us while we wait
 * for it.
 */
#ifndef PROF_ARENA_H
#define PROF_ARENA_H

#include <stddef.h>

#define ARENA_BYTES_MAX ((size_t)256 << 20)

/* Zero-filled, 16-aligned. NULL when the limit is reached or the system refuses (counted as a lost
 * name). Any thread, lock-free but for a system call per MiB; keeps errno. */
void *arena_alloc(size_t bytes);

/* The same, for who counts it himself. */
void *arena_alloc_uncounted(size_t bytes);

#endif
