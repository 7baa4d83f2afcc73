/* failed_text.h - the CUDA calls that failed, as lines of text. */
#ifndef PROF_FAILED_TEXT_H
#define PROF_FAILED_TEXT_H

#include "failed_calls.h"

#include <stdio.h>

/* A line: "  cudaMalloc: cudaErrorMemoryAllocation (2) x 3, first at 1.2ms in train/step". */
void failed_text_line(FILE *stream, const struct timeline *timeline,
                      const struct failed_call *call);

/* A title and a line for each, `most` at most; nothing where nothing failed. False: no memory. */
bool failed_text(FILE *stream, const struct timeline *timeline, uint32_t most);

#endif
