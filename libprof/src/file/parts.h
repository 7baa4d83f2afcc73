/* parts.h - chunks of which several logs have a part each: of a program's thousands of threads,
 * most record little.
 *
 *     | header | PART, records ... | PART, records ... | PART, records ... | ...
 *
 * All parts of a chunk have the same size. Whose a part is, its first record says (PROF_REC_PART).
 * Threads: any, in signal handlers, too. While a thread takes a new chunk, others wait for it as
 * they do for one that extends the file.
 */
#ifndef PROF_PARTS_H
#define PROF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A log's first part, and the one after it. */
enum parts_size { PARTS_SMALL, PARTS_LARGE, PARTS_SIZES };

uint32_t parts_bytes(enum parts_size size);

/* A part that nobody has had, zero-filled, of a chunk whose base_ticks are not long ago. NULL:
 * there is none now; `*limit`: nor will be, as the size limit is reached. */
uint64_t *parts_take(enum parts_size size, bool *limit);

/* Nobody appends to the part of that word any more. */
void parts_leave(const uint64_t *word);

/* Number of the chunk that parts of this size are taken of at the moment; 0: of none. */
uint64_t parts_current(enum parts_size size);

/* In a forked child: its parent's are not its own. */
void parts_fork_child(void);

#endif
