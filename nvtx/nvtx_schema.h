/* nvtx_schema.h - descriptions of binary data that programs register: schemas (of structs) and
 * enumerations. Copied, kept for good, found without a lock.
 */
#ifndef PROF_NVTX_SCHEMA_H
#define PROF_NVTX_SCHEMA_H

#include "nvtx_abi_payload.h"

#include <stdbool.h>

#define NVTX_SCHEMA_ENTRIES_MAX 1024u

struct nvtx_schema {
    uint64_t id;
    uint32_t domain;                      /* in which the program's own ids are unique */
    bool dynamic;                         /* offsets follow from the data */
    const struct nvtx_entry *entries;     /* of a schema; every name is there */
    const struct nvtx_enum_value *values; /* of an enumeration; NULL: it is a schema */
    size_t count;                         /* entries or values */
    size_t size;                          /* bytes; 0 unknown */
    size_t pack;                          /* largest alignment of entries; 0 natural */
    const struct nvtx_schema *next;
};

/* Return the id, 0 when the description cannot be used (counted). */
uint64_t nvtx_schema_register(uint32_t domain, const struct nvtx_schema_attributes *attributes);
uint64_t nvtx_schema_register_enum(uint32_t domain, const struct nvtx_enum_attributes *attributes);

/* NULL: not registered. */
const struct nvtx_schema *nvtx_schema_find(uint32_t domain, uint64_t id);

#endif
