/* check_gpus.c - invariants of operations, graphs, the ledger and memory. */
#include "check_find.h"

#include <inttypes.h>
#include <stdlib.h>

/* What devices did: sorted, not overlapping within a lane, launched by a call of the
 * host. */

/* No clock that is right is this far off: CUPTI's interpolation is good to microseconds. */
#define CLOCK_ERROR_MAX_NS 1000000

/* As many as build_lanes() makes. */
#define LANES_CHECKED 1024

static uint32_t detail_count(const struct timeline *timeline, uint8_t kind)
{
    switch ((enum tl_gpu_kind)kind) {
    case TL_KERNEL:
        return timeline->kernels.count;
    case TL_MEMCPY:
        return timeline->memcpys.count;
    case TL_MEMSET:
        return timeline->memsets.count;
    case TL_GRAPH_RUN:
        return timeline->graph_runs.count;
    case TL_SYNC:
        return timeline->syncs.count;
    case TL_OVERHEAD:
        return timeline->overheads.count;
    }
    return 0;
}

static bool gpu_is_valid(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    return gpu->process < timeline->processes.count && gpu->name < timeline->names.count &&
           (gpu->stream == TL_NONE || gpu->stream < timeline->streams.count) &&
           (gpu->slice == TL_NONE || gpu->slice < timeline->slices.count) &&
           gpu->kind <= TL_OVERHEAD &&
           (gpu->detail == TL_NONE || gpu->detail < detail_count(timeline, gpu->kind));
}

/* The arrow begins on a call of a thread of the same process, or on a range of it. */
static bool starts_on_host(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    if (gpu->slice == TL_NONE)
        return true;
    const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
    return slice->thread < timeline->threads.count &&
           timeline->threads.at[slice->thread].process == gpu->process && slice->gpu_count > 0;
}

static bool comes_after(const struct tl_gpu *gpu, const struct tl_gpu *previous)
{
    if (previous->process != gpu->process)
        return previous->process < gpu->process;
    if (previous->stream != gpu->stream)
        return previous->stream < gpu->stream;
    return previous->start_ns <= gpu->start_ns;
}

static void check_gpu(struct check *check, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_gpu *gpu = &timeline->gpus.at[i];
    if (!gpu_is_valid(timeline, gpu)) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "device operation %" PRIu32 " refers to things that do not exist", i);
        return;
    }
    struct text name = check_name(check, gpu->name);
    check_add(check, CHECK_RULE_GPU_TIME, CHECK_ERROR, gpu->end_ns < gpu->start_ns,
              "\"%.*s\" at %" PRId64 " ns ends before it begins", CHECK_TEXT(name), gpu->start_ns);
    check_add(check, CHECK_RULE_ARROWS, CHECK_ERROR, !starts_on_host(timeline, gpu),
              "the arrow to \"%.*s\" at %" PRId64
              " ns does not start on a call or range of the host",
              CHECK_TEXT(name), gpu->start_ns);
    check_add(check, CHECK_RULE_CAUSALITY, CHECK_ERROR, (gpu->flags & TL_GPU_BEFORE_LAUNCH) != 0,
              "\"%.*s\" starts at %" PRId64
              " ns, before its launch, by more than the clocks' error",
              CHECK_TEXT(name), gpu->start_ns);
    check_add(check, CHECK_RULE_GPU_ORDER, CHECK_ERROR, i && !comes_after(gpu, gpu - 1),
              "\"%.*s\" at %" PRId64 " ns is out of order", CHECK_TEXT(name), gpu->start_ns);
}

static void check_stream(struct check *check, const struct tl_stream *stream)
{
    const struct timeline *timeline = check->timeline;
    int64_t ends[LANES_CHECKED];
    bool used[LANES_CHECKED] = {false};
    if ((uint64_t)stream->first_gpu + stream->gpu_count > timeline->gpus.count) {
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, 1,
                  "a stream refers to operations that do not exist");
        return;
    }
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[stream->first_gpu + i];
        if (gpu->kind == TL_SYNC)
            continue;
        uint32_t lane = gpu->lane;
        bool clear = lane < stream->lanes && lane < LANES_CHECKED &&
                     (!used[lane] || ends[lane] <= gpu->start_ns);
        check_add(check, CHECK_RULE_LANES, CHECK_ERROR, !clear,
                  "two operations overlap on lane %" PRIu32 " of stream %" PRIu32 " at %" PRId64
                  " ns",
                  lane, stream->stream, gpu->start_ns);
        if (lane < LANES_CHECKED) {
            used[lane] = true;
            ends[lane] = gpu->end_ns;
        }
    }
}

/* Every entry of gpu_by_slice[] is an operation that names the slice whose it is. */
static void check_arrow_ends(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        for (uint32_t j = 0; j < slice->gpu_count; j++) {
            uint64_t at = (uint64_t)slice->gpu_first + j;
            uint32_t gpu =
                at < timeline->gpu_by_slice.count ? timeline->gpu_by_slice.at[at] : TL_NONE;
            bool ends_on_device = gpu < timeline->gpus.count && timeline->gpus.at[gpu].slice == i;
            check_add(check, CHECK_RULE_ARROWS, CHECK_ERROR, !ends_on_device,
                      "an arrow from slice %" PRIu32 " does not end on a device operation", i);
        }
    }
}

static void check_devices(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->devices.count; i++) {
        const struct tl_device *device = &timeline->devices.at[i];
        check_add(check, CHECK_RULE_CLOCK_PROOF,
                  device->clock_error_ns > CLOCK_ERROR_MAX_NS ? CHECK_ERROR : CHECK_NOTE,
                  device->clock_error_ns > 0,
                  "device %" PRIu32 ": its clock is up to %" PRId64 " ns off the host's",
                  device->info.device, device->clock_error_ns);
    }
}

void check_gpus(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        check_gpu(check, i);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        check_stream(check, &timeline->streams.at[i]);
    check_arrow_ends(check);
    check_devices(check);
}

/* CUDA graphs: everything refers to what exists, launches hold what is recorded under
 * them, and what they were to give is accounted for. */

static bool is_slice(const struct timeline *timeline, uint32_t slice)
{
    return slice == TL_NONE || slice < timeline->slices.count;
}

static bool is_stack(const struct timeline *timeline, uint32_t stack)
{
    return stack == TL_NONE || stack < timeline->stacks.count;
}

static void check_nodes(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->graph_nodes.count; i++) {
        const struct tl_graph_node *node = &timeline->graph_nodes.at[i];
        bool valid = node->graph < timeline->graphs.count && is_slice(timeline, node->slice) &&
                     is_stack(timeline, node->stack);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "node %" PRIu64 " of a graph refers to things that do not exist", node->node);
    }
}

/* What was captured was captured before it was launched. */
static bool is_before(const struct timeline *timeline, const struct tl_captured *captured)
{
    const struct tl_gpu *gpu = &timeline->gpus.at[captured->gpu];
    if (captured->slice == TL_NONE || gpu->slice == TL_NONE || gpu->slice >= timeline->slices.count)
        return true;
    return timeline->slices.at[captured->slice].start_ns <=
           timeline->slices.at[gpu->slice].start_ns;
}

static void check_captured(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->captured.count; i++) {
        const struct tl_captured *captured = &timeline->captured.at[i];
        bool valid = captured->gpu < timeline->gpus.count &&
                     (i == 0 || captured[-1].gpu < captured->gpu) &&
                     is_slice(timeline, captured->slice) && is_stack(timeline, captured->stack);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "a captured operation refers to things that do not exist");
        check_add(check, CHECK_RULE_GRAPHS, CHECK_ERROR, valid && !is_before(timeline, captured),
                  "an operation of a graph was launched before it was captured");
    }
}

static uint32_t work_of(const struct timeline *timeline, const struct tl_slice *slice)
{
    uint32_t work = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        uint64_t at = (uint64_t)slice->gpu_first + i;
        uint32_t gpu = at < timeline->gpu_by_slice.count ? timeline->gpu_by_slice.at[at] : TL_NONE;
        work += gpu < timeline->gpus.count && tl_is_work(&timeline->gpus.at[gpu]);
    }
    return work;
}

static void check_launches(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->graph_launches.count; i++) {
        const struct tl_graph_launch *launch = &timeline->graph_launches.at[i];
        bool valid = launch->slice < timeline->slices.count &&
                     (launch->graph == TL_NONE || launch->graph < timeline->graphs.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "a launch of a graph refers to things that do not exist");
        if (!valid)
            continue;
        const struct tl_slice *slice = &timeline->slices.at[launch->slice];
        check_add(check, CHECK_RULE_GRAPHS, CHECK_ERROR,
                  !(slice->flags & TL_GRAPH) || work_of(timeline, slice) != launch->recorded,
                  "a launch of a graph at %" PRId64 " ns does not hold what is under its call",
                  slice->start_ns);
        check_add(check, CHECK_RULE_GRAPHS, CHECK_WARNING, launch->whole && launch->recorded > 1,
                  "the launch of a graph at %" PRId64
                  " ns was to give one record for the whole graph and gave %" PRIu32,
                  slice->start_ns, launch->recorded);
    }
}

void check_graphs(struct check *check)
{
    const struct tl_ledger *ledger = &check->timeline->ledger;
    check_nodes(check);
    check_captured(check);
    check_launches(check);
    uint64_t accounted = ledger->launched_graph + ledger->graph_lost + ledger->graph_undelivered +
                         ledger->graph_unobserved;
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, accounted != ledger->graph_expected,
              "%" PRIu64 " operations of graph launches were expected, %" PRIu64
              " are accounted for",
              ledger->graph_expected, accounted);
}

/* Launched = recorded + every way of not being recorded, in each row and in all. */

static uint64_t sum_of(const struct tl_ledger_row *row)
{
    uint64_t sum =
        row->recorded + row->recycled + row->undelivered + row->unobserved + row->missing;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        sum += row->lost[cause];
    return sum;
}

static void check_rows(struct check *check, struct tl_ledger_row *total)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        const struct tl_stream *stream =
            row->stream < timeline->streams.count ? &timeline->streams.at[row->stream] : NULL;
        check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, row->launched != sum_of(row),
                  "on stream %u of context %u %" PRIu64 " operations were launched, %" PRIu64
                  " are accounted for",
                  stream ? stream->stream : 0, stream ? stream->context : 0, row->launched,
                  sum_of(row));
        if (row->kind == TL_LEDGER_GRAPH)
            continue;
        total->launched += row->launched;
        total->recorded += row->recorded;
        total->missing += row->missing;
    }
}

void check_ledger(struct check *check)
{
    const struct tl_ledger *ledger = &check->timeline->ledger;
    struct tl_ledger_row total = {0};
    uint64_t accounted = ledger->recorded + ledger->lost_operations + ledger->undelivered +
                         ledger->unobserved + ledger->missing;
    check_rows(check, &total);
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, accounted != ledger->launched,
              "%" PRIu64 " operations were launched, %" PRIu64 " are accounted for",
              ledger->launched, accounted);
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR,
              total.launched != ledger->launched || total.recorded != ledger->recorded ||
                  total.missing != ledger->missing,
              "the streams' ledgers add up to %" PRIu64 " launched operations, not to %" PRIu64,
              total.launched, ledger->launched);
    check_add(check, CHECK_RULE_MISSING, CHECK_ERROR, ledger->missing,
              "%" PRIu64 " of %" PRIu64
              " launched operations are neither recorded nor counted as lost",
              ledger->missing, ledger->launched);
    check_add(check, CHECK_RULE_ORPHANS, CHECK_WARNING, ledger->orphans,
              "%" PRIu64 " device operations whose launch is not in the trace", ledger->orphans);
    check_add(check, CHECK_RULE_AMBIGUOUS, CHECK_WARNING, ledger->ambiguous,
              "%" PRIu64 " device operations that calls of several processes can have launched",
              ledger->ambiguous);
}

/* Memory: every release ends an allocation, and what is live adds up. */

static bool memory_is_valid(const struct timeline *timeline, const struct tl_memory *memory)
{
    return memory->heap < timeline->heaps.count &&
           (memory->slice == TL_NONE || memory->slice < timeline->slices.count) &&
           (memory->end_slice == TL_NONE || memory->end_slice < timeline->slices.count) &&
           (memory->thread == TL_NONE || memory->thread < timeline->threads.count) &&
           (memory->end_thread == TL_NONE || memory->end_thread < timeline->threads.count) &&
           (memory->pool == TL_NONE || memory->pool < timeline->pools.count) &&
           memory->end_ns >= memory->start_ns;
}

static bool check_memories(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < timeline->memories.count; i++)
        bad += !memory_is_valid(timeline, &timeline->memories.at[i]);
    check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, bad,
              "an allocation ends before it begins or refers to things that do not exist");
    return bad == 0;
}

/* What the events say of each allocation: 0 nothing, 1 begun, 2 ended. */
static void check_event(struct check *check, uint8_t *state, uint32_t i)
{
    const struct timeline *timeline = check->timeline;
    const struct tl_memory_event *event = &timeline->memory_events.at[i];
    bool known = event->memory < timeline->memories.count;
    uint32_t process =
        known ? timeline->heaps.at[timeline->memories.at[event->memory].heap].process : 0;
    if (known && state[event->memory] == event->is_end) {
        state[event->memory]++;
    } else {
        check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, 1,
                  "memory event %" PRIu32 " at %" PRId64
                  " ns ends what has not begun, or begins it twice: live bytes do not add up",
                  i, event->time_ns);
        return;
    }
    const struct tl_memory_event *before = i ? event - 1 : NULL;
    bool same = before && before->memory < timeline->memories.count &&
                timeline->heaps.at[timeline->memories.at[before->memory].heap].process == process;
    check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, same && before->time_ns > event->time_ns,
              "memory event %" PRIu32 " at %" PRId64 " ns is out of order", i, event->time_ns);
}

static void check_events(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    uint64_t unmatched = 0;
    uint8_t *state = calloc(timeline->memories.count + (size_t)1, 1);
    for (uint32_t i = 0; i < timeline->memory_events.count && state; i++)
        check_event(check, state, i);
    for (uint32_t i = 0; i < timeline->memories.count && state; i++)
        unmatched += state[i] != (timeline->memories.at[i].end_ns == TL_MEMORY_LIVE ? 1 : 2);
    check_add(check, CHECK_RULE_MEMORY, CHECK_ERROR, unmatched,
              "begin and end of an allocation do not match the events of its heap");
    free(state);
}

static void check_anomalies(struct check *check, const struct tl_process *process)
{
    check_add(check, CHECK_RULE_UNKNOWN_FREES, CHECK_NOTE, process->odd.unknown_frees,
              "%s: %" PRIu64 " releases of addresses that were not allocated in the trace",
              process->path, process->odd.unknown_frees);
    check_add(check, CHECK_RULE_REUSED_ADDRESSES, CHECK_WARNING, process->odd.reused_addresses,
              "%s: %" PRIu64 " allocations at an address that was in use: its release is not in "
              "the trace",
              process->path, process->odd.reused_addresses);
}

void check_memory(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    if (check_memories(check))
        check_events(check);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        check_anomalies(check, &timeline->processes.at[i]);
}
