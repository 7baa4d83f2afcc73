/* rules.c - the table of rules: a new one is a row here, a line in rules.h and a function in a
 * rules_*.c. */
#include "rules.h"

const struct finding_rule *const finding_rules[] = {
    &rule_tiny_kernels,
    NULL,
};
