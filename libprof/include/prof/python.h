/* python.h - calls of Python functions, as call stacks of what happens in them.
 *
 *     prof = ctypes.PyDLL(None)             # PyDLL: the GIL stays held
 *     status = prof.prof_python_calls(2)    # all threads; 1: this one; 0 ends it
 *
 * From then on ranges, CUDA calls and steps of the thread have the Python functions around them as their
 * call stack: "file.py(LINE): qualified.name", LINE being that of the `def`. They are no ranges: no row
 * of a table, and the times of ranges are what they were. Functions that were open already are in the
 * stacks too. Generators and coroutines are on the stack while they run.
 *
 * Recorded are functions written in Python; what is written in C shows as what it calls. Each call
 * and return costs one word of the thread's log and what the interpreter needs to call libprof: sys.monitoring
 * from Python 3.12 on, the profile function before. docs/stacks.md has measurements.
 */
#ifndef PROF_PYTHON_H
#define PROF_PYTHON_H

#include "prof.h"

#ifdef __cplusplus
extern "C" {
#endif

PROF_DECLARE(prof_status, prof_python_calls, (int on));
PROF_DECLARE(void *, prof_python_function, (const char *name));

#ifndef PROF_IMPLEMENTATION

/* Begins or ends recording of Python calls; the calling thread holds the GIL.
 *
 *     1   of this thread. A new one begins without.
 *     2   of all threads. From Python 3.12 on those that run, whatever made them, and those to come.
 *         Before, this thread and each other one that calls this too, at its start in a function that
 *         threading.setprofile() was given.
 *     0   no more, of all threads where they were recorded, else of this one
 *
 * Recording itself may be off: calls are recorded while it is on. Twice is once. A thread that ends, and
 * a forked child, need nothing.
 *
 * Returns PROF_OK; PROF_UNSUPPORTED: no CPython from 3.9 on in the process, one without a GIL, or another
 * interpreter of the process had it first; PROF_INVALID: `on` is none of these, or the GIL is not held;
 * PROF_TAKEN: Python before 3.12 and the thread has a profile function of somebody else's. Raises
 * nothing. */
static inline prof_status prof_python_calls(int on)
{
    return PROF_PRESENT(prof_python_calls) ? prof_python_calls_in_library(on) : PROF_ABSENT;
}

/* A new reference to a builtin function (PyObject *), which Python calls at less than half of the price of
 * a call through ctypes: "range_push" takes the name as bytes, "range_pop" nothing. The GIL is held.
 * NULL, and no exception: another name, or where prof_python_calls() would return PROF_UNSUPPORTED. */
static inline void *prof_python_function(const char *name)
{
    return PROF_PRESENT(prof_python_function) ? prof_python_function_in_library(name) : NULL;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
