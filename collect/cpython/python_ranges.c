/* python_ranges.c - builtin functions for Python: push and pop, which cost less than half of a call
 * through ctypes, and functions with a Python object as argument.
 */
#define PROF_IMPLEMENTATION
#include "prof/python.h"

#include "python_names.h"

#include <string.h>

static PyObject *python_none(const struct python_api *api)
{
    api->Py_IncRef(api->none);
    return api->none;
}

/* What is not one bytes object raises TypeError, as PyBytes_AsStringAndSize() does. */
static PyObject *python_range_push(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    const struct python_api *api = python_api();
    char *name;
    ssize_t size;
    (void)self;
    if (api->PyBytes_AsStringAndSize(count == 1 ? arguments[0] : api->none, &name, &size) != 0)
        return NULL;
    prof_range_push_n(name, (size_t)size);
    return python_none(api);
}

static PyObject *python_range_pop(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    (void)self, (void)arguments, (void)count;
    prof_range_pop();
    return python_none(python_api());
}

static PyObject *python_observe(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    const struct python_api *api = python_api();
    (void)self;
    python_modules_observe(api, count == 1 ? arguments[0] : api->none);
    return python_none(api);
}

/* PyCFunction_NewEx() keeps their addresses. */
static struct python_method python_range_methods[] = {
    {"range_push", python_range_push, PYTHON_METH_FASTCALL, "Opens a range: prof_range_push()."},
    {"range_pop", python_range_pop, PYTHON_METH_FASTCALL, "Closes it: prof_range_pop()."},
    {"modules_observe", python_observe, PYTHON_METH_FASTCALL,
     "Sets a function to call with each called PyTorch module and optimizer; None removes it."},
};

void *prof_python_function(const char *name)
{
    const struct python_api *api = python_api();
    if (!api || !name || !api->PyGILState_Check())
        return NULL;
    for (size_t i = 0; i < sizeof python_range_methods / sizeof *python_range_methods; i++)
        if (strcmp(python_range_methods[i].name, name) == 0)
            return api->PyCFunction_NewEx(&python_range_methods[i], NULL, NULL);
    return NULL;
}
