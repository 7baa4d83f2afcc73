/* source.h - the bytes of an input, whatever it is compressed with.
 *
 * gzip (several members too) and zstd (several frames too) are recognised by their first bytes and
 * unpacked as they are read. One that is not compressed is read with as few copies as read(2)
 * allows.
 */
#ifndef PROF_SOURCE_H
#define PROF_SOURCE_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

struct source;

/* What the caller states about a file's clock, for formats that do not state it. */
struct source_clock {
    uint64_t tick_ns; /* nanoseconds of a tick; 0 counts as 1 */
    bool wrap32;      /* ticks are 32 bits wide and start again */
};

/* So many bytes from the beginning can be looked at before anything is read. */
#define SOURCE_PEEK_BYTES 65536u

/* NULL: cannot be opened, no regular file, or compressed in a way that this build cannot unpack;
 * `error` says which. */
struct source *source_open(const char *path, struct read_error *error);

/* The same for bytes in memory, which are borrowed; `name` stands for the path in messages. */
struct source *source_open_memory(const void *bytes, size_t size, const char *name,
                                  struct read_error *error);
void source_close(struct source *source);

const char *source_path(const struct source *source);

void source_set_clock(struct source *source, struct source_clock clock);
struct source_clock source_clock_of(const struct source *source);

/* Whether spool_open() of the path gives the same bytes: a file that is not compressed. */
bool source_is_plain(const struct source *source);

/* The path again if open() gives the same bytes. NULL otherwise. */
const char *source_plain_path(const struct source *source);

/* The first bytes, fewer than SOURCE_PEEK_BYTES only when there are no more. May be called before
 * the first source_read() only. False: unreadable. */
bool source_peek(struct source *source, struct text *head, struct read_error *error);

/* Reads on: fills `to` as far as there are bytes. Returns how many, 0 at the end, -1 when the input
 * is damaged, ends too early, cannot be read, or unpacks to more than is believed of its size (see
 * source.c). */
ptrdiff_t source_read(struct source *source, void *to, size_t bytes, struct read_error *error);

/* All of it in one segment, for formats that are read so; freed by the caller. NULL: as -1 above,
 * or more than `most` bytes. `size` is set. */
void *source_read_all(struct source *source, size_t most, size_t *size, struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
