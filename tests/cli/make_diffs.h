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
 * Of a program without steps, which launches ten kernels and waits four times, 240 ms each:
 * plain.prof          takes 1.1 s
 * plain_twice.prof    2.2 s, all of it on the host
 * plain_device.prof   1.1 s, and kernels take twice as long
 * plain_nowait.prof   140 ms, without waiting
 * run0.prof to run5.prof, twice_run0.prof to twice_run5.prof   six runs of the first two, one after the other
 *
 * False: not written (said on stderr). */
bool make_diffs(const char *directory);

#endif
