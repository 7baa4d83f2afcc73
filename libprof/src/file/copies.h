/* copies.h - brings chunks to the file where they are anonymous memory: each word once, as far as
 * that can be seen.
 *
 * A chunk only grows, until its user leaves it. So what precedes its first missing word, one that
 * was taken and not yet stored, is never copied again. A chunk that its user has left without a
 * missing word is final. One that lacks a word may be waiting for a signal handler to return; it is
 * final after some copies, and copied again at the end. A ring's recycled chunk has another base
 * and starts again. Outside ring mode, a final chunk of a log gives its memory back: it is mapped
 * from the file, privately. A chunk of parts grows in several places: it is copied when anything in
 * it has changed.
 *
 * Chunks of logs come before META, and the file's header last: a name is in META before the first
 * event that bears it.
 */
#ifndef PROF_COPIES_H
#define PROF_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For so many chunks, of which the first is at `base`; `ring`: a ring's. Before any other call.
 * Returns 0 or an errno value. */
int copies_init(const uint8_t *base, uint64_t chunks, bool ring);

/* The user of a chunk has left it: `words` of it, its header included, were taken. Lock-free; any
 * thread. */
void copies_left(uint64_t chunk, size_t words);

/* It has another user from here on; before its memory changes. */
void copies_recycled(uint64_t chunk);

/* Copies what changed in the chunks below `count`; `last` also what is waited for no more. Returns
 * 0 or an errno value; what could not be written is tried again. One thread at a time. */
int copies_write(int fd, uint64_t count, bool last);

/* In a forked child: its parent's are not its own. */
void copies_fork_child(void);

#endif
