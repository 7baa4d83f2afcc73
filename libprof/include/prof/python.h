/* python.h - records calls of Python functions, as call stacks for ranges, CUDA calls and steps.
 *
 *     prof = ctypes.PyDLL(None)             # PyDLL: the GIL stays held
 *     status = prof.prof_python_calls(2)    # 2: all threads; 1: this thread; 0: off
 *
 * From then on each range, CUDA call and step has the enclosing Python functions as its call stack:
 * "file.py(LINE): qualified.name", with the line of the `def`. Calls of PyTorch's modules are
 * called "nn.Module: Linear_0". The functions are not ranges: they are rows of a table only if
 * requested (profdump --kind python), and do not change the times of ranges. Functions already
 * running are included. Generators and coroutines are on the stack while they run.
 *
 * Only functions written in Python are recorded; with PROF_PYTHON_BUILTINS, also those written in
 * C, called "<built-in method append of list object>". What runs within an import is left out: a
 * stack there ends at the function with the import statement. Each call and each return adds one
 * 8-byte word to the thread's log, and has the interpreter call libprof: through sys.monitoring
 * from Python 3.12 on, through the profile function before. docs/stacks.md has measurements.
 */
#ifndef PROF_PYTHON_H
#define PROF_PYTHON_H

#include "prof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Added to 1 or 2: calls within imports are recorded too. */
#define PROF_PYTHON_IMPORTS 4
/* The same: calls of functions written in C are recorded too. Those that are open when recording
 * begins are not. */
#define PROF_PYTHON_BUILTINS 8

PROF_DECLARE(prof_status, prof_python_calls, (int on));
PROF_DECLARE(void *, prof_python_function, (const char *name));

#ifndef PROF_IMPLEMENTATION

/* Switches recording of Python calls on or off. The calling thread must hold the GIL.
 *
 *     1   on for this thread. New threads start with it off.
 *     2   on for all threads. From Python 3.12 on, this covers all existing and future threads.
 *         Before, it covers existing threads, each from its next call or return on, and new threads
 *         that call this function: let them do so in a function passed to threading.setprofile().
 *         In a debug build of CPython, it covers only threads that call this function.
 *     0   off: for all threads after 2, otherwise for this thread
 *
 * Add PROF_PYTHON_IMPORTS to 1 or 2 to record calls within imports too, PROF_PYTHON_BUILTINS to
 * record calls of functions written in C. The latest call decides, for all threads.
 *
 * May be called while recording is off: calls are recorded once it is on. Repeating a call has no
 * effect. Nothing needs to be done when a thread ends or the process forks.
 *
 * Returns PROF_OK; PROF_UNSUPPORTED: the process has no CPython 3.9 or later, or one without a GIL,
 * or another interpreter of the process called this first; PROF_INVALID: `on` is another value, or
 * the GIL is not held; PROF_TAKEN: before Python 3.12, the thread already has another profile
 * function. Raises no exception. */
static inline prof_status prof_python_calls(int on)
{
    return PROF_PRESENT(prof_python_calls) ? PROF_CALL(prof_python_calls)(on) : PROF_ABSENT;
}

/* Returns a new reference to a builtin function (PyObject *): "range_push", which takes the name as
 * bytes, or "range_pop", without arguments. Calling it from Python costs less than half of a call
 * through ctypes. "modules_observe" takes a function, or None to remove it. While calls of Python
 * functions are recorded, libprof calls it when a call of a PyTorch module begins or an optimizer's
 * step ends, on the same thread. The argument is that module or optimizer; an object may be passed
 * more than once. Exceptions are dropped. The calling thread must hold the GIL. Returns NULL,
 * without an exception, for other names and where prof_python_calls() would return
 * PROF_UNSUPPORTED. */
static inline void *prof_python_function(const char *name)
{
    return PROF_PRESENT(prof_python_function) ? PROF_CALL(prof_python_function)(name) : NULL;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
