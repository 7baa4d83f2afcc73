/* python_api.c - see python_api.h. */
#include "python_api.h"

#include "atomic.h"

#include <dlfcn.h>

static struct python_api python_functions;
static uint32_t python_api_found; /* finder releases -> python_api() acquires */

static void *python_find_either(const char *name, const char *older)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : dlsym(RTLD_DEFAULT, older);
}

/* Assigning through void ** is what POSIX asks of dlsym()'s callers. */
static bool python_api_find(struct python_api *api)
{
    bool whole = true;
#define PYTHON_FIND(type, name, parameters)              \
    *(void **)(&api->name) = dlsym(RTLD_DEFAULT, #name); \
    whole &= api->name != NULL;
    PYTHON_FUNCTIONS(PYTHON_FIND)
#undef PYTHON_FIND
    *(void **)(&api->request_code_extra) = python_find_either(
        "PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex");
    *(void **)(&api->get_code_extra) =
        python_find_either("PyUnstable_Code_GetExtra", "_PyCode_GetExtra");
    *(void **)(&api->set_code_extra) =
        python_find_either("PyUnstable_Code_SetExtra", "_PyCode_SetExtra");
    *(void **)(&api->set_profile_of) = dlsym(RTLD_DEFAULT, "_PyEval_SetProfile");
    api->none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    api->type = dlsym(RTLD_DEFAULT, "PyType_Type");
    api->builtin_type = dlsym(RTLD_DEFAULT, "PyCFunction_Type");
    api->builtin_method_type = dlsym(RTLD_DEFAULT, "PyCMethod_Type");
    api->descriptor_type = dlsym(RTLD_DEFAULT, "PyMethodDescr_Type");
    api->method_type = dlsym(RTLD_DEFAULT, "PyMethod_Type");
    return whole && api->request_code_extra && api->get_code_extra && api->set_code_extra &&
           api->none && api->type && api->builtin_type && api->builtin_method_type &&
           api->descriptor_type && api->method_type;
}

/* Only builds without a GIL have that function. */
static bool python_api_has_gil(void)
{
    return !dlsym(RTLD_DEFAULT, "PyUnstable_Module_SetGIL");
}

const struct python_api *python_api(void)
{
    if (load_acquire(&python_api_found))
        return &python_functions;
    struct python_api api;
    if (!python_api_has_gil() || !python_api_find(&api) || !api.Py_IsInitialized())
        return NULL;
    python_functions = api; /* the same from whatever thread */
    store_release(&python_api_found, 1u);
    return &python_functions;
}
