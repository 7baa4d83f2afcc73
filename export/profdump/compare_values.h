/* compare_values.h - what two runs computed, side by side. */
#ifndef PROF_COMPARE_VALUES_H
#define PROF_COMPARE_VALUES_H

#include "tensor_compare.h"
#include "write_blocks.h"

/* False: no memory, or the stream failed; errno says which. */
bool compare_values(const struct compare_side *reference, const struct compare_side *run,
                    enum write_format format, FILE *stream);

#endif
