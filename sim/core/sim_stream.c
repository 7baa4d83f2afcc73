#include "sim_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim_call.h"
#include "sim_capture.h"
#include "sim_clock.h"
#include "sim_context.h"
#include "sim_core.h"
#include "sim_handle.h"
#include "sim_timeline.h"
#include "sim_tools.h"

/* ---- points ---- */

struct sim_point *sim_point_create(void)
{
    struct sim_point *point = calloc(1, sizeof *point);
    if (point)
        point->references = 1;
    return point;
}

struct sim_point *sim_point_hold(struct sim_point *point)
{
    if (point)
        point->references++;
    return point;
}

void sim_point_drop(struct sim_point *point)
{
    if (point && --point->references == 0)
        free(point);
}

/* ---- life ---- */

struct sim_stream *sim_stream_create_locked(struct sim_context *context, uint32_t id,
                                            unsigned flags, int priority)
{
    struct sim_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        abort(); /* a simulation out of memory has nothing left to simulate */
    *stream = (struct sim_stream){.context = context,
                                  .id = id,
                                  .flags = flags,
                                  .priority = priority,
                                  .next = context->streams};
    context->streams = stream;
    sim_handle_add(stream, SIM_HANDLE_STREAM);
    return stream;
}

void sim_stream_free_locked(struct sim_stream *stream)
{
    struct sim_stream **at = &stream->context->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    sim_handle_remove(stream);
    free(stream->capture_nodes);
    free(stream);
}

int sim_stream_create(struct sim_context *context, unsigned flags, int priority,
                      struct sim_stream **stream)
{
    if (flags & ~(unsigned)SIM_STREAM_NON_BLOCKING)
        return SIM_INVALID_VALUE;
    sim_core_lock();
    struct sim_stream *made =
        sim_stream_create_locked(context, context->next_stream_id++, flags, priority);
    sim_core_unlock();
    sim_tools_resource(SIM_STREAM_CREATED,
                       &(struct sim_resource){.context = context, .stream = made});
    *stream = made;
    return SIM_OK;
}

/* The real one returns at once and frees the stream when its work is done; here the work's records
 * are complete as soon as it is resolved, so waiting for that is enough. */
int sim_stream_destroy(struct sim_stream *stream)
{
    sim_tools_resource(SIM_STREAM_DESTROY_STARTING,
                       &(struct sim_resource){.context = stream->context, .stream = stream});
    sim_core_lock();
    sim_stream_settle_locked(stream);
    sim_capture_leave_locked(stream);
    sim_stream_free_locked(stream);
    sim_core_unlock();
    return SIM_OK;
}

/* ---- default streams ---- */

static struct sim_stream *own_stream(struct sim_context *context)
{
    const int tid = (int)syscall(SYS_gettid);
    struct sim_stream *stream;
    sim_core_lock();
    for (stream = context->streams; stream; stream = stream->next)
        if (stream->owner_tid == tid)
            break;
    if (!stream) {
        stream = sim_stream_create_locked(context, context->next_stream_id++, 0, 0);
        stream->owner_tid = tid;
    }
    sim_core_unlock();
    return stream;
}

struct sim_stream *sim_stream_in(struct sim_context *context, void *handle, bool per_thread)
{
    if (handle == SIM_STREAM_PER_THREAD || (!handle && per_thread))
        return own_stream(context);
    if (!handle || handle == SIM_STREAM_LEGACY)
        return context->legacy;
    return sim_handle_is(handle, SIM_HANDLE_STREAM) ? handle : NULL;
}

struct sim_stream *sim_stream_of(void *handle)
{
    struct sim_context *context = sim_context_current();
    const struct sim_call *call = sim_call_top();
    if (!context)
        return sim_handle_is(handle, SIM_HANDLE_STREAM) ? handle : NULL;
    return sim_stream_in(context, handle, call && call->per_thread);
}

/* ---- waiting ---- */

static bool takes_part(const struct sim_stream *stream, bool non_blocking_too)
{
    return non_blocking_too || !(stream->flags & SIM_STREAM_NON_BLOCKING);
}

static bool has_unsettled(const struct sim_context *context, bool non_blocking_too)
{
    for (const struct sim_stream *stream = context->streams; stream; stream = stream->next)
        if (stream->head && takes_part(stream, non_blocking_too))
            return true;
    return false;
}

uint64_t sim_stream_settle_all_locked(struct sim_context *context, bool non_blocking_too)
{
    uint64_t end_ns = 0;
    while (has_unsettled(context, non_blocking_too))
        sim_core_wait();
    for (const struct sim_stream *stream = context->streams; stream; stream = stream->next)
        if (takes_part(stream, non_blocking_too) && stream->tail_ns > end_ns)
            end_ns = stream->tail_ns;
    return end_ns;
}

uint64_t sim_stream_settle_locked(struct sim_stream *stream)
{
    if (stream->legacy)
        return sim_stream_settle_all_locked(stream->context, false);
    while (stream->head)
        sim_core_wait();
    return stream->tail_ns;
}

uint64_t sim_stream_synchronize(struct sim_stream *stream)
{
    sim_core_lock();
    const uint64_t end_ns = sim_stream_settle_locked(stream);
    sim_core_unlock();
    sim_clock_wait(end_ns);
    return end_ns;
}

bool sim_stream_is_idle(struct sim_stream *stream)
{
    sim_core_lock();
    const bool idle = !stream->head && stream->tail_ns <= sim_clock_now();
    sim_core_unlock();
    return idle;
}

/* ---- the legacy stream's barriers ---- */

/* Makes op's stream wait for what other has been given so far. */
static void wait_for(struct sim_op *op, struct sim_stream *other)
{
    if (!other->head) {
        op->not_before_ns = other->tail_ns > op->not_before_ns ? other->tail_ns : op->not_before_ns;
        return;
    }
    struct sim_point *point = sim_point_create();
    if (!point)
        return;
    const struct sim_work mark = {.kind = SIM_WORK_RECORD, .mark.point = sim_point_hold(point)};
    const struct sim_work wait = {.kind = SIM_WORK_WAIT, .mark.point = point};
    struct sim_op *marking = sim_timeline_op(other, &mark);
    struct sim_op *waiting = sim_timeline_op(op->stream, &wait);
    if (marking && waiting) {
        sim_timeline_add(marking); /* NOLINT(clang-analyzer-unix.Malloc): both hold the point */
        sim_timeline_add(waiting);
        return;
    }
    free(marking);
    free(waiting);
    free(point); /* nobody else holds it */
}

/* Work of the legacy stream waits for all blocking streams, and theirs for the legacy stream's. */
void sim_stream_barrier_locked(struct sim_op *op)
{
    struct sim_stream *stream = op->stream;
    if (stream->flags & SIM_STREAM_NON_BLOCKING)
        return;
    if (!stream->legacy) {
        wait_for(op, stream->context->legacy);
        return;
    }
    for (struct sim_stream *other = stream->context->streams; other; other = other->next)
        if (other != stream && takes_part(other, false))
            wait_for(op, other);
}

/* ---- submitting ---- */

/* A pageable source may change as soon as the call returns: its bytes are taken now if the copy has
 * to wait. */
static void stage(const struct sim_stream *stream, struct sim_copy_work *copy)
{
    const size_t bytes = copy->src_slice * copy->depth;
    if (!stream->head || copy->src_type != SIM_MEMORY_PAGEABLE || !bytes)
        return;
    copy->staged = malloc(bytes);
    if (copy->staged)
        memcpy(copy->staged, copy->src, bytes - copy->src_pitch + copy->width);
}

static int submit_locked(struct sim_stream *stream, const struct sim_work *work)
{
    struct sim_op *op = sim_timeline_op(stream, work);
    if (!op)
        return SIM_OUT_OF_MEMORY;
    sim_stream_barrier_locked(op);
    if (op->work.kind == SIM_WORK_COPY)
        stage(stream, &op->work.copy);
    sim_timeline_add(op);
    return SIM_OK;
}

int sim_stream_submit(struct sim_stream *stream, struct sim_work *work)
{
    int result = sim_capture_check_legacy(stream);
    if (result != SIM_OK)
        return result;
    if (stream->capture)
        return sim_capture_add(stream, work);
    sim_core_lock();
    result = submit_locked(stream, work);
    sim_core_unlock();
    return result;
}
