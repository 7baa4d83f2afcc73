/* python_calls.h - records calls of Python functions in the log of the calling thread.
 *
 *     python_profile.c  asks the interpreter to be called by its profile function (3.9 to 3.11)
 *     python_monitor.c  asks it by sys.monitoring (3.12 and later): a third of the cost
 *          |
 *          v  enter, leave
 *     python_calls.c    one word of the log each, wherever the thread's stack is known to be right;
 *                       else the stack is looked at and stated anew (PROF_REC_FRAMES)
 *
 * It is right as long as every enter and leave since the last statement was recorded. It is not
 * when recording went off and on, in a forked child, after a loss, where a ring begins a new chunk,
 * and when the function that is left is not the one that was entered last. All of that is noticed
 * here. So is a thread that runs another greenlet than then.
 *
 * Called with the GIL held, on the thread that runs the function. Keeps errno.
 */
#ifndef PROF_PYTHON_CALLS_H
#define PROF_PYTHON_CALLS_H

#include "python_api.h"
#include "recorder.h"

#include "prof/prof.h"

extern const struct collector python_collector;

/* Begins and ends recording of calls on this thread. Emits what is open by then. */
void python_calls_begin(const struct python_api *api);
void python_calls_end(void);

/* A function begins, goes on after a yield, is thrown into; it returns, yields, raises. False:
 * calls of this thread are not wanted. */
bool python_calls_enter(PyObject *code);
bool python_calls_exit(PyObject *code);

/* The same of what may be a function written in C; `self`: what a method is called on, NULL where
 * `callable` knows. Does nothing where these are not wanted. */
void python_calls_enter_builtin(PyObject *callable, PyObject *self);
void python_calls_exit_builtin(PyObject *callable, PyObject *self);

/* ---- python_profile.c, python_monitor.c: how the interpreter is made to call these ---- */

/* Starts and stops the calls to us on a thread. A thread whose calls are not wanted any more also
 * ends it itself, at its next call or return. */
prof_status python_profile_begin(const struct python_api *api);
void python_profile_end(const struct python_api *api);

/* Starts these calls on the interpreter's other threads, except where another profile function is
 * set. A thread's first call or return after that emits its stack. */
void python_profile_begin_others(const struct python_api *api);

/* Before an end on the thread that began: says so, here and in the file, if another profile
 * function took the place, or none. */
void python_profile_check(const struct python_api *api);

/* The same through sys.monitoring. PROF_UNSUPPORTED: this interpreter has none, or no number of a
 * tool is free. */
prof_status python_monitor_begin(const struct python_api *api);
void python_monitor_end(const struct python_api *api);

/* Of all threads. */
prof_status python_monitor_begin_all(const struct python_api *api);
void python_monitor_end_all(const struct python_api *api);

/* Whether functions written in C are wanted, too. */
void python_monitor_set_builtins(const struct python_api *api, bool wanted);

/* In a forked child: this thread alone is left. */
void python_monitor_fork_child(bool on);

/* ---- which greenlet a thread runs ---- */

/* Greenlets are those of the package greenlet, gevent's and eventlet's among them. Each greenlet
 * has a stack of Python functions of its own, and they switch without an event. So a thread's stack
 * is as the log has it only while the greenlet is the same. Called with the GIL held. */

/* The package's PyGreenlet_GetCurrent(); NULL until the program has imported it. */
extern PyObject *(*python_greenlets_getter)(void)__attribute__((visibility("hidden")));

/* Looks whether the program has imported the package since the last call. Keeps the exception that
 * is being raised. */
void python_greenlets_find(const struct python_api *api);

/* Identifies the greenlet that the thread runs. NULL: the package is not there. */
static inline const void *python_greenlets_current(const struct python_api *api)
{
    PyObject *greenlet = python_greenlets_getter ? python_greenlets_getter() : NULL;
    if (greenlet)
        api->Py_DecRef(greenlet); /* it runs, so it stays */
    return greenlet;
}

/* ---- python_fork.c: Python's warning about threads at fork ---- */

/* From 3.12 on, os.fork() warns (DeprecationWarning) in a process with several threads. It counts
 * them in the parent after fork(). In a program without threads of its own the writer would cause
 * that warning, so it ends before such a fork and starts again when os.fork() is over. So do the
 * threads of the hang watch (PROF_HANG) and the sampler (PROF_SAMPLE).
 */

/* Call once per process, when the library is loaded. Does nothing without an interpreter of 3.12 or
 * later. */
void python_fork_init(void);

#endif
