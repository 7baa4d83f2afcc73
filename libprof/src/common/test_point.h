/* test_point.h - places at which the recorder's unit tests stop a thread, to force an interleaving,
 * and checks of its structures.
 *
 * The product has none of them: TEST_POINT() expands to nothing there. Only prof_recorder_tested,
 * which the unit tests link, is compiled with PROF_TEST_POINTS; the test's test_point_pass() runs
 * on the thread that passes.
 */
#ifndef PROF_TEST_POINT_H
#define PROF_TEST_POINT_H

#ifdef PROF_TEST_POINTS
void test_point_pass(const char *name);
#define TEST_POINT(name) test_point_pass(name)
#else
#define TEST_POINT(name) ((void)0)
#endif

/* ---- invariants ---- */

/* They are checked after each step in builds with PROF_CHECK_INVARIANTS
 * (the sanitizers' and the unit tests'). Others do not evaluate the conditions.
 *
 * What is checked belongs to the calling thread or is one atomic word, so that no other thread
 * changes it meanwhile. The process ends where a condition does not hold: what comes later would
 * only hide the cause.
 */

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
