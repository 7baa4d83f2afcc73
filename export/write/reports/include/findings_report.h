/* findings_report.h - profdump explain: a verdict, the accounts of each device, the findings, and what
 * could not be examined. */
#ifndef PROF_FINDINGS_REPORT_H
#define PROF_FINDINGS_REPORT_H

#include "findings.h"
#include "write_format.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FINDINGS_FRAME_BYTES 400u

struct findings_report_options {
    int64_t rows; /* findings shown, -1 all */
    /* Names the innermost functions of a call stack, a line each, at most `most`; returns how many.
     * NULL: stacks are not shown. */
    uint32_t (*frames)(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES], uint32_t most);
    void *user;
};

/* In Markdown, the verdict stands above the tables and notes below. False with errno: no memory, or the stream
 * failed. */
bool findings_report(const struct findings *findings, const struct findings_report_options *options,
                     enum write_format format, FILE *stream);

/* The rules with their titles and remedies. */
bool findings_rules(enum write_format format, FILE *stream);

/* At most three sentences about the whole of a recording. */

#define FINDINGS_VERDICT_BYTES 1200u

/* How busy devices were; the main cause of idle time and its range; the upper bound on savings of
 * the largest finding. Names in it come from the file. */
void findings_verdict(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
