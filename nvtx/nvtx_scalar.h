/* nvtx_scalar.h - single values of binary payloads, by NVTX's predefined types. */
#ifndef PROF_NVTX_SCALAR_H
#define PROF_NVTX_SCALAR_H

#include "annotate.h"
#include "nvtx_schema.h"

#include <stdbool.h>

/* Bytes of a value, which are also its alignment; 0: no type of a fixed size that is decoded. */
size_t nvtx_scalar_size(uint64_t type);

/* Reads a value; `data` need not be aligned. The type's size is not 0. A character is text, which
 * is put into `room`. */
void nvtx_scalar_read(uint64_t type, const uint8_t *data, struct attr_value *value, char room[8]);

/* An enumeration's value: its name, names of its bits joined by '|', or the number. */
void nvtx_scalar_enum(const struct nvtx_schema *enumeration, const uint8_t *data,
                      struct attr_value *value, char *room, size_t room_bytes);

/* The value as text, as in "[1, 2]"; returns its bytes, less than `bytes`. */
size_t nvtx_scalar_print(const struct attr_value *value, char *text, size_t bytes);

#endif
