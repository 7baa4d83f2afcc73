/* cublas_find.c - the real cuBLAS functions: see cublas_record.h. */
#include "atomic.h"
#include "cublas_record.h"
#include "glibc_only.h"
#include "loaded.h"
#include "log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool cublas_is_a_cublas(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "libcublas", strlen("libcublas")) == 0;
}

static bool cublas_is_in_a_cublas(void *function)
{
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname && cublas_is_a_cublas(info.dli_fname);
}

/* Another library that interposes on cuBLAS, loaded after us. */
static void *cublas_other_interposer(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    return function && !cublas_is_in_a_cublas(function) ? function : NULL;
}

/* Where cuBLAS was loaded with the program, which needs neither the loader's lock nor a reference
 * that keeps it loaded. */
static void *cublas_search_startup(const char *name, const char *soname)
{
    bool stays;
    const char *path;
    void *own = loaded_find(soname, name, soname, &stays);
    void *next = own && stays ? loaded_find_next(name, &path) : NULL;
    return next && !cublas_is_a_cublas(path) ? next : stays ? own : NULL;
}

/* The library is found among those that are loaded also where the program's own lookups do not
 * reach: Python opens extensions with RTLD_LOCAL, and what they need with them. It is not closed
 * again. */
static void *cublas_search(const char *name, const char *soname)
{
    void *startup = cublas_search_startup(name, soname);
    if (startup)
        return startup;
    void *library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
    void *found = cublas_other_interposer(name);
    if (!found && library && dlvsym)
        found = dlvsym(library, name, soname);
    if (!found && dlvsym)
        found = dlvsym(RTLD_NEXT, name, soname);
    dlerror(); /* the program's next dlerror() must not report our call */
    return found;
}

void (*cublas_find(struct cublas_function *function, const char *name, const char *soname))(void)
{
    void (*real)(void) = load_acquire(&function->real);
    if (real)
        return real;
    int saved_errno = errno;
    *(void **)&real = cublas_search(name, soname);
    store_release(&function->real, real);
    errno = saved_errno;
    return real;
}

cublas_status cublas_missing(const char *name, const char *soname)
{
    log_line(LOG_ERROR, "the program called %s, which %s does not have", name, soname);
    return CUBLAS_ABI_NOT_INITIALIZED;
}
