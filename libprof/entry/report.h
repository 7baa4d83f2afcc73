/* report.h - tables and traces made inside the recorded process. */
#ifndef PROF_REPORT_H
#define PROF_REPORT_H

/* Prints where the trace is and, unless switched off or the file is too large to be read while the
 * program's user waits, the key averages on stderr. Nothing when nothing was recorded. After
 * session_finish(). */
void report_at_exit(void);

/* Appends to PROF_SESSION_FILE why there is no trace, for profrun: "# off", recording was never switched on;
 * "# failed", the file could not be made; "# refused", CUDA was initialised without CUPTI; "# idle", CUDA was
 * initialised, but did nothing that is recorded; "# cold", a CUDA library is loaded, but CUDA was not
 * initialised. Appends nothing if there is a trace or no CUDA library. Call after session_finish(). */
void report_nothing(void);

#endif
