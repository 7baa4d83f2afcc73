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

/* ---- nvtx_schema.c: descriptions of binary data ---- */

/* Programs register them: schemas (of structs) and enumerations. Copied, kept for good, found
 * without a lock. */

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

/* ---- nvtx_payload.c: binary data as attributes ---- */

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

/* ---- nvtx_scalar.c: single values, by NVTX's predefined types ---- */

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

/* ---- nvtx_walk.c: one blob of binary data, entry by entry ---- */

/* What lies outside of the blob ends the walk; what is of a kind that is not decoded is left out.
 */

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
