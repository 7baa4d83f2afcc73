/* ledger_foreign.h - launches of other profilers' files, of which only the names of calls tell what
 * they launched. */
#ifndef PROF_LEDGER_FOREIGN_H
#define PROF_LEDGER_FOREIGN_H

#include "ledger_rows.h"

/* Counts the launch calls of the builder's process, if its file is of others, that have no record
 * of an operation: as unobserved, or as captured where a stream was. False: no memory. */
bool ledger_foreign_count(struct builder *builder, struct ledger_rows *rows);

#endif
