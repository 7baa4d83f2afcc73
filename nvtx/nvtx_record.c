#include "nvtx_record.h"

#include "annotate.h"
#include "atomic.h"
#include "labels.h"
#include "names.h"
#include "nvtx_payload.h"

#include <string.h>

/* ---- what was given ---- */

#define NVTX_FIELD_END(field) \
    (offsetof(struct nvtx_attributes, field) + sizeof(((struct nvtx_attributes *)0)->field))

/* A value without its type, or a type without its value, is as good as none. */
static void nvtx_record_cut(struct nvtx_attributes *full, size_t size)
{
    if (size < NVTX_FIELD_END(category))
        full->category = 0;
    if (size < NVTX_FIELD_END(color))
        full->color_type = 0;
    if (size < NVTX_FIELD_END(payload))
        full->payload_type = NVTX_PAYLOAD_NONE;
    if (size < NVTX_FIELD_END(message))
        full->message_type = NVTX_MESSAGE_NONE;
}

void nvtx_record_read(const struct nvtx_attributes *given, struct nvtx_attributes *full)
{
    memset(full, 0, sizeof *full);
    if (!given) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return;
    }
    size_t size = given->size;
    memcpy(full, given, size < sizeof *full ? size : sizeof *full);
    nvtx_record_cut(full, size);
}

struct nvtx_record_text nvtx_record_message(int32_t type, union nvtx_message message, char *wide)
{
    if (type == NVTX_MESSAGE_ASCII && message.ascii)
        return (struct nvtx_record_text){message.ascii, strlen(message.ascii)};
    if (type == NVTX_MESSAGE_UNICODE && message.unicode)
        return (struct nvtx_record_text){wide, nvtx_wide_to_utf8(message.unicode, wide)};
    if (type == NVTX_MESSAGE_REGISTERED && message.registered) {
        const struct interned_text *string = message.registered;
        return (struct nvtx_record_text){string->text, string->bytes};
    }
    return (struct nvtx_record_text){NULL, 0};
}

/* ---- its name ---- */

/* Wide messages have been converted by now. */
static void nvtx_record_name(struct labelled_name *named, const struct nvtx_attributes *full)
{
    if (full->message_type == NVTX_MESSAGE_ASCII && full->message.ascii)
        labelled_read(named, full->message.ascii);
    else if (full->message_type == NVTX_MESSAGE_REGISTERED && full->message.registered)
        named->name = texts_name(full->message.registered);
    else if (full->message_type != NVTX_MESSAGE_NONE)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
}

static const struct label *nvtx_record_label(uint32_t domain, uint32_t name,
                                             const struct nvtx_attributes *full)
{
    bool colored = full->color_type == NVTX_COLOR_ARGB;
    return labelled_label(&(struct label){.name = name,
                                          .domain = domain,
                                          .category = full->category,
                                          .color = colored ? full->color : 0,
                                          .flags = colored ? PROF_EVENT_NAME_COLORED : 0});
}

/* ---- what came along ---- */

void nvtx_record_number(uint64_t target, const struct nvtx_attributes *full)
{
    struct attr_value value = {.type = PROF_ATTR_UINT, .bits = full->payload.uint64};
    switch (full->payload_type) {
    case NVTX_PAYLOAD_UINT64:
        break;
    case NVTX_PAYLOAD_INT64:
        value.type = PROF_ATTR_INT;
        break;
    case NVTX_PAYLOAD_DOUBLE:
        value.type = PROF_ATTR_DOUBLE;
        break;
    case NVTX_PAYLOAD_UINT32:
        value.bits = full->payload.uint32;
        break;
    case NVTX_PAYLOAD_INT32:
        value.type = PROF_ATTR_INT;
        value.bits = (uint64_t)(int64_t)full->payload.int32;
        break;
    case NVTX_PAYLOAD_FLOAT:
        value.type = PROF_ATTR_DOUBLE;
        value.bits = attrs_double_bits((double)full->payload.real32);
        break;
    default:
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return;
    }
    attrs_write(target, "payload", &value);
}

static void nvtx_record_blob_value(void *user, const char *key, const struct attr_value *value)
{
    attrs_write(*(const uint64_t *)user, key, value);
}

void nvtx_record_blobs(uint32_t domain, uint64_t target, const struct nvtx_blob *blobs,
                       size_t count)
{
    struct nvtx_payload_sink sink = {.take = nvtx_record_blob_value, .user = &target};
    nvtx_payload_decode(domain, blobs, count, &sink);
}

static void nvtx_record_rest(uint64_t target, uint32_t domain, const struct nvtx_attributes *full)
{
    if (full->payload_type == NVTX_PAYLOAD_EXTENDED)
        nvtx_record_blobs(domain, target, full->payload.blobs, (size_t)full->payload_count);
    else if (full->payload_type != NVTX_PAYLOAD_NONE)
        nvtx_record_number(target, full);
}

/* ---- the event ---- */

/* The next time the hot path finds the label in the string. */
static void nvtx_record_remember(const struct nvtx_attributes *full, const struct label *label)
{
    struct interned_text *string = full->message.registered;
    if (full->message_type == NVTX_MESSAGE_REGISTERED && string)
        store_release(&string->latest, label);
}

static uint64_t nvtx_record_all(enum labelled_kind kind, uint32_t domain,
                                const struct nvtx_attributes *full)
{
    struct labelled_name named = {0};
    nvtx_record_name(&named, full);
    const struct label *label = nvtx_record_label(domain, named.name, full);
    if (label)
        nvtx_record_remember(full, label);
    uint64_t begun;
    uint64_t target = labelled_record(kind, label ? (uint32_t)label->id : named.name, &begun);
    if (kind == LABELLED_BEGIN && !begun)
        return 0;
    labelled_parts(target, &named);
    nvtx_record_rest(target, domain, full);
    return begun;
}

/* A wide message, or none but in the payload. Apart, since other events do not need the room: a
 * signal handler's stack may be small. */
static __attribute__((noinline)) uint64_t
nvtx_record_converted(enum labelled_kind kind, uint32_t domain, const struct nvtx_attributes *full)
{
    char utf8[NVTX_WIDE_BYTES];
    struct nvtx_record_text text;
    struct nvtx_attributes ascii = *full;
    if (full->message_type == NVTX_MESSAGE_UNICODE)
        text = nvtx_record_message(full->message_type, full->message, utf8);
    else
        nvtx_payload_message(domain, full->payload.blobs, (size_t)full->payload_count, utf8, &text);
    ascii.message_type = text.text ? NVTX_MESSAGE_ASCII : NVTX_MESSAGE_NONE;
    ascii.message.ascii = text.text;
    return nvtx_record_all(kind, domain, &ascii);
}

uint64_t nvtx_record(enum labelled_kind kind, uint32_t domain, const struct nvtx_attributes *full)
{
    bool wide = full->message_type == NVTX_MESSAGE_UNICODE && full->message.unicode;
    bool within =
        full->message_type == NVTX_MESSAGE_NONE && full->payload_type == NVTX_PAYLOAD_EXTENDED;
    return wide || within ? nvtx_record_converted(kind, domain, full)
                          : nvtx_record_all(kind, domain, full);
}

/* ---- wide strings as UTF-8 ---- */

#define NVTX_WIDE_REPLACEMENT 0xfffdu

_Static_assert(sizeof(wchar_t) == 4, "NVTX's wide strings are UTF-32 where wchar_t has 4 bytes");

size_t nvtx_wide_put(uint32_t character, char *utf8)
{
    if (character > 0x10ffffu || (character >= 0xd800u && character < 0xe000u))
        character = NVTX_WIDE_REPLACEMENT;
    if (character < 0x80u) {
        utf8[0] = (char)character;
        return 1;
    }
    size_t bytes = character < 0x800u ? 2 : character < 0x10000u ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t at = bytes - 1; at > 0; at--, character >>= 6)
        utf8[at] = (char)(0x80u | (character & 0x3fu));
    utf8[0] = (char)(lead[bytes] | character);
    return bytes;
}

void nvtx_wide_add(struct nvtx_wide *wide, uint32_t character)
{
    if (!wide->hash && wide->size + 4 < NVTX_WIDE_BYTES - NVTX_WIDE_HASH_BYTES) {
        wide->size += nvtx_wide_put(character, wide->utf8 + wide->size);
        return;
    }
    wide->hash = (wide->hash ^ character ^ UINT64_C(1) << 63) * NAMES_MIX_1;
    wide->hash ^= wide->hash >> 32;
    wide->hash += wide->hash == 0;
}

size_t nvtx_wide_end(struct nvtx_wide *wide)
{
    if (wide->hash) {
        names_put_hash(wide->utf8 + wide->size, wide->hash);
        wide->size += NVTX_WIDE_HASH_BYTES;
    }
    wide->utf8[wide->size] = '\0';
    return wide->size;
}

size_t nvtx_wide_to_utf8(const wchar_t *text, char utf8[NVTX_WIDE_BYTES])
{
    struct nvtx_wide wide = {.utf8 = utf8};
    while (*text)
        nvtx_wide_add(&wide, (uint32_t)*text++);
    return nvtx_wide_end(&wide);
}
