/* check.c - every invariant of file and timeline, as findings: files and processes. */
#include "check.h"

#include "check_find.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Collects the findings; see check.h. */

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

/* What the files themselves say: damage, losses, clocks. */

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
    const struct tl_anomalies *odd = &process->odd;
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

/* What was left out to keep the budget: in the order of enum prof_throttle_thing, the
 * latest back first, and only where there is a budget that was exceeded. */

struct throttles {
    uint32_t process;
    unsigned out; /* things left out, a bit each */
};

/* Things that cannot be left out in this run are passed over, so only the order is certain. */
static bool is_in_order(struct throttles *throttles, const struct tl_throttle *throttle)
{
    unsigned bit = 1u << throttle->what, above = ~0u << throttle->what << 1;
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
