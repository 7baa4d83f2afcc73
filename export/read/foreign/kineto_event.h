/* kineto_event.h - one event of a Chrome trace, its members taken as they lie in the file. */
#ifndef PROF_KINETO_EVENT_H
#define PROF_KINETO_EVENT_H

#include "kineto_args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an event is, in whatever version of Kineto. */
enum kineto_category {
    KINETO_OTHER, /* of no profiler that is known: something that a thread did */
    KINETO_OPERATOR,
    KINETO_RUNTIME_CALL,
    KINETO_DRIVER_CALL,
    KINETO_KERNEL,
    KINETO_MEMCPY,
    KINETO_MEMSET,
    KINETO_GRAPH_RUN, /* a launched graph as a whole, as libprof writes it */
    KINETO_SYNC,
    KINETO_OVERHEAD,
    KINETO_ANNOTATION,
    KINETO_GPU_ANNOTATION,  /* derived from what else is in the file */
    KINETO_PYTHON,          /* a frame of a Python stack */
    KINETO_DEVICE_COUNTERS, /* what counters of a device were in that time */
    KINETO_TRACE,           /* about the profiler */
};

/* A pid, tid or id: a number or a text. */
struct kineto_id {
    struct json_string text; /* bytes NULL: a number, or nothing */
    int64_t number;
    bool present;
};

#define KINETO_EVENT_TIME 1u
#define KINETO_EVENT_DURATION 2u
#define KINETO_EVENT_CATEGORY 4u
#define KINETO_EVENT_NAME 8u
#define KINETO_EVENT_BAD_TIME 16u /* a time that is no number */

struct kineto_event {
    int64_t time_ns, duration_ns;
    uint32_t flags; /* KINETO_EVENT_*: what was there */
    char phase;     /* 0 none */
    bool is_flow;   /* s, t, f */
    enum kineto_category category;
    struct json_string name, category_text, id, scope;
    struct kineto_id pid, tid;
    struct kineto_args args; /* last, see kineto_event_pack() */
};

/* `p` is at the brace. Returns as in json_text.h. */
const char *kineto_event_read(struct kineto_event *event, const struct kineto_keys *keys,
                              struct json_cursor *cursor, const char *p);

/* For a row of events: all but the arguments that were not seen. `to` has room for an event; the size is
 * returned, or the place behind. Texts stay where they are. */
size_t kineto_event_pack(const struct kineto_event *event, uint8_t *to);
const uint8_t *kineto_event_unpack(struct kineto_event *event, const uint8_t *from);

/* Of a device: its row is a stream's. */
static inline bool kineto_is_device(enum kineto_category category)
{
    return category >= KINETO_KERNEL && category <= KINETO_OVERHEAD;
}

#ifdef __cplusplus
}
#endif
#endif
