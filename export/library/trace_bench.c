/* trace_bench.c - the statistics of a range in the form of bench.h. */
#include "bench_stats.h"
#include "prof/bench.h"
#include "run_facts.h"
#include "trace_open.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void fill_time(const struct bench_spread *spread, struct prof_bench_time *to)
{
    *to = (struct prof_bench_time){.median_ns = spread->median,
                                   .mean_ns = spread->mean,
                                   .p10_ns = spread->p10,
                                   .p90_ns = spread->p90,
                                   .min_ns = spread->min,
                                   .max_ns = spread->max,
                                   .low_ns = spread->low,
                                   .high_ns = spread->high,
                                   .relative_error = spread->relative_error};
}

static void copy_text(struct text text, char *to, size_t bytes)
{
    snprintf(to, bytes, "%.*s", (int)(text.size < bytes ? text.size : bytes), text.bytes);
}

static void fill_operation(const struct timeline *timeline, const struct bench_operation *of,
                           struct prof_bench_operation *to)
{
    const struct tl_gpu *gpu = &timeline->gpus.at[of->gpu];
    *to = (struct prof_bench_operation){.time_ns = of->time_ns,
                                        .share = of->share,
                                        .gap_ns = of->gap_ns,
                                        .occupancy_percent = of->occupancy_percent};
    if (gpu->name < timeline->names.count)
        copy_text(timeline->names.at[gpu->name], to->name, sizeof to->name);
    if (gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET)
        to->copied_bytes = gpu->bytes;
    if (gpu->kind != TL_KERNEL)
        return;
    const struct tl_kernel *kernel = &timeline->kernels.at[gpu->detail];
    uint32_t grid[3] = {kernel->grid_x, kernel->grid_y, kernel->grid_z};
    uint32_t block[3] = {kernel->block_x, kernel->block_y, kernel->block_z};
    memcpy(to->grid, grid, sizeof grid);
    memcpy(to->block, block, sizeof block);
    to->registers = kernel->registers;
    to->shared_bytes = (uint64_t)kernel->static_shared_memory + kernel->dynamic_shared_memory;
}

static void fill_group(const struct bench_stats *stats, const struct bench_group *group,
                       struct prof_bench_result *to)
{
    fill_time(&group->spread[BENCH_DEVICE], &to->device);
    fill_time(&group->spread[BENCH_SPAN], &to->span);
    fill_time(&group->spread[BENCH_GAPS], &to->gaps);
    fill_time(&group->spread[BENCH_HOST], &to->host);
    to->flop = group->flop;
    to->bytes = group->bytes;
    to->kernels = group->kernels;
    to->copies = group->copies;
    to->copied_bytes = group->copied_bytes;
    to->sequence_calls = group->calls;
    to->operations = group->operations.count;
    for (uint32_t i = 0; i < group->operations.count && i < PROF_BENCH_OPERATIONS; i++)
        fill_operation(stats->timeline, &group->operations.at[i], &to->operation[i]);
}

static void fill(const struct bench_stats *stats, struct prof_bench_result *to)
{
    static const struct bench_spread none = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    struct run_facts facts;
    run_facts_init(&facts, stats->timeline);
    *to = (struct prof_bench_result){.size_bytes = sizeof *to, .flop = NAN, .bytes = NAN};
    fill_time(&none, &to->device);
    to->span = to->gaps = to->host = to->device;
    to->calls = stats->calls.calls.count;
    to->sequences = stats->calls.sequences.count;
    to->clock_min_mhz = stats->clock.samples ? stats->clock.min : NAN;
    to->clock_max_mhz = stats->clock.samples ? stats->clock.max : NAN;
    to->cache = bench_cache_name(stats->cache);
    to->launch = bench_launch_name(stats->launch);
    to->simulated = facts.simulated;
    if (stats->devices.count) {
        uint32_t name = stats->timeline->devices.at[stats->devices.at[0]].name;
        if (name < stats->timeline->names.count)
            copy_text(stats->timeline->names.at[name], to->device_name, sizeof to->device_name);
    }
    for (unsigned i = 0; i < stats->reason_count; i++) {
        size_t used = strlen(to->reason);
        snprintf(to->reason + used, sizeof to->reason - used, "%s%s", i ? "; " : "",
                 stats->reasons[i]);
    }
    if (stats->groups.count)
        fill_group(stats, &stats->groups.at[0], to);
}

/* Structures of callers that were compiled with an older header are shorter. */
static bool sizes_agree(const struct prof_bench_options *options,
                        const struct prof_bench_result *result)
{
    return result && result->size_bytes == sizeof *result &&
           (!options || options->size_bytes >= offsetof(struct prof_bench_options, before_each));
}

prof_status prof_trace_bench(struct prof_trace *trace, const char *range,
                             const struct prof_bench_options *options,
                             struct prof_bench_result *result)
{
    struct bench_options how = {.range = range, .max_relative_error = BENCH_RELATIVE_ERROR};
    struct bench_stats stats;
    struct call call;
    if (!trace || !range || !*range || !sizes_agree(options, result))
        return PROF_INVALID;
    if (options) {
        how.max_relative_error = options->max_relative_error;
        how.allow_varying = options->allow_varying;
    }
    call_begin(&call, &trace->given, trace->sentence);
    if (!bench_stats_init(&stats, trace->held->timeline, &how))
        return call_end(&call, PROF_FAILED, strerror(ENOMEM));
    fill(&stats, result);
    prof_status status = stats.reason_count ? PROF_INCONCLUSIVE : PROF_OK;
    bench_stats_fini(&stats);
    return call_end(&call, status, result->reason);
}
