/* table_options.h - an option of tables that other commands have, too. */
#ifndef PROF_TABLE_OPTIONS_H
#define PROF_TABLE_OPTIONS_H

#include "profdump.h"

/* --metric. False after having complained. */
bool table_options_metric(struct profdump_options *options, const char *metric);

/* After all options: --sort must name a column of the table. False after having complained. */
bool table_options_agree(struct profdump_options *options);

/* Decimal digits alone, `least` to `most`. */
bool table_options_number(const char *text, unsigned long least, unsigned long most,
                          unsigned long *number);

#endif
