/* failures.h - which calls are looked at only for whether they fail.
 *
 * CUPTI has three ways to tell of any call. Activity records of the RUNTIME and DRIVER kinds are 40
 * bytes for each call and for each call within it, to find the few that failed. cudaGetLastError()
 * forgets the driver's errors, and asking clears what the program wants to see. Callbacks cost
 * whoever is called, twice per call, whether it fails or not; but libprof's part in the usual case is
 * to look at one word. So callbacks it is, for all calls but
 *
 *     - those that are followed anyway: their result is in the log;
 *     - questions that libraries ask for every operation, or that have errors for answers (is this a
 *       pointer of CUDA's? is there a context?): they change nothing, and what they could fail of,
 *       other calls fail of, too;
 *     - cudaGetLastError() and its like, which repeat what an earlier call has said.
 *
 * Where calls are left out to keep a budget (PROF_BUDGET), these are not looked at either.
 */
#ifndef PROF_FAILURES_H
#define PROF_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

/* Asks libcupti for the names of all calls; where it does not tell, none is watched. */
void failures_begin(void);

bool failures_are_watched(uint32_t domain, uint32_t cbid);

/* Whether the result is a failure: neither success nor an answer. */
bool failures_is(uint32_t result);

/* Whether a call of that name is one of those left out. */
bool failures_leaves_out(const char *name);

#endif
