/* table_options.h - options that say which table is shown and how. */
#ifndef PROF_TABLE_OPTIONS_H
#define PROF_TABLE_OPTIONS_H

#include "profdump.h"

/* Each takes the text of its option; false after having complained. */
bool table_options_group_by(struct profdump_options *options, const char *list);
bool table_options_columns(struct profdump_options *options, const char *list);
bool table_options_unit(struct profdump_options *options, const char *unit);
bool table_options_name_width(struct profdump_options *options, const char *width);
bool table_options_depth(struct profdump_options *options, const char *depth);
bool table_options_metric(struct profdump_options *options, const char *metric);

#endif
