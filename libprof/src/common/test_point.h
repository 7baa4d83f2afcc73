/* test_point.h - places at which the recorder's unit tests stop a thread, to force an interleaving.
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

#endif
