/* invariants.h - checks of the recorder's own structures after each step, in builds with
 * PROF_CHECK_INVARIANTS (the sanitizers' and the unit tests'). Others do not evaluate the
 * conditions.
 *
 * What is checked belongs to the calling thread or is one atomic word, so that no other thread
 * changes it meanwhile. The process ends where a condition does not hold: what comes later would
 * only hide the cause.
 */
#ifndef PROF_INVARIANTS_H
#define PROF_INVARIANTS_H

#ifdef PROF_CHECK_INVARIANTS
#include "log.h"

#include <stdlib.h>

__attribute__((noreturn, cold)) static inline void invariant_broken(const char *condition,
                                                                    const char *file, int line)
{
    log_line(LOG_ERROR, "broken invariant: %s (%s:%d)", condition, file, line);
    abort();
}
#define INVARIANT(condition) \
    ((condition) ? (void)0 : invariant_broken(#condition, __FILE__, __LINE__))
#else
#define INVARIANT(condition) ((void)(0 && (condition)))
#endif

#endif
