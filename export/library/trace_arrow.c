/* trace_arrow.c - a stream that holds the timeline it is of.
 *
 * The stream of export/write is inside one that counts as a holder of the timeline, so that the trace may be closed
 * first.
 */
#include "cmd_arrow.h"
#include "trace_open.h"

#include <stdlib.h>

_Static_assert((int)PROF_ARROW_EVENTS == ARROW_EVENTS &&
                   (int)PROF_ARROW_LAUNCHES == ARROW_LAUNCHES &&
                   (int)PROF_ARROW_KERNELS == ARROW_KERNELS &&
                   (int)PROF_ARROW_COUNTERS == ARROW_COUNTERS,
               "both sides count tables alike");

struct holding_stream {
    struct ArrowArrayStream inner;
    struct held_timeline *held;
    struct arrow_facts facts; /* of events */
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    struct ArrowArrayStream *inner = &((struct holding_stream *)self->private_data)->inner;
    return inner->get_schema(inner, out);
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    struct ArrowArrayStream *inner = &((struct holding_stream *)self->private_data)->inner;
    return inner->get_next(inner, out);
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    struct ArrowArrayStream *inner = &((struct holding_stream *)self->private_data)->inner;
    return inner->get_last_error(inner);
}

static void release(struct ArrowArrayStream *self)
{
    struct holding_stream *stream = self->private_data;
    stream->inner.release(&stream->inner);
    held_timeline_release(stream->held);
    arrow_facts_fini(&stream->facts);
    free(stream);
    self->release = NULL;
}

/* NULL: no memory. */
static struct holding_stream *holding_stream_create(const struct prof_trace *trace,
                                                    enum arrow_table table)
{
    struct holding_stream *made = calloc(1, sizeof *made);
    struct timeline *timeline = trace->held->timeline;
    bool ready = made && (table != ARROW_EVENTS ||
                          arrow_facts_init(&made->facts, &trace->options, timeline));
    if (ready && arrow_stream_init_more(&made->inner, timeline, table, &made->facts.more, NULL))
        return made;
    if (made)
        arrow_facts_fini(&made->facts);
    free(made);
    return NULL;
}

static bool stream_init(struct ArrowArrayStream *stream, const struct prof_trace *trace,
                        enum arrow_table table)
{
    struct holding_stream *made = holding_stream_create(trace, table);
    if (!made)
        return false;
    made->held = trace->held;
    atomic_fetch_add_explicit(&made->held->holders, 1, memory_order_relaxed);
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = release,
                                        .private_data = made};
    return true;
}

prof_status prof_trace_arrow(struct prof_trace *trace, enum prof_arrow_table table,
                             struct ArrowArrayStream *stream)
{
    struct call call;
    if (!trace)
        return PROF_INVALID;
    call_begin(&call, &trace->given, trace->sentence);
    if (!stream || (unsigned)table >= ARROW_TABLES)
        return call_end(&call, PROF_INVALID, "prof_trace_arrow: no such table, or no stream");
    bool filled = stream_init(stream, trace, (enum arrow_table)table);
    return call_end(&call, filled ? PROF_OK : PROF_FAILED, "prof_trace_arrow: out of memory");
}
