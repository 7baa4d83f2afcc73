/* decode_memory.h - memory of devices: allocated and released, pools, migrations of managed
 * memory. Same contract as decode_device.h; none of them is an operation on a device, so all return
 * false. */
#ifndef PROF_DECODE_MEMORY_H
#define PROF_DECODE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

bool decode_memory(const uint8_t *record, uint32_t size);
bool decode_memory_pool(const uint8_t *record, uint32_t size);
bool decode_unified_memory(const uint8_t *record, uint32_t size);

#endif
