/* perfetto_packet.h - the frame of a packet: its sequence, flags and time. */
#ifndef PROF_PERFETTO_PACKET_H
#define PROF_PERFETTO_PACKET_H

#include "perfetto_fields.h"
#include "proto_out.h"

/* One sequence: what is interned and what times count from is known to all packets after the first. */
#define PERFETTO_SEQUENCE 1u

/* The bytes that every packet begins with, after its length: within the room of its tag. */
static inline char *perfetto_packet_put(char *p)
{
    p = proto_put_tag(p, PACKET_SEQUENCE_ID, PROTO_VARINT);
    p = proto_put_varint(p, PERFETTO_SEQUENCE);
    p = proto_put_tag(p, PACKET_SEQUENCE_FLAGS, PROTO_VARINT);
    return proto_put_varint(p, SEQUENCE_NEEDS_STATE);
}

static inline size_t perfetto_packet_begin_untimed(struct proto_out *out)
{
    size_t packet = proto_begin(out, TRACE_PACKET);
    out->at = perfetto_packet_put(out->at);
    return packet;
}

/* An event that is being written: where its lengths go. */
struct perfetto_packet {
    size_t packet, event;
};

/* Opens a packet, `delta_ns` after the one with a time before it, and in it an event of that type on a
 * track. There are two for each slice, so everything stays in registers on the way. */
static inline struct perfetto_packet perfetto_packet_begin(struct proto_out *out, uint64_t delta_ns,
                                                           unsigned type, uint32_t track)
{
    char *packet = proto_put_tag(proto_room(out), TRACE_PACKET, PROTO_LENGTH);
    char *p = perfetto_packet_put(packet + 1);
    p = proto_put_tag(p, PACKET_TIMESTAMP, PROTO_VARINT);
    p = proto_put_varint(p, delta_ns);
    char *event = proto_put_tag(p, PACKET_TRACK_EVENT, PROTO_LENGTH);
    p = proto_put_tag(event + 1, EVENT_TYPE, PROTO_VARINT);
    p = proto_put_varint(p, type);
    p = proto_put_tag(p, EVENT_TRACK, PROTO_VARINT);
    p = proto_put_varint(p, track);
    *event = (char)(p - event - 1); /* right where nothing follows */
    *packet = (char)(p - packet - 1);
    out->at = p;
    return (struct perfetto_packet){(size_t)(packet - out->buffer), (size_t)(event - out->buffer)};
}

#endif
