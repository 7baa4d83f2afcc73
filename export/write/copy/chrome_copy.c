#include "chrome_copy.h"
#include "packed_out.h"

#include <errno.h>

void chrome_copy_part(struct json_out *out, struct text key, struct text segment, bool first,
                      bool last)
{
    if (first) {
        json_newline(out);
        json_out_bytes(out, "\"", 1);
        json_out_bytes(out, key.bytes, key.size);
        json_out_bytes(out, "\": ", 3);
    }
    json_out_bytes(out, segment.bytes, segment.size);
    out->comma = last;
}

void chrome_copy_end_line(struct json_out *out)
{
    out->comma = false;
    json_newline(out);
}

bool chrome_copy_write(const char *path, bool (*write_all)(void *user, struct json_out *out),
                       void *user, struct write_error *error)
{
    struct out_file file;
    struct json_out out;
    struct write_error unused;
    bool good = true;
    if (!out_file_open(&file, path, error))
        return false;
    FILE *stream = packed_out_open(file.fd, path);
    int code = stream ? 0 : errno;
    if (!code && json_out_init(&out, file.fd, stream))
        good = write_all(user, &out);
    code = code ? code : json_out_fini(&out);
    if (stream && fclose(stream) != 0 && !code)
        code = errno;
    if (good)
        return out_file_commit(&file, code, error);
    out_file_commit(&file, code ? code : EINVAL, &unused);
    return false;
}

/* ---- one trace ---- */

struct copying {
    const struct chrome_copy *copy;
    struct json_out *out;
    struct kineto_walked walked;
    struct read_error error;
    bool begun; /* the brace is written */
};

static void begin_object(struct copying *copying)
{
    if (!copying->begun && !copying->walked.is_array)
        json_object_begin(copying->out);
    copying->begun = true;
}

static void copy_member(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct copying *copying = user;
    begin_object(copying);
    chrome_copy_part(copying->out, key, segment, first, last);
}

static void copy_events(void *user, bool begin)
{
    struct copying *copying = user;
    struct json_out *out = copying->out;
    if (begin) {
        begin_object(copying);
        if (!copying->walked.is_array)
            json_newline(out), json_key(out, "traceEvents");
        json_array_begin(out);
    } else {
        chrome_copy_end_line(out);
        json_array_end(out);
    }
}

static const char *copy_event(void *user, struct json_cursor *cursor, const char *p)
{
    const struct copying *copying = user;
    return copying->copy->event(copying->copy->user, copying->out, cursor, p);
}

static bool write_trace(void *user, struct json_out *out)
{
    struct copying *copying = user;
    const struct chrome_copy *copy = copying->copy;
    const struct kineto_visitor visitor = {
        .user = copying, .event = copy_event, .events = copy_events, .member = copy_member};
    struct source *source = source_open(copy->path, &copying->error);
    copying->out = out;
    bool good = source && kineto_file_walk(source, copy->partial, &visitor, &copying->walked,
                                           &copying->error);
    source_close(source);
    copying->out = NULL; /* it ends with the caller */
    chrome_copy_end_line(out);
    if (!copying->walked.is_array) {
        json_object_end(out);
        chrome_copy_end_line(out);
    }
    if (!good || !copy->no_memory || !*copy->no_memory)
        return good;
    snprintf(copying->error.message, sizeof copying->error.message, "out of memory");
    return false;
}

bool chrome_copy_trace(const struct chrome_copy *copy, const char *to, struct write_error *error)
{
    struct copying copying = {.copy = copy};
    if (chrome_copy_write(to, write_trace, &copying, error))
        return true;
    if (copying.error.message[0]) {
        error->code = EINVAL;
        snprintf(error->message, sizeof error->message, "%s", copying.error.message);
    }
    return false;
}

/* ---- the members that augment adds ---- */

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
