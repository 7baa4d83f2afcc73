/* spool.h - inputs that can be read only once: pipes and sockets, copied to files without a name.
 *
 * A trace is read at random and more than once. profdump therefore copies such inputs before it
 * reads any; whatever opens their path with spool_open() later gets the copy. A copy is gone when
 * the process ends.
 */
#ifndef PROF_SPOOL_H
#define PROF_SPOOL_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies what is at the path if it is a pipe or a socket; does nothing otherwise, if it was copied
 * before, or for a pipe to which this process writes.
 *
 * Returns   false: it cannot be read, or there is no room; `error` says which.
 * Threads   one, before any thread calls spool_open().
 */
bool spool_input(const char *path, struct read_error *error);

/* The copy of the path's input, for the program that this process executes and for its children:
 * "/proc/PID/fd/N", which the caller frees. NULL: there is no copy, or no memory. */
char *spool_inherit(const char *path);

/* As open(), for reading, without waiting for a pipe's writer. `*spooled`, unless NULL: it is a
 * copy. -1: errno says why. */
int spool_open(const char *path, bool *spooled);

/* A file without a name in TMPDIR or /tmp. -1: errno says why. */
int spool_create(void);

#ifdef __cplusplus
}
#endif
#endif
