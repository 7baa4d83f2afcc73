/* chunks.h - the mapped trace file. A thread claims a chunk of it with one atomic add.
 *
 *     | chunk 0 | chunk 1 | ... | mapped, populated | mapped | address space (PROT_NONE) ... |
 *                          ^claimed       ^populated      ^mapped                       limit^
 *
 * The range is reserved once; the writer thread extends file and mapping ahead of need, so that a
 * thread that needs a chunk neither calls the kernel nor takes a page fault. Disk space is reserved
 * before it is mapped: a full disk is an error code to us and never a SIGBUS to the host. Where a
 * file system has no shared mappings, or does not keep what is reserved (output.h), chunks are
 * anonymous memory and the writer copies them to the file.
 */
#ifndef PROF_CHUNKS_H
#define PROF_CHUNKS_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNKS_NO_CHUNK UINT64_MAX

struct chunks_options {
    const char *path;
    uint64_t max_bytes;
    uint64_t address_bytes; /* at most this much address space */
    bool ring;              /* recycle the oldest LOG chunk when max_bytes is reached */
};

/* Creates the file (O_EXCL, 0600) and maps its first chunks. Returns 0 or an errno value: EEXIST
 * when there is such a file. Not thread-safe: the session calls it once per process. */
int chunks_create(const struct chunks_options *options);

/* Makes the file available to chunks_header() and chunks_claim(), once the creator has filled in
 * the header through chunks_first(). */
void chunks_publish(void);
struct prof_file_header *chunks_first(void);

/* The header, or NULL if there is no file. */
struct prof_file_header *chunks_header(void);

/* Takes a chunk number: never the same one twice unless it was retired (ring). Lock-free. META
 * chunks may be beyond max_bytes, and half of max_bytes is for LOG chunks alone. CHUNKS_NO_CHUNK:
 * the size limit is reached, for good. */
uint64_t chunks_claim(bool meta);

/* Calls of clock_wait() for another thread that extends the file: 0.2 s, then events are lost. */
#define CHUNKS_WAITS 1100

/* The chunk's zero-filled memory, or NULL when the file could not be extended so far. May extend
 * the file itself when the writer has fallen behind: the only system calls a recording thread ever
 * makes, instead of losing an event. Waits for another thread that is at it (CHUNKS_WAITS). */
void *chunks_memory(uint64_t chunk);

/* Like chunks_memory(), without waiting: for a caller that has already waited for this chunk. */
void *chunks_memory_now(uint64_t chunk);

/* Whether the file could not be extended when necessary (logged once). The writer retries. */
bool chunks_cannot_grow(void);

/* Writer thread: whether the file has become extensible since the last call. */
bool chunks_grow_again(void);

/* The thread of a LOG chunk has left it, `words` of it were taken, its header included. In ring
 * mode it may be recycled when it is the oldest. */
void chunks_retire(uint64_t chunk, size_t words);

/* Appending to a META chunk is over; likewise. */
void chunks_leave(uint64_t chunk, size_t words);

/* Writer thread: extends and populates ahead of need. True when chunks were claimed since the last
 * call. */
bool chunks_advance(void);

/* How many LOG chunks were retired so far. Any thread. */
uint64_t chunks_retired(void);

/* How many chunks there are; 0 without a file and once it is closed. */
uint64_t chunks_count(void);

/* Copies the chunk's first `count` words (at least 4) as they are now, each record whole or not at
 * all. False: there is no such chunk any more, or it was recycled meanwhile. Any thread. */
bool chunks_read(uint64_t chunk, uint64_t *words, size_t count);

/* The same of the words [from, count) and of the first four, of a chunk that was begun. It does not
 * block signals: the caller's are blocked. */
bool chunks_peek(uint64_t chunk, uint64_t *words, size_t from, size_t count);

/* The same of the words [from, from + count) alone, to the beginning of `words`. */
bool chunks_peek_at(uint64_t chunk, size_t from, uint64_t *words, size_t count);

/* Whether the address lies in what is reserved for the file. */
bool chunks_hold(uintptr_t address);

/* Whether chunks are anonymous memory. */
bool chunks_are_copied(void);

/* Where chunks are anonymous memory, copies what changed to the file. Any thread. */
void chunks_copy_out(void);

/* Nothing is claimed any more, the file is cut to what was, its state is closed. Memory stays
 * mapped: other threads may be in the middle of a record. chunks_resume() takes it back (an exec
 * that failed), once all who suspended have called it. Any thread. */
void chunks_suspend(void);
void chunks_resume(void);

/* The same, for good. */
void chunks_close(void);

/* In a forked child: forget the parent's file. There is memory in its place, for nobody: the fork
 * may have come from a handler that interrupted an event, which will still be stored there. */
void chunks_fork_child(void);

/* ---- copies.c: chunks that are not mapped from the file ---- */

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

/* ---- retired.c: full chunks of a ring ---- */

#define RETIRED_NONE UINT64_MAX

/* Room for `chunks` chunk numbers. Before any other call; false when there is no memory. */
bool retired_init(uint64_t chunks);

/* Any thread; lock-free. There is always room: no chunk is in the queue twice. */
void retired_push(uint64_t chunk);

/* Any thread; lock-free. RETIRED_NONE: no chunk is full yet. */
uint64_t retired_pop(void);

/* ---- parts.c: chunks of which several logs have a part each ---- */

/* Of a program's thousands of threads, most record little.
 *
 *     | header | PART, records ... | PART, records ... | PART, records ... | ...
 *
 * All parts of a chunk have the same size. Whose a part is, its first record says (PROF_REC_PART).
 * Threads: any, in signal handlers, too. While a thread takes a new chunk, others wait for it as
 * they do for one that extends the file.
 */

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
