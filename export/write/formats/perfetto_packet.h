/* perfetto_packet.h - the frame of a packet: its sequence, flags and time. */
#ifndef PROF_PERFETTO_PACKET_H
#define PROF_PERFETTO_PACKET_H

#include "proto_out.h"

/* The numbers of Perfetto's messages, fields and enums that we write.
 *
 * Facts of protos/perfetto/trace in Perfetto's public repository, the same in every version:
 * protobuf never gives a number another meaning.
 */

enum {
    TRACE_PACKET = 1,

    /* TracePacket */
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_GPU_STAGE = 53,
    PACKET_TIMESTAMP_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60,
    PACKET_PERF_SAMPLE = 66,
    PACKET_FIRST_ON_SEQUENCE = 87,
    PACKET_GPU_INFO = 128,

    SEQUENCE_STATE_CLEARED = 1, /* values of sequence_flags */
    SEQUENCE_NEEDS_STATE = 2,

    /* TracePacketDefaults */
    DEFAULTS_TIMESTAMP_CLOCK = 58,

    /* ClockSnapshot and its Clock */
    SNAPSHOT_CLOCK = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_TIMESTAMP = 2,
    CLOCK_INCREMENTAL = 3,
    CLOCK_REALTIME_ID = 1, /* BUILTIN_CLOCK_REALTIME */
    CLOCK_FILE_ID = 11,    /* BUILTIN_CLOCK_TRACE_FILE: of this file alone */
    CLOCK_DELTA_ID = 64,   /* the first that a sequence has for itself */

    /* TrackDescriptor */
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDER = 11,
    TRACK_RANK = 12,
    TRACK_DESCRIPTION = 14,
    TRACK_PROCESS_ORDER = 19,
    TRACK_THREAD_ORDER = 20,
    CHILD_ORDER_EXPLICIT = 3,
    ROOT_ORDER_EXPLICIT = 1,

    /* ProcessDescriptor, ThreadDescriptor, CounterDescriptor */
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    PROCESS_LABEL = 8,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    COUNTER_UNIT = 3,
    UNIT_COUNT = 2,
    UNIT_BYTES = 3,

    /* TrackEvent */
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    EVENT_COUNTER_DOUBLE = 44,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    EVENT_GPU_CORRELATION = 3000,
    CORRELATION_SUBMITTED = 1,
    TYPE_SLICE_BEGIN = 1,
    TYPE_SLICE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,

    /* GpuInfo, its Gpu and KeyValue */
    GPU_INFO_GPU = 1,
    GPU_NAME = 1,
    GPU_VENDOR = 2,
    GPU_ARCHITECTURE = 4,
    GPU_UUID = 5,
    GPU_EXTRA = 6,
    EXTRA_KEY = 1,
    EXTRA_VALUE = 2,

    /* GpuRenderStageEvent, its launch, Dim3 and ExtraComputeArg */
    STAGE_EVENT_ID = 1,
    STAGE_DURATION = 2,
    STAGE_CONTEXT = 5,
    STAGE_SUBMISSION = 10,
    STAGE_GPU = 11,
    STAGE_QUEUE_IID = 13,
    STAGE_STAGE_IID = 14,
    STAGE_KERNEL_IID = 19,
    STAGE_NAME_IID = 20,
    STAGE_LAUNCH = 21,
    LAUNCH_GRID = 1,
    LAUNCH_BLOCK = 2,
    LAUNCH_ARGUMENT = 3,
    DIM3_X = 1,
    DIM3_Y = 2,
    DIM3_Z = 3,
    ARGUMENT_NAME_IID = 1,
    ARGUMENT_INT = 3,
    ARGUMENT_UINT = 4,
    ARGUMENT_DOUBLE = 5,
    ARGUMENT_STRING = 6,
    ARGUMENT_STRING_IID = 7,

    /* DebugAnnotation */
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_NAME = 10,
    ANNOTATION_ARRAY = 12,
    ANNOTATION_STRING_IID = 17,

    /* InternedData, and what all its entries have */
    INTERNED_CATEGORIES = 1,
    INTERNED_EVENTS = 2,
    INTERNED_KEYS = 3,
    INTERNED_FUNCTIONS = 5,
    INTERNED_FRAMES = 6,
    INTERNED_CALLSTACKS = 7,
    INTERNED_MAPPING_PATHS = 17,
    INTERNED_MAPPINGS = 19,
    INTERNED_GRAPHICS_CONTEXTS = 23,
    INTERNED_GPU_SPECIFICATIONS = 24,
    INTERNED_STRINGS = 29,
    INTERNED_COMPUTE_KERNELS = 1000,
    INTERNED_ARGUMENTS = 1001,
    INTERNED_IID = 1,
    INTERNED_TEXT = 2,

    /* InternedGraphicsContext, InternedGpuRenderStageSpecification, InternedComputeKernel */
    CONTEXT_PID = 2,
    CONTEXT_API = 3,
    CONTEXT_API_CUDA = 4,
    SPECIFICATION_DESCRIPTION = 3,
    SPECIFICATION_CATEGORY = 4,
    STAGE_CATEGORY_OTHER = 0,
    STAGE_CATEGORY_COMPUTE = 2,
    KERNEL_ARCHITECTURE = 4,

    /* Frame, Callstack, Mapping, PerfSample */
    FRAME_FUNCTION = 2,
    FRAME_MAPPING = 3,
    FRAME_OFFSET = 4,
    CALLSTACK_FRAME = 2,
    MAPPING_PATH = 7,
    SAMPLE_PID = 2,
    SAMPLE_TID = 3,
    SAMPLE_CALLSTACK = 4,
    SAMPLE_MODE = 5,
    SAMPLE_MODE_USER = 2,
};

/* One sequence: what is interned and what times count from is known to all packets after the
 * first. */
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

/* Opens a packet `delta_ns` after the one with a time before it, for `field`. */
static inline struct perfetto_packet perfetto_packet_begin_timed(struct proto_out *out,
                                                                 uint64_t delta_ns, unsigned field)
{
    size_t packet = perfetto_packet_begin_untimed(out);
    proto_uint(out, PACKET_TIMESTAMP, delta_ns);
    return (struct perfetto_packet){packet, proto_begin(out, field)};
}

/* Opens a packet, `delta_ns` after the one with a time before it, and in it an event of that type
 * on a track. There are two for each slice, so everything stays in registers on the way. */
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
