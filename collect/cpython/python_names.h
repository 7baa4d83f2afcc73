/* python_names.h - names of Python functions: "file.py(LINE): qualified.name" with the line of the
 * `def`, as in PyTorch's profiler.
 *
 * A name is made once per code object and kept with it, in a place that CPython reserves for that
 * ("code extra"): no table, no reference that would keep code alive, and no address that could come
 * to mean another function. Called with the GIL held.
 */
#ifndef PROF_PYTHON_NAMES_H
#define PROF_PYTHON_NAMES_H

#include "names.h"
#include "python_api.h"

/* Reserves the place, in the interpreter that calls. False: none is left. */
bool python_names_init(const struct python_api *api);

/* Where the names are kept; written by python_names_init(), before any reader. */
extern ssize_t python_names_index __attribute__((visibility("hidden")));

/* What is kept beside the id. A word that is an id alone, and not 0, is of a function to record. */
#define PYTHON_NAMES_IMPORT 0x80000000u   /* the code is the import system's */
#define PYTHON_NAMES_EXAMINED 0x40000000u /* it is not, and has no name yet */
#define PYTHON_NAMES_MODULE 0x20000000u   /* calls of modules begin in it: below */
#define PYTHON_NAMES_STEP 0x10000000u     /* an optimizer's step calls it: below */
#define PYTHON_NAMES_OBJECT (PYTHON_NAMES_MODULE | PYTHON_NAMES_STEP)

#define PYTHON_NAMES_PART_MAX 2000u /* bytes of file, function and class: two of them fit a name */
#define PYTHON_NAMES_PART_BYTES \
    (PYTHON_NAMES_PART_MAX + 20u) /* as python_names_append() writes it */

/* Appends a text's bytes, of a longer one a hash and the last; "?" for NULL. Returns the new
 * end. */
char *python_names_append(const struct python_api *api, char *to, PyObject *text);

/* As it is kept (names_keep). */
static inline uint64_t python_names_word(const struct python_api *api, PyObject *code)
{
    void *extra = NULL;
    api->get_code_extra(code, python_names_index, &extra);
    return (uintptr_t)extra;
}

/* The id of a function's name if this process's file already has one, else 0. Includes a bit of
 * PYTHON_NAMES_OBJECT if the name depends on the object on which the function is called. */
static inline uint32_t python_names_lookup(const struct python_api *api, PyObject *code)
{
    uint64_t word = python_names_word(api, code);
    return names_is_good(word) ? (uint32_t)word & ~(PYTHON_NAMES_IMPORT | PYTHON_NAMES_EXAMINED)
                               : 0;
}

/* The id of the name of a frame, whose function has this code; `frame` NULL: the innermost one. 0:
 * it was lost, and that is counted. Keeps the exception that is being raised. The calling thread is
 * attached (thread_ready). */
uint32_t python_names_resolve(const struct python_api *api, PyObject *code, PyObject *frame);

/* Whether the code is the import system's (importlib._bootstrap). Makes no name. Keeps the
 * exception that is being raised. */
bool python_names_is_import(const struct python_api *api, PyObject *code);

/* ---- python_builtins.c ----
 *
 * "<built-in function len>", "<built-in method append of list object>". */

/* False: this interpreter lays out its builtin functions in an unknown way, and they have no
 * names. */
bool python_builtins_init(const struct python_api *api);

/* The id of the name of what is called: a builtin function, or a method of a builtin type, which is
 * called on `self`. 0: it is neither, or the name was lost. As in PyTorch's profiler, the object of
 * a method's first call names its type. Keeps the exception that is being raised. The calling
 * thread is attached. */
uint32_t python_builtins_resolve(const struct python_api *api, PyObject *callable, PyObject *self);

/* ---- python_modules.c ----
 *
 * "nn.Module: Linear_0" for calls of PyTorch's modules, as in PyTorch's profiler.
 *
 * Every call of a torch.nn.Module begins in one function; which module it is of, is its argument
 * `self`. Modules of a class are numbered in the order in which their first calls are recorded, and
 * keep their numbers until the process ends.
 */

/* PYTHON_NAMES_MODULE for the function in which calls of modules begin, PYTHON_NAMES_STEP for the
 * function that optimizers call at the end of a step, else 0. */
uint32_t python_modules_kind(const char *name, size_t size);

/* `frame` is of a function of this kind. Returns the id of the name of the called module; 0 if it
 * is unknown or not a module. Calls the observer with an optimizer, and with a module unless it has
 * returned for that. Must be called without a pending exception; clears those that it causes. */
uint32_t python_modules_name(const struct python_api *api, PyObject *frame, uint32_t kind);

/* Sets the observer, also the same one anew; None removes it. It should return at once for objects
 * that it has already seen: modules without a number are among them. */
void python_modules_observe(const struct python_api *api, PyObject *callable);

#endif
