/* ledger_report.h - profdump ledger: launched = recorded + each cause by which an operation was not, by stream and
 * graph; and the CUDA calls that failed. */
#ifndef PROF_LEDGER_REPORT_H
#define PROF_LEDGER_REPORT_H

#include "failed_calls.h"
#include "json_out.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Members "ledger" and "failed_calls", each on a line: see ledger_report.c. False: no memory. */
bool ledger_json(struct json_out *out, const struct timeline *timeline);

/* A line: "  cudaMalloc: cudaErrorMemoryAllocation (2) x 3, first at 1.2ms in train/step". */
void failed_call_text(FILE *stream, const struct timeline *timeline,
                      const struct failed_call *call);

/* A title and a line for each, `most` at most; nothing where nothing failed. False: no memory. */
bool failed_calls_text(FILE *stream, const struct timeline *timeline, uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
