/* python_profile.c - the interpreter's profile function, for one thread. */
#include "python_calls.h"

static int python_profile(PyObject *object, PyObject *frame, int what, PyObject *argument)
{
    (void)object;
    if (what == PYTHON_TRACE_C_CALL)
        python_calls_enter_builtin(argument, NULL);
    else if (what == PYTHON_TRACE_C_RETURN || what == PYTHON_TRACE_C_EXCEPTION)
        python_calls_exit_builtin(argument, NULL);
    if (what != PYTHON_TRACE_CALL && what != PYTHON_TRACE_RETURN)
        return 0;
    const struct python_api *api = python_api();
    PyObject *code = api->PyFrame_GetCode(frame);
    bool wanted = what == PYTHON_TRACE_CALL ? python_calls_enter(code) : python_calls_exit(code);
    api->Py_DecRef(code);
    if (!wanted)
        api->PyEval_SetProfile(NULL, NULL);
    return 0;
}

/* Ours is set without an object, so sys.getprofile() returns None while it is the only one. */
static bool python_profile_is_in_use(const struct python_api *api)
{
    PyObject *getter = api->PySys_GetObject("getprofile");
    PyObject *other = getter ? api->PyObject_CallFunction(getter, NULL) : NULL;
    bool taken = other && other != api->none;
    if (other)
        api->Py_DecRef(other);
    else
        api->PyErr_Clear();
    return taken;
}

prof_status python_profile_begin(const struct python_api *api)
{
    if (python_profile_is_in_use(api))
        return PROF_TAKEN;
    api->PyEval_SetProfile(python_profile, NULL);
    return PROF_OK;
}

/* Somebody else's, set since, stays. */
void python_profile_end(const struct python_api *api)
{
    if (!python_profile_is_in_use(api))
        api->PyEval_SetProfile(NULL, NULL);
}
