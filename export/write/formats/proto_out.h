/* proto_out.h - the one place that writes protobuf.
 *
 * A struct proto_out owns lengths and buffering, so that its callers only say what they mean:
 *
 *     size_t packet = proto_begin(&out, TRACE_PACKET);
 *     proto_uint(&out, PACKET_TIMESTAMP, delta_ns);
 *     proto_end(&out, packet);
 *
 * The wire format, from protobuf.dev/programming-guides/encoding: a field is a varint of (number <<
 * 3 | wire type), then a varint, eight bytes, or a length and that many bytes. A message inside
 * another one has a length in front that is known only at its end: proto_begin() leaves one byte
 * for it, enough for bodies up to 127 bytes; longer ones are moved by the bytes that are missing.
 *
 * Text becomes valid UTF-8: each invalid byte becomes U+FFFD, since parsers may refuse invalid
 * strings.
 *
 * Errors: the first one is latched, everything after it is dropped, and proto_out_fini() returns
 * it. Threads: one at a time.
 */
#ifndef PROF_PROTO_OUT_H
#define PROF_PROTO_OUT_H

#include "text.h"

#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Written out when this much is there and no message is open. */
#define PROTO_FLUSH_BYTES (1u << 20)

/* Room that is always left behind `limit`, so that small segments need one comparison each. */
#define PROTO_SLACK_BYTES 128u

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_LENGTH = 2 };

struct proto_out {
    char *at;    /* next byte */
    char *limit; /* at <= limit: PROTO_SLACK_BYTES can be written */
    char *buffer;
    size_t capacity;
    int fd; /* where to, when stream is NULL; -1 with no stream: bytes stay in the buffer */
    FILE *stream;
    int error; /* errno of the first failure, 0 none */
};

/* Writes to a descriptor or, when `stream` is given, to the stream; neither is closed. fd -1 and no
 * stream: keeps everything in memory. Returns false when memory is short: then no other call is
 * allowed but fini. */
bool proto_out_init(struct proto_out *out, int fd, FILE *stream);

/* Writes what is buffered and frees. Returns 0 or the errno of the first failure. */
int proto_out_fini(struct proto_out *out);

/* Slow paths; use the functions below. */
void proto_out_grow(struct proto_out *out, size_t bytes);
void proto_out_flush(struct proto_out *out);
void proto_out_lengthen(struct proto_out *out, size_t mark, size_t size);

/* Any bytes, as they are. */
void proto_bytes(struct proto_out *out, unsigned field, const char *bytes, size_t size);

/* A string: see above. */
void proto_text(struct proto_out *out, unsigned field, struct text text);
void proto_string(struct proto_out *out, unsigned field, const char *string);

static inline char *proto_room(struct proto_out *out)
{
    if (__builtin_expect(out->at > out->limit, 0))
        proto_out_grow(out, PROTO_SLACK_BYTES);
    return out->at;
}

/* At most 10 bytes. */
static inline char *proto_put_varint(char *p, uint64_t value)
{
    while (value >= 0x80) {
        *p++ = (char)(value | 0x80);
        value >>= 7;
    }
    *p++ = (char)value;
    return p;
}

static inline char *proto_put_tag(char *p, unsigned field, enum proto_wire wire)
{
    return proto_put_varint(p, field << 3 | (unsigned)wire);
}

static inline char *proto_put_fixed64(char *p, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (char)(value >> 8 * i);
    return p + 8;
}

/* Also bool, enum and int32/int64, whose negative numbers are ten bytes. */
static inline void proto_uint(struct proto_out *out, unsigned field, uint64_t value)
{
    char *p = proto_put_tag(proto_room(out), field, PROTO_VARINT);
    out->at = proto_put_varint(p, value);
}

static inline void proto_int(struct proto_out *out, unsigned field, int64_t value)
{
    proto_uint(out, field, (uint64_t)value);
}

static inline void proto_fixed64(struct proto_out *out, unsigned field, uint64_t value)
{
    char *p = proto_put_tag(proto_room(out), field, PROTO_FIXED64);
    out->at = proto_put_fixed64(p, value);
}

static inline void proto_double(struct proto_out *out, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    proto_fixed64(out, field, bits);
}

/* Opens a message; the result is for proto_end(), innermost first. */
static inline size_t proto_begin(struct proto_out *out, unsigned field)
{
    char *p = proto_put_tag(proto_room(out), field, PROTO_LENGTH);
    out->at = p + 1;
    return (size_t)(p - out->buffer);
}

static inline void proto_end(struct proto_out *out, size_t mark)
{
    size_t size = (size_t)(out->at - out->buffer) - mark - 1;
    if (__builtin_expect(size < 0x80, 1))
        out->buffer[mark] = (char)size;
    else
        proto_out_lengthen(out, mark, size);
}

/* Between messages of the top level. */
static inline void proto_may_flush(struct proto_out *out)
{
    if (__builtin_expect(out->at - out->buffer >= (ptrdiff_t)PROTO_FLUSH_BYTES, 0))
        proto_out_flush(out);
}

/* Of what stays in memory. */
static inline size_t proto_size(const struct proto_out *out)
{
    return (size_t)(out->at - out->buffer);
}

static inline void proto_empty(struct proto_out *out)
{
    out->at = out->buffer;
}

#ifdef __cplusplus
}
#endif
#endif
