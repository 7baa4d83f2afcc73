/* sim_launch.h - launch limits of a device, and attributes of functions. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "sim_facts.h"
#include "sim_module.h"
#include "sim_shared.h"
#include "sim_work.h"

/* Returns  SIM_OK, or SIM_INVALID_VALUE when grid, block or shared memory exceed the device. */
SIM_SHARED int sim_launch_check(const struct sim_kernel_work *kernel);

/* The cluster among launch attributes (80 bytes each); zeros when there is none. */
SIM_SHARED struct sim_dim3 sim_launch_cluster(const void *attributes, unsigned count);

/* Blocks of a function one multiprocessor holds. */
SIM_SHARED int sim_launch_occupancy(const struct sim_function *function, int block_size,
                                    size_t dynamic_shared);

/* CUfunction_attribute numbers. */
SIM_SHARED int sim_launch_attribute(const struct sim_function *function, int attribute, int *value);
SIM_SHARED int sim_launch_set_attribute(struct sim_function *function, int attribute, int value);

/* The calling thread's next kernel takes so long: for libraries that know what theirs computes. Asked once
 * for each launch, which takes it back. */
SIM_SHARED void sim_launch_announce(uint64_t known_ns);
SIM_SHARED uint64_t sim_launch_announced(void);

#endif
