/* build_ledger.c - launched = recorded + every way of not being recorded.
 *
 * What a call was to launch is compared with what devices recorded under it; the differences are
 * explained by causes, in this order: the device side was not recorded at all; counted losses, or
 * chunks that are not in the file any more; the process was killed, so that what CUPTI still held
 * never came. What then remains is missing without a reason: a bug.
 */
#include "builder.h"

struct tally {
    uint64_t launched, recorded, shortfall;
};

static uint64_t operations_of(const struct builder *builder, const struct tl_slice *slice)
{
    const struct timeline *timeline = builder->timeline;
    uint64_t count = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        count += gpu->kind <= TL_MEMSET && !(gpu->flags & TL_GPU_INTERNAL);
    }
    return count;
}

static void count_call(struct builder *builder, const struct build_launch *launch,
                       struct tally *tally)
{
    const struct tl_slice *slice = &builder->timeline->slices.at[launch->slice];
    const struct tl_api *api = &builder->timeline->apis.at[slice->api];
    uint64_t recorded = operations_of(builder, slice);
    if (slice->flags & TL_INTERNAL)
        return;
    if (slice->flags & TL_GRAPH) {
        builder->timeline->ledger.launched_graph += recorded;
        return;
    }
    uint64_t expected = launch->launches && api->result == 0 ? api->operations : 0;
    if (recorded > expected && expected)
        build_process(builder)->odd.surplus_gpu += recorded - expected;
    tally->recorded += recorded;
    tally->launched += recorded > expected ? recorded : expected;
    tally->shortfall += expected > recorded ? expected - recorded : 0;
}

/* Operations whose origin is a range: what launched them is not in the file, but all of them are. */
static void count_origins(struct builder *builder, struct tally *tally)
{
    const struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        bool counts = gpu->slice != TL_NONE && timeline->slices.at[gpu->slice].kind != TL_API &&
                      gpu->kind <= TL_MEMSET;
        tally->recorded += counts;
        tally->launched += counts;
    }
}

static uint64_t take(uint64_t *from, uint64_t most)
{
    uint64_t taken = *from < most ? *from : most;
    *from -= taken;
    return taken;
}

static bool is_device_loss(enum prof_loss_cause cause)
{
    switch (cause) {
    case PROF_LOSS_CUPTI_DROPPED:
    case PROF_LOSS_ZERO_TIME:
    case PROF_LOSS_OUT_OF_WINDOW:
    case PROF_LOSS_UNKNOWN_RECORD:
    case PROF_LOSS_GPU_BUFFER:
        return true;
    default:
        return false;
    }
}

static uint64_t count_losses(struct builder *builder)
{
    struct tl_ledger *ledger = &builder->timeline->ledger;
    const struct tl_process *process = build_process(builder);
    uint64_t device = process->odd.zero_time_gpu, host = 0;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        if (is_device_loss((enum prof_loss_cause)cause))
            device += process->loss[cause];
        else
            host += process->loss[cause];
    }
    ledger->lost_device += device;
    ledger->lost_host += host;
    return device + host; /* device records can be lost for want of space, like any other */
}

/* Chunks were recycled (ring mode), cut off or damaged, and device records with them. */
static bool lacks_chunks(const struct read_health *health)
{
    return health->missing_chunks || health->truncated || health->bad_records;
}

static void explain(struct builder *builder, uint64_t shortfall, uint64_t lost)
{
    struct tl_ledger *ledger = &builder->timeline->ledger;
    const struct read_process *process = &build_process(builder)->info;
    if (process->gpu_mode != PROF_GPU_CUPTI && process->gpu_mode != PROF_GPU_PARTIAL)
        ledger->unobserved += take(&shortfall, UINT64_MAX);
    ledger->lost_operations +=
        take(&shortfall, lacks_chunks(&build_process(builder)->health) ? UINT64_MAX : lost);
    if (!process->closed)
        ledger->undelivered += take(&shortfall, UINT64_MAX);
    if (process->gpu_mode == PROF_GPU_PARTIAL)
        ledger->unobserved += take(&shortfall, UINT64_MAX);
    ledger->missing += shortfall;
}

static void count_flags(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++) {
        timeline->ledger.orphans += (timeline->gpus.at[i].flags & TL_GPU_ORPHAN) != 0;
        timeline->ledger.before_launch += (timeline->gpus.at[i].flags & TL_GPU_BEFORE_LAUNCH) != 0;
    }
    for (uint32_t i = builder->first.thread; i < timeline->threads.count; i++) {
        timeline->ledger.unclosed += timeline->threads.at[i].unclosed;
        timeline->ledger.unopened += timeline->threads.at[i].unopened;
    }
}

void build_ledger(struct builder *builder)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < builder->launches.count; i++)
        count_call(builder, &builder->launches.at[i], &tally);
    count_origins(builder, &tally);
    builder->timeline->ledger.launched += tally.launched;
    builder->timeline->ledger.recorded += tally.recorded;
    explain(builder, tally.shortfall, count_losses(builder));
    count_flags(builder);
}
