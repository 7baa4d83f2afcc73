#include "sim_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "sim_call.h"
#include "sim_clock.h"
#include "sim_config.h"
#include "sim_context.h"
#include "sim_core.h"
#include "sim_model.h"
#include "sim_run.h"
#include "sim_tools.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct sim_op *sim_timeline_op(struct sim_stream *stream, const struct sim_work *work)
{
    struct sim_op *op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->stream = stream;
    op->work = *work;
    op->enqueue_ns = sim_clock_now();
    /* Barriers cost nothing by themselves. */
    if (work->kind != SIM_WORK_WAIT && (work->kind != SIM_WORK_RECORD || work->mark.event_id))
        op->not_before_ns = op->enqueue_ns + (uint64_t)sim_config()->launch_ns;
    op->correlation = sim_call_correlation();
    return op;
}

/* ---- start ---- */

/* A node starts when the graph has started and the nodes it depends on have ended. */
static uint64_t node_start(const struct sim_op *op)
{
    const struct sim_run *run = op->run;
    const struct sim_plan_node *node = &run->plan->nodes[op->run_index];
    uint64_t start = run->base_ns;
    for (uint32_t i = 0; i < node->dependencies; i++)
        start = later(start, run->end_ns[run->plan->dependencies[node->first_dependency + i]]);
    return start + (uint64_t)sim_config()->node_ns;
}

static bool is_node(const struct sim_op *op)
{
    return op->run && op->work.kind != SIM_WORK_GRAPH_BEGIN && op->work.kind != SIM_WORK_GRAPH_END;
}

uint64_t sim_timeline_start(const struct sim_op *op)
{
    if (is_node(op))
        return node_start(op);
    return later(op->not_before_ns, op->stream->tail_ns);
}

static bool is_ready(const struct sim_op *op)
{
    switch (op->work.kind) {
    case SIM_WORK_HOST:
        return false;
    case SIM_WORK_WAIT:
        return op->work.mark.point->resolved;
    default:
        return true;
    }
}

/* ---- effects ---- */

static void copy_rows(const struct sim_copy_work *copy, const char *src, char *dst)
{
    for (size_t row = 0; row < copy->height; row++)
        memmove(dst + row * copy->dst_pitch, src + row * copy->src_pitch, copy->width);
}

static void copy_bytes(struct sim_copy_work *copy)
{
    const char *src = copy->staged ? copy->staged : copy->src;
    for (size_t slice = 0; slice < copy->depth; slice++)
        copy_rows(copy, src + slice * copy->src_slice, copy->dst + slice * copy->dst_slice);
    free(copy->staged);
    copy->staged = NULL;
}

static void set_row(const struct sim_set_work *set, char *row)
{
    if (set->element_size == 1) {
        memset(row, (int)set->value, set->width);
        return;
    }
    for (size_t i = 0; i < set->width; i++)
        memcpy(row + i * set->element_size, &set->value, set->element_size);
}

static void set_bytes(const struct sim_set_work *set)
{
    for (size_t row = 0; row < set->height; row++)
        set_row(set, set->dst + row * set->pitch);
}

static void resolve_point(const struct sim_op *op)
{
    op->work.mark.point->resolved = true;
    op->work.mark.point->time_ns = op->end_ns;
    sim_point_drop(op->work.mark.point);
}

static void wait_for_point(struct sim_op *op)
{
    op->end_ns = op->start_ns = later(op->start_ns, op->work.mark.point->time_ns);
    sim_point_drop(op->work.mark.point);
}

static void apply(struct sim_op *op)
{
    switch (op->work.kind) {
    case SIM_WORK_COPY:
        copy_bytes(&op->work.copy);
        break;
    case SIM_WORK_SET:
        set_bytes(&op->work.set);
        break;
    case SIM_WORK_WAIT:
        wait_for_point(op);
        break;
    case SIM_WORK_RECORD:
        resolve_point(op);
        break;
    case SIM_WORK_GRAPH_BEGIN:
        op->run->base_ns = op->start_ns;
        break;
    case SIM_WORK_GRAPH_END:
        op->start_ns = op->run->base_ns;
        break;
    default:
        break;
    }
}

/* ---- resolving ---- */

static void leave_run(struct sim_op *op)
{
    struct sim_run *run = op->run;
    if (!run)
        return;
    if (is_node(op))
        run->end_ns[op->run_index] = op->end_ns;
    if (--run->open)
        return;
    sim_plan_drop(run->plan);
    free(run);
}

static void resolve(struct sim_op *op)
{
    const struct sim_tools *tools = sim_tools_get();
    apply(op);
    op->stream->tail_ns = later(op->stream->tail_ns, op->end_ns);
    if (tools)
        tools->op(op);
    leave_run(op);
    free(op);
}

static void resolve_now(struct sim_op *op)
{
    op->start_ns = sim_timeline_start(op);
    op->end_ns = op->start_ns + sim_model_duration(&op->work);
    resolve(op);
}

static struct sim_op *pop(struct sim_stream *stream)
{
    struct sim_op *op = stream->head;
    stream->head = op->next;
    if (!stream->head)
        stream->last = NULL;
    return op;
}

static void push(struct sim_stream *stream, struct sim_op *op)
{
    if (stream->last)
        stream->last->next = op;
    else
        stream->head = op;
    stream->last = op;
}

void sim_timeline_add(struct sim_op *op)
{
    struct sim_stream *stream = op->stream;
    if (!stream->head && is_ready(op)) {
        resolve_now(op);
        return;
    }
    push(stream, op);
    if (stream->head && stream->head->work.kind == SIM_WORK_HOST)
        sim_host_wake_locked();
}

static bool pump_stream(struct sim_stream *stream)
{
    bool moved = false;
    while (stream->head && !stream->running && is_ready(stream->head)) {
        resolve_now(pop(stream));
        moved = true;
    }
    return moved;
}

static bool pump_context(struct sim_context *context)
{
    bool moved = false;
    for (struct sim_stream *stream = context->streams; stream; stream = stream->next)
        moved |= pump_stream(stream);
    return moved;
}

void sim_timeline_pump(void)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (struct sim_context *context = sim_context_first_locked(); context;
             context = context->next)
            moved |= pump_context(context);
    }
    sim_host_wake_locked();
    sim_core_signal();
}

void sim_timeline_finish_host(struct sim_stream *stream, uint64_t end_ns)
{
    struct sim_op *op = pop(stream);
    stream->running = false;
    op->end_ns = end_ns;
    resolve(op);
    sim_timeline_pump();
}
