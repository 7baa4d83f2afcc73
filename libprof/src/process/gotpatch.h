/* gotpatch.h - which functions a loaded library calls.
 */
#ifndef PROF_GOTPATCH_H
#define PROF_GOTPATCH_H

#include <stdbool.h>

/* From now on, calls of `name` from the library `handle` (of dlopen) go to `function`. Nobody
 * else's calls change.
 *
 * Returns  false when the library calls no such function, or its table cannot be written. */
bool gotpatch_replace(void *handle, const char *name, void *function);

#endif
