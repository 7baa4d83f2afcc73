/* python_profile.c - the interpreter's profile function, which is set per thread. */
#include "python_calls.h"

#include "log.h"

/* The call that is being made only to see whether it comes here. */
static __thread enum { PYTHON_PROBE_NONE, PYTHON_PROBE_SENT, PYTHON_PROBE_SEEN } python_probe;

/* Of those that run when recording begins. */
#define PYTHON_THREADS_MAX 1024u

static __thread bool python_profile_begun; /* and not ended: it should still be set */

static int python_profile(PyObject *object, PyObject *frame, int what, PyObject *argument)
{
    (void)object;
    if (python_probe != PYTHON_PROBE_NONE) {
        python_probe = PYTHON_PROBE_SEEN;
        return 0;
    }
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
    if (!wanted) {
        python_profile_begun = false;
        api->PyEval_SetProfile(NULL, NULL);
    }
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
    python_profile_begun = true;
    return PROF_OK;
}

/* False for debug builds, which end the process when a thread uses another thread's state, and from
 * 3.12 on, where each thread is bound to its own state. Also where sys.getprofile() is a function
 * of the program: it may not run on another thread's state. */
static bool python_profile_reaches_others(const struct python_api *api)
{
    PyObject *getter = api->PySys_GetObject("getprofile");
    PyObject *type = getter ? api->PyObject_Type(getter) : NULL;
    bool is_builtin = type == api->builtin_type;
    if (type)
        api->Py_DecRef(type);
    return is_builtin && api->set_profile_of && !api->PySys_GetObject("gettotalrefcount") &&
           !api->PySys_GetObject("monitoring");
}

/* Keeps the exception of the other thread: it may be raising one. */
static bool python_profile_is_in_use_by(const struct python_api *api, void *other)
{
    PyObject *type, *value, *trace;
    void *mine = api->PyThreadState_Swap(other);
    api->PyErr_Fetch(&type, &value, &trace);
    bool taken = python_profile_is_in_use(api);
    api->PyErr_Restore(type, value, trace);
    api->PyThreadState_Swap(mine);
    return taken;
}

static bool python_profile_is_thread(const struct python_api *api, const void *state)
{
    void *at = api->PyInterpreterState_ThreadHead(api->PyInterpreterState_Get());
    while (at && at != state)
        at = api->PyThreadState_Next(at);
    return at != NULL;
}

/* Hooks of the program (sys.addaudithook()) run on this thread, and may let others end. */
void python_profile_begin_others(const struct python_api *api)
{
    static const char left_out[] = "Python functions of some threads are missing: these threads "
                                   "have profile functions of their own, or are too many";
    void *states[PYTHON_THREADS_MAX], *mine = api->PyThreadState_Get();
    unsigned count = 0;
    if (!python_profile_reaches_others(api))
        return;
    void *at = api->PyInterpreterState_ThreadHead(api->PyInterpreterState_Get());
    for (; at && count < PYTHON_THREADS_MAX; at = api->PyThreadState_Next(at))
        if (at != mine)
            states[count++] = at;
    bool is_whole = at == NULL;
    for (unsigned i = 0; i < count; i++) {
        if (!python_profile_is_thread(api, states[i]))
            continue;
        if (python_profile_is_in_use_by(api, states[i]))
            is_whole = false;
        else if (api->set_profile_of(states[i], python_profile, NULL) != 0)
            api->PyErr_Clear(), is_whole = false;
    }
    if (!is_whole) {
        meta_info(PROF_INFO_NOTE, left_out);
        log_line(LOG_ERROR, "%s", left_out);
    }
}

/* Whether the interpreter still calls ours on this thread: the getter cannot say so, and a call
 * can. */
static bool python_profile_is_set(const struct python_api *api)
{
    PyObject *builtins = api->PyEval_GetBuiltins();
    PyObject *type, *value, *trace, *result = NULL;
    api->PyErr_Fetch(&type, &value, &trace);
    PyObject *eval = builtins ? api->PyObject_CallMethod(builtins, "get", "s", "eval") : NULL;
    python_probe = PYTHON_PROBE_SENT;
    if (eval)
        result = api->PyObject_CallFunction(eval, "s{}", "0");
    bool set = python_probe == PYTHON_PROBE_SEEN || !result;
    python_probe = PYTHON_PROBE_NONE;
    if (result)
        api->Py_DecRef(result);
    if (eval)
        api->Py_DecRef(eval);
    api->PyErr_Clear();
    api->PyErr_Restore(type, value, trace);
    return set;
}

void python_profile_check(const struct python_api *api)
{
    static const char lost[] =
        "Python functions are missing: sys.setprofile() was called while they were recorded";
    if (python_profile_begun && recorder_on() && !python_profile_is_set(api)) {
        meta_info(PROF_INFO_NOTE, lost);
        log_line(LOG_ERROR, "%s", lost);
    }
    python_profile_begun = false;
}

/* Somebody else's, set since, stays. */
void python_profile_end(const struct python_api *api)
{
    python_profile_check(api);
    if (!python_profile_is_in_use(api))
        api->PyEval_SetProfile(NULL, NULL);
}
