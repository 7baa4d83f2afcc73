/* python_hooks.h - how the interpreter is made to call python_calls.h. */
#ifndef PROF_PYTHON_HOOKS_H
#define PROF_PYTHON_HOOKS_H

#include "python_api.h"

#include "prof/prof.h"

/* What calls us on a thread, from here on and no more. A thread whose calls are not wanted any more also
 * ends it itself, at its next call or return. */
prof_status python_profile_begin(const struct python_api *api);
void python_profile_end(const struct python_api *api);

/* The same through sys.monitoring. PROF_UNSUPPORTED: this interpreter has none, or no number of a tool is
 * free. */
prof_status python_monitor_begin(const struct python_api *api);
void python_monitor_end(const struct python_api *api);

/* Of all threads. */
prof_status python_monitor_begin_all(const struct python_api *api);
void python_monitor_end_all(const struct python_api *api);

/* In a forked child: this thread alone is left. */
void python_monitor_fork_child(bool on);

#endif
