/* bench_stats.c - see bench_stats.h. */
#include "bench_stats.h"

#include "array.h"
#include "evidence.h"
#include "kernel_work.h"
#include "occupancy.h"
#include "percentile.h"
#include "run_facts.h"
#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reasons ---- */

__attribute__((format(printf, 2, 3))) static void refuse(struct bench_stats *stats,
                                                         const char *format, ...)
{
    va_list arguments;
    if (stats->reason_count == BENCH_REASONS)
        return;
    va_start(arguments, format);
    vsnprintf(stats->reasons[stats->reason_count++], BENCH_REASON_BYTES, format, arguments);
    va_end(arguments);
}

/* The recording has no such range: names those that launched something, as far as there is room. */
static void refuse_unknown_range(struct bench_stats *stats)
{
    const struct timeline *timeline = stats->timeline;
    char known[BENCH_REASON_BYTES - 120] = "";
    uint32_t names[16], count = 0;
    for (uint32_t i = 0; i < timeline->slices.count && count < 16; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        uint32_t range = slice->gpu_count ? tl_range_name(timeline, i) : TL_NONE, k = 0;
        while (k < count && names[k] != range)
            k++;
        if (range == TL_NONE || range >= timeline->names.count || k < count)
            continue;
        struct text name = timeline->names.at[range];
        size_t used = strlen(known);
        names[count++] = range;
        if (used + name.size + 3 < sizeof known)
            snprintf(known + used, sizeof known - used, "%s%.*s", used ? ", " : "", (int)name.size,
                     name.bytes);
    }
    if (stats->calls.unfinished)
        refuse(stats, "no call of the range '%.100s' ended in this recording",
               stats->options.range);
    else
        refuse(stats, "this recording has no range '%.100s'%s%s", stats->options.range,
               *known ? "; ranges that launched something: " : "", known);
}

/* What prof_bench_next() could not do: a mark "RANGE failed: REASON". */
static void refuse_failures(struct bench_stats *stats)
{
    const struct timeline *timeline = stats->timeline;
    char before[300];
    snprintf(before, sizeof before, "%.250s failed: ", stats->options.range);
    for (uint32_t i = 0; i < timeline->marks.count; i++) {
        uint32_t name = timeline->marks.at[i].name;
        if (name >= timeline->names.count || !text_begins(timeline->names.at[name], before))
            continue;
        struct text text = timeline->names.at[name];
        size_t skipped = strlen(before);
        refuse(stats, "%.*s", (int)(text.size - skipped < 300 ? text.size - skipped : 300),
               text.bytes + skipped);
    }
}

static uint64_t count_unrecorded(const struct bench_stats *stats, uint32_t *calls)
{
    uint64_t unrecorded = 0;
    *calls = 0;
    for (uint32_t i = 0; i < stats->calls.calls.count; i++) {
        unrecorded += stats->calls.calls.at[i].unrecorded;
        *calls += stats->calls.calls.at[i].unrecorded > 0;
    }
    return unrecorded;
}

/* A mode that is partial has records of some of the time: only if those of calls are missing, it is
 * a reason. */
static void refuse_mode(struct bench_stats *stats, const struct run_facts *facts)
{
    uint32_t calls;
    bool is_native = timeline_is_native(stats->timeline);
    bool is_partial = strcmp(facts->mode, "partial") == 0 && !count_unrecorded(stats, &calls);
    if (is_native && !is_partial && strcmp(facts->mode, "cupti") != 0 &&
        strcmp(facts->mode, "none") != 0)
        refuse(stats, "the GPU mode is %s: %.*s", facts->mode,
               facts->mode_reason.size < 200 ? (int)facts->mode_reason.size : 200,
               facts->mode_reason.bytes);
}

static void refuse_empty_calls(struct bench_stats *stats)
{
    uint32_t empty = 0, first = 0;
    char lacking[EVIDENCE_BYTES];
    for (uint32_t i = stats->calls.calls.count; i-- > 0;)
        if (!stats->calls.calls.at[i].count && !stats->calls.calls.at[i].unrecorded)
            empty++, first = i;
    if (!empty)
        return;
    if (!stats->timeline->children.count &&
        evidence_missing(stats->timeline, EVIDENCE_DEVICE, lacking))
        refuse(stats, "no call launched anything that was recorded: %s", lacking);
    else if (stats->timeline->children.count)
        refuse(stats,
               "%u of %u calls launched nothing in this process, the first is call %u; it started "
               "%u other process%s, whose work is not counted",
               empty, stats->calls.calls.count, first + 1, stats->timeline->children.count,
               stats->timeline->children.count == 1 ? "" : "es");
    else
        refuse(stats, "%u of %u calls launched nothing, the first is call %u", empty,
               stats->calls.calls.count, first + 1);
}

static void refuse_losses(struct bench_stats *stats, const struct run_facts *facts)
{
    uint32_t calls;
    uint64_t unrecorded = count_unrecorded(stats, &calls);
    if (unrecorded)
        refuse(stats,
               "%" PRIu64 " operation%s that %u of %u calls launched %s no device record; "
               "'profdump check --ledger' counts them by cause",
               unrecorded, plural(unrecorded), calls, stats->calls.calls.count,
               unrecorded == 1 ? "has" : "have");
    if (stats->calls.homeless)
        refuse(stats,
               "%" PRIu64 " device operation%s ran during the calls, and the recording does not "
               "have the launch%s: whose work that is cannot be judged",
               stats->calls.homeless, plural(stats->calls.homeless),
               stats->calls.homeless == 1 ? "" : "es");
    if (facts->ledger.lost_host || facts->torn_records || facts->missing_chunks)
        refuse(stats, "%" PRIu64 " host events were lost: calls and launches may be missing",
               facts->ledger.lost_host + facts->torn_records + facts->missing_chunks);
}

/* ---- clocks ---- */

static bool is_clock(struct text name)
{
    return memmem(name.bytes, name.size, "SM clock", strlen("SM clock")) ||
           memmem(name.bytes, name.size, "GPC Clock Frequency", strlen("GPC Clock Frequency"));
}

static void find_clock(struct bench_stats *stats)
{
    const struct timeline *timeline = stats->timeline;
    const struct bench_calls *calls = &stats->calls;
    int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
    for (uint32_t i = 0; i < calls->calls.count; i++) {
        from_ns = calls->calls.at[i].start_ns < from_ns ? calls->calls.at[i].start_ns : from_ns;
        to_ns = calls->calls.at[i].end_ns > to_ns ? calls->calls.at[i].end_ns : to_ns;
        to_ns = calls->calls.at[i].count && calls->calls.at[i].last_ns > to_ns
                    ? calls->calls.at[i].last_ns
                    : to_ns;
    }
    for (uint32_t i = 0; i < timeline->counters.count; i++) {
        const struct tl_counter *counter = &timeline->counters.at[i];
        if (counter->time_ns < from_ns || counter->time_ns > to_ns ||
            counter->name >= timeline->names.count || !is_clock(timeline->names.at[counter->name]))
            continue;
        struct bench_clock *clock = &stats->clock;
        clock->min = !clock->samples || counter->value < clock->min ? counter->value : clock->min;
        clock->max = !clock->samples || counter->value > clock->max ? counter->value : clock->max;
        clock->samples++;
    }
}

static void refuse_clocks(struct bench_stats *stats)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < stats->timeline->processes.count; i++)
        steps += stats->timeline->processes.at[i].health.clock_steps;
    if (steps)
        refuse(stats,
               "the system's clock was set %" PRIu64 " time%s while this was recorded: device "
               "times follow that clock",
               steps, plural(steps));
    find_clock(stats);
    if (stats->clock.samples && stats->clock.max >= stats->clock.min * DIFF_MATTERS)
        refuse(stats, "the device's clock went from %.0f to %.0f MHz during the calls",
               stats->clock.min, stats->clock.max);
}

/* ---- spreads ---- */

static int64_t measure_of(const struct bench_call *call, enum bench_measure measure)
{
    switch (measure) {
    case BENCH_DEVICE:
        return call->busy_ns;
    case BENCH_SPAN:
        return call->last_ns - call->first_ns;
    case BENCH_GAPS:
        return call->last_ns - call->first_ns - call->busy_ns;
    default:
        return call->end_ns - call->start_ns;
    }
}

/* `ns` is sorted. */
static bool spread_of(struct bootstrap *bootstrap, const int64_t *ns, uint32_t count,
                      struct bench_spread *spread)
{
    struct bootstrap_set set = {ns, count, 0};
    struct bootstrap_interval interval;
    double *values = malloc(((size_t)count + 1) * sizeof *values);
    if (!values || !bootstrap_median_of(bootstrap, &set, &interval)) {
        free(values);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = (double)ns[i];
    struct percentile_summary summary = percentile_summarize(values, count);
    free(values);
    *spread = (struct bench_spread){.median = summary.p50,
                                    .mean = summary.mean,
                                    .p10 = summary.p10,
                                    .p90 = summary.p90,
                                    .min = summary.min,
                                    .max = summary.max,
                                    .low = interval.low,
                                    .high = interval.high,
                                    .relative_error = NAN};
    if (interval.known && interval.high == interval.low)
        spread->relative_error = 0;
    else if (interval.known && summary.p50 > 0)
        spread->relative_error = (interval.high - interval.low) / 2 / summary.p50;
    return true;
}

/* Fills `to` with the calls of the group, in order of time, and returns how many. */
static uint32_t valueplural(const struct bench_stats *stats, uint32_t sequence,
                            enum bench_measure measure, int64_t *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stats->calls.calls.count; i++)
        if (stats->calls.calls.at[i].sequence == sequence)
            to[count++] = measure_of(&stats->calls.calls.at[i], measure);
    return count;
}

/* Fewer calls have no thirds worth comparing. */
#define DRIFT_CALLS 30u

/* Whether the last third of the calls took longer or shorter than the first one, by more than
 * noise. Sorts both thirds. */
static bool refuse_drift(struct bench_stats *stats, struct bootstrap *bootstrap, int64_t *ns,
                         uint32_t count)
{
    struct bootstrap_interval ratio;
    uint32_t third = count / 3;
    if (count < DRIFT_CALLS)
        return true;
    bootstrap_sort(ns, third);
    bootstrap_sort(ns + count - third, third);
    struct bootstrap_set first = {ns, third, 0}, last = {ns + count - third, third, 0};
    if (!bootstrap_medians(bootstrap, &first, &last, &ratio))
        return false;
    bool differs = ratio.known && (ratio.low > 1 || ratio.high < 1);
    if (differs && (ratio.ratio >= DIFF_MATTERS || ratio.ratio <= 1 / DIFF_MATTERS))
        refuse(stats,
               "device time went from %.0f ns (first third of %u calls) to %.0f ns (last third): "
               "clocks stepped, or the work changed",
               bootstrap_median(first.sorted_ns, first.count), count,
               bootstrap_median(last.sorted_ns, last.count));
    return true;
}

static bool fill_spreads(struct bench_stats *stats, struct bench_group *group,
                         struct bootstrap *bootstrap, int64_t *ns)
{
    for (unsigned measure = 0; measure < BENCH_MEASURES; measure++) {
        uint32_t count = valueplural(stats, group->sequence, measure, ns);
        if (measure == BENCH_DEVICE && !refuse_drift(stats, bootstrap, ns, count))
            return false;
        bootstrap_sort(ns, count);
        if (!spread_of(bootstrap, ns, count, &group->spread[measure]))
            return false;
        if (measure != BENCH_DEVICE)
            continue;
        group->device_ns = malloc(((size_t)count + 1) * sizeof *ns);
        if (!group->device_ns)
            return false;
        memcpy(group->device_ns, ns, count * sizeof *ns);
    }
    return true;
}

/* ---- operations of a group ---- */

static const struct tl_gpu *operation_at(const struct bench_stats *stats,
                                         const struct bench_call *call, uint32_t place)
{
    return &stats->timeline->gpus.at[stats->calls.operations.at[call->first + place]];
}

/* The time before an operation of the call in which none of the others ran; -1: it is the first. */
static int64_t gap_before(const struct bench_stats *stats, const struct bench_call *call,
                          uint32_t place)
{
    const struct tl_gpu *gpu = operation_at(stats, call, place);
    int64_t until_ns = INT64_MIN;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct tl_gpu *other = operation_at(stats, call, i);
        bool is_before =
            other->start_ns < gpu->start_ns || (other->start_ns == gpu->start_ns && i < place);
        if (is_before && other->end_ns > until_ns)
            until_ns = other->end_ns;
    }
    if (until_ns == INT64_MIN)
        return -1;
    return gpu->start_ns > until_ns ? gpu->start_ns - until_ns : 0;
}

/* The search for gaps takes the square of the length; longer sequences have gaps to the operation
 * before in the order of launches alone. */
#define GAP_OPERATIONS 64u

/* Of more sequences, only the most frequent get numbers. */
#define GROUPS_MAX 20u

static int64_t gap_of(const struct bench_stats *stats, const struct bench_call *call,
                      uint32_t place)
{
    if (call->count <= GAP_OPERATIONS)
        return gap_before(stats, call, place);
    if (place == 0)
        return -1;
    int64_t gap_ns =
        operation_at(stats, call, place)->start_ns - operation_at(stats, call, place - 1)->end_ns;
    return gap_ns > 0 ? gap_ns : 0;
}

static void fill_operation(const struct bench_stats *stats, const struct bench_group *group,
                           uint32_t place, int64_t *ns, struct bench_operation *to)
{
    uint32_t count = 0, gaps = 0;
    for (uint32_t i = 0; i < stats->calls.calls.count; i++) {
        const struct bench_call *call = &stats->calls.calls.at[i];
        if (call->sequence != group->sequence)
            continue;
        const struct tl_gpu *gpu = operation_at(stats, call, place);
        ns[count++] = gpu->end_ns - gpu->start_ns;
    }
    bootstrap_sort(ns, count);
    to->time_ns = bootstrap_median(ns, count);
    for (uint32_t i = 0; i < stats->calls.calls.count; i++) {
        const struct bench_call *call = &stats->calls.calls.at[i];
        int64_t gap_ns = call->sequence == group->sequence ? gap_of(stats, call, place) : -1;
        if (gap_ns >= 0)
            ns[gaps++] = gap_ns;
    }
    bootstrap_sort(ns, gaps);
    to->gap_ns = bootstrap_median(ns, gaps);
}

static bool fill_operations(struct bench_stats *stats, struct bench_group *group,
                            const struct kernel_works *works, int64_t *ns)
{
    const struct bench_call *example =
        &stats->calls.calls.at[stats->calls.sequences.at[group->sequence].example];
    double sum_ns = 0;
    group->flop = group->bytes = 0;
    for (uint32_t i = 0; i < example->count; i++) {
        struct bench_operation *added = ARRAY_ADD(&group->operations);
        if (!added)
            return false;
        uint32_t index = stats->calls.operations.at[example->first + i];
        const struct tl_gpu *gpu = &stats->timeline->gpus.at[index];
        *added = (struct bench_operation){
            .gpu = index, .occupancy_percent = -1, .flop = NAN, .bytes = NAN};
        fill_operation(stats, group, i, ns, added);
        sum_ns += added->time_ns;
        if (gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET) {
            group->copies++;
            group->copied_bytes += gpu->bytes;
            continue;
        }
        group->kernels += gpu->kind == TL_KERNEL;
        added->flop = works->at[index].source == WORK_NONE ? (double)NAN : works->at[index].flop;
        added->bytes = works->at[index].source == WORK_NONE ? (double)NAN : works->at[index].bytes;
        group->flop += added->flop;
        group->bytes += added->bytes;
        const struct tl_device *device =
            timeline_device_of(stats->timeline, gpu->process, gpu->device);
        if (gpu->kind == TL_KERNEL && device)
            added->occupancy_percent =
                occupancy_of(&stats->timeline->kernels.at[gpu->detail], &device->info).percent;
    }
    for (uint32_t i = 0; i < group->operations.count; i++)
        group->operations.at[i].share =
            sum_ns > 0 ? group->operations.at[i].time_ns / sum_ns : (double)NAN;
    if (!group->kernels)
        group->flop = group->bytes = NAN;
    return true;
}

/* ---- the device, the cache ---- */

static bool find_devices(struct bench_stats *stats)
{
    const struct timeline *timeline = stats->timeline;
    for (uint32_t i = 0; i < stats->calls.operations.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[stats->calls.operations.at[i]];
        const struct tl_device *device = timeline_device_of(timeline, gpu->process, gpu->device);
        uint32_t index = device ? (uint32_t)(device - timeline->devices.at) : TL_NONE, k = 0;
        while (k < stats->devices.count && stats->devices.at[k] != index)
            k++;
        if (!device || k < stats->devices.count)
            continue;
        uint32_t *added = ARRAY_ADD(&stats->devices);
        if (!added)
            return false;
        *added = index;
    }
    return true;
}

/* What ran on a device. */
struct work {
    int64_t start_ns, end_ns;
    bool clears; /* a set that is large enough */
};

static int by_start(const void *left, const void *right)
{
    const struct work *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* All of it, in order of time. */
static uint32_t find_work(const struct timeline *timeline, const struct tl_device *device,
                          struct work *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!tl_is_work(gpu) || gpu->process != device->process ||
            gpu->device != device->info.device)
            continue;
        bool clears = gpu->kind == TL_MEMSET && gpu->bytes >= 2 * (uint64_t)device->info.l2_bytes;
        to[count++] = (struct work){gpu->start_ns, gpu->end_ns, clears};
    }
    qsort(to, count, sizeof *to, by_start);
    return count;
}

/* Whether the last work before that time cleared the cache, and had ended. */
static bool is_cleared(const struct work *work, uint32_t count, int64_t time_ns)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (work[middle].start_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && work[low - 1].clears && work[low - 1].end_ns <= time_ns;
}

/* How many calls found the cache of the device cold; `*used`: how many used the device. */
static uint32_t count_cold(const struct bench_stats *stats, const struct tl_device *device,
                           const struct work *work, uint32_t count, uint32_t *used)
{
    uint32_t cold = 0;
    for (uint32_t i = 0; i < stats->calls.calls.count; i++) {
        const struct bench_call *call = &stats->calls.calls.at[i];
        int64_t first_ns = INT64_MAX;
        for (uint32_t k = 0; k < call->count && call->process == device->process; k++) {
            const struct tl_gpu *gpu = operation_at(stats, call, k);
            if (gpu->device == device->info.device && gpu->start_ns < first_ns)
                first_ns = gpu->start_ns;
        }
        if (first_ns == INT64_MAX)
            continue;
        cold += is_cleared(work, count, first_ns) ? 1 : 0;
        ++*used;
    }
    return cold;
}

static bool find_cache(struct bench_stats *stats)
{
    const struct timeline *timeline = stats->timeline;
    struct work *work = malloc(((size_t)timeline->gpus.count + 1) * sizeof *work);
    uint32_t cold = 0, used = 0;
    bool known = stats->devices.count > 0;
    for (uint32_t i = 0; work && i < stats->devices.count; i++) {
        const struct tl_device *device = &timeline->devices.at[stats->devices.at[i]];
        known &= device->info.l2_bytes > 0;
        if (known)
            cold += count_cold(stats, device, work, find_work(timeline, device, work), &used);
    }
    if (known)
        stats->cache = cold == 0 ? BENCH_WARM : cold == used ? BENCH_COLD : BENCH_MIXED;
    free(work);
    return work != NULL;
}

static void find_launch(struct bench_stats *stats)
{
    uint32_t of_graphs = 0;
    for (uint32_t i = 0; i < stats->calls.operations.count; i++) {
        const struct tl_gpu *gpu = &stats->timeline->gpus.at[stats->calls.operations.at[i]];
        uint64_t node;
        of_graphs +=
            timeline_graph_of(stats->timeline, gpu, &node) != 0 || node != 0 ||
            gpu->kind == TL_GRAPH_RUN ||
            (gpu->slice != TL_NONE && stats->timeline->slices.at[gpu->slice].flags & TL_GRAPH);
    }
    stats->launch = of_graphs == 0                               ? BENCH_EAGER
                    : of_graphs == stats->calls.operations.count ? BENCH_GRAPH
                                                                 : BENCH_BOTH;
}

/* ---- the whole ---- */

static void refuse_sequences(struct bench_stats *stats)
{
    const struct bench_calls *calls = &stats->calls;
    if (calls->sequences.count < 2 || stats->options.allow_varying)
        return;
    const struct bench_sequence *usual = &calls->sequences.at[0], *other = usual + 1;
    refuse(stats,
           "calls launched %u different sequences of operations: %u calls one of %u operations, %u "
           "call%s one of %u, first in call %u",
           calls->sequences.count, usual->calls, calls->calls.at[usual->example].count,
           other->calls, plural(other->calls), calls->calls.at[other->example].count,
           other->example + 1);
}

static void refuse_spread(struct bench_stats *stats)
{
    uint32_t judged = 0;
    size_t least = bootstrap_least(BENCH_CONFIDENCE);
    for (uint32_t i = 0; i < stats->groups.count; i++) {
        const struct bench_group *group = &stats->groups.at[i];
        const struct bench_spread *spread = &group->spread[BENCH_DEVICE];
        judged += isnan(spread->relative_error) ? 0 : 1;
        if (spread->relative_error > stats->options.max_relative_error)
            refuse(stats,
                   "the relative error is %.1f %%, above the limit of %.1f %%: of %u calls the "
                   "median is %.0f ns, its interval %.0f to %.0f ns",
                   100 * spread->relative_error, 100 * stats->options.max_relative_error,
                   group->calls, spread->median, spread->low, spread->high);
    }
    if (!judged && !stats->reason_count)
        refuse(stats, "%u call%s: an interval needs %zu of one sequence", stats->calls.calls.count,
               plural(stats->calls.calls.count), least);
}

static void drop_groups(struct bench_stats *stats)
{
    for (uint32_t i = 0; i < stats->groups.count; i++) {
        free(stats->groups.at[i].device_ns);
        free(stats->groups.at[i].operations.at);
    }
    stats->groups.count = 0;
}

static bool add_groups(struct bench_stats *stats, struct bootstrap *bootstrap,
                       const struct kernel_works *works)
{
    int64_t *ns = malloc(((size_t)stats->calls.calls.count + 1) * sizeof *ns);
    bool done = ns != NULL;
    for (uint32_t i = 0; done && i < stats->calls.sequences.count && i < GROUPS_MAX; i++) {
        struct bench_group *group = ARRAY_ADD(&stats->groups);
        if (!group) {
            done = false;
            break;
        }
        *group = (struct bench_group){.sequence = i, .calls = stats->calls.sequences.at[i].calls};
        done =
            fill_spreads(stats, group, bootstrap, ns) && fill_operations(stats, group, works, ns);
    }
    free(ns);
    return done;
}

static bool add_numbers(struct bench_stats *stats)
{
    struct bootstrap bootstrap;
    struct kernel_works works;
    if (!bootstrap_init(&bootstrap, BENCH_RESAMPLES, BENCH_CONFIDENCE))
        return false;
    bool done = kernel_works_init(&works, stats->timeline);
    if (done) {
        done = add_groups(stats, &bootstrap, &works);
        kernel_works_fini(&works);
    }
    bootstrap_fini(&bootstrap);
    if (done)
        refuse_spread(stats);
    return done;
}

bool bench_stats_init(struct bench_stats *stats, const struct timeline *timeline,
                      const struct bench_options *options)
{
    struct run_facts facts;
    *stats = (struct bench_stats){.timeline = timeline, .options = *options};
    if (!bench_calls_init(&stats->calls, timeline, options->range))
        return false;
    run_facts_init(&facts, timeline);
    refuse_mode(stats, &facts);
    refuse_failures(stats);
    if (!stats->calls.calls.count)
        refuse_unknown_range(stats);
    refuse_empty_calls(stats);
    refuse_losses(stats, &facts);
    refuse_clocks(stats);
    refuse_sequences(stats);
    find_launch(stats);
    bool done =
        find_devices(stats) && find_cache(stats) && (stats->reason_count || add_numbers(stats));
    if (stats->reason_count)
        drop_groups(stats);
    if (!done)
        bench_stats_fini(stats);
    return done;
}

void bench_stats_fini(struct bench_stats *stats)
{
    drop_groups(stats);
    free(stats->groups.at);
    free(stats->devices.at);
    bench_calls_fini(&stats->calls);
    *stats = (struct bench_stats){.timeline = NULL};
}

bool bench_compare(struct bench_comparison *comparison, const struct bench_stats *left,
                   const struct bench_stats *right)
{
    struct bootstrap bootstrap;
    *comparison = (struct bench_comparison){.ratio = {NAN, NAN, NAN, false}};
    if (left->groups.count != 1 || right->groups.count != 1)
        return true;
    if (!bootstrap_init(&bootstrap, BENCH_RESAMPLES, BENCH_CONFIDENCE))
        return false;
    struct bootstrap_set before = {left->groups.at[0].device_ns, left->groups.at[0].calls, 0};
    struct bootstrap_set after = {right->groups.at[0].device_ns, right->groups.at[0].calls, 0};
    bool done = bootstrap_medians(&bootstrap, &before, &after, &comparison->ratio);
    comparison->verdict = diff_verdict_of(&comparison->ratio);
    bootstrap_fini(&bootstrap);
    return done;
}

/* ---- names ---- */

const char *bench_cache_name(enum bench_cache cache)
{
    static const char *const names[] = {"unknown", "warm", "cold", "mixed"};
    return names[cache];
}

const char *bench_launch_name(enum bench_launch launch)
{
    static const char *const names[] = {"eager", "graph", "mixed"};
    return names[launch];
}

const char *bench_measure_name(enum bench_measure measure)
{
    static const char *const names[] = {"device_time", "span", "gaps", "host_time"};
    return names[measure];
}

const char *bench_verdict_name(enum diff_verdict verdict)
{
    switch (verdict) {
    case DIFF_SLOWER:
    case DIFF_FASTER:
    case DIFF_SAME:
        return diff_verdict_name(verdict);
    default:
        return "inconclusive";
    }
}
