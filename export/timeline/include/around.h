/* around.h - of every slice, which one around it has some property.
 *
 * One pass answers for all slices: walking up from each takes time in proportion to how deep they
 * are, so the square of it where each is in the one before.
 */
#ifndef PROF_AROUND_H
#define PROF_AROUND_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a slice has the property; asked once for each. */
typedef bool around_has(void *user, uint32_t slice);

/* By slice: the innermost one that has it, of the slice itself and those around it; TL_NONE: none.
 * free() it. NULL: no memory. */
uint32_t *around_innermost(const struct timeline *timeline, around_has *has, void *user);
/* The same with the outermost one. */
uint32_t *around_outermost(const struct timeline *timeline, around_has *has, void *user);

#ifdef __cplusplus
}
#endif

#endif
