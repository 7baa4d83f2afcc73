/* table_data.h - the averages that an output shows: as the options ask for, with memory where it is
 * wanted, only the rows of the table at hand, sorted. */
#ifndef PROF_TABLE_DATA_H
#define PROF_TABLE_DATA_H

#include "write_report.h"

/* `spread`: also where no column asks for it. False: no memory; key_averages_fini() frees. */
bool table_data_init(struct key_averages *averages, const struct timeline *timeline,
                     const struct write_options *options, bool spread);

/* What rows are sorted by; never KEY_BY_DEFAULT. */
enum key_column table_data_sort(const struct write_options *options, bool has_device);

/* Whether the table at hand has rows of this kind. */
bool table_data_shows(enum write_table table, enum key_kind kind);

#endif
