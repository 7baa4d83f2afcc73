/* space.h - disk space for the trace file. */
#ifndef PROF_SPACE_H
#define PROF_SPACE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a block of the file that has been reserved or written can always be written again. Not
 * where a snapshot or another file may come to need it, too: a store into a shared mapping then
 * raises SIGBUS on a full disk. The file is empty, and open for reading and writing; where blocks
 * can be kept in their places as long as nobody else needs them, they are. */
bool space_keep(int fd);

/* Reserves space. Returns 0, too, where the file system cannot do that, or an errno value. */
int space_reserve_if_possible(int fd, uint64_t offset, uint64_t bytes);

#endif
