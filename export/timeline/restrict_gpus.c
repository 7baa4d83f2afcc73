/* restrict_gpus.c - the same of operations, graphs, memory, blocks and the ledger. */
#include "array.h"
#include "build.h"
#include "ledger_rows.h"
#include "restrict.h"

/* What devices did on behalf of a window, and what the driver did to managed memory. */

void restrict_find_gpus(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        bool stays = gpu->slice == TL_NONE ? restrict_has(with, gpu->start_ns)
                                           : with->slice_stays[gpu->slice];
        with->gpus[i] = stays ? next++ : TL_NONE;
    }
}

static void put_on_stream(struct timeline *timeline, uint32_t index)
{
    const struct tl_gpu *gpu = &timeline->gpus.at[index];
    struct tl_stream *stream = &timeline->streams.at[gpu->stream];
    if (stream->gpu_count++ == 0)
        stream->first_gpu = index;
    if (gpu->lane >= stream->lanes)
        stream->lanes = (uint16_t)(gpu->lane + 1u);
}

static void move_gpus(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        struct tl_stream *stream = &timeline->streams.at[i];
        stream->first_gpu = stream->gpu_count = 0;
        stream->lanes = 1;
    }
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        if (with->gpus[i] == TL_NONE)
            continue;
        timeline->gpus.at[next] = timeline->gpus.at[i];
        timeline->gpus.at[next].slice = restrict_slice(with, timeline->gpus.at[next].slice);
        if (timeline->gpus.at[next].stream != TL_NONE)
            put_on_stream(timeline, next);
        next++;
    }
    timeline->gpus.count = next;
}

void restrict_gpus(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    const uint32_t *gpus = with->gpus;
    move_gpus(with);
    ARRAY_KEEP(&timeline->waits, wait, gpus[wait->gpu] != TL_NONE, wait->gpu = gpus[wait->gpu]);
    ARRAY_KEEP(&timeline->migrations, migration, restrict_has(with, migration->start_ns),
               migration->gpu = migration->gpu == TL_NONE ? TL_NONE : gpus[migration->gpu],
               migration->slice = restrict_slice(with, migration->slice));
}

/* CUDA graphs that were made or launched in a window. */

void restrict_find_graphs(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->graphs.count; i++) {
        const struct tl_graph *graph = &timeline->graphs.at[i];
        with->graphs[i] = graph->known && restrict_has(with, graph->made_ns) ? 0 : TL_NONE;
    }
    for (uint32_t i = 0; i < timeline->graph_launches.count; i++) {
        const struct tl_graph_launch *launch = &timeline->graph_launches.at[i];
        if (launch->graph != TL_NONE && with->slice_stays[launch->slice])
            with->graphs[launch->graph] = 0;
    }
    for (uint32_t i = 0; i < timeline->graphs.count; i++)
        if (with->graphs[i] != TL_NONE)
            with->graphs[i] = next++;
}

/* What was captured in a range or call that is not here was captured before the window. */
static void move_origin(const struct restriction *with, uint32_t *slice, uint8_t *when)
{
    if (*slice == TL_NONE)
        return;
    if (with->slice_stays[*slice]) {
        *slice = with->slices[*slice];
        return;
    }
    *slice = TL_NONE;
    *when = TL_CAPTURED_EARLIER;
}

void restrict_graphs(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    const uint32_t *graphs = with->graphs;
    ARRAY_KEEP(&timeline->graphs, graph, graphs[i] != TL_NONE, (void)0);
    ARRAY_KEEP(&timeline->graph_nodes, node, graphs[node->graph] != TL_NONE,
               node->graph = graphs[node->graph], move_origin(with, &node->slice, &node->when));
    ARRAY_KEEP(&timeline->captured, captured, with->gpus[captured->gpu] != TL_NONE,
               captured->gpu = with->gpus[captured->gpu],
               move_origin(with, &captured->slice, &captured->when));
    ARRAY_KEEP(&timeline->graph_launches, launch, with->slice_stays[launch->slice],
               launch->slice = with->slices[launch->slice],
               launch->graph = launch->graph == TL_NONE ? TL_NONE : graphs[launch->graph]);
}

/* Allocations that began in a window. */

void restrict_find_memories(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->memories.count; i++) {
        bool stays = restrict_has(with, timeline->memories.at[i].start_ns);
        with->memories[i] = stays ? next++ : TL_NONE;
    }
}

/* While allocations have their old places. A release after the window does not belong to it; one in
 * it, of an earlier allocation, is as unknown as where recording began in between. */
static void move_events(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        struct tl_memory_event event = timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event.memory];
        uint32_t process = timeline->heaps.at[memory->heap].process;
        if (with->memories[event.memory] == TL_NONE) {
            if (event.is_end && restrict_has(with, memory->end_ns))
                timeline->processes.at[process].odd.unknown_frees++;
            continue;
        }
        if (event.is_end && memory->end_ns >= with->to_ns)
            continue;
        event.memory = with->memories[event.memory];
        timeline->memory_events.at[next++] = event;
    }
    timeline->memory_events.count = next;
}

static void move_memory(const struct restriction *with, struct tl_memory *memory)
{
    memory->slice = restrict_slice(with, memory->slice);
    memory->end_slice = restrict_slice(with, memory->end_slice);
    if (memory->end_ns < with->to_ns)
        return;
    memory->end_ns = TL_MEMORY_LIVE;
    memory->end_slice = memory->end_thread = TL_NONE;
    memory->flags &= ~TL_MEMORY_REPLACED;
}

void restrict_memories(struct restriction *with)
{
    move_events(with);
    ARRAY_KEEP(&with->timeline->memories, memory, with->memories[i] != TL_NONE,
               move_memory(with, memory));
}

/* Profiling blocks of a window: those that began in it, and what of the others did. */

/* What was logged is in the window with the event before it; in front of all events, with the
 * block's begin. */
static bool debug_stays(const struct restriction *with, const struct tl_block *block,
                        const struct tl_debug *debug)
{
    const struct timeline *timeline = with->timeline;
    uint32_t before =
        debug->events_before < block->event_count ? debug->events_before : block->event_count;
    if (before == 0)
        return restrict_has(with, block->start_ns);
    uint32_t event = block->first_event + before - 1;
    return with->asyncs[timeline->block_events.at[event].async] != TL_NONE;
}

/* Values come in the order of the file, so events are counted on from value to value. */
static void move_debugs(struct restriction *with, const struct tl_block *from, struct tl_block *to,
                        uint32_t next)
{
    struct timeline *timeline = with->timeline;
    uint32_t counted = 0, left = 0;
    to->first_debug = next;
    to->debug_count = 0;
    for (uint32_t i = 0; i < from->debug_count; i++) {
        struct tl_debug debug = timeline->debugs.at[from->first_debug + i];
        bool stays = debug_stays(with, from, &debug);
        if (debug.events_before < counted)
            counted = left = 0;
        for (; counted < debug.events_before && counted < from->event_count; counted++)
            left += with->asyncs[timeline->block_events.at[from->first_event + counted].async] !=
                    TL_NONE;
        debug.events_before = left;
        if (stays)
            timeline->debugs.at[next + to->debug_count++] = debug;
    }
}

static void move_block_events(struct restriction *with, const struct tl_block *from,
                              struct tl_block *to, uint32_t next)
{
    struct timeline *timeline = with->timeline;
    to->first_event = next;
    to->event_count = 0;
    for (uint32_t i = 0; i < from->event_count; i++) {
        struct tl_block_event event = timeline->block_events.at[from->first_event + i];
        event.async = with->asyncs[event.async];
        if (event.async != TL_NONE)
            timeline->block_events.at[next + to->event_count++] = event;
    }
}

static void move_allocs(struct restriction *with, const struct tl_block *from, struct tl_block *to,
                        uint32_t next)
{
    struct timeline *timeline = with->timeline;
    to->first_alloc = next;
    to->alloc_count = 0;
    for (uint32_t i = 0; i < from->alloc_count; i++) {
        struct tl_block_alloc alloc = timeline->block_allocs.at[from->first_alloc + i];
        if (restrict_has(with, alloc.time_ns))
            timeline->block_allocs.at[next + to->alloc_count++] = alloc;
    }
}

void restrict_blocks(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0, next_event = 0, next_alloc = 0, next_debug = 0;
    for (uint32_t i = 0; i < timeline->blocks.count; i++) {
        const struct tl_block from = timeline->blocks.at[i];
        struct tl_block to = from;
        move_debugs(with, &from, &to, next_debug);
        move_block_events(with, &from, &to, next_event);
        move_allocs(with, &from, &to, next_alloc);
        next_event += to.event_count;
        next_alloc += to.alloc_count;
        next_debug += to.debug_count;
        if (!restrict_has(with, from.start_ns) && !to.event_count && !to.alloc_count)
            continue;
        to.start_ns = from.start_ns > with->from_ns ? from.start_ns : with->from_ns;
        timeline->blocks.at[next++] = to;
    }
    timeline->blocks.count = next;
    timeline->block_events.count = next_event;
    timeline->block_allocs.count = next_alloc;
    timeline->debugs.count = next_debug;
}

/* The ledger of what was launched in a window.
 *
 * What is left and was recorded is counted anew. What was launched and is in no record is in
 * lacks[], with its cause. Its rows are those of the whole recording, of which those without
 * numbers go. Records that were lost together with their launches have no time: `outside` stays
 * that of the whole recording. */

static uint64_t key_of(uint32_t process, uint32_t graph)
{
    return (uint64_t)process << 32 | graph;
}

bool restrict_find_rows(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    bool stored = true;
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        with->row_of_stream[i] = TL_NONE;
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        with->row_of_process[i] = TL_NONE;
    for (uint32_t i = 0; i < timeline->ledger_rows.count && stored; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        if (row->kind == TL_LEDGER_GRAPH)
            stored = keymap_set(&with->row_of_graph, key_of(row->process, row->graph), i);
        else if (row->stream == TL_NONE)
            with->row_of_process[row->process] = i;
        else
            with->row_of_stream[row->stream] = i;
    }
    return stored;
}

/* The row was made when the same was counted in the whole recording; NULL in a timeline that does
 * not add up. */
static struct tl_ledger_row *row_at(const struct restriction *with, uint32_t row)
{
    struct timeline *timeline = with->timeline;
    return row < timeline->ledger_rows.count ? &timeline->ledger_rows.at[row] : NULL;
}

static struct tl_ledger_row *row_of_stream(const struct restriction *with, uint32_t process,
                                           uint32_t stream)
{
    return row_at(with,
                  stream == TL_NONE ? with->row_of_process[process] : with->row_of_stream[stream]);
}

static struct tl_ledger_row *row_of_graph(const struct restriction *with, uint32_t process,
                                          uint32_t graph)
{
    return row_at(with, keymap_find(&with->row_of_graph, key_of(process, graph)));
}

static void count_operation(const struct restriction *with, const struct tl_gpu *gpu)
{
    struct timeline *timeline = with->timeline;
    struct tl_ledger_row *row = row_of_stream(with, gpu->process, gpu->stream);
    timeline->ledger.before_launch += (gpu->flags & TL_GPU_BEFORE_LAUNCH) != 0;
    if (gpu->flags & TL_GPU_ORPHAN && row)
        row->orphans++;
    if (gpu->flags & TL_GPU_AMBIGUOUS && row)
        row->ambiguous++;
    if (gpu->slice == TL_NONE || !tl_is_work(gpu))
        return;
    const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
    if (slice->kind == TL_API && slice->flags & TL_GRAPH) {
        uint64_t node;
        row = row_of_graph(with, gpu->process, timeline_graph_of(timeline, gpu, &node));
    }
    if (!row)
        return;
    row->launched++;
    row->recorded++;
}

static void count_unrecorded(const struct restriction *with, const struct tl_unrecorded *entry)
{
    struct timeline *timeline = with->timeline;
    const struct tl_slice *slice = &timeline->slices.at[entry->slice];
    uint32_t process = timeline->threads.at[slice->thread].process;
    struct tl_ledger_row *row = slice->flags & TL_GRAPH
                                    ? row_of_graph(with, process, entry->place)
                                    : row_of_stream(with, process, entry->place);
    if (!row)
        return;
    row->launched += entry->count;
    *ledger_row_count(row, entry->cause) += entry->count;
}

/* The counts of what has a time; what GRAPH_NODES explains is a loss that is counted nowhere
 * else. */
static void forget(struct timeline *timeline)
{
    struct tl_ledger *ledger = &timeline->ledger;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        uint64_t nodes = row->kind == TL_LEDGER_GRAPH ? row->lost[PROF_LOSS_GRAPH_NODES] : 0;
        timeline->processes.at[row->process].loss[PROF_LOSS_GRAPH_NODES] -= nodes;
        ledger->lost_device -= nodes;
        *row = (struct tl_ledger_row){.process = row->process,
                                      .kind = row->kind,
                                      .stream = row->stream,
                                      .graph = row->graph,
                                      .outside = row->outside};
    }
    *ledger = (struct tl_ledger){.lost_device = ledger->lost_device,
                                 .lost_host = ledger->lost_host,
                                 .unopened = ledger->unopened};
}

void restrict_ledger(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    forget(timeline);
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        count_operation(with, &timeline->gpus.at[i]);
    for (uint32_t i = 0; i < timeline->unrecorded.count; i++)
        count_unrecorded(with, &timeline->unrecorded.at[i]);
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        timeline->ledger.unclosed += timeline->threads.at[i].unclosed;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        timeline->ledger.captured += (timeline->slices.at[i].flags & TL_CAPTURED) != 0;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++)
        ledger_rows_sum(timeline, &timeline->ledger_rows.at[i]);
    timeline->ledger_rows.count = ledger_rows_drop_empty(timeline, 0);
}
