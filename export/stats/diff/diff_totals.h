/* diff_totals.h - numbers for whole runs: steps and device time. */
#ifndef PROF_DIFF_TOTALS_H
#define PROF_DIFF_TOTALS_H

#include "diff.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills diff->step, diff->device, per_step and lengths_differ. False: no memory. */
bool diff_totals(struct diff *diff);

#ifdef __cplusplus
}
#endif
#endif
