/* report.h - tables and traces made inside the recorded process. */
#ifndef PROF_REPORT_H
#define PROF_REPORT_H

/* Prints where the trace is and, unless switched off or the file is too large to be read while the
 * program's user waits, the key averages on stderr. Nothing when nothing was recorded. After
 * session_finish(). */
void report_at_exit(void);

#endif
