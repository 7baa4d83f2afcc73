/* sim_model.h - the timing model: how long each kind of work takes. It is deterministic and
 * described in README.md.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include <stdint.h>

#include "sim_shared.h"
#include "sim_work.h"

/* Nanoseconds from start to end of this work on its stream. */
SIM_SHARED uint64_t sim_model_duration(const struct sim_work *work);

/* Nanoseconds that managed memory takes from one place to another (a device, or -1: the host). */
SIM_SHARED uint64_t sim_model_migration(uint64_t bytes, int source, int target);

/* Bytes a copy or set touches. */
SIM_SHARED uint64_t sim_model_bytes(const struct sim_work *work);

/* 64-bit FNV-1a over bytes, continued from seed. */
uint64_t sim_model_hash(const void *bytes, uint64_t size, uint64_t seed);

#endif
