#include "nvtx_record.h"

#include "nvtx_attrs.h"
#include "nvtx_events.h"
#include "nvtx_payload.h"
#include "nvtx_strings.h"
#include "nvtx_torch.h"
#include "nvtx_wide.h"
#include "thread.h"

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
        return (struct nvtx_record_text){message.ascii, nvtx_strings_length(message.ascii)};
    if (type == NVTX_MESSAGE_UNICODE && message.unicode)
        return (struct nvtx_record_text){wide, nvtx_wide_to_utf8(message.unicode, wide)};
    if (type == NVTX_MESSAGE_REGISTERED && message.registered) {
        const struct nvtx_string *string = message.registered;
        return (struct nvtx_record_text){string->text, string->bytes};
    }
    return (struct nvtx_record_text){NULL, 0};
}

/* ---- its name ---- */

/* What an event's message becomes: a name, and PyTorch's parts of it. */
struct nvtx_record_named {
    uint32_t name;
    struct nvtx_torch torch; /* count 0: none; points into the message */
};

static void nvtx_record_name_text(struct nvtx_record_named *named, const char *text, size_t bytes)
{
    struct name_cache *names = &thread_self.slot->names;
    if (bytes <= PROF_NAME_BYTES_MAX)
        named->name = names_known_n(names, text, bytes);
    if (named->name)
        return;
    if (nvtx_torch_parse(text, bytes, &named->torch))
        bytes = named->torch.base_bytes;
    else
        named->torch.count = 0;
    named->name = names_learn_n(names, text, bytes);
}

/* The same text usually comes from the same address again: then the hot path finds it there. */
static void nvtx_record_name_ascii(struct nvtx_record_named *named, const char *text)
{
    struct name_cache *names = &thread_self.slot->names;
    named->name = names_known(names, text);
    if (named->name)
        return;
    size_t bytes = nvtx_strings_length(text);
    nvtx_record_name_text(named, text, bytes);
    if (bytes <= PROF_NAME_BYTES_MAX && !named->torch.count)
        names_learn(names, text);
}

/* Wide messages have been converted by now. */
static void nvtx_record_name(struct nvtx_record_named *named, const struct nvtx_attributes *full)
{
    named->name = 0;
    named->torch.count = 0;
    if (full->message_type == NVTX_MESSAGE_ASCII && full->message.ascii)
        nvtx_record_name_ascii(named, full->message.ascii);
    else if (full->message_type == NVTX_MESSAGE_REGISTERED && full->message.registered)
        named->name = nvtx_strings_name(full->message.registered);
    else if (full->message_type != NVTX_MESSAGE_NONE)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
}

static const struct nvtx_event *nvtx_record_event(uint32_t domain, uint32_t name,
                                                  const struct nvtx_attributes *full)
{
    bool colored = full->color_type == NVTX_COLOR_ARGB;
    struct nvtx_event key = {.name = name,
                             .domain = domain,
                             .category = full->category,
                             .color = colored ? full->color : 0,
                             .flags = colored ? PROF_EVENT_NAME_COLORED : 0};
    struct nvtx_thread *thread = nvtx_thread_get();
    const struct nvtx_event *known = thread ? nvtx_events_known(thread, &key) : NULL;
    return known ? known : nvtx_events_learn(thread, &key);
}

/* ---- what came along ---- */

static void nvtx_record_number(uint64_t target, const struct nvtx_attributes *full)
{
    struct nvtx_value value = {.type = PROF_ATTR_UINT, .bits = full->payload.uint64};
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
        value.bits = nvtx_attrs_double_bits((double)full->payload.real32);
        break;
    default:
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return;
    }
    nvtx_attrs_write(target, "payload", &value);
}

static void nvtx_record_blob_value(void *user, const char *key, const struct nvtx_value *value)
{
    nvtx_attrs_write(*(const uint64_t *)user, key, value);
}

void nvtx_record_blobs(uint32_t domain, uint64_t target, const struct nvtx_blob *blobs,
                       size_t count)
{
    struct nvtx_payload_sink sink = {.take = nvtx_record_blob_value, .user = &target};
    nvtx_payload_decode(domain, blobs, count, &sink);
}

static void nvtx_record_rest(uint64_t target, uint32_t domain, const struct nvtx_torch *torch,
                             const struct nvtx_attributes *full)
{
    for (size_t i = 0; i < torch->count; i++)
        nvtx_attrs_write(target, torch->parts[i].key, &torch->parts[i].value);
    if (full->payload_type == NVTX_PAYLOAD_EXTENDED)
        nvtx_record_blobs(domain, target, full->payload.blobs, (size_t)full->payload_count);
    else if (full->payload_type != NVTX_PAYLOAD_NONE)
        nvtx_record_number(target, full);
}

/* ---- the event ---- */

static uint64_t nvtx_record_begin(uint32_t event)
{
    uint64_t *record = thread_reserve(PROF_REC_RANGE_BEGIN, PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8);
    if (!record)
        return 0;
    uint64_t id = thread_next_range_id(&thread_self);
    record[1] = event;
    record[2] = id;
    thread_commit(record, PROF_REC_RANGE_BEGIN, PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8,
                  thread_ticks(record));
    return id;
}

/* The next time the hot path finds the event in the string. */
static void nvtx_record_remember(const struct nvtx_attributes *full, const struct nvtx_event *event)
{
    struct nvtx_string *string = full->message.registered;
    if (full->message_type == NVTX_MESSAGE_REGISTERED && string)
        store_release(&string->latest, event);
}

static uint64_t nvtx_record_all(enum nvtx_record_kind kind, uint32_t domain,
                                const struct nvtx_attributes *full)
{
    struct nvtx_record_named named;
    nvtx_record_name(&named, full);
    const struct nvtx_event *event = nvtx_record_event(domain, named.name, full);
    uint32_t id = event ? event->id : named.name;
    uint64_t target = NVTX_OF_RANGE, begun = 0;
    if (event)
        nvtx_record_remember(full, event);
    if (kind == NVTX_RECORD_BEGIN) {
        target = begun = nvtx_record_begin(id);
        if (!begun)
            return 0;
    } else {
        unsigned word = kind == NVTX_RECORD_PUSH ? PROF_KIND_NVTX_PUSH : PROF_KIND_MARK;
        thread_event(&thread_self, word, id);
        target = kind == NVTX_RECORD_MARK ? PROF_ATTR_OF_MARK : NVTX_OF_RANGE;
    }
    nvtx_record_rest(target, domain, &named.torch, full);
    return begun;
}

/* A wide message, or none but in the payload. Apart, since other events do not need the room: a
 * signal handler's stack may be small. */
static __attribute__((noinline)) uint64_t nvtx_record_converted(enum nvtx_record_kind kind,
                                                                uint32_t domain,
                                                                const struct nvtx_attributes *full)
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

uint64_t nvtx_record(enum nvtx_record_kind kind, uint32_t domain,
                     const struct nvtx_attributes *full)
{
    bool wide = full->message_type == NVTX_MESSAGE_UNICODE && full->message.unicode;
    bool within =
        full->message_type == NVTX_MESSAGE_NONE && full->payload_type == NVTX_PAYLOAD_EXTENDED;
    return wide || within ? nvtx_record_converted(kind, domain, full)
                          : nvtx_record_all(kind, domain, full);
}
