/* python_greenlets.c - see python_greenlets.h. */
#include "python_greenlets.h"

PyObject *(*python_greenlets_getter)(void);

/* PyGreenlet_GetCurrent_NUM of greenlet.h, in its table of functions: the same since greenlet
 * 0.4. */
#define PYTHON_GREENLETS_GET_CURRENT 4

static ssize_t python_greenlets_modules; /* so many were imported when it was looked for */

static void python_greenlets_use(const struct python_api *api, PyObject *module)
{
    PyObject *capsule = api->PyObject_GetAttrString(module, "_C_API");
    void **functions = capsule ? api->PyCapsule_GetPointer(capsule, "greenlet._C_API") : NULL;
    if (functions)
        *(void **)(&python_greenlets_getter) = functions[PYTHON_GREENLETS_GET_CURRENT];
    if (capsule)
        api->Py_DecRef(capsule);
}

void python_greenlets_find(const struct python_api *api)
{
    PyObject *type, *value, *trace, *modules = api->PySys_GetObject("modules");
    if (python_greenlets_getter || !modules)
        return;
    ssize_t count = api->PyObject_Size(modules);
    if (count == python_greenlets_modules)
        return;
    python_greenlets_modules = count;
    api->PyErr_Fetch(&type, &value, &trace);
    PyObject *module = api->PyObject_CallMethod(modules, "get", "s", "greenlet");
    if (module && module != api->none)
        python_greenlets_use(api, module);
    if (module)
        api->Py_DecRef(module);
    api->PyErr_Clear();
    api->PyErr_Restore(type, value, trace);
}
