/* python_greenlets.h - which greenlet a thread runs: those of the package greenlet, gevent's and
 * eventlet's among them.
 *
 * Each greenlet has a stack of Python functions of its own, and they switch without an event. So a
 * thread's stack is as the log has it only while the greenlet is the same. Called with the GIL
 * held.
 */
#ifndef PROF_PYTHON_GREENLETS_H
#define PROF_PYTHON_GREENLETS_H

#include "python_api.h"

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

#endif
