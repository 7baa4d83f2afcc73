/* nvtx_extension.h - what the slots of NVTX's payload extension hold: as nvtx_ranges.h, but all that
 * is known of an event is in its blobs.
 */
#ifndef PROF_NVTX_EXTENSION_H
#define PROF_NVTX_EXTENSION_H

#include "nvtx_abi_payload.h"
#include "registry.h"

/* Return the id to use in entries and blobs, 0 when the description cannot be used (counted). */
uint64_t nvtx_extension_schema(const struct domain *domain,
                               const struct nvtx_schema_attributes *attributes);
uint64_t nvtx_extension_enum(const struct domain *domain,
                             const struct nvtx_enum_attributes *attributes);

void nvtx_extension_mark(const struct domain *domain, const struct nvtx_blob *blobs, size_t count);
int nvtx_extension_push(const struct domain *domain, const struct nvtx_blob *blobs, size_t count);
int nvtx_extension_pop(const struct domain *domain, const struct nvtx_blob *blobs, size_t count);
uint64_t nvtx_extension_start(const struct domain *domain, const struct nvtx_blob *blobs,
                              size_t count);
void nvtx_extension_end(const struct domain *domain, uint64_t id, const struct nvtx_blob *blobs,
                        size_t count);

/* 1, also while nothing is recorded: programs ask once and recording may go on later. */
uint8_t nvtx_extension_is_enabled(const struct domain *domain);

#endif
