/* rules.c - the table of rules: a new one is a row here, a line in rules.h and a function in a
 * rules_*.c. */
#include "rules.h"

const struct finding_rule *const finding_rules[] = {
    &gap_rules[GAP_LAUNCH],
    &gap_rules[GAP_CPU],
    &gap_rules[GAP_SYNC],
    &gap_rules[GAP_COPY],
    &gap_rules[GAP_ALLOCATE],
    &gap_rules[GAP_OTHER_CALL],
    &gap_rules[GAP_HOST_FUNCTION],
    &gap_rules[GAP_QUEUED],
    &gap_rules[GAP_START],
    &gap_rules[GAP_END],
    &rule_tiny_kernels,
    &rule_sync_copies,
    &rule_allocations_in_loops,
    &rule_waits_in_loops,
    &rule_poor_overlap,
    &rule_low_occupancy,
    &rule_tail_wave,
    &rule_queue_empty,
    &rule_queue_full,
    &rule_cpu_only,
    NULL,
};
