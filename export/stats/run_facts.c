#include "run_facts.h"

#include <stdlib.h>

const char *run_facts_mode_name(enum prof_gpu_mode mode)
{
    switch (mode) {
    case PROF_GPU_NONE:
        return "none";
    case PROF_GPU_CUPTI:
        return "cupti";
    case PROF_GPU_EVENTS:
        return "events";
    case PROF_GPU_UNAVAILABLE:
        return "unavailable";
    case PROF_GPU_PARTIAL:
        return "partial";
    case PROF_GPU_OTHER:
        return "other";
    }
    return "unknown";
}

const char *run_facts_reason_name(enum prof_control_reason reason)
{
#define REASON_NAME(symbol, name) name,
    static const char *const names[] = {PROF_CONTROL_REASONS(REASON_NAME)};
#undef REASON_NAME
    return reason < PROF_CONTROL_COUNT ? names[reason] : names[PROF_CONTROL_UNKNOWN];
}

const char *run_facts_cause_name(enum prof_loss_cause cause)
{
    static const char *const names[] = {
#define CAUSE_NAME(symbol, name, sentence) name,
        PROF_LOSS_CAUSES(CAUSE_NAME)
#undef CAUSE_NAME
    };
    return names[cause];
}

const char *run_facts_cause_sentence(enum prof_loss_cause cause)
{
    static const char *const sentences[] = {
#define CAUSE_SENTENCE(symbol, name, sentence) sentence,
        PROF_LOSS_CAUSES(CAUSE_SENTENCE)
#undef CAUSE_SENTENCE
    };
    return sentences[cause];
}

static void find_mode(struct run_facts *facts, const struct timeline *timeline)
{
    enum prof_gpu_mode mode = PROF_GPU_NONE;
    bool mixed = false;
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        const struct tl_process_info *info = &timeline->processes.at[i].info;
        if (info->gpu_mode == mode) {
            if (!facts->mode_reason.size)
                facts->mode_reason = info->gpu_reason;
        } else if (mode == PROF_GPU_NONE) {
            mode = info->gpu_mode;
            facts->mode_reason = info->gpu_reason;
        } else if (info->gpu_mode != PROF_GPU_NONE) {
            mixed = true;
        }
    }
    facts->mode = mixed ? "mixed" : run_facts_mode_name(mode);
}

static void add_process(struct run_facts *facts, const struct tl_process *process)
{
    facts->simulated |= process->info.simulated;
    facts->ring |= process->info.ring;
    facts->torn_records += process->health.torn_records;
    facts->bad_records += process->health.bad_records;
    facts->truncated_files +=
        process->health.truncated || (process->info.copied && !process->info.closed);
    facts->missing_chunks += process->info.ring ? 0 : process->health.missing_chunks;
    facts->unknown_range_ends += process->odd.unknown_range_ends;
    facts->homeless_attrs += process->odd.homeless_attrs;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        facts->loss[cause] += process->loss[cause];
    facts->loss[PROF_LOSS_ZERO_TIME] += process->odd.zero_time_gpu;
}

void run_facts_troubles(const struct run_facts *facts, struct run_trouble troubles[RUN_TROUBLES])
{
    const struct tl_ledger *ledger = &facts->ledger;
    const struct run_trouble all[RUN_TROUBLES] = {
        {"missing", "launch whose device record never arrived, for no known reason",
         ledger->missing, true},
        {"undelivered",
         "launch whose device record was not yet delivered when the process was killed",
         ledger->undelivered, true},
        {"unobserved", "launch whose device side was not recorded: see the GPU mode",
         ledger->unobserved, true},
        {"captured", "launch into a stream capture: it starts no operation", ledger->captured,
         false},
        {"unjudged",
         "graph launch of an unknown number of operations: one that is missing does not show",
         ledger->unjudged, false},
        {"orphans", "device operation whose launch is not in the trace", ledger->orphans,
         !facts->ring},
        {"ambiguous", "device operation that calls of several processes can have launched",
         ledger->ambiguous, true},
        {"before_launch",
         "device operation that starts before its launch, beyond the clocks' error",
         ledger->before_launch, false},
        {"torn", "record begun but never finished", facts->torn_records, true},
        {"bad", "unreadable record", facts->bad_records, true},
        {"missing_chunks", "part of a thread's log is not in the file", facts->missing_chunks,
         true},
        {"truncated", "file ends early", facts->truncated_files, true},
        {"unclosed", "range still open when its thread or the trace ended", ledger->unclosed,
         false},
        {"unopened", "pop without a push, ignored", ledger->unopened, false},
        {"unknown_ends", "end of a range that is not open, ignored", facts->unknown_range_ends,
         false},
        {"homeless_attrs", "attribute given outside of any range, dropped", facts->homeless_attrs,
         false},
    };
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        troubles[i] = all[i];
}

/* What the user requested (recording was off) or did wrong (a call without sense) took nothing out
 * of the recording. A launch that was in it and fell out of the window is in lost_operations. */
static bool is_loss(enum prof_loss_cause cause)
{
    return cause != PROF_LOSS_OUT_OF_WINDOW && cause != PROF_LOSS_BAD_ARGUMENT;
}

static bool find_loss(const struct run_facts *facts)
{
    if (facts->ledger.lost_operations)
        return true;
    struct run_trouble troubles[RUN_TROUBLES];
    run_facts_troubles(facts, troubles);
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        if (troubles[i].is_loss && troubles[i].count)
            return true;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        if (facts->loss[cause] && is_loss((enum prof_loss_cause)cause))
            return true;
    return false;
}

/* The recorder counts what it loses; the files of other profilers have only what is left. */
static const char *verdict_of(const struct run_facts *facts, bool is_native)
{
    const struct tl_ledger *ledger = &facts->ledger;
    if (facts->lost_anything)
        return "not everything was recorded:";
    if (facts->may_have_lost)
        return "no loss is known, but some losses would not show:";
    if (is_native)
        return "nothing lost";
    if (!ledger->launched && !ledger->launched_graph)
        return "whether anything was lost cannot be judged: the file has no launches";
    return "each launch has its record; the file does not say whether events were dropped";
}

void run_facts_init(struct run_facts *facts, const struct timeline *timeline)
{
    *facts = (struct run_facts){.ledger = timeline->ledger};
    find_mode(facts, timeline);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        add_process(facts, &timeline->processes.at[i]);
    facts->lost_anything = find_loss(facts);
    facts->may_have_lost = facts->lost_anything || facts->ledger.unjudged;
    facts->verdict = verdict_of(facts, timeline_is_native(timeline));
}

/* ---- what recording cost ---- */

#define TEXTS(table) static const char *const texts[] = {table}

const char *run_cost_part_name(enum prof_cost_part part)
{
#define PART_NAME(symbol, name, whose, sentence) name,
    TEXTS(PROF_COST_PARTS(PART_NAME));
#undef PART_NAME
    return texts[part];
}

const char *run_cost_part_sentence(enum prof_cost_part part)
{
#define PART_SENTENCE(symbol, name, whose, sentence) sentence,
    TEXTS(PROF_COST_PARTS(PART_SENTENCE));
#undef PART_SENTENCE
    return texts[part];
}

enum run_cost_whose run_cost_part_whose(enum prof_cost_part part)
{
#define PART_WHOSE(symbol, name, whose, sentence) RUN_COST_##whose,
    static const enum run_cost_whose whose[] = {PROF_COST_PARTS(PART_WHOSE)};
#undef PART_WHOSE
    return whose[part];
}

const char *run_cost_throttle_name(const struct tl_throttle *throttle)
{
#define THING_NAME(symbol, name, sentence) name,
    TEXTS(PROF_THROTTLE_THINGS(THING_NAME));
#undef THING_NAME
    return throttle->what < PROF_THROTTLE_COUNT ? texts[throttle->what] : "unknown";
}

const char *run_cost_throttle_sentence(const struct tl_throttle *throttle)
{
#define THING_SENTENCE(symbol, name, sentence) sentence,
    TEXTS(PROF_THROTTLE_THINGS(THING_SENTENCE));
#undef THING_SENTENCE
    return throttle->what < PROF_THROTTLE_COUNT ? texts[throttle->what] : "unknown";
}

static void add_part(struct run_cost *cost, enum prof_cost_part part,
                     const struct tl_cost_part *from)
{
    cost->parts[part].count += from->count;
    cost->parts[part].ns += from->ns;
    switch (run_cost_part_whose(part)) {
    case RUN_COST_THREADS:
        cost->taken_ns += from->ns;
        break;
    case RUN_COST_BEGIN:
        cost->begin_ns += from->ns;
        break;
    case RUN_COST_OWN:
        cost->own_ns += from->ns;
        break;
    case RUN_COST_END:
        cost->end_ns += from->ns;
        break;
    }
}

static void add_process_cost(struct run_cost *cost, const struct tl_cost *from)
{
    cost->stated = true;
    cost->base_ns += from->cpu_ns > from->recorded_ns ? from->cpu_ns : from->recorded_ns;
    cost->launches += from->launches;
    cost->budget_ppm = from->budget_ppm ? from->budget_ppm : cost->budget_ppm;
    for (int part = 0; part < PROF_COST_COUNT; part++)
        add_part(cost, (enum prof_cost_part)part, &from->parts[part]);
}

void run_cost_init(struct run_cost *cost, const struct timeline *timeline)
{
    *cost = (struct run_cost){0};
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        if (timeline->processes.at[i].has_cost)
            add_process_cost(cost, &timeline->processes.at[i].cost);
    if (cost->launches)
        cost->launch_ns = cost->parts[PROF_COST_LAUNCHES].ns / cost->launches;
}

static double percent_of_base(const struct run_cost *cost, uint64_t ns)
{
    return cost->base_ns ? (double)ns * 100 / (double)cost->base_ns : 0;
}

double run_cost_percent(const struct run_cost *cost)
{
    return percent_of_base(cost, cost->taken_ns);
}

double run_cost_own_percent(const struct run_cost *cost)
{
    return percent_of_base(cost, cost->own_ns);
}

/* ---- NVTX: counted by label first, since there are few ---- */

static void add_nvtx(struct nvtx_count *sum, const struct nvtx_count *count)
{
    sum->ranges += count->ranges;
    sum->marks += count->marks;
    sum->begin_ends += count->begin_ends;
}

static void count_labels(const struct timeline *timeline, struct nvtx_count *labels)
{
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        uint32_t label = tl_slice_label(slice);
        if (label != TL_NONE)
            labels[label].ranges += !(slice->flags & TL_CONTINUED);
    }
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        if (timeline->marks.at[i].label != TL_NONE)
            labels[timeline->marks.at[i].label].marks++;
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        if (timeline->asyncs.at[i].label != TL_NONE)
            labels[timeline->asyncs.at[i].label].begin_ends++;
}

static void sum_labels(struct nvtx_counts *counts, const struct timeline *timeline,
                       const struct nvtx_count *labels)
{
    for (uint32_t i = 0; i < timeline->labels.count; i++) {
        const struct tl_label *label = &timeline->labels.at[i];
        add_nvtx(&counts->all, &labels[i]);
        add_nvtx(&counts->domains[label->domain], &labels[i]);
        if (label->category != TL_NONE)
            add_nvtx(&counts->categories[label->category], &labels[i]);
    }
}

bool nvtx_counts_init(struct nvtx_counts *counts, const struct timeline *timeline)
{
    struct nvtx_count *labels = calloc((size_t)timeline->labels.count + 1, sizeof *labels);
    *counts = (struct nvtx_counts){
        .domains = calloc((size_t)timeline->domains.count + 1, sizeof *counts->domains),
        .categories = calloc((size_t)timeline->categories.count + 1, sizeof *counts->categories),
    };
    bool ready = labels && counts->domains && counts->categories;
    if (ready && timeline->labels.count) {
        count_labels(timeline, labels);
        sum_labels(counts, timeline, labels);
    }
    free(labels);
    if (!ready)
        nvtx_counts_fini(counts);
    return ready;
}

void nvtx_counts_fini(struct nvtx_counts *counts)
{
    free(counts->domains);
    free(counts->categories);
    *counts = (struct nvtx_counts){0};
}
