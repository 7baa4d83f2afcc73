/* sim_pool.h - memory pools: reserved and used bytes. The memory itself is in sim_memory. */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_shared.h"

struct sim_pool {
    uint64_t release_threshold;
    uint64_t reserved_bytes; /* grows in steps of 2 MiB, shrinks when trimmed */
    uint64_t used_bytes;
    int device;
    bool destroyed; /* it lives on while memory of it does */
};

/* The pool that a device's cudaMallocAsync takes memory from unless told otherwise. */
struct sim_pool *sim_pool_default(int device);
struct sim_pool *sim_pool_current(int device);
void sim_pool_set_current(int device, struct sim_pool *pool);

/* A handle is added; free it with sim_pool_destroy(). NULL: no memory. */
struct sim_pool *sim_pool_create(int device);
void sim_pool_destroy(struct sim_pool *pool);

/* Memory was handed out or came back. Returns the pool as it is then. */
struct sim_pool sim_pool_change(struct sim_pool *pool, uint64_t bytes, bool is_release);

/* Releases unused memory, except `keep` bytes. Returns the pool as it is then. */
struct sim_pool sim_pool_trim(struct sim_pool *pool, uint64_t keep);

#endif
