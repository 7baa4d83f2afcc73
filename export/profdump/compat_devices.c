/* compat_devices.c - see compat_devices.h. */
#include "compat_devices.h"

#include <stdlib.h>

/* Followed by the quotes that json_text.h asks for. */
bool compat_devices_piece(struct compat_trace *trace, struct text piece, bool first)
{
    trace->device_bytes = first ? 0 : trace->device_bytes;
    size_t wanted = trace->device_bytes + piece.size + JSON_PAD_BYTES;
    if (wanted > trace->device_capacity) {
        char *devices = realloc(trace->devices, wanted * 2);
        if (!devices)
            return false;
        trace->devices = devices;
        trace->device_capacity = wanted * 2;
    }
    memcpy(trace->devices + trace->device_bytes, piece.bytes, piece.size);
    trace->device_bytes += piece.size;
    memset(trace->devices + trace->device_bytes, '"', JSON_PAD_BYTES);
    return true;
}

static const char *read_device(struct json_cursor *cursor, const char *p, struct text *id,
                               struct text *name)
{
    struct json_string key;
    bool more = true;
    if (*p != '{')
        return json_skip(cursor, p);
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        const char *after = p ? json_skip(cursor, p) : NULL;
        if (after && json_string_is(&key, "id"))
            *id = (struct text){p, (size_t)(after - p)};
        else if (after && json_string_is(&key, "name"))
            *name = (struct text){p, (size_t)(after - p)};
        p = after ? json_next(cursor, after, '}', &more) : NULL;
    }
    return p;
}

const char *compat_devices_next(const char *p, const char *end, struct text *item, struct text *id,
                                struct text *name)
{
    struct json_cursor cursor = {.end = end};
    if (p >= end || *p == ']')
        return NULL;
    p = json_space(p + 1); /* behind the bracket, or the comma */
    if (p >= end || *p == ']')
        return NULL;
    *id = *name = (struct text){NULL, 0};
    const char *after = read_device(&cursor, p, id, name);
    if (after)
        *item = (struct text){p, (size_t)(after - p)};
    return after ? json_space(after) : NULL;
}

static bool add_device(struct compat_trace *trace, struct text id, struct text name)
{
    size_t bytes = (trace->device_count + 1) * sizeof *trace->device_ids;
    struct text *ids = realloc(trace->device_ids, bytes);
    trace->device_ids = ids ? ids : trace->device_ids;
    struct text *names = realloc(trace->device_names, bytes);
    trace->device_names = names ? names : trace->device_names;
    if (!ids || !names || !name.bytes || name.size < 2 || name.bytes[0] != '"')
        return false;
    char *plain = malloc(name.size);
    struct json_string string = {name.bytes + 1, (uint32_t)name.size - 2, true};
    if (!plain)
        return false;
    struct text shown = {plain, json_unescape(&string, plain)};
    ids[trace->device_count] = text_pool_copy(&trace->texts, id);
    names[trace->device_count] = text_pool_copy(&trace->texts, shown);
    free(plain);
    bool good = ids[trace->device_count].bytes && names[trace->device_count].bytes;
    trace->device_count++;
    return good;
}

/* Its dictionary: a later device of the same id replaces the earlier one where that stands. */
static bool take_device(struct compat_trace *trace, struct text id, struct text name)
{
    if (!id.bytes || !add_device(trace, id, name))
        return false;
    uint32_t last = trace->device_count - 1;
    for (uint32_t i = 0; i < last; i++)
        if (trace->device_ids[i].size == id.size &&
            memcmp(trace->device_ids[i].bytes, id.bytes, id.size) == 0) {
            trace->device_names[i] = trace->device_names[last];
            trace->device_count = last;
            break;
        }
    return true;
}

bool compat_devices_read(struct compat_trace *trace)
{
    const char *p = trace->devices, *end = p + trace->device_bytes;
    struct text item, id, name;
    if (*p != '[')
        return false;
    while ((p = compat_devices_next(p, end, &item, &id, &name)))
        if (!take_device(trace, id, name))
            return false;
    return true;
}
