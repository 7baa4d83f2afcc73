/* sim_memory.h - memory of all kinds. "Device memory" is host memory that is marked as a device's. */
#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim_facts.h"
#include "sim_shared.h"

struct sim_pool;

/* Where managed memory is that no device has touched. */
#define SIM_ON_HOST (-1)

struct sim_allocation {
    char *base;
    size_t bytes;
    enum sim_memory_type type;
    int device;
    unsigned flags;
    struct sim_pool *pool; /* it came from; NULL: none */
    int resident;          /* managed: the device it is on, or SIM_ON_HOST */
    bool registered;       /* the program's own memory (cudaHostRegister, a __device__ variable) */
    const char *symbol;
};

/* Allocates zeroed memory, 512-byte aligned.
 *
 * Returns  SIM_OK, or SIM_OUT_OF_MEMORY when the device's simulated memory is used up.
 */
SIM_SHARED int sim_memory_allocate(enum sim_memory_type type, int device, size_t bytes,
                                   unsigned flags, struct sim_pool *pool, void **pointer);

/* Makes memory of the program known. Returns  SIM_OK or SIM_ALREADY_REGISTERED. */
SIM_SHARED int sim_memory_register(enum sim_memory_type type, int device, void *pointer,
                                   size_t bytes, unsigned flags, const char *symbol);

/* Forgets what begins at pointer, and frees what sim_memory_allocate made.
 *
 * was      out: what it was; may be NULL. Returns  SIM_OK, or SIM_INVALID_VALUE when nothing of the
 * wanted kind begins there.
 */
SIM_SHARED int sim_memory_release(void *pointer, bool registered, struct sim_allocation *was);

/* What pointer points into. Returns  false when it is ordinary (pageable) memory. */
SIM_SHARED bool sim_memory_find(const void *pointer, struct sim_allocation *found);

/* Managed memory goes to a device, or to the host.
 *
 * was      out: what and where it was.
 * Returns  false when pointer is in no managed memory, or in some that is there already.
 */
SIM_SHARED bool sim_memory_move(const void *pointer, int target, struct sim_allocation *was);

/* Moves one allocation that is managed and not yet on the device there, as a kernel's first touch
 * does.
 *
 * Returns  false when there is none.
 */
SIM_SHARED bool sim_memory_touch(int device, struct sim_allocation *was);

/* Bytes of a device's memory not allocated. */
SIM_SHARED uint64_t sim_memory_free_bytes(int device);

#endif
