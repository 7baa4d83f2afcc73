/* sim_driver_memory.h - allocation functions shared by the files of the driver API. */
#ifndef SIM_DRIVER_MEMORY_H
#define SIM_DRIVER_MEMORY_H

#include "sim_driver.h"
#include "sim_memory.h"

struct sim_pool;
struct sim_stream;

/* stream   NULL: synchronous.
 * pool     it is taken from; NULL: none.
 */
int sim_driver_allocate_address(enum sim_memory_type type, size_t bytes, unsigned flags,
                                struct sim_stream *stream, struct sim_pool *pool,
                                sim_address *address);
int sim_driver_release(void *pointer, struct sim_stream *stream);

#endif
