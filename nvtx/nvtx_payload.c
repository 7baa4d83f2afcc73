#include "nvtx_payload.h"

#include "names.h"
#include "nvtx_record.h"
#include "recorder.h"

#include <string.h>

#define NVTX_PAYLOAD_BLOBS_MAX 64u

/* ---- blobs ---- */

/* Data of a predefined type or an enumeration: as a schema of one entry. */
static void nvtx_walk_single(struct nvtx_walk *walk, uint64_t type)
{
    struct nvtx_entry entry = {.type = type, .name = "payload"};
    struct nvtx_schema schema = {.entries = &entry, .count = 1};
    bool text = nvtx_entry_is_string(&entry);
    if (text) {
        entry.detail = walk->size / nvtx_entry_unit(&entry);
        if (walk->size == SIZE_MAX || entry.detail == 0)
            return;
    }
    nvtx_walk_schema(walk, &schema, 0);
}

/* A program may omit the size: then the schema must have it. */
static size_t nvtx_walk_size(const struct nvtx_blob *blob, const struct nvtx_schema *schema)
{
    if (blob->size != SIZE_MAX)
        return blob->size;
    if (schema && schema->size)
        return schema->size;
    if (blob->schema == NVTX_TYPE_CSTRING || blob->schema == NVTX_TYPE_CSTRING_UTF8)
        return strlen(blob->data);
    return nvtx_scalar_size(blob->schema);
}

static void nvtx_walk_blob(struct nvtx_walk *walk, const struct nvtx_blob *blob)
{
    if (blob->schema == NVTX_SCHEMA_REFERENCED || !blob->data)
        return;
    const struct nvtx_schema *schema = nvtx_schema_find(walk->domain, blob->schema);
    walk->data = blob->data;
    walk->size = nvtx_walk_size(blob, schema);
    bool known = schema || nvtx_scalar_size(blob->schema) ||
                 (blob->schema >= NVTX_TYPE_CSTRING && blob->schema <= NVTX_TYPE_CSTRING_UTF32);
    if (!known || !walk->size)
        nvtx_walk_skip_type(walk, blob->schema);
    else if (!schema || schema->values)
        nvtx_walk_single(walk, blob->schema);
    else
        nvtx_walk_schema(walk, schema, 0);
}

static void nvtx_walk_blobs(uint32_t domain, const struct nvtx_blob *blobs, size_t count,
                            const struct nvtx_payload_sink *sink, bool messages)
{
    for (size_t i = 0; blobs && i < count && i < NVTX_PAYLOAD_BLOBS_MAX; i++) {
        struct nvtx_walk walk;
        walk.domain = domain;
        walk.sink = sink;
        walk.messages = messages;
        walk.silent = walk.broken = false;
        walk.steps = 0;
        walk.depth = 0;
        walk.key_bytes = 0;
        walk.key[0] = '\0';
        nvtx_walk_blob(&walk, &blobs[i]);
    }
}

void nvtx_payload_decode(uint32_t domain, const struct nvtx_blob *blobs, size_t count,
                         const struct nvtx_payload_sink *sink)
{
    if (!blobs && count)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    nvtx_walk_blobs(domain, blobs, count, sink, false);
}

/* ---- the message ---- */

struct nvtx_payload_found {
    char *room;
    struct nvtx_record_text *message;
};

static void nvtx_payload_found_message(void *user, const char *key, const struct attr_value *value)
{
    struct nvtx_payload_found *found = user;
    (void)key;
    if (value->type != PROF_ATTR_STRING || found->message->text)
        return;
    size_t bytes = value->bytes, kept = bytes;
    if (bytes >= NVTX_WIDE_BYTES) { /* a hash in the place of the rest, as nvtx_record.h has it */
        kept = NVTX_WIDE_BYTES - 1 - NVTX_WIDE_HASH_BYTES;
        names_put_hash(found->room + kept, names_hash_rest(value->text + kept, bytes - kept));
        bytes = NVTX_WIDE_BYTES - 1;
    }
    memcpy(found->room, value->text, kept);
    found->room[bytes] = '\0';
    *found->message = (struct nvtx_record_text){found->room, bytes};
}

bool nvtx_payload_message(uint32_t domain, const struct nvtx_blob *blobs, size_t count, char *room,
                          struct nvtx_record_text *message)
{
    struct nvtx_payload_found found = {room, message};
    struct nvtx_payload_sink sink = {.take = nvtx_payload_found_message, .user = &found};
    *message = (struct nvtx_record_text){NULL, 0};
    nvtx_walk_blobs(domain, blobs, count, &sink, true);
    return message->text != NULL;
}
