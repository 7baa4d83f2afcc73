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

/* How large buffers can be: page-rounded, before the first buffers_acquire(). */
void buffers_init(size_t bytes);

/* What CUPTI gets of each from now on, in bytes: as near as possible. Threads: any. */
void buffers_fit(size_t bytes);

/* A zero-filled buffer of *bytes; never NULL. Threads: any; lock-free. */
uint8_t *buffers_acquire(size_t *bytes);

/* Back from CUPTI, read; `used` of its bytes are valid. */
void buffers_release(uint8_t *buffer, size_t used);

/* How large a buffer of ours is that CUPTI holds; 0: it is not ours. */
size_t buffers_bytes(const uint8_t *buffer);

/* Whether what is in the buffer cannot be trusted: it was the last resort, maybe shared. */
bool buffers_is_last_resort(const uint8_t *buffer);

/* Has `count` buffers ready, their pages present, so that the program's threads need not wait
 * for the kernel. Call it from a thread of libprof. */
void buffers_prepare(unsigned count);

#endif
