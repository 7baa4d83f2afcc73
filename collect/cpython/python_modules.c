/* python_modules.c - see python_names.h. */
#define _GNU_SOURCE
#include "python_names.h"

#include "recorder.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Numbers, not addresses: a program that makes modules without end, often at the same address,
 * does not use up the names. What comes later has no number. */
#define PYTHON_MODULES_MAX 16384u
#define PYTHON_CLASSES_MAX 1024u

static const char python_modules_prefix[] = "nn.Module: ";

/* A module that was called. The reference is weak: an address may come to be another module's. */
struct python_module {
    const PyObject *self;
    PyObject *weak;
    uint64_t name; /* names_keep() */
    uint32_t told; /* python_modules_observers when the observer was told of it */
};

struct python_class {
    uint32_t name; /* "nn.Module: Linear" */
    uint32_t count;
};

/* Open addressing, never more than half full. Guarded by the GIL. */
struct python_modules {
    struct python_module modules[2 * PYTHON_MODULES_MAX];
    struct python_class classes[2 * PYTHON_CLASSES_MAX];
    uint32_t numbers, class_count;
};

static struct python_modules *python_modules;
static PyObject *python_modules_observer; /* guarded by the GIL, as the next */
static uint32_t python_modules_observers; /* counts them */

static bool python_modules_map(void)
{
    if (python_modules)
        return true;
    void *memory = mmap(NULL, sizeof *python_modules, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    python_modules = memory == MAP_FAILED ? NULL : memory;
    return python_modules != NULL;
}

/* "...FILE(LINE): ...FUNCTION" */
static bool python_modules_is_in(const char *name, size_t size, const char *file,
                                 const char *function)
{
    size_t tail = strlen(function);
    return size > tail && memcmp(name + size - tail, function, tail) == 0 &&
           memmem(name, size, file, strlen(file));
}

uint32_t python_modules_kind(const char *name, size_t size)
{
    if (python_modules_is_in(name, size, "torch/nn/modules/module.py(", "_wrapped_call_impl"))
        return PYTHON_NAMES_MODULE;
    bool is_step =
        python_modules_is_in(name, size, "torch/optim/optimizer.py(", "_optimizer_step_code");
    return is_step ? PYTHON_NAMES_STEP : 0;
}

/* A new reference; NULL: there is none. */
static PyObject *python_modules_self(const struct python_api *api, PyObject *frame)
{
    PyObject *locals = api->PyObject_GetAttrString(frame, "f_locals");
    PyObject *self = locals ? api->PyObject_CallMethod(locals, "get", "s", "self") : NULL;
    if (locals)
        api->Py_DecRef(locals);
    if (!self)
        api->PyErr_Clear();
    return self;
}

/* Where the module is, or would be. */
static struct python_module *python_modules_find(const PyObject *self)
{
    uint64_t hash = (uintptr_t)self * UINT64_C(0x9fb21c651e98df25);
    uint32_t mask = 2 * PYTHON_MODULES_MAX - 1, at = (uint32_t)(hash >> 40) & mask;
    struct python_module *modules = python_modules->modules;
    while (modules[at].self && modules[at].self != self)
        at = (at + 1) & mask;
    return &modules[at];
}

static bool python_modules_is_alive(const struct python_api *api,
                                    const struct python_module *module)
{
    PyObject *object = api->PyObject_CallFunction(module->weak, NULL);
    if (object)
        api->Py_DecRef(object);
    else
        api->PyErr_Clear();
    return object == module->self;
}

/* NULL: there are too many. */
static struct python_class *python_modules_class(uint32_t name)
{
    uint32_t mask = 2 * PYTHON_CLASSES_MAX - 1, at = name & mask;
    struct python_class *classes = python_modules->classes;
    while (classes[at].name && classes[at].name != name)
        at = (at + 1) & mask;
    if (!classes[at].name && python_modules->class_count == PYTHON_CLASSES_MAX)
        return NULL;
    python_modules->class_count += !classes[at].name;
    classes[at].name = name;
    return &classes[at];
}

/* A new reference to the name of a class, NULL: there is none. It comes from the descriptor of
 * `type`: asking the class would run what its metaclass has for attributes, code of the program. */
static PyObject *python_modules_type_name(const struct python_api *api, PyObject *type)
{
    PyObject *members = api->PyObject_GetAttrString(api->type, "__dict__");
    PyObject *get = members ? api->PyObject_CallMethod(members, "get", "s", "__name__") : NULL;
    PyObject *name = get ? api->PyObject_CallMethod(get, "__get__", "O", type) : NULL;
    if (!name)
        api->PyErr_Clear();
    if (get)
        api->Py_DecRef(get);
    if (members)
        api->Py_DecRef(members);
    return name;
}

/* "nn.Module: Linear"; returns its length. */
static size_t python_modules_class_name(const struct python_api *api, PyObject *self, char *name)
{
    PyObject *type = api->PyObject_Type(self);
    PyObject *text = python_modules_type_name(api, type);
    char *end = stpcpy(name, python_modules_prefix);
    end = python_names_append(api, end, text);
    if (text)
        api->Py_DecRef(text);
    api->Py_DecRef(type);
    return (size_t)(end - name);
}

/* A module that is called for the first time. */
static uint32_t python_modules_number(const struct python_api *api, PyObject *self,
                                      struct python_module *module)
{
    char name[PYTHON_NAMES_PART_BYTES + 64];
    size_t size = python_modules_class_name(api, self, name);
    uint32_t plain = names_intern(name, size);
    struct python_class *class = plain ? python_modules_class(plain) : NULL;
    if (!class || python_modules->numbers == PYTHON_MODULES_MAX)
        return plain;
    PyObject *weak = api->PyWeakref_NewRef(self, NULL);
    if (!weak) {
        api->PyErr_Clear();
        return plain;
    }
    if (module->weak)
        api->Py_DecRef(module->weak);
    size += (size_t)sprintf(name + size, "_%u", class->count++);
    python_modules->numbers++;
    *module = (struct python_module){self, weak, names_keep(names_intern(name, size)), 0};
    return (uint32_t)module->name;
}

/* Functions that the observer calls are not recorded: the interpreter does not call a profiler from
 * within a profiler. */
static bool python_modules_tell(const struct python_api *api, PyObject *self)
{
    PyObject *observer = python_modules_observer;
    if (!observer)
        return true;
    api->Py_IncRef(observer);
    PyObject *result = api->PyObject_CallFunction(observer, "O", self);
    if (result)
        api->Py_DecRef(result);
    else
        api->PyErr_Clear();
    api->Py_DecRef(observer);
    return result != NULL;
}

void python_modules_observe(const struct python_api *api, PyObject *callable)
{
    PyObject *before = python_modules_observer;
    bool is_one = callable != api->none;
    if (is_one)
        api->Py_IncRef(callable);
    python_modules_observer = is_one ? callable : NULL;
    python_modules_observers++;
    if (before)
        api->Py_DecRef(before);
}

/* The observer is told of a module once, and before that has a number. Other threads may run
 * meanwhile: the place is looked for again. */
static uint32_t python_modules_name_of(const struct python_api *api, PyObject *self)
{
    struct python_module *module = python_modules_find(self);
    bool is_known = module->self && python_modules_is_alive(api, module);
    uint32_t observers = python_modules_observers;
    if (is_known && module->told == observers)
        return names_kept(&module->name);
    bool is_told = python_modules_tell(api, self);
    module = python_modules_find(self);
    is_known = module->self && python_modules_is_alive(api, module);
    uint32_t name = is_known ? names_kept(&module->name) : python_modules_number(api, self, module);
    if (is_told && module->self == self)
        module->told = observers;
    return name;
}

uint32_t python_modules_name(const struct python_api *api, PyObject *frame, uint32_t kind)
{
    if (kind == PYTHON_NAMES_STEP && !python_modules_observer)
        return 0;
    PyObject *self = python_modules_map() ? python_modules_self(api, frame) : NULL;
    if (!self)
        return 0;
    uint32_t name = 0;
    if (kind == PYTHON_NAMES_STEP)
        python_modules_tell(api, self);
    else
        name = python_modules_name_of(api, self);
    api->Py_DecRef(self);
    return name;
}
