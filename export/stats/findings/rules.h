/* rules.h - the rules by name; rules.c is the table. Each says in its file how it reckons. */
#ifndef PROF_RULES_H
#define PROF_RULES_H

#include "findings.h"

/* rules_kernels.c */
extern const struct finding_rule rule_tiny_kernels;

#endif
