/* merge_event.c - see merge_event.h. */
#include "merge_event.h"

#include <inttypes.h>

static void add_place(struct merge_event *event, enum merge_kind kind, const char *begin,
                      const char *end)
{
    if (event->count < MERGE_PLACES_MAX)
        event->places[event->count++] = (struct merge_place){kind, {begin, (size_t)(end - begin)}};
}

/* Which place a member is; false: none. `inner`: of "args" or "id2". */
typedef bool find_kind(const struct json_string *key, enum merge_kind *kind);

static bool kind_of_arg(const struct json_string *key, enum merge_kind *kind)
{
    *kind = MERGE_LINK;
    return json_string_is(key, "External id") || json_string_is(key, "external id") ||
           json_string_is(key, "correlation") || json_string_is(key, "piece of");
}

static bool kind_of_id2(const struct json_string *key, enum merge_kind *kind)
{
    *kind = MERGE_ID;
    return json_string_is(key, "global") || json_string_is(key, "local");
}

static bool kind_of_member(const struct json_string *key, enum merge_kind *kind)
{
    *kind = json_string_is(key, "ts")    ? MERGE_TIME
            : json_string_is(key, "pid") ? MERGE_PID
                                         : MERGE_ID;
    return *kind != MERGE_ID || json_string_is(key, "id") || json_string_is(key, "bind_id");
}

/* An object within the event. */
static const char *read_inner(struct merge_event *event, struct json_cursor *cursor, const char *p,
                              find_kind *find)
{
    struct json_string key;
    enum merge_kind kind;
    bool more = true;
    if (p >= cursor->end || *p != '{')
        return json_skip(cursor, p);
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        const char *after = p ? json_skip(cursor, p) : NULL;
        if (after && find(&key, &kind))
            add_place(event, kind, p, after);
        p = after ? json_next(cursor, after, '}', &more) : NULL;
    }
    return p;
}

static const char *read_member(struct merge_event *event, const struct json_string *key,
                               struct json_cursor *cursor, const char *p)
{
    enum merge_kind kind;
    if (json_string_is(key, "args"))
        return read_inner(event, cursor, p, kind_of_arg);
    if (json_string_is(key, "id2"))
        return read_inner(event, cursor, p, kind_of_id2);
    const char *after = json_skip(cursor, p);
    if (after && kind_of_member(key, &kind))
        add_place(event, kind, p, after);
    return after;
}

const char *merge_event_read(struct merge_event *event, struct json_cursor *cursor, const char *p)
{
    struct json_string key;
    bool more = true;
    event->count = 0;
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        if (p)
            p = read_member(event, &key, cursor, p);
        if (p)
            p = json_next(cursor, p, '}', &more);
    }
    return p;
}

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static bool read_hex(struct text text, uint64_t *id)
{
    *id = 0;
    if (text.size > 2 && text.bytes[0] == '0' && (text.bytes[1] | 0x20) == 'x')
        text = (struct text){text.bytes + 2, text.size - 2};
    for (size_t i = 0; i < text.size; i++) {
        int digit = hex_digit(text.bytes[i]);
        if (digit < 0)
            return false;
        *id = *id * 16 + (unsigned)digit;
    }
    return text.size > 0 && text.size <= 13;
}

/* Up to 2^53, which readers that have doubles tell apart. */
bool merge_event_id(struct text text, uint64_t *id, bool *is_text)
{
    int64_t number;
    *is_text = text.size >= 2 && text.bytes[0] == '"';
    if (*is_text)
        return read_hex((struct text){text.bytes + 1, text.size - 2}, id);
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    if (!json_text_scaled(text, 0, &number) || number >= INT64_C(1) << 53)
        return false;
    *id = (uint64_t)number;
    return true;
}

/* Digits before and behind the point. */
struct parts {
    struct text whole, fraction;
    bool negative;
};

static bool take_apart(struct text text, struct parts *parts)
{
    *parts = (struct parts){.negative = text.size && text.bytes[0] == '-'};
    size_t at = parts->negative, whole = at;
    while (at < text.size && text.bytes[at] >= '0' && text.bytes[at] <= '9')
        at++;
    parts->whole = (struct text){text.bytes + whole, at - whole};
    parts->fraction = (struct text){text.bytes + at, 0};
    if (at < text.size && text.bytes[at] == '.') {
        size_t fraction = ++at;
        while (at < text.size && text.bytes[at] >= '0' && text.bytes[at] <= '9')
            at++;
        parts->fraction = (struct text){text.bytes + fraction, at - fraction};
    }
    return at == text.size && parts->whole.size && parts->whole.size <= 16;
}

static void write_text(struct json_out *out, struct text text)
{
    json_out_bytes(out, text.bytes, text.size);
}

/* "123" or "123.456", and what was behind the third decimal. */
static void write_moved(struct json_out *out, int64_t ns, struct text rest, bool decimals)
{
    char number[48];
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int length = snprintf(number, sizeof number, "%s%" PRIu64, ns < 0 ? "-" : "", size / 1000);
    if (decimals || size % 1000)
        length += snprintf(number + length, sizeof number - (size_t)length, ".%03u",
                           (unsigned)(size % 1000));
    write_text(out, (struct text){number, (size_t)length});
    write_text(out, rest);
}

bool merge_event_time(struct json_out *out, struct text text, int64_t later_ns)
{
    struct parts parts;
    int64_t ns;
    bool quoted = text.size >= 2 && text.bytes[0] == '"';
    struct text bare = quoted ? (struct text){text.bytes + 1, text.size - 2} : text;
    bool plain = take_apart(bare, &parts) && json_text_scaled(bare, 3, &ns) &&
                 ns < JSON_NUMBER_MAX && ns > -JSON_NUMBER_MAX;
    size_t kept = parts.fraction.size > 3 ? parts.fraction.size - 3 : 0;
    if (!plain || (parts.negative && kept) || (kept && ns + later_ns < 0)) {
        write_text(out, text);
        return later_ns == 0;
    }
    struct text rest = {parts.fraction.bytes + parts.fraction.size - kept, kept};
    if (quoted)
        json_out_bytes(out, "\"", 1);
    write_moved(out, ns + later_ns, rest, parts.fraction.size > 0);
    if (quoted)
        json_out_bytes(out, "\"", 1);
    return true;
}
