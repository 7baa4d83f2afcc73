/* nvtx_walk.h - one blob of binary data, entry by entry, as its schema describes it.
 *
 * What lies outside of the blob ends the walk; what is of a kind that is not decoded is left out.
 */
#ifndef PROF_NVTX_WALK_H
#define PROF_NVTX_WALK_H

#include "nvtx_payload.h"
#include "nvtx_schema.h"

#define NVTX_PAYLOAD_KEY_BYTES 256u

/* One blob being decoded. */
struct nvtx_walk {
    uint32_t domain;
    const uint8_t *data;
    size_t size;
    const struct nvtx_payload_sink *sink;
    bool messages; /* only entries that hold the event's message, else only the others */
    bool silent;   /* only where entries end */
    unsigned steps;
    int depth;
    bool broken;                      /* something lies outside: no further */
    char key[NVTX_PAYLOAD_KEY_BYTES]; /* of the current entry, with what it is nested in */
    size_t key_bytes;
};

/* The schema's entries from byte `base` on; returns where they end. */
size_t nvtx_walk_schema(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base);

/* Says in the file, once, that something is not decoded. */
void nvtx_walk_skip_type(const struct nvtx_walk *walk, uint64_t type);

bool nvtx_entry_is_string(const struct nvtx_entry *entry);

/* Bytes of one unit of a string. */
size_t nvtx_entry_unit(const struct nvtx_entry *entry);

#endif
