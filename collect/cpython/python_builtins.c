/* python_builtins.c - names of functions written in C: see python_names.h.
 *
 * Such a function has no place for a number of ours. A method's definition (PyMethodDef) stays
 * where it is while the function exists, so a table of the latest ones is asked first.
 */
#include "python_names.h"

#include "memory.h"
#include "recorder.h"

#include <string.h>

#define PYTHON_BUILTINS_SETS 2048u /* of two each */
#define PYTHON_BUILTINS_TEXT 32

/* The layout of builtin functions and of methods of builtin types, 3.9 to 3.14: looked at only
 * after it was found in two that every interpreter has. */
struct python_builtin {
    ssize_t references;
    const PyObject *type;
    const struct python_method *method;
};

struct python_descriptor {
    ssize_t references;
    const PyObject *type;
    const PyObject *class, *name, *qualified_name;
    const struct python_method *method;
};

/* Guarded by the GIL. */
static struct {
    bool looked;
    const PyObject *function, *method, *descriptor; /* types; NULL: the layout is another one */
} python_builtin_types;

/* Guarded by the GIL. The text is compared too: a definition may have been freed, and the address
 * another's now. */
struct python_builtin_kept {
    const struct python_method *method;
    uint64_t name; /* names_keep(); 0: it was lost */
    char text[PYTHON_BUILTINS_TEXT];
};

static struct python_builtin_kept (*python_builtins_kept)[2]; /* memory_once() */

static bool python_is_named(const struct python_method *method, const char *name)
{
    return method && method->name && strcmp(method->name, name) == 0;
}

/* Of an exact type alone: subclasses may be laid out otherwise. NULL: it is another object. */
static const struct python_method *python_method_of(const PyObject *callable)
{
    const struct python_builtin *builtin = (const void *)callable;
    const struct python_descriptor *descriptor = (const void *)callable;
    if (builtin->type == python_builtin_types.function ||
        builtin->type == python_builtin_types.method)
        return builtin->method;
    return builtin->type == python_builtin_types.descriptor ? descriptor->method : NULL;
}

bool python_builtins_init(const struct python_api *api)
{
    if (!python_builtin_types.looked) {
        PyObject *intern = api->PySys_GetObject("intern"); /* borrowed */
        PyObject *mro = api->PyObject_GetAttrString(api->type, "mro");
        python_builtin_types.looked = true;
        python_builtin_types.function = api->builtin_type;
        python_builtin_types.method = api->builtin_method_type;
        python_builtin_types.descriptor = api->descriptor_type;
        if (!intern || !mro || !python_is_named(python_method_of(intern), "intern") ||
            !python_is_named(python_method_of(mro), "mro"))
            python_builtin_types.function = python_builtin_types.method =
                python_builtin_types.descriptor = NULL;
        if (mro)
            api->Py_DecRef(mro);
        else
            api->PyErr_Clear();
    }
    return python_builtin_types.function != NULL;
}

/* A method of a type, which is called on `self`, as a builtin function has it. A new reference;
 * NULL: it is not one. */
static PyObject *python_bind(const struct python_api *api, PyObject *callable, PyObject *self)
{
    const struct python_builtin *builtin = (const void *)callable;
    if (builtin->type != python_builtin_types.descriptor || !self)
        return NULL;
    /* with the type: methods of METH_METHOD need it up to 3.13, and a tuple alone would be taken
     * for the arguments */
    PyObject *type = api->PyObject_Type(self);
    PyObject *bound = type ? api->PyObject_CallMethod(callable, "__get__", "OO", self, type) : NULL;
    if (!bound)
        api->PyErr_Clear();
    if (type)
        api->Py_DecRef(type);
    return bound;
}

/* What the interpreter calls it, without an address: "<built-in method append of list object>". */
static uint32_t python_builtins_make(const struct python_api *api, PyObject *callable,
                                     PyObject *self)
{
    char name[PYTHON_NAMES_PART_BYTES + 8];
    PyObject *bound = python_bind(api, callable, self);
    PyObject *text = api->PyObject_Repr(bound ? bound : callable);
    if (!text)
        api->PyErr_Clear();
    char *end = python_names_append(api, name, text);
    char *address = memmem(name, (size_t)(end - name), " at 0x", 6);
    if (address)
        end = stpcpy(address, ">");
    if (text)
        api->Py_DecRef(text);
    if (bound)
        api->Py_DecRef(bound);
    return names_intern(name, (size_t)(end - name));
}

static bool python_is_kept(const struct python_builtin_kept *kept,
                           const struct python_method *method)
{
    return kept->method == method &&
           strncmp(kept->text, method->name, PYTHON_BUILTINS_TEXT - 1) == 0;
}

uint32_t python_builtins_resolve(const struct python_api *api, PyObject *callable, PyObject *self)
{
    /* Since 3.12, a call of a pybind11 function begins as the method, but ends as its function. */
    if (((const struct python_builtin *)(const void *)callable)->type == api->method_type)
        callable = api->PyMethod_Function(callable);
    const struct python_method *method = python_method_of(callable);
    if (!method || !method->name || !MEMORY_ONCE(&python_builtins_kept, PYTHON_BUILTINS_SETS))
        return 0; /* without memory, too */
    const uint64_t mixed = ((uintptr_t)method >> 4) * 0x9e3779b97f4a7c15ull;
    struct python_builtin_kept *kept = python_builtins_kept[(mixed >> 32) % PYTHON_BUILTINS_SETS];
    for (int i = 0; i < 2; i++)
        if (python_is_kept(&kept[i], method))
            return names_kept(&kept[i].name);
    PyObject *type, *value, *trace;
    api->PyErr_Fetch(&type, &value, &trace);
    const uint32_t name = python_builtins_make(api, callable, self);
    api->PyErr_Restore(type, value, trace);
    kept[1] = kept[0];
    kept[0] = (struct python_builtin_kept){.method = method, .name = names_keep(name)};
    strncpy(kept[0].text, method->name, PYTHON_BUILTINS_TEXT - 1);
    return name;
}
