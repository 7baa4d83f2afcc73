/* diff_gate.h - whether the right run is too slow: --fail-if-slower.
 *
 * It fails when what is looked at is slower than the limit allows and the difference is more than
 * noise: both, so neither a noisy run nor a tiny sure difference fails. Where noise cannot be told it
 * does not fail, and says so. */
#ifndef PROF_DIFF_GATE_H
#define PROF_DIFF_GATE_H

#include "diff.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills diff->gate, after rows and totals. */
void diff_gate(struct diff *diff);

#ifdef __cplusplus
}
#endif
#endif
