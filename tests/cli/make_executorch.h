/* make_executorch.h - a part of make_traces.c. */
#ifndef PROF_MAKE_EXECUTORCH_H
#define PROF_MAKE_EXECUTORCH_H

#include <stdbool.h>

/* False after having said why. */
bool make_executorch(const char *directory);

#endif
