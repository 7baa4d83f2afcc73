/* nvtx_walk.c - one blob of binary data, entry by entry: see nvtx_payload.h. */
#include "atomic.h"
#include "labels.h"
#include "nvtx_payload.h"
#include "nvtx_record.h"
#include "recorder.h"

#include <stdio.h>
#include <string.h>

#define NVTX_PAYLOAD_DEPTH_MAX 8
#define NVTX_PAYLOAD_ELEMENTS_MAX 64u /* of an array that are shown */
#define NVTX_PAYLOAD_STEPS_MAX 16384u /* entries looked at: descriptions may nest without end */
#define NVTX_PAYLOAD_TEXT_BYTES 1024u

/* An entry and where it is. */
struct nvtx_place {
    const struct nvtx_entry *entry;
    const struct nvtx_schema *inner; /* its type, if that is registered */
    size_t at, element, align;       /* bytes; `element` 0: known only from the data */
};

static bool nvtx_walk_break(struct nvtx_walk *walk)
{
    if (!walk->broken && !walk->messages)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    walk->broken = true;
    return false;
}

static bool nvtx_walk_contains(struct nvtx_walk *walk, size_t at, size_t bytes)
{
    return (at <= walk->size && bytes <= walk->size - at) || nvtx_walk_break(walk);
}

/* Once per process is enough: it says what to look for, not how often. */
void nvtx_walk_skip_type(const struct nvtx_walk *walk, uint64_t type)
{
    static uint32_t said;
    char note[128];
    if (walk->messages || walk->silent || exchange_acquire(&said, 1u))
        return;
    snprintf(note, sizeof note,
             "NVTX payloads have parts that are not decoded (the first: %.40s, type %llu)",
             walk->key, (unsigned long long)type);
    meta_info(PROF_INFO_NOTE, note);
}

/* ---- keys ---- */

static void nvtx_walk_name(struct nvtx_walk *walk, size_t keep, const char *dot, const char *name)
{
    size_t room = sizeof walk->key - keep;
    int size = snprintf(walk->key + keep, room, "%s%s", dot, name);
    walk->key_bytes = keep + ((size_t)size < room ? (size_t)size : room - 1);
}

static void nvtx_walk_emit(struct nvtx_walk *walk, const struct attr_value *value)
{
    if (!walk->silent)
        walk->sink->take(walk->sink->user, walk->key, value);
}

/* ---- what an entry is ---- */

bool nvtx_entry_is_string(const struct nvtx_entry *entry)
{
    return entry->type >= NVTX_TYPE_CSTRING && entry->type <= NVTX_TYPE_CSTRING_UTF32;
}

size_t nvtx_entry_unit(const struct nvtx_entry *entry)
{
    return entry->type == NVTX_TYPE_CSTRING_UTF16   ? 2
           : entry->type == NVTX_TYPE_CSTRING_UTF32 ? 4
                                                    : 1;
}

/* A string of which nothing is said is a char pointer. */
static bool nvtx_entry_is_pointer(const struct nvtx_entry *entry)
{
    return entry->flags & NVTX_ENTRY_INDIRECT ||
           (nvtx_entry_is_string(entry) && NVTX_ENTRY_ARRAY(entry->flags) == 0 &&
            entry->detail == 0);
}

static size_t nvtx_schema_align(uint32_t domain, const struct nvtx_schema *schema, int depth);

/* Natural alignment of a type; `depth` ends descriptions that contain themselves. */
static size_t nvtx_entry_align(uint32_t domain, const struct nvtx_entry *entry, int depth)
{
    if (nvtx_entry_is_pointer(entry) || entry->type == NVTX_TYPE_REGISTERED_STRING)
        return sizeof(void *);
    if (nvtx_entry_is_string(entry))
        return nvtx_entry_unit(entry);
    const struct nvtx_schema *inner = nvtx_schema_find(domain, entry->type);
    if (inner)
        return inner->values ? inner->size : nvtx_schema_align(domain, inner, depth + 1);
    size_t size = nvtx_scalar_size(entry->type);
    return size ? size : 1;
}

static size_t nvtx_schema_align(uint32_t domain, const struct nvtx_schema *schema, int depth)
{
    size_t align = 1;
    for (size_t i = 0; depth < 3 && i < schema->count; i++) {
        size_t each = nvtx_entry_align(domain, &schema->entries[i], depth);
        align = each > align ? each : align;
    }
    return schema->pack && align > schema->pack ? schema->pack : align;
}

static size_t nvtx_align_up(size_t at, size_t align)
{
    return (at + align - 1) / align * align;
}

/* Where entry `i` is, given where the one before it ends. */
static void nvtx_walk_place(const struct nvtx_walk *walk, const struct nvtx_schema *schema,
                            size_t base, size_t i, size_t end, struct nvtx_place *place)
{
    const struct nvtx_entry *entry = &schema->entries[i];
    size_t align = nvtx_entry_align(walk->domain, entry, 0);
    if (schema->pack && align > schema->pack)
        align = schema->pack;
    place->entry = entry;
    place->inner = nvtx_schema_find(walk->domain, entry->type);
    place->align = align;
    if (entry->offset)
        place->at = entry->offset <= SIZE_MAX - base ? base + entry->offset : SIZE_MAX;
    else
        place->at = i == 0 ? base : base + nvtx_align_up(end - base, align);
    place->element = nvtx_entry_is_string(entry)                  ? nvtx_entry_unit(entry)
                     : entry->type == NVTX_TYPE_REGISTERED_STRING ? sizeof(void *)
                     : place->inner && (place->inner->values || !place->inner->dynamic)
                         ? place->inner->size
                     : place->inner ? 0
                                    : nvtx_scalar_size(entry->type);
}

/* ---- lengths ---- */

static bool nvtx_walk_read(struct nvtx_walk *walk, size_t at, size_t bytes, uint64_t *number)
{
    *number = 0;
    if (!nvtx_walk_contains(walk, at, bytes))
        return false;
    memcpy(number, walk->data + at, bytes); /* little-endian, as all that CUDA runs on */
    return true;
}

/* The whole number in entry `index`, which stands before the array whose length it is. */
static bool nvtx_walk_length(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base,
                             size_t index, uint64_t *length);

static bool nvtx_walk_count_zero_terminated(struct nvtx_walk *walk, const struct nvtx_place *place,
                                            uint64_t *count)
{
    uint64_t element = 1;
    size_t width = place->element <= 8 ? place->element : 8;
    for (*count = 0;; *count += 1) {
        if (!nvtx_walk_read(walk, place->at + *count * place->element, width, &element))
            return false;
        if (element == 0)
            return true;
    }
}

/* Elements of an embedded array, or units of an embedded string; 1 for what is neither. */
static bool nvtx_walk_count(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base,
                            size_t index, const struct nvtx_place *place, uint64_t *count)
{
    const struct nvtx_entry *entry = place->entry;
    *count = nvtx_entry_is_string(entry) ? entry->detail : 1;
    switch (NVTX_ENTRY_ARRAY(entry->flags)) {
    case 0:
        return true;
    case NVTX_ARRAY_FIXED:
        *count = entry->detail;
        return true;
    case NVTX_ARRAY_ZERO_TERMINATED:
        return place->element && nvtx_walk_count_zero_terminated(walk, place, count);
    case NVTX_ARRAY_LENGTH_INDEX:
        return schema && entry->detail < index &&
               nvtx_walk_length(walk, schema, base, entry->detail, count);
    default:
        return false;
    }
}

/* ---- strings ---- */

static size_t nvtx_walk_utf16(const uint8_t *data, size_t units, char *utf8)
{
    struct nvtx_wide wide = {.utf8 = utf8};
    for (size_t i = 0; i < units; i++) {
        uint16_t unit, low = 0;
        memcpy(&unit, data + 2 * i, 2);
        if (unit == 0)
            break;
        if (i + 1 < units)
            memcpy(&low, data + 2 * i + 2, 2);
        bool pair = unit >> 10 == 0xd800u >> 10 && low >> 10 == 0xdc00u >> 10;
        uint32_t character = pair ? 0x10000u + ((unit & 0x3ffu) << 10 | (low & 0x3ffu)) : unit;
        nvtx_wide_add(&wide, character);
        i += pair;
    }
    return nvtx_wide_end(&wide);
}

static size_t nvtx_walk_utf32(const uint8_t *data, size_t units, char *utf8)
{
    struct nvtx_wide wide = {.utf8 = utf8};
    for (size_t i = 0; i < units; i++) {
        uint32_t character;
        memcpy(&character, data + 4 * i, 4);
        if (character == 0)
            break;
        nvtx_wide_add(&wide, character);
    }
    return nvtx_wide_end(&wide);
}

/* At most `units` units, ending before a zero. */
static void nvtx_walk_text(struct nvtx_walk *walk, const struct nvtx_entry *entry,
                           const uint8_t *data, size_t units)
{
    char utf8[NVTX_WIDE_BYTES];
    struct attr_value value = {.type = PROF_ATTR_STRING, .text = (const char *)data};
    size_t unit = nvtx_entry_unit(entry);
    if (walk->silent)
        return;
    if (unit == 1) {
        value.bytes = strnlen((const char *)data, units);
    } else {
        value.text = utf8;
        value.bytes =
            unit == 2 ? nvtx_walk_utf16(data, units, utf8) : nvtx_walk_utf32(data, units, utf8);
    }
    nvtx_walk_emit(walk, &value);
}

/* ---- values ---- */

static bool nvtx_walk_value(const struct nvtx_place *place, const uint8_t *data,
                            struct attr_value *value, char *room, size_t room_bytes)
{
    if (place->inner && place->inner->values)
        nvtx_scalar_enum(place->inner, data, value, room, room_bytes);
    else if (nvtx_scalar_size(place->entry->type))
        nvtx_scalar_read(place->entry->type, data, value, room);
    else
        return false;
    return true;
}

/* Elements that fit, in brackets. */
static void nvtx_walk_list(struct nvtx_walk *walk, const struct nvtx_place *place,
                           const uint8_t *data, uint64_t count)
{
    char text[NVTX_PAYLOAD_TEXT_BYTES], room[NVTX_PAYLOAD_KEY_BYTES];
    size_t used = 1;
    uint64_t i;
    text[0] = '[';
    for (i = 0; i < count && i < NVTX_PAYLOAD_ELEMENTS_MAX && used < sizeof text - 320; i++) {
        struct attr_value value;
        if (!nvtx_walk_value(place, data + i * place->element, &value, room, sizeof room))
            return;
        used += (size_t)snprintf(text + used, 3, "%s", i ? ", " : "");
        used += nvtx_scalar_print(&value, text + used, sizeof text - 32 - used);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "%s]", i < count ? ", ..." : "");
    nvtx_walk_emit(walk,
                   &(struct attr_value){.type = PROF_ATTR_STRING, .text = text, .bytes = used});
}

static bool nvtx_place_is_text(const struct nvtx_place *place)
{
    return place->entry->type == NVTX_TYPE_CHAR || place->entry->type == NVTX_TYPE_CHAR8;
}

/* `count` values in a row, or one. All of them lie inside. */
static void nvtx_walk_values(struct nvtx_walk *walk, const struct nvtx_place *place,
                             const uint8_t *data, uint64_t count, bool array)
{
    char room[NVTX_PAYLOAD_KEY_BYTES];
    struct attr_value value;
    if (walk->silent)
        return;
    if (array && nvtx_place_is_text(place))
        nvtx_walk_text(walk, place->entry, data, count);
    else if (array)
        nvtx_walk_list(walk, place, data, count);
    else if (nvtx_walk_value(place, data, &value, room, sizeof room))
        nvtx_walk_emit(walk, &value);
}

static void nvtx_walk_registered(struct nvtx_walk *walk, size_t at)
{
    uint64_t address;
    if (!nvtx_walk_read(walk, at, sizeof(void *), &address) || !address)
        return;
    const struct interned_text *string = (const struct interned_text *)(uintptr_t)address;
    nvtx_walk_emit(walk, &(struct attr_value){.type = PROF_ATTR_STRING,
                                              .text = string->text,
                                              .bytes = string->bytes});
}

/* ---- entries ---- */

/* What a pointer or an offset leads to: strings, and values that are not described by a schema. */
static void nvtx_walk_pointer(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base,
                              size_t index, struct nvtx_place *place)
{
    const struct nvtx_entry *entry = place->entry;
    uint64_t word, count = 1;
    if (!nvtx_walk_read(walk, place->at, sizeof word, &word))
        return;
    const uint8_t *data = (const uint8_t *)(uintptr_t)word;
    size_t room = SIZE_MAX;
    if (entry->flags & (NVTX_ENTRY_OFFSET_FROM_BASE | NVTX_ENTRY_OFFSET_FROM_HERE)) {
        size_t from = entry->flags & NVTX_ENTRY_OFFSET_FROM_HERE ? place->at + sizeof word : base;
        if (word > walk->size || !nvtx_walk_contains(walk, from + word, 0)) {
            nvtx_walk_break(walk);
            return;
        }
        data = walk->data + from + word;
        room = walk->size - from - word;
    }
    if (!data)
        return;
    unsigned array = NVTX_ENTRY_ARRAY(entry->flags);
    if (nvtx_entry_is_string(entry)) {
        size_t units = room == SIZE_MAX ? SIZE_MAX : room / nvtx_entry_unit(entry);
        nvtx_walk_text(walk, entry, data,
                       entry->detail && array < NVTX_ARRAY_ZERO_TERMINATED && entry->detail < units
                           ? entry->detail
                           : units);
        return;
    }
    bool counted = array != NVTX_ARRAY_ZERO_TERMINATED &&
                   nvtx_walk_count(walk, schema, base, index, place, &count);
    bool is_value = place->inner ? place->inner->values != NULL : place->element != 0;
    if (counted && is_value && count <= room / place->element)
        nvtx_walk_values(walk, place, data, count, array != 0);
    else
        nvtx_walk_skip_type(walk, entry->type);
}

/* One or several structs. Returns where they end. */
static size_t nvtx_walk_nested(struct nvtx_walk *walk, const struct nvtx_place *place,
                               uint64_t count, bool array)
{
    size_t keep = walk->key_bytes, at = place->at;
    bool silent = walk->silent;
    for (uint64_t i = 0; i < count && !walk->broken; i++) {
        char number[32] = "";
        if (array)
            snprintf(number, sizeof number, "[%llu]", (unsigned long long)i);
        nvtx_walk_name(walk, keep, number, "");
        walk->silent = silent || i >= NVTX_PAYLOAD_ELEMENTS_MAX;
        size_t end = nvtx_walk_schema(walk, place->inner, at);
        at = place->element ? at + place->element : end;
    }
    walk->silent = silent;
    return at;
}

/* An embedded entry. Returns where it ends. */
static size_t nvtx_walk_embedded(struct nvtx_walk *walk, const struct nvtx_schema *schema,
                                 size_t base, size_t index, struct nvtx_place *place)
{
    uint64_t count;
    bool array = NVTX_ENTRY_ARRAY(place->entry->flags) != 0;
    bool is_struct = place->inner && !place->inner->values;
    if ((!place->element && !is_struct) ||
        !nvtx_walk_count(walk, schema, base, index, place, &count)) {
        nvtx_walk_skip_type(walk, place->entry->type);
        nvtx_walk_break(walk); /* where the next entry begins is not known either */
        return place->at;
    }
    if (is_struct)
        return nvtx_walk_nested(walk, place, count, array);
    if (place->at > walk->size || count > (walk->size - place->at) / place->element) {
        nvtx_walk_break(walk);
        return place->at;
    }
    const uint8_t *data = walk->data + place->at;
    size_t end = place->at + count * place->element;
    if (nvtx_entry_is_string(place->entry))
        nvtx_walk_text(walk, place->entry, data, count);
    else if (place->entry->type == NVTX_TYPE_REGISTERED_STRING)
        nvtx_walk_registered(walk, place->at);
    else
        nvtx_walk_values(walk, place, data, count, array);
    bool terminated = NVTX_ENTRY_ARRAY(place->entry->flags) == NVTX_ARRAY_ZERO_TERMINATED;
    return terminated ? end + place->element : end;
}

static size_t nvtx_walk_entry(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base,
                              size_t index, struct nvtx_place *place)
{
    bool silent = walk->silent;
    size_t end = place->at + sizeof(void *);
    walk->silent = silent || (NVTX_ENTRY_MESSAGE(place->entry->flags) != walk->messages &&
                              !(place->inner && !place->inner->values));
    if (nvtx_entry_is_pointer(place->entry))
        nvtx_walk_pointer(walk, schema, base, index, place);
    else
        end = nvtx_walk_embedded(walk, schema, base, index, place);
    walk->silent = silent;
    return end;
}

/* Entries up to `count`; `last` gets where the last of them is. Returns where it ends. */
static size_t nvtx_walk_entries(struct nvtx_walk *walk, const struct nvtx_schema *schema,
                                size_t base, size_t count, struct nvtx_place *last)
{
    size_t end = base, keep = walk->key_bytes;
    for (size_t i = 0; i < count && !walk->broken; i++) {
        if (walk->steps++ >= NVTX_PAYLOAD_STEPS_MAX) {
            nvtx_walk_break(walk);
            break;
        }
        nvtx_walk_place(walk, schema, base, i, end, last);
        nvtx_walk_name(walk, keep, keep ? "." : "", last->entry->name);
        size_t entry_end = nvtx_walk_entry(walk, schema, base, i, last);
        end = entry_end > end ? entry_end : end;
    }
    walk->key_bytes = keep;
    walk->key[keep] = '\0';
    return end;
}

size_t nvtx_walk_schema(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base)
{
    struct nvtx_place last;
    if (++walk->depth > NVTX_PAYLOAD_DEPTH_MAX)
        nvtx_walk_break(walk);
    size_t end = nvtx_walk_entries(walk, schema, base, schema->count, &last);
    walk->depth--;
    size_t align = nvtx_schema_align(walk->domain, schema, 0);
    return schema->dynamic ? end : base + nvtx_align_up(end - base, align);
}

static bool nvtx_walk_length(struct nvtx_walk *walk, const struct nvtx_schema *schema, size_t base,
                             size_t index, uint64_t *length)
{
    struct nvtx_place place = {0};
    struct attr_value value;
    char room[8];
    bool silent = walk->silent;
    walk->silent = true;
    walk->depth++;
    if (walk->depth <= NVTX_PAYLOAD_DEPTH_MAX)
        nvtx_walk_entries(walk, schema, base, index + 1, &place);
    walk->depth--;
    walk->silent = silent;
    if (walk->broken || !place.entry || place.inner || !nvtx_scalar_size(place.entry->type))
        return false;
    nvtx_scalar_read(place.entry->type, walk->data + place.at, &value, room);
    *length = value.bits;
    return value.type == PROF_ATTR_UINT || (value.type == PROF_ATTR_INT && (int64_t)*length >= 0);
}
