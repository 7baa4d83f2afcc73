/* sim_transfer.h - copies and sets: from a call's arguments to work for a stream. */
#ifndef SIM_TRANSFER_H
#define SIM_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

#include "sim_facts.h"
#include "sim_shared.h"
#include "sim_work.h"

struct sim_stream;

/* Fills work with a copy of bytes; kind DEFAULT is resolved from the pointers.
 *
 * Returns  SIM_OK; SIM_INVALID_DIRECTION for an unknown kind; SIM_INVALID_VALUE for NULL, and
 *          for pointers that contradict the kind (device memory that is not).
 */
SIM_SHARED int sim_transfer_copy(struct sim_work *work, void *dst, const void *src, size_t bytes,
                                 int kind, bool async);

/* The same for a box; pitches and slices in bytes. */
SIM_SHARED int sim_transfer_box(struct sim_work *work, const struct sim_copy_work *box, int kind,
                                bool async);

/* cudaMemcpy3D's parameter as a box; arrays are refused. */
SIM_SHARED int sim_transfer_3d(struct sim_work *work, const struct sim_copy_3d *copy, bool async);

/* Says which devices a peer copy runs between, whatever the pointers say. */
SIM_SHARED void sim_transfer_between(struct sim_work *work, int dst_device, int src_device);

SIM_SHARED int sim_transfer_set(struct sim_work *work, const struct sim_set_params *params);

/* Submits; wait: and returns only when done. Nothing is submitted when there is nothing to move. */
SIM_SHARED int sim_transfer_submit(struct sim_stream *stream, struct sim_work *work, bool wait);

#endif
