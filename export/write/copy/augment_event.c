/* augment_event.c - see augment_event.h. */
#include "augment_event.h"

typedef struct text *find_place(struct augment_event *event, const struct json_string *key);

static struct text *place_of_arg(struct augment_event *event, const struct json_string *key)
{
    switch (key->size) {
    case 6:
        return json_string_is(key, "device") ? &event->device : NULL;
    case 10:
        return json_string_is(key, "Input Dims")   ? &event->dims
               : json_string_is(key, "Input type") ? &event->types
                                                   : NULL;
    case 11:
        return json_string_is(key, "External id")   ? &event->external_id
               : json_string_is(key, "kernel_flop") ? &event->flop
                                                    : NULL;
    case 13:
        return json_string_is(key, "kernel_num_gb") ? &event->gigabytes : NULL;
    case 15:
        return json_string_is(key, "Concrete Inputs") ? &event->values : NULL;
    default:
        return NULL;
    }
}

static struct text *place_of_member(struct augment_event *event, const struct json_string *key)
{
    return json_string_is(key, "cat")    ? &event->category
           : json_string_is(key, "dur")  ? &event->duration
           : json_string_is(key, "name") ? &event->name
           : json_string_is(key, "args") ? &event->args
                                         : NULL;
}

static const char *read_object(struct augment_event *event, struct json_cursor *cursor,
                               const char *p, find_place *find)
{
    struct json_string key;
    bool more = true;
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        const char *after = p ? json_skip(cursor, p) : NULL;
        struct text *place = after ? find(event, &key) : NULL;
        if (place)
            *place = (struct text){p, (size_t)(after - p)};
        p = after ? json_next(cursor, after, '}', &more) : NULL;
    }
    return p;
}

const char *augment_event_read(struct augment_event *event, struct json_cursor *cursor,
                               const char *p)
{
    *event = (struct augment_event){0};
    p = read_object(event, cursor, p, place_of_member);
    if (!p || !event->args.bytes)
        return p;
    event->has_args = true;
    if (event->args.bytes[0] != '{')
        event->args = (struct text){NULL, 0};
    else if (!read_object(event, cursor, event->args.bytes, place_of_arg))
        return NULL;
    return p;
}

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* The end of the last member of the args, before white space. */
static const char *end_of_args(const struct augment_event *event)
{
    const char *p = event->args.bytes + event->args.size - 1;
    while (is_space(p[-1]))
        p--;
    return p;
}

static void put(struct json_out *out, const char *begin, const char *end)
{
    json_out_bytes(out, begin, (size_t)(end - begin));
}

/* Replaces a value. Returns where to continue. */
static const char *replace(struct json_out *out, const char *from, struct text old,
                           struct text value)
{
    put(out, from, old.bytes);
    put(out, value.bytes, value.bytes + value.size);
    return old.bytes + old.size;
}

/* Appends a member. */
static void append(struct json_out *out, const char *key, struct text value, bool *comma)
{
    json_out_bytes(out, ", ", *comma ? 2 : 0);
    json_out_bytes(out, key, strlen(key));
    put(out, value.bytes, value.bytes + value.size);
    *comma = true;
}

void augment_event_write(struct json_out *out, const struct augment_event *event, const char *begin,
                         const char *end, struct text flop, struct text gigabytes)
{
    struct text old[2] = {event->flop, event->gigabytes}, new[2] = {flop, gigabytes};
    unsigned first = old[0].bytes && old[1].bytes && old[1].bytes < old[0].bytes;
    if (!event->args.bytes || (!flop.size && !gigabytes.size)) {
        put(out, begin, end);
        return;
    }
    for (unsigned i = first; i < first + 2; i++)
        if (old[i % 2].bytes && new[i % 2].size)
            begin = replace(out, begin, old[i % 2], new[i % 2]);
    const char *behind = end_of_args(event);
    bool comma = behind[-1] != '{' || behind - 1 != event->args.bytes;
    put(out, begin, behind);
    if (!old[0].bytes && flop.size)
        append(out, "\"kernel_flop\": ", flop, &comma);
    if (!old[1].bytes && gigabytes.size)
        append(out, "\"kernel_num_gb\": ", gigabytes, &comma);
    put(out, behind, end);
}
