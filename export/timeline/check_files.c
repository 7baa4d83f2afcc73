/* check_files.c - what the files themselves say: damage, losses, clocks. */
#include "check_find.h"

#include <inttypes.h>

static void check_damage(struct check *check, const struct tl_process *process)
{
    const struct tl_health *health = &process->health;
    check_add(check, CHECK_RULE_DAMAGE, CHECK_ERROR, health->bad_records,
              "%s: offset %" PRIu64 ": damaged (%" PRIu64 " records of impossible content)",
              process->path, health->bad_offset, health->bad_records);
    check_add(check, CHECK_RULE_TRUNCATED, CHECK_ERROR, health->truncated,
              "%s: offset %" PRIu64 ": the file is truncated", process->path, health->truncated_at);
    check_add(check, CHECK_RULE_MISSING_CHUNKS, process->info.ring ? CHECK_NOTE : CHECK_ERROR,
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
    check_add(check, CHECK_RULE_NOT_CLOSED, CHECK_NOTE, !process->info.closed,
              "%s: the recorder did not finish: the program was killed or still runs",
              process->path);
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

/* The recorder counts what it received; a finished file holds that, or says what was lost. Of the whole recording, that
 * is: not of a window. */
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
    const struct tl_oddities *odd = &process->odd;
    uint64_t count = odd->unknown_range_ends + odd->reused_range_ids + odd->unmatched_api_exits +
                     odd->open_api_calls + odd->crossed_steps + odd->homeless_attrs +
                     odd->surplus_gpu;
    check_add(check, CHECK_RULE_ODD_CALLS, CHECK_NOTE, count,
              "%s: %" PRIu64 " ends of unknown ranges, %" PRIu64 " range ids used twice, %" PRIu64
              " CUDA calls without a begin, %" PRIu64 " without an end, %" PRIu64
              " steps that cross ranges, %" PRIu64 " attributes outside of ranges, %" PRIu64
              " operations more than launched",
              process->path, odd->unknown_range_ends, odd->reused_range_ids,
              odd->unmatched_api_exits, odd->open_api_calls, odd->crossed_steps,
              odd->homeless_attrs, odd->surplus_gpu);
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

void check_files(struct check *check)
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
