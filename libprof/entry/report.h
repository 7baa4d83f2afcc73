/* report.h - what the recorded process says of its recording when it ends. */
#ifndef PROF_REPORT_H
#define PROF_REPORT_H

#define REPORT_MS 10000u /* profdump prints the table in so much time or not at all */

/* Prints on stderr the key averages and where the trace is, unless switched off; only where it is
 * if the file is large, or profdump is not found beside libprof.so or cannot be run. Nothing when
 * nothing was recorded. Allocates nothing: the caller may have interrupted anything. After
 * session_finish(). */
void report_at_exit(void);

/* States why no GPU was recorded, if nobody has: see PROF_INFO_GPU_REASON. Before
 * session_finish(). */
void report_state_gpu(void);

/* Appends to PROF_SESSION_FILE why there is no trace, for profrun: "# off", recording was never
 * switched on; "# failed", the file could not be made; "# refused", CUDA was initialised without
 * CUPTI; "# idle", CUDA was initialised, but did nothing that is recorded; "# cold", a CUDA library
 * is loaded, but CUDA was not initialised. Appends nothing if there is a trace or no CUDA library.
 * Call after session_finish(). */
void report_no_trace(void);

/* Appends to PROF_SESSION_FILE "# python -I", -E or -S if the process is a Python interpreter with
 * a flag that kept it from importing startup/sitecustomize.py of the Python package, although
 * LIBPROF_STARTUP requests it. */
void report_unstarted_python(void);

#endif
