/* out_behind.h - a thread that writes one buffer while the next one is being filled.
 *
 *     caller   fill A        fill B        fill A        wait
 *     thread          write A       write B       write A
 *
 * For what formats and writes (or compresses) about as long. Threads: one caller.
 */
#ifndef PROF_OUT_BEHIND_H
#define PROF_OUT_BEHIND_H

#include <stddef.h>
#include <stdio.h>

/* Writes all of it to the descriptor or, when there is one, to the stream. Returns 0 or an
 * errno. */
int out_write(int fd, FILE *stream, const char *bytes, size_t size);

struct out_behind;

/* To a descriptor or, when `stream` is given, to the stream; neither is closed. NULL: no memory, or
 * no thread; then the caller writes by itself. */
struct out_behind *out_behind_create(int fd, FILE *stream, size_t buffer_bytes);

/* Hands over `full` with so many bytes, once what was handed over before is written; returns the
 * buffer to be filled next. The first one is out_behind_buffer(). */
char *out_behind_swap(struct out_behind *behind, char *full, size_t size);
char *out_behind_buffer(struct out_behind *behind);

/* Waits until all is written. Returns 0 or the errno of the first failure, after which nothing was
 * written any more. */
int out_behind_wait(struct out_behind *behind);

/* The same, and the end of the thread and of both buffers. */
int out_behind_destroy(struct out_behind *behind);

#endif
