#include "sim_capture.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim_context.h"
#include "sim_core.h"
#include "sim_facts.h"
#include "sim_graph.h"
#include "sim_stream.h"

struct sim_capture {
    struct sim_capture *next; /* all active */
    uint64_t id;
    struct sim_graph *graph;
    struct sim_stream *origin;
    enum sim_capture_mode mode;
    int tid;
    bool spoiled;
    int streams;
};

static struct sim_capture *captures; /* core lock */
static atomic_ullong last_id;
static _Thread_local int thread_mode = SIM_CAPTURE_GLOBAL;

static int this_tid(void)
{
    return (int)syscall(SYS_gettid);
}

/* ---- begin and end ---- */

int sim_capture_begin(struct sim_stream *stream, enum sim_capture_mode mode,
                      struct sim_graph *graph)
{
    if (stream->legacy)
        return SIM_CAPTURE_UNSUPPORTED;
    if (stream->capture || mode > SIM_CAPTURE_RELAXED)
        return stream->capture ? SIM_CAPTURE_UNSUPPORTED : SIM_INVALID_VALUE;
    struct sim_capture *capture = calloc(1, sizeof *capture);
    graph = graph ? graph : sim_graph_create();
    if (!capture || !graph) {
        free(capture);
        return SIM_OUT_OF_MEMORY;
    }
    *capture = (struct sim_capture){.id = atomic_fetch_add(&last_id, 1) + 1,
                                    .graph = graph,
                                    .origin = stream,
                                    .mode = mode,
                                    .tid = this_tid(),
                                    .streams = 1};
    sim_core_lock();
    capture->next = captures;
    captures = capture;
    stream->capture = capture;
    stream->capture_count = 0;
    sim_core_unlock();
    return SIM_OK;
}

static void unlink_locked(const struct sim_capture *capture)
{
    struct sim_capture **at = &captures;
    while (*at && *at != capture)
        at = &(*at)->next;
    if (*at)
        *at = capture->next;
}

static void leave_all_locked(const struct sim_capture *capture)
{
    for (struct sim_context *context = sim_context_first_locked(); context; context = context->next)
        for (struct sim_stream *stream = context->streams; stream; stream = stream->next)
            if (stream->capture == capture)
                stream->capture = NULL;
}

static bool has_dependent(const struct sim_graph *graph, const struct sim_node *node)
{
    for (size_t i = 0; i < graph->count; i++)
        for (size_t d = 0; d < graph->nodes[i]->dependency_count; d++)
            if (graph->nodes[i]->dependencies[d] == node)
                return true;
    return false;
}

static bool stands_on(const struct sim_stream *stream, const struct sim_node *node)
{
    for (size_t i = 0; i < stream->capture_count; i++)
        if (stream->capture_nodes[i] == node)
            return true;
    return false;
}

/* Work of a joined stream that nothing of the origin came to depend on. */
static bool is_unjoined_locked(const struct sim_capture *capture)
{
    const struct sim_graph *graph = capture->graph;
    for (size_t i = 0; capture->streams > 1 && i < graph->count; i++)
        if (!has_dependent(graph, graph->nodes[i]) && !stands_on(capture->origin, graph->nodes[i]))
            return true;
    return false;
}

int sim_capture_end(struct sim_stream *stream, struct sim_graph **graph)
{
    struct sim_capture *capture = stream->capture;
    int result = SIM_OK;
    if (!capture)
        return SIM_INVALID_VALUE;
    if (capture->origin != stream)
        return SIM_CAPTURE_UNMATCHED;
    if (capture->mode != SIM_CAPTURE_RELAXED && capture->tid != this_tid())
        return SIM_CAPTURE_WRONG_THREAD;
    sim_core_lock();
    if (capture->spoiled)
        result = SIM_CAPTURE_INVALIDATED;
    else if (is_unjoined_locked(capture))
        result = SIM_CAPTURE_UNJOINED;
    unlink_locked(capture);
    leave_all_locked(capture);
    sim_core_unlock();
    *graph = result == SIM_OK ? capture->graph : NULL;
    if (result != SIM_OK)
        sim_graph_destroy(capture->graph);
    free(capture);
    return result;
}

void sim_capture_query(const struct sim_stream *stream, struct sim_capture_info *info)
{
    const struct sim_capture *capture = stream->capture;
    *info = (struct sim_capture_info){.status = SIM_CAPTURE_NONE};
    if (!capture)
        return;
    *info = (struct sim_capture_info){
        .status = capture->spoiled ? SIM_CAPTURE_INVALID : SIM_CAPTURE_ACTIVE,
        .id = capture->id,
        .graph = capture->graph,
        .nodes = stream->capture_nodes,
        .count = stream->capture_count,
    };
}

/* ---- what is forbidden meanwhile ---- */

int sim_capture_exchange_mode(int *mode)
{
    if (*mode < SIM_CAPTURE_GLOBAL || *mode > SIM_CAPTURE_RELAXED)
        return SIM_INVALID_VALUE;
    const int before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return SIM_OK;
}

static bool disturbs(const struct sim_capture *capture)
{
    if (capture->mode == SIM_CAPTURE_RELAXED || thread_mode == SIM_CAPTURE_RELAXED)
        return false;
    if (capture->tid == this_tid())
        return true;
    return capture->mode == SIM_CAPTURE_GLOBAL && thread_mode == SIM_CAPTURE_GLOBAL;
}

int sim_capture_guard(void)
{
    int result = SIM_OK;
    sim_core_lock();
    for (struct sim_capture *capture = captures; capture; capture = capture->next) {
        if (!disturbs(capture))
            continue;
        capture->spoiled = true;
        result = SIM_CAPTURE_UNSUPPORTED;
    }
    sim_core_unlock();
    return result;
}

int sim_capture_forbid(struct sim_stream *stream)
{
    if (!stream->capture)
        return SIM_OK;
    stream->capture->spoiled = true;
    return SIM_CAPTURE_UNSUPPORTED;
}

int sim_capture_check_legacy(struct sim_stream *stream)
{
    int result = SIM_OK;
    if (!stream->legacy)
        return SIM_OK;
    sim_core_lock();
    for (struct sim_stream *other = stream->context->streams; other; other = other->next) {
        if (!other->capture || (other->flags & SIM_STREAM_NON_BLOCKING))
            continue;
        other->capture->spoiled = true;
        result = SIM_CAPTURE_IMPLICIT;
    }
    sim_core_unlock();
    return result;
}

bool sim_capture_blocks_legacy(const struct sim_stream *stream)
{
    bool blocks = false;
    sim_core_lock();
    for (const struct sim_stream *other = stream->context->streams; other && stream->legacy;
         other = other->next)
        blocks |= other->capture && !(other->flags & SIM_STREAM_NON_BLOCKING);
    sim_core_unlock();
    return blocks;
}

/* ---- work into nodes ---- */

static enum sim_node_type node_type(enum sim_work_kind kind)
{
    switch (kind) {
    case SIM_WORK_KERNEL:
        return SIM_NODE_KERNEL;
    case SIM_WORK_COPY:
        return SIM_NODE_MEMCPY;
    case SIM_WORK_SET:
        return SIM_NODE_MEMSET;
    case SIM_WORK_HOST:
        return SIM_NODE_HOST;
    case SIM_WORK_CHILD:
        return SIM_NODE_GRAPH;
    default:
        return SIM_NODE_EMPTY;
    }
}

int sim_capture_set_nodes(struct sim_stream *stream, struct sim_node *const *nodes, size_t count,
                          bool add)
{
    const size_t kept = add ? stream->capture_count : 0;
    struct sim_node **larger =
        realloc(stream->capture_nodes, (kept + count + 1) * sizeof(struct sim_node *));
    if (!larger)
        return SIM_OUT_OF_MEMORY;
    stream->capture_nodes = larger;
    stream->capture_count = kept;
    for (size_t i = 0; i < count; i++)
        if (!stands_on(stream, nodes[i]))
            larger[stream->capture_count++] = nodes[i];
    return SIM_OK;
}

int sim_capture_add(struct sim_stream *stream, const struct sim_work *work)
{
    struct sim_capture *capture = stream->capture;
    if (capture->spoiled)
        return SIM_CAPTURE_INVALIDATED;
    struct sim_node *node = sim_graph_add(capture->graph, node_type(work->kind), work,
                                          stream->capture_nodes, stream->capture_count);
    if (!node)
        return SIM_OUT_OF_MEMORY;
    return sim_capture_set_nodes(stream, &node, 1, false);
}

static struct sim_capture *by_id(uint64_t id)
{
    sim_core_lock();
    struct sim_capture *capture = captures;
    while (capture && capture->id != id)
        capture = capture->next;
    sim_core_unlock();
    return capture;
}

int sim_capture_join(struct sim_stream *stream, uint64_t id, struct sim_node *const *nodes,
                     size_t count)
{
    struct sim_capture *capture = by_id(id);
    if (!capture)
        return SIM_CAPTURED_EVENT;
    if (stream->legacy)
        return SIM_CAPTURE_IMPLICIT;
    if (stream->capture && stream->capture != capture)
        return SIM_CAPTURE_MERGE;
    const bool already = stream->capture == capture;
    if (!already) {
        stream->capture = capture;
        capture->streams++;
    }
    return sim_capture_set_nodes(stream, nodes, count, already);
}

void sim_capture_leave_locked(struct sim_stream *stream)
{
    if (!stream->capture)
        return;
    stream->capture->spoiled = true;
    if (stream->capture->origin == stream) {
        unlink_locked(stream->capture);
        leave_all_locked(stream->capture);
    }
    stream->capture = NULL;
}
