/* device_memory.h - device memory: allocations and frees, pools, migrations of managed memory.
 *
 * Where CUPTI has no records of allocations (before CUDA 11.2) or refuses them, allocations are
 * read from the calls: one or the other, never both.
 */
#ifndef PROF_DEVICE_MEMORY_H
#define PROF_DEVICE_MEMORY_H

#include "abi.h"

#include <stdbool.h>
#include <stdint.h>

struct oracle;

/* Enables CUPTI's memory kinds as configured, under the same rules as the other kinds. A refusal is
 * noted once; nothing fails. `oracle` knows which kinds the library has. */
void device_memory_enable(const struct oracle *oracle);
void device_memory_disable(void);

/* Whether allocations are to be read from the calls. Threads: any. */
bool device_memory_from_calls(void);

/* Whether a followed call allocates or releases memory that is recorded. */
bool device_memory_follows_call(uint32_t domain, uint32_t cbid);

/* A call of the program's own that is in its log has ended. Writes a MEMORY record where the call
 * succeeded and allocated or released. Not for calls captured into a graph: those allocate when the
 * graph runs. */
void device_memory_note_call(uint32_t domain, uint32_t cbid, const struct abi_call_data *data);

/* Records become records of the trace file (decode.h). None is an operation on a device: all return
 * false. */
bool device_memory_decode(const uint8_t *record, uint32_t size);
bool device_memory_decode_pool(const uint8_t *record, uint32_t size);
bool device_memory_decode_unified(const uint8_t *record, uint32_t size);

#endif
