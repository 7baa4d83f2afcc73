/* rules.h - the rules by name; findings.c has the table. Each states in its file how it computes
 * cost and saving. */
#ifndef PROF_RULES_H
#define PROF_RULES_H

#include "finding_gaps.h"

/* For struct finding_rule.explains: whatever the cause is. */
#define EXPLAINS_ALL ((1u << GAP_CAUSES) - 1)

/* rules_idle.c */
/* By enum gap_cause; causes that nobody can change have none. */
extern const struct finding_rule gap_rules[GAP_CAUSES];
static inline bool rule_is_about_idle(const struct finding_rule *rule)
{
    return rule >= gap_rules && rule < gap_rules + GAP_CAUSES;
}
extern const struct finding_rule rule_cpu_only;
extern const struct finding_rule rule_long_gaps;
extern const struct finding_rule rule_low_utilization;
extern const struct finding_rule rule_exposed_communication;
extern const struct finding_rule rule_stragglers;

/* rules_calls.c */
extern const struct finding_rule rule_sync_copies;
extern const struct finding_rule rule_allocations_in_loops;
extern const struct finding_rule rule_waits_in_loops;
extern const struct finding_rule rule_module_loading;
extern const struct finding_rule rule_stream_event_churn;
extern const struct finding_rule rule_state_queries;
extern const struct finding_rule rule_driver_overhead;
extern const struct finding_rule rule_data_loader;
extern const struct finding_rule rule_failed_calls; /* these two only add notes */
extern const struct finding_rule rule_losses;

/* rules_copies.c */
extern const struct finding_rule rule_poor_overlap;
extern const struct finding_rule rule_pageable_copies;
extern const struct finding_rule rule_sync_memsets;
extern const struct finding_rule rule_small_copies;
extern const struct finding_rule rule_managed_memory;

/* rules_kernels.c */
extern const struct finding_rule rule_tiny_kernels;
extern const struct finding_rule rule_low_occupancy;
extern const struct finding_rule rule_tail_wave;
extern const struct finding_rule rule_fp32_matrix;
extern const struct finding_rule rule_elementwise_trains;

/* rules_launches.c */
extern const struct finding_rule rule_queue_empty;
extern const struct finding_rule rule_queue_full;
extern const struct finding_rule rule_call_outliers;
extern const struct finding_rule rule_late_starts;
extern const struct finding_rule rule_graphable_steps;
extern const struct finding_rule rule_threads_share_stream;

#endif
