/* findings_verdict.h - at most three sentences about the whole of a recording. */
#ifndef PROF_FINDINGS_VERDICT_H
#define PROF_FINDINGS_VERDICT_H

#include "findings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FINDINGS_VERDICT_BYTES 1200u

/* How busy devices were; what most of the idle time is about, and whose it was; what the largest
 * finding saves at most. Names in it are the file's. */
void findings_verdict(const struct findings *findings, char to[FINDINGS_VERDICT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
