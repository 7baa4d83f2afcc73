/* python_names.c - see python_names.h. */
#include "python_names.h"

#include "names.h"

#include <stdio.h>
#include <string.h>

ssize_t python_names_index = -1;

bool python_names_init(const struct python_api *api)
{
    if (python_names_index < 0)
        python_names_index = api->request_code_extra(NULL);
    return python_names_index >= 0;
}

/* Bytes of a text. `keeper` holds them and is the caller's to release. Text that is not UTF-8 came
 * from a file system: as it was there, else with its odd characters escaped. */
static const char *python_text(const struct python_api *api, PyObject *text, ssize_t *size,
                               PyObject **keeper)
{
    *keeper = NULL;
    const char *utf8 = text ? api->PyUnicode_AsUTF8AndSize(text, size) : NULL;
    if (utf8 || !text)
        return utf8;
    static const char *const handlers[] = {"surrogateescape", "backslashreplace"};
    for (size_t i = 0; i < 2 && !*keeper; i++) {
        api->PyErr_Clear();
        *keeper = api->PyUnicode_AsEncodedString(text, "utf-8", handlers[i]);
    }
    char *bytes = NULL;
    if (!*keeper || api->PyBytes_AsStringAndSize(*keeper, &bytes, size) != 0)
        api->PyErr_Clear();
    return bytes;
}

char *python_names_append(const struct python_api *api, char *to, PyObject *text)
{
    PyObject *keeper;
    ssize_t size = 0;
    const char *bytes = python_text(api, text, &size, &keeper);
    if (!bytes) {
        bytes = "?";
        size = 1;
    }
    if ((size_t)size > PYTHON_NAMES_PART_MAX) { /* its end, and a hash of what comes before */
        size_t rest = (size_t)size - PYTHON_NAMES_PART_MAX;
        *to++ = '#';
        names_put_hash(to, names_hash_rest(bytes, rest));
        to = stpcpy(to + 16, "...");
        bytes += rest;
        size = PYTHON_NAMES_PART_MAX;
    }
    memcpy(to, bytes, (size_t)size);
    if (keeper)
        api->Py_DecRef(keeper);
    return to + size;
}

/* Appends a text attribute of an object; `older`: where it has none of that name, or NULL. */
static char *python_append(const struct python_api *api, char *to, PyObject *object,
                           const char *attribute, const char *older)
{
    PyObject *text = api->PyObject_GetAttrString(object, attribute);
    if (!text && older) {
        api->PyErr_Clear();
        text = api->PyObject_GetAttrString(object, older);
    }
    if (!text)
        api->PyErr_Clear();
    to = python_names_append(api, to, text);
    if (text)
        api->Py_DecRef(text);
    return to;
}

static long python_line(const struct python_api *api, PyObject *code)
{
    PyObject *number = api->PyObject_GetAttrString(code, "co_firstlineno");
    long line = number ? api->PyLong_AsLong(number) : 0;
    if (number)
        api->Py_DecRef(number);
    if (!number || line < 0)
        api->PyErr_Clear();
    return line < 0 ? 0 : line;
}

static uint32_t python_names_create(const struct python_api *api, PyObject *code)
{
    char name[2 * PYTHON_NAMES_PART_BYTES + 32];
    char *end = python_append(api, name, code, "co_filename", NULL);
    end += sprintf(end, "(%ld): ", python_line(api, code));
    end = python_append(api, end, code, "co_qualname", "co_name"); /* since 3.11 */
    uint32_t id = names_intern(name, (size_t)(end - name));
    return id ? id | python_modules_kind(name, (size_t)(end - name)) : 0;
}

static void python_names_keep(const struct python_api *api, PyObject *code, uint32_t word)
{
    void *kept = (void *)(uintptr_t)names_keep(word);
    if (api->set_code_extra(code, python_names_index, kept) != 0)
        api->PyErr_Clear(); /* no memory: it will be made again */
}

/* ---- the import system ---- */

/* Both of its modules, importlib._bootstrap and _bootstrap_external, are frozen under such
 * names. */
static bool python_names_file_is_import(const struct python_api *api, PyObject *code)
{
    static const char frozen[] = "<frozen importlib._bootstrap";
    PyObject *file = api->PyObject_GetAttrString(code, "co_filename");
    ssize_t size = 0;
    const char *bytes = file ? api->PyUnicode_AsUTF8AndSize(file, &size) : NULL;
    bool matches = bytes && strncmp(bytes, frozen, sizeof frozen - 1) == 0;
    if (!bytes)
        api->PyErr_Clear();
    if (file)
        api->Py_DecRef(file);
    return matches;
}

bool python_names_is_import(const struct python_api *api, PyObject *code)
{
    PyObject *type, *value, *trace;
    uint32_t word = (uint32_t)python_names_word(api, code);
    if (word & PYTHON_NAMES_EXAMINED)
        return false;
    if (!word) {
        api->PyErr_Fetch(&type, &value, &trace);
        word = python_names_file_is_import(api, code) ? PYTHON_NAMES_IMPORT : PYTHON_NAMES_EXAMINED;
        python_names_keep(api, code, word);
        api->PyErr_Restore(type, value, trace);
    }
    return word & PYTHON_NAMES_IMPORT;
}

/* ---- names ---- */

static uint32_t python_names_make(const struct python_api *api, PyObject *code)
{
    uint32_t mark = python_names_is_import(api, code) ? PYTHON_NAMES_IMPORT : 0;
    uint32_t id = python_names_create(api, code);
    if (id)
        python_names_keep(api, code, id | mark);
    return id;
}

uint32_t python_names_resolve(const struct python_api *api, PyObject *code, PyObject *frame)
{
    PyObject *type, *value, *trace;
    uint32_t id = python_names_lookup(api, code), module = 0;
    if (id && !(id & PYTHON_NAMES_OBJECT))
        return id;
    api->PyErr_Fetch(&type, &value, &trace);
    if (!id)
        id = python_names_make(api, code);
    if (id & PYTHON_NAMES_OBJECT)
        module = python_modules_name(api, frame ? frame : api->PyEval_GetFrame(),
                                     id & PYTHON_NAMES_OBJECT);
    api->PyErr_Restore(type, value, trace);
    return module ? module : id & ~PYTHON_NAMES_OBJECT;
}
