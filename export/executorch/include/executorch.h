/* executorch.h - profiling blocks as ExecuTorch's own programs print them, byte for byte. */
#ifndef PROF_EXECUTORCH_H
#define PROF_EXECUTORCH_H

#include "reports.h"

enum executorch_part { EXECUTORCH_ALL, EXECUTORCH_TAX, EXECUTORCH_MEMORY };

/* The tables of its parser of prof buffers: times in milliseconds, or in cycles. With WRITE_JSON,
 * the same as one object. When iterations differ, nothing is written, and `refusal` gets the
 * parser's sentence (a literal), else NULL. False: no memory, or the stream failed; errno says
 * which. */
bool executorch_tables(const struct timeline *timeline, const struct write_blocks_options *options,
                       enum executorch_part part, const char **refusal, FILE *stream);

/* The data frame of its Inspector, with the index column, separated by tabs or commas. `units`:
 * columns name theirs. Returns as executorch_tables(). */
bool executorch_inspector(const struct timeline *timeline,
                          const struct write_blocks_options *options, bool units, FILE *stream);

#endif
