/* decode_device.h - what a device did: kernels, copies, sets, waits, overhead; one function per
 * kind.
 *
 * Each takes a record of at least the kind's base bytes (abi_records.h) and `size` bytes in all,
 * and returns whether it wrote a record about an operation on a device. Times of zero, and ends
 * before their starts, are how CUPTI shows that it ran out of device buffers: such operations
 * are counted as PROF_LOSS_ZERO_TIME.
 */
#ifndef PROF_DECODE_DEVICE_H
#define PROF_DECODE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

bool decode_kernel(const uint8_t *record, uint32_t size);
bool decode_memcpy(const uint8_t *record, uint32_t size);
bool decode_peer_memcpy(const uint8_t *record, uint32_t size);
bool decode_memset(const uint8_t *record, uint32_t size);
bool decode_graph(const uint8_t *record, uint32_t size); /* a launched graph as a whole */
bool decode_sync(const uint8_t *record, uint32_t size);
bool decode_event(const uint8_t *record, uint32_t size);
bool decode_overhead(const uint8_t *record, uint32_t size);

#endif
