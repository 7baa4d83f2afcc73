#include "sim_event.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim_capture.h"
#include "sim_clock.h"
#include "sim_core.h"
#include "sim_facts.h"
#include "sim_fault.h"
#include "sim_handle.h"
#include "sim_stream.h"

static atomic_uint last_id;

int sim_event_create(struct sim_context *context, unsigned flags, struct sim_event **event)
{
    struct sim_event *made = calloc(1, sizeof *made);
    if (!made)
        return SIM_OUT_OF_MEMORY;
    *made = (struct sim_event){
        .context = context, .id = atomic_fetch_add(&last_id, 1) + 1, .flags = flags};
    sim_handle_add(made, SIM_HANDLE_EVENT);
    *event = made;
    return SIM_OK;
}

int sim_event_destroy(struct sim_event *event)
{
    sim_handle_remove(event);
    sim_core_lock();
    sim_point_drop(event->point);
    sim_core_unlock();
    free(event->nodes);
    free(event);
    return SIM_OK;
}

struct sim_point *sim_event_renew_locked(struct sim_event *event)
{
    sim_point_drop(event->point);
    event->point = sim_point_create();
    event->capture_id = 0;
    return sim_point_hold(event->point);
}

struct sim_point *sim_event_point_locked(struct sim_event *event)
{
    if (event->point)
        return sim_point_hold(event->point);
    struct sim_point *point = sim_point_create();
    if (point)
        point->resolved = true;
    return point;
}

static int record_captured(struct sim_event *event, struct sim_stream *stream)
{
    const size_t bytes = stream->capture_count * sizeof(struct sim_node *);
    struct sim_node **nodes = malloc(bytes ? bytes : 1);
    struct sim_capture_info info;
    if (!nodes)
        return SIM_OUT_OF_MEMORY;
    sim_capture_query(stream, &info);
    sim_core_lock();
    if (bytes)
        memcpy(nodes, stream->capture_nodes, bytes);
    free(event->nodes);
    event->nodes = nodes;
    event->node_count = stream->capture_count;
    event->capture_id = info.id;
    sim_core_unlock();
    return SIM_OK;
}

int sim_event_record(struct sim_event *event, struct sim_stream *stream)
{
    if (stream->capture)
        return record_captured(event, stream);
    sim_core_lock();
    struct sim_work work = {
        .kind = SIM_WORK_RECORD,
        .mark = {.point = sim_event_renew_locked(event), .event_id = event->id}};
    sim_core_unlock();
    return work.mark.point ? sim_stream_submit(stream, &work) : SIM_OUT_OF_MEMORY;
}

int sim_event_wait(struct sim_event *event, struct sim_stream *stream)
{
    if (event->capture_id)
        return sim_capture_join(stream, event->capture_id, event->nodes, event->node_count);
    if (stream->capture)
        return SIM_CAPTURE_ISOLATION;
    sim_core_lock();
    struct sim_work work = {.kind = SIM_WORK_WAIT, .mark.point = sim_event_point_locked(event)};
    sim_core_unlock();
    return work.mark.point ? sim_stream_submit(stream, &work) : SIM_OUT_OF_MEMORY;
}

/* The time of the latest record. Returns  SIM_OK, or SIM_NOT_READY while it is not known or
 * ahead. */
static int reached_locked(const struct sim_event *event, uint64_t *time_ns)
{
    *time_ns = 0;
    if (!event->point)
        return SIM_OK;
    if (!event->point->resolved)
        return SIM_NOT_READY;
    *time_ns = event->point->time_ns;
    return *time_ns <= sim_clock_now() ? SIM_OK : SIM_NOT_READY;
}

/* The real driver follows the event into a destroyed context: anything may happen. */
static int check_context(const struct sim_event *event)
{
    if (sim_handle_is(event->context, SIM_HANDLE_CONTEXT))
        return SIM_OK;
    sim_fault_violation("event %u outlived its context", event->id);
    return SIM_CONTEXT_IS_DESTROYED;
}

int sim_event_query(struct sim_event *event)
{
    uint64_t time_ns = 0;
    const int alive = check_context(event);
    if (alive != SIM_OK)
        return alive;
    if (event->capture_id)
        return SIM_CAPTURED_EVENT;
    sim_core_lock();
    const int result = reached_locked(event, &time_ns);
    sim_core_unlock();
    return result;
}

int sim_event_synchronize(struct sim_event *event)
{
    if (event->capture_id)
        return SIM_CAPTURED_EVENT;
    sim_core_lock();
    struct sim_point *point = sim_point_hold(event->point);
    while (point && !point->resolved)
        sim_core_wait();
    const uint64_t time_ns = point ? point->time_ns : 0;
    sim_point_drop(point);
    sim_core_unlock();
    sim_clock_wait(time_ns);
    return SIM_OK;
}

int sim_event_elapsed(struct sim_event *start, struct sim_event *end, float *ms)
{
    uint64_t start_ns = 0, end_ns = 0;
    const int alive = check_context(start);
    if (alive != SIM_OK)
        return alive;
    if (!start->point || !end->point || ((start->flags | end->flags) & SIM_EVENT_DISABLE_TIMING))
        return SIM_INVALID_HANDLE;
    sim_core_lock();
    int result = reached_locked(start, &start_ns);
    if (result == SIM_OK)
        result = reached_locked(end, &end_ns);
    sim_core_unlock();
    if (result != SIM_OK)
        return result;
    const int64_t ns = (int64_t)(sim_clock_device(end_ns) - sim_clock_device(start_ns));
    *ms = (float)((double)ns / 1e6);
    return SIM_OK;
}
