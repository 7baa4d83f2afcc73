/* nvtx_payload.h - binary data that a program attached to an event, as attributes: key = the
 * entry's name, "a.b" for an entry of a nested schema, "a[2].b" in an array of them; an array of
 * numbers is text, "[1, 2, 3]".
 *
 * Every access is checked against the size that the program gave. An access outside ends the blob
 * (counted). Kinds that are not decoded are left out, which the file states once.
 */
#ifndef PROF_NVTX_PAYLOAD_H
#define PROF_NVTX_PAYLOAD_H

#include "annotate.h"
#include "nvtx_abi_payload.h"
#include "nvtx_record.h"

#include <stdbool.h>

/* Takes values one by one; `key` and the value's text are gone after the call. */
struct nvtx_payload_sink {
    void (*take)(void *user, const char *key, const struct attr_value *value);
    void *user;
};

/* Entries that hold the event's message are left out: see below. */
void nvtx_payload_decode(uint32_t domain, const struct nvtx_blob *blobs, size_t count,
                         const struct nvtx_payload_sink *sink);

/* The message in the blobs of an event that has no other, copied to `room` (NVTX_WIDE_BYTES).
 * False: there is none. */
bool nvtx_payload_message(uint32_t domain, const struct nvtx_blob *blobs, size_t count, char *room,
                          struct nvtx_record_text *message);

#endif
