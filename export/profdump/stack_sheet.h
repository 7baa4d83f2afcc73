/* stack_sheet.h - profdump stacks as a table, in any format but text. */
#ifndef PROF_STACK_SHEET_H
#define PROF_STACK_SHEET_H

#include "profdump.h"
#include "stack_totals.h"
#include "symbols.h"

/* A row per call stack, the one that kept devices busy longest first; its functions innermost first,
 * separated by ';'. False with errno: no memory, or the stream failed. */
bool stack_sheet(const struct profdump_options *options, const struct timeline *timeline,
                 struct symbols *symbols, const struct stack_totals *totals);

#endif
