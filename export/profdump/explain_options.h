/* explain_options.h - which rules explain asks, and with which limits. */
#ifndef PROF_EXPLAIN_OPTIONS_H
#define PROF_EXPLAIN_OPTIONS_H

#include "findings.h"
#include "profdump.h"

/* What --rule and --limits say. False after having complained. */
bool explain_settings(const struct profdump_options *options, struct finding_settings *settings);

#endif
