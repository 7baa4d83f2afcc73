/* itt.h - the collector for ITT annotations, and the entry point of ITT's static part. */
#ifndef PROF_ITT_H
#define PROF_ITT_H

#include "itt_abi.h"

#include "recorder.h"

#include <stdbool.h>

extern const struct collector itt_collector;

/* Sets the pointers of a static part, those of `groups` to our functions and all others to what
 * they are without a collector. `wanted` false: all of them. False: it is not one, and was left
 * alone. */
bool itt_attach(struct itt_global *global, int32_t groups, bool wanted);

#endif
