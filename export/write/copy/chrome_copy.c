/* chrome_copy.c - see chrome_copy.h. */
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
