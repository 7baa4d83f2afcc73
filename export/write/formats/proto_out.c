/* proto_out.c - buffer, growth, and the values that are not hot. */
#include "proto_out.h"

#include "json_out.h"
#include "out_behind.h"
#include "out_file.h"

#include <errno.h>
#include <stdlib.h>

#define FILE_CAPACITY (PROTO_FLUSH_BYTES + (1u << 16))
#define MEMORY_CAPACITY 4096u

bool proto_out_init(struct proto_out *out, int fd, FILE *stream)
{
    *out = (struct proto_out){.fd = fd, .stream = stream};
    out->capacity = fd < 0 && !stream ? MEMORY_CAPACITY : FILE_CAPACITY;
    out->buffer = malloc(out->capacity);
    out->at = out->buffer;
    if (!out->buffer) {
        out->error = ENOMEM;
        return false;
    }
    out->limit = out->buffer + out->capacity - PROTO_SLACK_BYTES;
    return true;
}

/* After a failure writing starts over at the buffer's begin: every message that is open has its
 * mark somewhere in the buffer, and nothing of it is written. */
static void give_up(struct proto_out *out)
{
    if (!out->error)
        out->error = ENOMEM;
    out->at = out->buffer;
}

void proto_out_grow(struct proto_out *out, size_t bytes)
{
    size_t used = (size_t)(out->at - out->buffer);
    size_t capacity = out->capacity;
    if (out->error) {
        give_up(out);
        return;
    }
    while (capacity < used + bytes + PROTO_SLACK_BYTES)
        capacity *= 2;
    char *buffer = realloc(out->buffer, capacity);
    if (!buffer) {
        give_up(out);
        return;
    }
    out->buffer = buffer;
    out->at = buffer + used;
    out->capacity = capacity;
    out->limit = buffer + capacity - PROTO_SLACK_BYTES;
}

void proto_out_flush(struct proto_out *out)
{
    if (!out->error && (out->fd >= 0 || out->stream))
        out->error = out_write(out->fd, out->stream, out->buffer, proto_size(out));
    out->at = out->buffer;
}

int proto_out_fini(struct proto_out *out)
{
    if (out->buffer)
        proto_out_flush(out);
    int error = out->error;
    free(out->buffer);
    *out = (struct proto_out){.fd = -1, .error = error};
    return error;
}

/* Moves a body that is too long for a length of one byte. */
void proto_out_lengthen(struct proto_out *out, size_t mark, size_t size)
{
    char length[10];
    size_t more = (size_t)(proto_put_varint(length, size) - length) - 1;
    if (out->error)
        return;
    if (out->at + more > out->limit)
        proto_out_grow(out, more);
    if (out->error)
        return;
    char *body = out->buffer + mark + 1;
    memmove(body + more, body, size);
    memcpy(out->buffer + mark, length, more + 1);
    out->at += more;
}

/* Room for that much beside the slack. False: it cannot be had. */
static bool make_room(struct proto_out *out, size_t bytes)
{
    if (out->at > out->limit || bytes > (size_t)(out->limit - out->at))
        proto_out_grow(out, bytes);
    return !out->error;
}

void proto_bytes(struct proto_out *out, unsigned field, const char *bytes, size_t size)
{
    char *p = proto_put_tag(proto_room(out), field, PROTO_LENGTH);
    out->at = proto_put_varint(p, size);
    if (!make_room(out, size) || size == 0)
        return;
    memcpy(out->at, bytes, size);
    out->at += size;
}

#define REPLACEMENT "\xef\xbf\xbd"
#define REPLACEMENT_BYTES 3u

/* Bytes up to the first that is not UTF-8. */
static size_t valid_part(struct text text)
{
    size_t at = 0;
    uint32_t character;
    for (size_t size = 1; at < text.size && size; at += size)
        size = (unsigned char)text.bytes[at] < 0x80
                   ? 1
                   : utf8_decode(text.bytes + at, text.size - at, &character);
    return at;
}

static void put_valid(struct proto_out *out, struct text text)
{
    while (text.size) {
        size_t valid = valid_part(text);
        if (!make_room(out, valid + REPLACEMENT_BYTES))
            return;
        memcpy(out->at, text.bytes, valid);
        out->at += valid;
        if (valid < text.size) {
            memcpy(out->at, REPLACEMENT, REPLACEMENT_BYTES);
            out->at += REPLACEMENT_BYTES;
            valid++;
        }
        text = (struct text){text.bytes + valid, text.size - valid};
    }
}

void proto_text(struct proto_out *out, unsigned field, struct text text)
{
    if (valid_part(text) == text.size) {
        proto_bytes(out, field, text.bytes, text.size);
        return;
    }
    size_t mark = proto_begin(out, field);
    put_valid(out, text);
    proto_end(out, mark);
}

void proto_string(struct proto_out *out, unsigned field, const char *string)
{
    proto_text(out, field, (struct text){string, strlen(string)});
}
