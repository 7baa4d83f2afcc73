/* perfetto.h - what the parts of the Perfetto writer share. The entry is write_perfetto() in
 * formats.h.
 *
 * The trace is one sequence of packets (protos/perfetto/trace in Perfetto's repository), in this
 * order:
 *
 *     the clock     ClockSnapshot: the trace has a clock of its own, equal to REALTIME, in
 *                   nanoseconds since the epoch. Clock 64 is incremental: each timestamp is the
 *                   difference to the previous one, in two or three bytes
 *     the run       an instant "libprof": what timed the device, the ledger, every loss that is not
 *                   0
 *     devices       GpuInfo
 *     tracks        TrackDescriptor: see perfetto_tracks.h
 *     events        TrackEvent and GpuRenderStageEvent in the order of time
 *     samples       PerfSample: see perfetto_samples.c
 *
 *     range, step, call         SLICE_BEGIN, SLICE_END on the thread; a launch has the ids of its
 *                               operations
 *     kernel, copy, set, graph  GpuRenderStageEvent: see perfetto_gpu.c
 *     wait, overhead            SLICE_BEGIN, SLICE_END
 *     range on stream           the same beside the stream: see stream_ranges.h
 *     begin/end range           the same on a track below its thread
 *     backward range            terminating flows of forward ranges
 *     mark                      INSTANT
 *     counter, heap             COUNTER on a track of their own
 *
 * Categories and annotations have the names of the Chrome trace; strings are interned.
 */
#ifndef PROF_PERFETTO_H
#define PROF_PERFETTO_H

#include "chrome_operators.h"
#include "heap_levels.h"
#include "perfetto_packet.h"
#include "perfetto_tracks.h"
#include "range_paths.h"
#include "stream_ranges.h"

#include <stdbool.h>
#include <stdint.h>

/* Slices that have begun and not ended yet.
 *
 * The walk passes each slice once, at its start. Perfetto needs its end as a separate event, in
 * order of time, so open slices wait in a heap that is sorted by their ends.
 */

struct perfetto_open_slice {
    int64_t end_ns;
    uint64_t order; /* of those that end together, the one that started last ends first */
    uint32_t track;
    uint32_t depth; /* on its track */
    uint32_t lane;  /* free again at its end (perfetto_tracks.h); UINT32_MAX none */
};

struct perfetto_open {
    struct perfetto_open_slice *heap;
    uint32_t count, capacity;
    uint64_t order;
};

/* perfetto_gpu.c: what was introduced so far. */
#define PERFETTO_STAGES 4u
struct perfetto_gpus {
    bool *queues, *contexts; /* by stream */
    struct keymap kernels;   /* device and name -> number */
    uint32_t kernel_count;
    bool stages[PERFETTO_STAGES], keys[PERFETTO_KEY_COUNT];
};

struct perfetto {
    const struct timeline *timeline;
    struct proto_out out;
    struct perfetto_names names;
    struct perfetto_tracks tracks;
    struct perfetto_gpus gpus;
    struct perfetto_open open;
    struct range_paths paths;
    struct chrome_operators operators;
    struct stream_ranges ranges;
    char *const *stacks;       /* by stack, NULL none */
    int64_t shift_ns;          /* added to every time, so that none is before the trace begins */
    int64_t last_ns;           /* time of the last packet that had one */
    struct perfetto_packet at; /* the open packet */
    struct heap_levels heaps;
    uint32_t *forwards;        /* indexes into timeline.fwdbwds, by forward */
    uint64_t skipped_counters; /* not a number */
};

/* perfetto.c: events. Begins a packet, after the ends of all slices that end before it.
 * perfetto_end() closes it. */
void perfetto_begin(struct perfetto *perfetto, unsigned type, uint32_t track, int64_t time_ns);
void perfetto_begin_gpu(struct perfetto *perfetto, int64_t time_ns); /* an operation of a device */
void perfetto_end(struct perfetto *perfetto);
void perfetto_name(struct perfetto *perfetto, enum perfetto_category category, uint32_t name_iid);
/* Begins the packet of a slice's start, and queues its end. perfetto_end() closes the packet. */
void perfetto_begin_slice(struct perfetto *perfetto, uint32_t track, int64_t start_ns,
                          int64_t end_ns);

/* perfetto_head.c: everything before the events. */
void perfetto_head_write(struct perfetto *perfetto);

/* perfetto_args.c: the annotations of an open event. */
void perfetto_args_sync(struct perfetto *perfetto, const struct tl_gpu *op);
void perfetto_args_api(struct perfetto *perfetto, const struct tl_slice *slice);
void perfetto_args_attrs(struct perfetto *perfetto, uint32_t label, struct tl_attrs attrs);
void perfetto_args_stack(struct perfetto *perfetto, uint32_t stack);
/* The number of a call stack's text, 0 none. */
uint32_t perfetto_stack(struct perfetto *perfetto, uint32_t stack);

/* perfetto_gpu.c. False: no memory; fini is needed all the same. */
bool perfetto_gpus_init(struct perfetto_gpus *gpus, const struct timeline *timeline);
void perfetto_gpus_fini(struct perfetto_gpus *gpus);
void perfetto_gpus_describe(struct perfetto *perfetto);
/* An operation that is on a stream. */
void perfetto_gpu_put(struct perfetto *perfetto, uint32_t index);

/* perfetto_samples.c: after all events. `symbols` NULL: nothing. */
struct symbols;
void perfetto_samples_put(struct perfetto *perfetto, struct symbols *symbols);

/* perfetto_tracks.c: callbacks of the exporter, and its end. */
void perfetto_memory_event(void *user, uint32_t index);
void perfetto_memory_finish(struct perfetto *perfetto); /* repeats the last level of each curve */
void perfetto_memory_migration(void *user, uint32_t index);

/* Annotations, each at most 30 bytes but for texts. */

static inline size_t perfetto_annotation_begin(struct perfetto *perfetto, enum perfetto_key key)
{
    uint32_t iid = perfetto_names_key(&perfetto->names, key);
    size_t mark = proto_begin(&perfetto->out, EVENT_ANNOTATION);
    char *p = proto_put_tag(perfetto->out.at, ANNOTATION_NAME_IID, PROTO_VARINT);
    perfetto->out.at = proto_put_varint(p, iid);
    return mark;
}

static inline void perfetto_uint(struct perfetto *perfetto, enum perfetto_key key, uint64_t value)
{
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_uint(&perfetto->out, ANNOTATION_UINT, value);
    proto_end(&perfetto->out, mark);
}

static inline void perfetto_int(struct perfetto *perfetto, enum perfetto_key key, int64_t value)
{
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_int(&perfetto->out, ANNOTATION_INT, value);
    proto_end(&perfetto->out, mark);
}

static inline void perfetto_double(struct perfetto *perfetto, enum perfetto_key key, double value)
{
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_double(&perfetto->out, ANNOTATION_DOUBLE, value);
    proto_end(&perfetto->out, mark);
}

static inline void perfetto_bool(struct perfetto *perfetto, enum perfetto_key key)
{
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_uint(&perfetto->out, ANNOTATION_BOOL, 1);
    proto_end(&perfetto->out, mark);
}

static inline void perfetto_pointer(struct perfetto *perfetto, enum perfetto_key key,
                                    uint64_t value)
{
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_uint(&perfetto->out, ANNOTATION_POINTER, value);
    proto_end(&perfetto->out, mark);
}

static inline void perfetto_string(struct perfetto *perfetto, enum perfetto_key key,
                                   const char *text)
{
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_string(&perfetto->out, ANNOTATION_STRING, text);
    proto_end(&perfetto->out, mark);
}

/* A string that was interned; 0: nothing. */
static inline void perfetto_interned(struct perfetto *perfetto, enum perfetto_key key,
                                     uint32_t value_iid)
{
    if (value_iid == 0)
        return;
    size_t mark = perfetto_annotation_begin(perfetto, key);
    proto_uint(&perfetto->out, ANNOTATION_STRING_IID, value_iid);
    proto_end(&perfetto->out, mark);
}

static inline int64_t perfetto_time(const struct perfetto *perfetto, int64_t ns)
{
    int64_t shifted = ns + perfetto->shift_ns;
    return shifted > 0 ? shifted : 0;
}

#endif
