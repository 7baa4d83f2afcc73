#include "check.h"
#include "check_find.h"
#include "overruns.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *check_rule_name(enum check_rule rule)
{
    static const char *const names[] = {
#define CHECK_NAME(symbol, name) name,
        CHECK_RULES(CHECK_NAME)
#undef CHECK_NAME
    };
    return rule < CHECK_RULE_COUNT ? names[rule] : "unknown";
}

const char *check_severity_name(enum check_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return severity <= CHECK_ERROR ? names[severity] : "unknown";
}

void check_add(struct check *check, enum check_rule rule, enum check_severity severity,
               uint64_t count, const char *format, ...)
{
    struct check_finding *finding = &check->found[rule];
    bool graver = finding->count == 0 || severity > finding->severity;
    finding->count += count;
    if (count == 0 || !graver)
        return;
    finding->severity = severity;
    finding->rule = rule;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->sentence, sizeof finding->sentence, format, arguments);
    va_end(arguments);
}

struct text check_name(const struct check *check, uint32_t name)
{
    struct text unknown = {"?", 1};
    if (name >= check->timeline->names.count)
        return unknown;
    struct text text = check->timeline->names.at[name];
    text.size = text.size > 60 ? 60 : text.size;
    return text;
}

/* ---- files: damage, losses, clocks, the cost of recording ---- */

static void check_damage(struct check *check, const struct tl_process *process)
{
    const struct tl_health *health = &process->health;
    check_add(check, CHECK_RULE_DAMAGE, CHECK_ERROR, health->bad_records,
              "%s: offset %" PRIu64 ": damaged (%" PRIu64 " records of impossible content)",
              process->path, health->bad_offset, health->bad_records);
    check_add(check, CHECK_RULE_TRUNCATED, CHECK_ERROR, health->truncated,
              "%s: offset %" PRIu64 ": the file is truncated", process->path, health->truncated_at);
    check_add(check, CHECK_RULE_MISSING_CHUNKS,
              process->info.ring     ? CHECK_NOTE
              : process->info.copied ? CHECK_WARNING
                                     : CHECK_ERROR,
              health->missing_chunks, "%s: %" PRIu64 " chunks %s", process->path,
              health->missing_chunks,
              process->info.ring ? "were recycled: the file holds the last part of the run"
                                 : "are missing");
    check_add(check, CHECK_RULE_TORN, CHECK_NOTE, health->torn_records,
              "%s: %" PRIu64
              " records were begun and never finished (the program was stopped in the middle)",
              process->path, health->torn_records);
    check_add(check, CHECK_RULE_UNKNOWN_RECORDS, CHECK_NOTE, health->unknown_records,
              "%s: %" PRIu64 " records of kinds that this version does not know", process->path,
              health->unknown_records);
    check_add(check, CHECK_RULE_NOT_CLOSED, process->info.copied ? CHECK_WARNING : CHECK_NOTE,
              !process->info.closed,
              process->info.copied
                  ? "%s: the recorder did not finish: the program was killed or still runs, or the "
                    "disk was full; what it recorded last is missing"
                  : "%s: the recorder did not finish: the program was killed or still runs",
              process->path);
}

static void check_recorder_notes(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->notes.count; i++) {
        struct text note = timeline->names.at[timeline->notes.at[i].text];
        check_add(check, CHECK_RULE_RECORDER, CHECK_NOTE, 1, "%s: %.*s",
                  timeline->processes.at[timeline->notes.at[i].process].path, (int)note.size,
                  note.bytes);
    }
}

static const char *loss_sentence(enum prof_loss_cause cause)
{
    static const char *const sentences[] = {
#define LOSS_SENTENCE(symbol, name, sentence) sentence,
        PROF_LOSS_CAUSES(LOSS_SENTENCE)
#undef LOSS_SENTENCE
    };
    return sentences[cause];
}

static void check_losses(struct check *check, const struct tl_process *process)
{
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        check_add(check, CHECK_RULE_LOSS, CHECK_WARNING, process->loss[cause],
                  "%s: lost %" PRIu64 ": %s", process->path, process->loss[cause],
                  loss_sentence((enum prof_loss_cause)cause));
    check_add(check, CHECK_RULE_LOSS, CHECK_WARNING, process->health.unknown_losses,
              "%s: lost %" PRIu64 " for causes that this version does not know", process->path,
              process->health.unknown_losses);
}

static void check_clock(struct check *check, const struct tl_process *process)
{
    const struct tl_health *health = &process->health;
    check_add(check, CHECK_RULE_CLAMPED, CHECK_NOTE, health->clamped_times,
              "%s: %" PRIu64 " events were stamped before their predecessors (by signal handlers)",
              process->path, health->clamped_times);
    check_add(check, CHECK_RULE_CLOCK_STEP, CHECK_NOTE, health->clock_steps,
              "%s: the machine's clock was set %" PRIu64
              " times while recording; device times were corrected",
              process->path, health->clock_steps);
}

struct device_count {
    uint64_t own, all; /* without and with libprof's own operations */
};

static struct device_count count_operations(const struct timeline *timeline, uint32_t process)
{
    struct device_count count = {0, 0};
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->process != process || gpu->kind > TL_GRAPH_RUN)
            continue;
        count.all++;
        count.own += !(gpu->flags & TL_GPU_INTERNAL);
    }
    return count;
}

static uint64_t sum_losses(const struct tl_process *process)
{
    uint64_t sum = 0;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        sum += process->loss[cause];
    return sum;
}

/* The recorder counts what it received; a finished file holds that, or says what was lost. Of the
 * whole recording, that is: not of a window. */
static void check_device_count(struct check *check, uint32_t index)
{
    const struct tl_process *process = &check->timeline->processes.at[index];
    if (check->timeline->restricted || !process->info.closed || process->info.ring ||
        (process->info.gpu_mode != PROF_GPU_CUPTI && process->info.gpu_mode != PROF_GPU_OTHER))
        return;
    struct device_count count = count_operations(check->timeline, index);
    uint64_t said = process->info.gpu_records;
    bool agrees =
        said >= count.own && said <= count.all + sum_losses(process) + process->odd.zero_time_gpu;
    check_add(check, CHECK_RULE_DEVICE_COUNT, CHECK_ERROR, !agrees,
              "%s: %" PRIu64 " device records were received, the file holds %" PRIu64,
              process->path, said, count.own);
}

static void check_calls(struct check *check, const struct tl_process *process)
{
    const struct tl_anomalies *odd = &process->odd;
    uint64_t count = odd->unknown_range_ends + odd->reused_range_ids + odd->unmatched_api_exits +
                     odd->open_api_calls + odd->homeless_attrs + odd->surplus_gpu;
    check_add(check, CHECK_RULE_ODD_CALLS, CHECK_NOTE, count,
              "%s: %" PRIu64 " ends of unknown ranges, %" PRIu64 " range ids used twice, %" PRIu64
              " CUDA calls without a begin, %" PRIu64 " without an end, %" PRIu64
              " attributes outside of ranges, %" PRIu64 " operations more than launched",
              process->path, odd->unknown_range_ends, odd->reused_range_ids,
              odd->unmatched_api_exits, odd->open_api_calls, odd->homeless_attrs, odd->surplus_gpu);
    bool explained = process->loss[PROF_LOSS_NAMES] > 0;
    check_add(check, CHECK_RULE_NAMES, explained ? CHECK_WARNING : CHECK_ERROR, odd->missing_names,
              "%s: %" PRIu64 " references to names that are not in the file", process->path,
              odd->missing_names);
    check_add(check, CHECK_RULE_GPU_TIME, CHECK_ERROR, odd->backward_gpu,
              "%s: %" PRIu64 " device operations end before they begin", process->path,
              odd->backward_gpu);
    check_add(check, CHECK_RULE_GPU_TIME, CHECK_WARNING, odd->zero_time_gpu,
              "%s: %" PRIu64 " device operations have no time", process->path, odd->zero_time_gpu);
}

static void check_files(struct check *check)
{
    for (uint32_t i = 0; i < check->timeline->processes.count; i++) {
        const struct tl_process *process = &check->timeline->processes.at[i];
        check_damage(check, process);
        check_losses(check, process);
        check_clock(check, process);
        check_calls(check, process);
        check_device_count(check, i);
    }
}

/* What was left out to keep the budget: in the order of prof_throttle_place(), the
 * latest back first, and only where there is a budget that was exceeded. */

struct throttles {
    uint32_t process;
    unsigned out; /* things left out, a bit each */
};

/* Things that cannot be left out in this run are passed over, so only the order is certain. */
static bool is_in_order(struct throttles *throttles, const struct tl_throttle *throttle)
{
    unsigned bit = 1u << prof_throttle_place(throttle->what);
    unsigned above = ~(bit | (bit - 1));
    if (throttle->process != throttles->process)
        *throttles = (struct throttles){.process = throttle->process};
    bool was_out = throttles->out & bit;
    bool in_order = was_out == throttle->on && !(throttles->out & above);
    throttles->out = throttle->on ? throttles->out & ~bit : throttles->out | bit;
    return in_order;
}

static bool is_explained(const struct tl_throttle *throttle)
{
    return throttle->budget_ppm && (throttle->on || throttle->cost_ppm > throttle->budget_ppm);
}

static const char *name_of(const struct tl_throttle *throttle)
{
#define THROTTLE_SENTENCE(symbol, name, sentence) sentence,
    static const char *const sentences[] = {PROF_THROTTLE_THINGS(THROTTLE_SENTENCE)};
#undef THROTTLE_SENTENCE
    return sentences[throttle->what];
}

static void check_cost(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    struct throttles throttles = {.process = TL_NONE};
    for (uint32_t i = 0; i < timeline->throttles.count; i++) {
        const struct tl_throttle *throttle = &timeline->throttles.at[i];
        if (throttle->what >= PROF_THROTTLE_COUNT)
            continue;
        check_add(check, CHECK_RULE_THROTTLE_ORDER, CHECK_ERROR,
                  !is_in_order(&throttles, throttle) || !is_explained(throttle),
                  "%s were left out or recorded again out of turn", name_of(throttle));
        check_add(check, CHECK_RULE_THROTTLE, CHECK_NOTE, !throttle->on,
                  "%s were not recorded from %.3f s on: recording cost %.2f %% of wall, the "
                  "budget is %.2f %%",
                  name_of(throttle), (double)throttle->time_ns / 1e9, throttle->cost_ppm / 1e4,
                  throttle->budget_ppm / 1e4);
    }
}

/* ---- operations of devices ----
 *
 * Sorted, not overlapping within a lane, launched by a call of the host. */

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

static void check_overruns(struct check *check)
{
    struct overruns overruns;
    char text[OVERRUNS_TEXT_BYTES] = "";
    overruns_find(check->timeline, &overruns);
    if (overruns.count)
        overruns_text(check->timeline, &overruns, text);
    check_add(check, CHECK_RULE_OVERRUNS, CHECK_WARNING, overruns.count, "%s", text);
}

static void check_gpus(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        check_gpu(check, i);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        check_stream(check, &timeline->streams.at[i]);
    if (!check->found[CHECK_RULE_RANGES].count)
        check_overruns(check);
    check_arrow_ends(check);
    check_devices(check);
}

/* ---- CUDA graphs: everything refers to what exists, launches hold what is recorded under
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
                  "a launch of a graph at %" PRId64 " ns does not match the operations of its call",
                  slice->start_ns);
        check_add(check, CHECK_RULE_GRAPHS, CHECK_WARNING, launch->whole && launch->recorded > 1,
                  "the launch of a graph at %" PRId64
                  " ns should have produced one record for the whole graph, but produced %" PRIu32,
                  slice->start_ns, launch->recorded);
    }
}

static void check_graphs(struct check *check)
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

static void check_ledger(struct check *check)
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
    check_add(check, CHECK_RULE_LOSS, CHECK_WARNING,
              timeline_is_native(check->timeline) ? 0 : ledger->unobserved,
              "%" PRIu64 " launches have no device record", ledger->unobserved);
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

/* Events seen of each allocation: 0 none, 1 its begin, 2 its end. */
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

static void check_memory(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    if (check_memories(check))
        check_events(check);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        check_anomalies(check, &timeline->processes.at[i]);
}

/* ---- all of them ---- */

static void count_severity(struct check_report *report, enum check_severity severity)
{
    report->errors += severity == CHECK_ERROR;
    report->warnings += severity == CHECK_WARNING;
    report->notes += severity == CHECK_NOTE;
}

void timeline_check(const struct timeline *timeline, struct check_report *report)
{
    struct check check = {.timeline = timeline};
    check_files(&check);
    check_recorder_notes(&check);
    check_slices(&check);
    check_nvtx(&check);
    check_frames(&check);
    check_gpus(&check);
    check_timings(&check);
    check_ledger(&check);
    check_graphs(&check);
    check_memory(&check);
    check_cost(&check);
    memset(report, 0, sizeof *report);
    for (unsigned rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        if (!check.found[rule].count)
            continue;
        report->findings[report->count++] = check.found[rule];
        count_severity(report, check.found[rule].severity);
    }
}
