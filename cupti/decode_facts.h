/* decode_facts.h - what exists: devices, contexts, streams. Same contract as decode_device.h;
 * none of them is an operation, so all return false. */
#ifndef PROF_DECODE_FACTS_H
#define PROF_DECODE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

bool decode_device(const uint8_t *record, uint32_t size);
bool decode_context(const uint8_t *record, uint32_t size);
bool decode_stream(const uint8_t *record, uint32_t size);

#endif
