/* buffers.h - the buffers into which CUPTI writes activity records.
 *
 * Buffers are mapped, zero-filled and recycled; one that CUPTI holds is never freed. CUPTI is
 * always given a buffer: up to CUDA 12.8 it crashed when it got none. When memory runs out it
 * gets a buffer whose content is counted and thrown away.
 */
#ifndef PROF_BUFFERS_H
#define PROF_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the maximum size of buffers, rounded up to pages. Before the first buffers_acquire(). */
void buffers_init(size_t bytes);

/* Sets how many bytes of each buffer CUPTI gets from now on, as closely as possible. Threads:
 * any. */
void buffers_fit(size_t bytes);

/* Returns a zero-filled buffer of *bytes, never NULL. Threads: any; lock-free. */
uint8_t *buffers_acquire(size_t *bytes);

/* Recycles a buffer that CUPTI returned and that was decoded; `used` of its bytes are not zero. */
void buffers_release(uint8_t *buffer, size_t used);

/* Size of one of our buffers that CUPTI holds, or 0 if it is not ours. */
size_t buffers_bytes(const uint8_t *buffer);

/* Whether this is the last-resort buffer, possibly in use several times, so that its content is
 * invalid. */
bool buffers_is_last_resort(const uint8_t *buffer);

/* Prepares `count` buffers with their pages present, so that the program's threads do not wait for
 * page faults. Call it on a thread of libprof. */
void buffers_prepare(unsigned count);

#endif
