/* sim_buffer.h - delivers finished records in the client's buffers.
 *
 * A record waits in a queue until the work it describes has ended on the simulated timeline. One
 * worker thread moves records into buffers it asks the client for, and hands buffers back when they
 * are full or a flush wants them. No lock is held while the client's functions run.
 */
#ifndef SIM_BUFFER_H
#define SIM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*sim_buffer_request)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*sim_buffer_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                    size_t valid);

typedef void (*sim_buffer_request_v2)(uint8_t **buffer, size_t *size, size_t *max_records,
                                      const void *info);
typedef void (*sim_buffer_complete_v2)(uint8_t *buffer, size_t size, size_t valid,
                                       const void *info);

/* Queues a record for each client that wants its kind.
 *
 * record   begins with its kind; cut to the size the simulated version has.
 * end_ns   host time at which it is complete; 0: it is.
 * times    offset of its start and end times, side by side; 0: it has none to blank.
 * Threads  any, the core's lock may be held.
 */
void sim_buffer_add(const void *record, uint64_t end_ns, size_t times);

/* The v1 API's functions, for client 0. */
void sim_buffer_register(sim_buffer_request request, sim_buffer_complete complete);

/* The v2 API's. Before: records that shall be delivered. */
void sim_buffer_register_v2(uint32_t client, sim_buffer_request_v2 request,
                            sim_buffer_complete_v2 complete);

/* The client is gone: nothing is delivered to it any more. */
void sim_buffer_close(uint32_t client);

/* Waits until every record has its place in a buffer: the real library makes a record in a buffer to begin with, so a
 * client that asks whether it has handed any out is told so before a kind is disabled. */
void sim_buffer_place(void);

/* Returns everything complete, or with force everything. From the worker itself: a violation.
 *
 * Returns  SIM_CUPTI_OK or SIM_CUPTI_UNKNOWN.
 */
int sim_buffer_flush(bool force);

/* Counts a record as dropped for each client that wants its kind. */
void sim_buffer_drop(uint32_t kind);

/* Dropped since the last asking. */
uint64_t sim_buffer_fetch_dropped(uint32_t client);

void sim_buffer_set_zeroed(uint32_t client, bool client_zeroes);
void sim_buffer_set_per_thread(uint32_t client, bool per_thread);

#endif
