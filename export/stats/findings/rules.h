/* rules.h - the rules by name; rules.c is the table. Each says in its file how it reckons. */
#ifndef PROF_RULES_H
#define PROF_RULES_H

#include "finding_gaps.h"

/* rules_gaps.c: by enum gap_cause; causes that nobody can change have none */
extern const struct finding_rule gap_rules[GAP_CAUSES];

/* rules_kernels.c, rules_occupancy.c */
extern const struct finding_rule rule_tiny_kernels;
extern const struct finding_rule rule_low_occupancy;
extern const struct finding_rule rule_tail_wave;

/* rules_calls.c */
extern const struct finding_rule rule_sync_copies;
extern const struct finding_rule rule_allocations_in_loops;
extern const struct finding_rule rule_waits_in_loops;

/* rules_overlap.c, rules_queue.c */
extern const struct finding_rule rule_poor_overlap;
extern const struct finding_rule rule_queue_empty;
extern const struct finding_rule rule_queue_full;

/* rules_cpu.c */
extern const struct finding_rule rule_cpu_only;

/* rules_devices.c */
extern const struct finding_rule rule_long_gaps;
extern const struct finding_rule rule_low_utilization;

/* rules_communication.c */
extern const struct finding_rule rule_exposed_communication;
extern const struct finding_rule rule_stragglers;

/* rules_copies.c, rules_memory.c */
extern const struct finding_rule rule_pageable_copies;
extern const struct finding_rule rule_sync_memsets;
extern const struct finding_rule rule_small_copies;
extern const struct finding_rule rule_managed_memory;

/* rules_math.c */
extern const struct finding_rule rule_fp32_matrix;
extern const struct finding_rule rule_elementwise_trains;

/* rules_launches.c, rules_threads.c */
extern const struct finding_rule rule_call_outliers;
extern const struct finding_rule rule_late_starts;
extern const struct finding_rule rule_graphable_steps;
extern const struct finding_rule rule_threads_share_stream;

/* rules_host.c */
extern const struct finding_rule rule_module_loading;
extern const struct finding_rule rule_stream_event_churn;
extern const struct finding_rule rule_state_queries;
extern const struct finding_rule rule_driver_overhead;
extern const struct finding_rule rule_data_loader;

/* rules_health.c: they only have notes */
extern const struct finding_rule rule_failed_calls;
extern const struct finding_rule rule_losses;

#endif
