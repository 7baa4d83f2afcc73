/* python_names.h - names of Python functions: "file.py(LINE): qualified.name" with the line of the
 * `def`, as in PyTorch's profiler.
 *
 * A name is made once per code object and kept with it, in a place that CPython reserves for that
 * ("code extra"): no table, no reference that would keep code alive, and no address that could come to
 * mean another function. Called with the GIL held.
 */
#ifndef PROF_PYTHON_NAMES_H
#define PROF_PYTHON_NAMES_H

#include "python_api.h"

/* Reserves the place, in the interpreter that calls. False: none is left. */
bool python_names_init(const struct python_api *api);

/* Where the names are kept; written by python_names_init(), before anybody else reads it. */
extern ssize_t python_names_index __attribute__((visibility("hidden")));

/* The id of a function's name if it has one already, else 0. */
static inline uint32_t python_names_lookup(const struct python_api *api, PyObject *code)
{
    void *extra = NULL;
    api->get_code_extra(code, python_names_index, &extra);
    return (uint32_t)(uintptr_t)extra;
}

/* The same, made where there is none. 0: it was lost, and that is counted. Keeps the exception that
 * is being raised. The calling thread is attached (thread_ready). */
uint32_t python_names_resolve(const struct python_api *api, PyObject *code);

#endif
