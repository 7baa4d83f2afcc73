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

#endif
