/* python_api.h - the CPython functions that libprof calls, looked up in the process.
 *
 * All objects are opaque here; python_builtins.c alone depends on how they are laid out, and checks
 * that. Names and signatures are those of CPython's C API, 3.9 to 3.14: the reference manual's, and
 * of what it does not list (_PyCode_GetExtra and its kin until 3.11) Include/cpython/code.h's.
 */
#ifndef PROF_PYTHON_API_H
#define PROF_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct python_object PyObject;

/* Py_tracefunc's `what`. */
#define PYTHON_TRACE_CALL 0
#define PYTHON_TRACE_RETURN 3
#define PYTHON_TRACE_C_CALL 4
#define PYTHON_TRACE_C_EXCEPTION 5
#define PYTHON_TRACE_C_RETURN 6

typedef int python_tracer(PyObject *object, PyObject *frame, int what, PyObject *argument);
typedef PyObject *python_fastcall(PyObject *self, PyObject *const *arguments, ssize_t count);

#define PYTHON_METH_FASTCALL 0x0080

/* PyMethodDef: part of the stable ABI. */
struct python_method {
    const char *name;
    python_fastcall *function;
    int flags;
    const char *doc;
};

/* X(type, name, parameters) */
#define PYTHON_FUNCTIONS(X)                                                            \
    X(int, Py_IsInitialized, (void))                                                   \
    X(int, PyGILState_Check, (void))                                                   \
    X(void *, PyInterpreterState_Get, (void))                                          \
    X(void *, PyInterpreterState_ThreadHead, (void *))                                 \
    X(void *, PyThreadState_Get, (void))                                               \
    X(void *, PyThreadState_Next, (void *))                                            \
    X(void *, PyThreadState_Swap, (void *))                                            \
    X(void, Py_IncRef, (PyObject *))                                                   \
    X(void, Py_DecRef, (PyObject *))                                                   \
    X(void, PyErr_Clear, (void))                                                       \
    X(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                      \
    X(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *))                       \
    X(void, PyEval_SetProfile, (python_tracer *, PyObject *))                          \
    X(PyObject *, PyEval_GetFrame, (void))    /* borrowed */                           \
    X(PyObject *, PyEval_GetBuiltins, (void)) /* borrowed */                           \
    X(PyObject *, PyFrame_GetBack, (PyObject *))                                       \
    X(PyObject *, PyFrame_GetCode, (PyObject *))                                       \
    X(PyObject *, PySys_GetObject, (const char *)) /* borrowed */                      \
    X(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                  \
    X(PyObject *, PyObject_CallFunction, (PyObject *, const char *, ...))              \
    X(PyObject *, PyObject_CallMethod, (PyObject *, const char *, const char *, ...))  \
    X(PyObject *, PyObject_Type, (PyObject *))                                         \
    X(PyObject *, PyObject_Repr, (PyObject *))                                         \
    X(ssize_t, PyObject_Size, (PyObject *))                                            \
    X(PyObject *, PyMethod_Function, (PyObject *)) /* borrowed */                      \
    X(void *, PyCapsule_GetPointer, (PyObject *, const char *))                        \
    X(PyObject *, PyWeakref_NewRef, (PyObject *, PyObject *))                          \
    X(PyObject *, PyCFunction_NewEx, (struct python_method *, PyObject *, PyObject *)) \
    X(long, PyLong_AsLong, (PyObject *))                                               \
    X(const char *, PyUnicode_AsUTF8AndSize, (PyObject *, ssize_t *))                  \
    X(PyObject *, PyUnicode_AsEncodedString, (PyObject *, const char *, const char *)) \
    X(int, PyBytes_AsStringAndSize, (PyObject *, char **, ssize_t *))

struct python_api {
#define PYTHON_POINTER(type, name, parameters) type(*name) parameters;
    PYTHON_FUNCTIONS(PYTHON_POINTER)
#undef PYTHON_POINTER
    /* Until 3.11 with a leading underscore, since 3.12 with PyUnstable. */
    ssize_t (*request_code_extra)(void (*free_extra)(void *));
    int (*get_code_extra)(PyObject *code, ssize_t index, void **extra);
    int (*set_code_extra)(PyObject *code, ssize_t index, void *extra);
    /* PyEval_SetProfile() for the state of another thread, in 3.9 to 3.11; may be NULL. Audit hooks
     * run on the calling thread. */
    int (*set_profile_of)(void *state, python_tracer *function, PyObject *object);
    PyObject *none, *type, *builtin_type, *builtin_method_type, *descriptor_type, *method_type;
};

/* Of the interpreter in the process; NULL: there is none that runs and has all of it, or one
 * without a GIL (what is kept with code objects is not safe there). The same pointer ever after. */
const struct python_api *python_api(void);

#endif
