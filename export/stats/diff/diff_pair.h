/* diff_pair.h - kernels that have another name in the other run.
 *
 * Only kernels that one run alone has are looked at, one level of kernel_alias.h after the other.
 * Those that look alike at a level are paired one to one, the longest in total first: first those whose
 * time was launched from the same ranges, then, except at the last level, the others. At the last level
 * so much of a name is gone that something else must speak for it: the same ranges, or, outside of all
 * ranges, that nothing else looks alike.
 *
 * Where there was more than one on a side the pair is marked as ambiguous. Deterministic.
 */
#ifndef PROF_DIFF_PAIR_H
#define PROF_DIFF_PAIR_H

#include "diff_match.h"
#include "kernel_alias.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Merges rows of diff->tables[DIFF_BY_KERNEL]. False: no memory. */
bool diff_pair(struct diff *diff, struct diff_names *names);

#ifdef __cplusplus
}
#endif
#endif
