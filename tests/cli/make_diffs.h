/* make_diffs.h - traces of one program before and after a change, for profdump diff, in a folder
 * "diff" of their own. */
#ifndef PROF_MAKE_DIFFS_H
#define PROF_MAKE_DIFFS_H

#include <stdbool.h>

/* base.prof    10 steps: a product, a scaling, a copy, and a kernel that is launched once
 * slow.prof    20 steps on another device: the product has other tiles and takes 20 % longer, and there
 *              is a kernel more
 * noisy.prof   10 steps of the first kind; the scaling takes any time
 *
 * False: not written (said on stderr). */
bool make_diffs(const char *directory);

#endif
