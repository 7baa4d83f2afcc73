/* rules_memory.c - managed memory that moves while kernels want it.
 *
 * cost: the durations of the migrations, by whom CUPTI says they are. saved: all of it, since memory that
 * is where it is needed does not move.
 */
#include "migrations.h"
#include "rule_search.h"
#include "rules.h"

#include <stdio.h>

static void fault_words(const struct migration_amounts *amounts, char words[96])
{
    snprintf(words, 96, "%llu page faults of CPUs, %llu groups of page faults of GPUs",
             (unsigned long long)amounts->cpu_faults, (unsigned long long)amounts->gpu_faults);
}

static void add_amounts(struct migration_amounts *sum, const struct migration_amounts *amounts)
{
    sum->htod_bytes += amounts->htod_bytes;
    sum->dtoh_bytes += amounts->dtoh_bytes;
    sum->cpu_faults += amounts->cpu_faults;
    sum->gpu_faults += amounts->gpu_faults;
    sum->thrashings += amounts->thrashings;
    sum->moving_ns += amounts->moving_ns;
}

static bool tell(const struct migration_amounts *sum, const struct finding_context *context,
                 const struct finding_rule *rule, struct findings *findings, uint32_t process)
{
    struct finding finding = FINDING_OF_ALL;
    char faults[96];
    fault_words(sum, faults);
    finding.rule = rule;
    finding.process = process;
    finding.count = sum->cpu_faults + sum->gpu_faults;
    finding.cost_ns = finding.saved_ns = sum->moving_ns;
    return findings_add(findings, context, &finding,
                        "Managed memory moved for %s: %s to devices, %s back; %s%s%s.",
                        finding_time(sum->moving_ns).text, finding_bytes(sum->htod_bytes).text,
                        finding_bytes(sum->dtoh_bytes).text, faults, sum->thrashings ? ", " : "",
                        sum->thrashings ? finding_count(sum->thrashings, "thrashing").text : "");
}

/* Rows by range: a migration is in one of them. */
static bool find_moves(const struct finding_context *context, const struct finding_rule *rule,
                       struct findings *findings)
{
    struct migrations migrations;
    bool done = true;
    if (context->timeline->migrations.count == 0)
        return true;
    if (!migrations_init(&migrations, context->timeline))
        return false;
    for (uint32_t p = 0; p < context->timeline->processes.count && done; p++) {
        struct migration_amounts sum = {0};
        for (uint32_t i = 0; i < migrations.ranges.count; i++)
            if (migrations.ranges.at[i].process == p)
                add_amounts(&sum, &migrations.ranges.at[i].amounts);
        done = tell(&sum, context, rule, findings, p);
    }
    migrations_fini(&migrations);
    return done;
}

const struct finding_rule rule_managed_memory = {
    .name = "managed-memory-moves",
    .title = "Managed memory moves on demand",
    .remedy = "Move it in advance (cudaMemPrefetchAsync), say who uses it how (cudaMemAdvise: "
              "preferred location, read mostly), or use cudaMalloc and copies; where it thrashes, "
              "more is in use than the GPU has memory.",
    .find = find_moves,
};
