/* python_monitor.c - sys.monitoring: callbacks that the interpreter calls at each event.
 *
 * Events are the interpreter's: while one thread wants them, all threads' come, and those of others
 * that do not are passed over. A thread that ends without asking for an end is noticed by a key's
 * destructor, which has no GIL; the next event then switches them off.
 */
#include "python_calls.h"

#include "atomic.h"

#include <pthread.h>

/* Numbers 0, 1, 2 and 5 are debuggers', coverage's, profilers' and optimisers' by agreement:
 * cProfile must find its own free. */
static const int python_monitor_tools[] = {4, 3};

static PyObject *python_monitor_enter(PyObject *self, PyObject *const *arguments, ssize_t count);
static PyObject *python_monitor_exit(PyObject *self, PyObject *const *arguments, ssize_t count);
static PyObject *python_monitor_call(PyObject *self, PyObject *const *arguments, ssize_t count);
static PyObject *python_monitor_end_call(PyObject *self, PyObject *const *arguments, ssize_t count);

static struct python_method python_monitor_methods[] = {
    {"libprof_enter", python_monitor_enter, PYTHON_METH_FASTCALL, NULL},
    {"libprof_leave", python_monitor_exit, PYTHON_METH_FASTCALL, NULL},
    {"libprof_call", python_monitor_call, PYTHON_METH_FASTCALL, NULL},
    {"libprof_end_call", python_monitor_end_call, PYTHON_METH_FASTCALL, NULL},
};

/* In the end, of functions written in C: those of methods from 2 on. CALL is of all functions. */
static const struct {
    const char *name;
    int method;
} python_monitor_events[] = {
    {"PY_START", 0},  {"PY_RESUME", 0}, {"PY_THROW", 0}, {"PY_RETURN", 1}, {"PY_YIELD", 1},
    {"PY_UNWIND", 1}, {"CALL", 2},      {"C_RETURN", 3}, {"C_RAISE", 3},
};
#define PYTHON_MONITOR_EVENTS (sizeof python_monitor_events / sizeof *python_monitor_events)

/* Guarded by the GIL but for `threads`. */
static struct {
    int tool;   /* 0: none yet */
    int events; /* the bits of those of functions in Python */
    int builtin_events;
    bool builtins;    /* the others are wanted, too */
    bool watching;    /* they are switched on */
    bool all;         /* all threads want them */
    uint32_t threads; /* that want them for themselves; atomic */
    pthread_key_t key;
    bool key_made;
} python_monitor GUEST_DATA;

/* Consumes the result. */
static bool python_monitor_worked(const struct python_api *api, PyObject *result)
{
    if (result)
        api->Py_DecRef(result);
    else
        api->PyErr_Clear();
    return result != NULL;
}

static void python_monitor_watch(const struct python_api *api, bool on)
{
    PyObject *monitoring = api->PySys_GetObject("monitoring");
    int events =
        python_monitor.events | (python_monitor.builtins ? python_monitor.builtin_events : 0);
    python_monitor.watching = on;
    if (monitoring)
        python_monitor_worked(api, api->PyObject_CallMethod(monitoring, "set_events", "ii",
                                                            python_monitor.tool, on ? events : 0));
}

void python_monitor_set_builtins(const struct python_api *api, bool wanted)
{
    bool changed = python_monitor.builtins != wanted;
    python_monitor.builtins = wanted;
    if (changed && python_monitor.watching)
        python_monitor_watch(api, true);
}

static bool python_monitor_is_wanted(void)
{
    return python_monitor.all || load_relaxed(&python_monitor.threads);
}

static void python_monitor_rest(const struct python_api *api)
{
    if (python_monitor.watching && !python_monitor_is_wanted())
        python_monitor_watch(api, false);
}

/* Returns None. A thread that did not request events disables them if no thread did. */
static PyObject *python_monitor_answer(const struct python_api *api)
{
    python_monitor_rest(api);
    api->Py_IncRef(api->none);
    return api->none;
}

static PyObject *python_monitor_enter(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    (void)self;
    if (count > 0)
        python_calls_enter(arguments[0]);
    return python_monitor_answer(python_api());
}

static PyObject *python_monitor_exit(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    (void)self;
    if (count > 0)
        python_calls_exit(arguments[0]);
    return python_monitor_answer(python_api());
}

/* Code, place, what is called, its first argument. */
static PyObject *python_monitor_call(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    (void)self;
    if (count > 3)
        python_calls_enter_builtin(arguments[2], arguments[3]);
    return python_monitor_answer(python_api());
}

static PyObject *python_monitor_end_call(PyObject *self, PyObject *const *arguments, ssize_t count)
{
    (void)self;
    if (count > 3)
        python_calls_exit_builtin(arguments[2], arguments[3]);
    return python_monitor_answer(python_api());
}

static void python_monitor_thread_ended(void *argument)
{
    (void)argument;
    fetch_add_relaxed(&python_monitor.threads, (uint32_t)-1);
}

static bool python_monitor_claim_tool(const struct python_api *api, PyObject *monitoring)
{
    for (size_t i = 0; i < 2 && !python_monitor.tool; i++)
        if (python_monitor_worked(api,
                                  api->PyObject_CallMethod(monitoring, "use_tool_id", "is",
                                                           python_monitor_tools[i], "libprof")))
            python_monitor.tool = python_monitor_tools[i];
    return python_monitor.tool != 0;
}

/* The event's bit, which then has our function; 0: no. */
static int python_monitor_register(const struct python_api *api, PyObject *monitoring,
                                   PyObject *events, size_t index)
{
    PyObject *bit = api->PyObject_GetAttrString(events, python_monitor_events[index].name);
    PyObject *function = api->PyCFunction_NewEx(
        &python_monitor_methods[python_monitor_events[index].method], NULL, NULL);
    int value = bit ? (int)api->PyLong_AsLong(bit) : 0;
    bool registered =
        bit && function &&
        python_monitor_worked(api, api->PyObject_CallMethod(monitoring, "register_callback", "iiO",
                                                            python_monitor.tool, value, function));
    if (bit)
        api->Py_DecRef(bit);
    if (function)
        api->Py_DecRef(function);
    api->PyErr_Clear();
    return registered ? value : 0;
}

static bool python_monitor_register_all(const struct python_api *api, PyObject *monitoring)
{
    PyObject *events = api->PyObject_GetAttrString(monitoring, "events");
    int bits[2] = {0}; /* of functions in Python, in C */
    bool whole = events != NULL;
    for (size_t i = 0; i < PYTHON_MONITOR_EVENTS && whole; i++) {
        int bit = python_monitor_register(api, monitoring, events, i);
        whole = bit != 0;
        bits[python_monitor_events[i].method >= 2] |= bit;
    }
    python_monitor_worked(api, events);
    if (whole) {
        python_monitor.events = bits[0];
        python_monitor.builtin_events = bits[1];
    }
    return whole;
}

/* Once per process. A number that is taken and not used stays ours: it is tried again. */
static bool python_monitor_init(const struct python_api *api)
{
    PyObject *monitoring = api->PySys_GetObject("monitoring");
    if (!monitoring)
        return false;
    if (!python_monitor.key_made)
        python_monitor.key_made =
            pthread_key_create(&python_monitor.key, python_monitor_thread_ended) == 0;
    return python_monitor.key_made &&
           (python_monitor.tool || python_monitor_claim_tool(api, monitoring)) &&
           (python_monitor.events || python_monitor_register_all(api, monitoring));
}

prof_status python_monitor_begin(const struct python_api *api)
{
    if (!python_monitor_init(api) || pthread_setspecific(python_monitor.key, api) != 0)
        return PROF_UNSUPPORTED;
    fetch_add_relaxed(&python_monitor.threads, 1u);
    if (!python_monitor.watching)
        python_monitor_watch(api, true);
    return PROF_OK;
}

void python_monitor_end(const struct python_api *api)
{
    pthread_setspecific(python_monitor.key, NULL);
    fetch_add_relaxed(&python_monitor.threads, (uint32_t)-1);
    python_monitor_rest(api);
}

prof_status python_monitor_begin_all(const struct python_api *api)
{
    if (!python_monitor_init(api))
        return PROF_UNSUPPORTED;
    python_monitor.all = true;
    if (!python_monitor.watching)
        python_monitor_watch(api, true);
    return PROF_OK;
}

void python_monitor_end_all(const struct python_api *api)
{
    python_monitor.all = false;
    python_monitor_rest(api);
}

GUEST_PATH void python_monitor_fork_child(bool on)
{
    uint32_t threads = on ? 1u : 0u;
    if (load_relaxed(&python_monitor.threads) != threads)
        store_relaxed(&python_monitor.threads, threads);
}
