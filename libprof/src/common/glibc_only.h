/* glibc_only.h - functions that musl does not have. References to them are weak, so that a program
 * of musl's starts when the library is preloaded into it: unrecorded.
 */
#ifndef PROF_GLIBC_ONLY_H
#define PROF_GLIBC_ONLY_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define GLIBC_ONLY __attribute__((weak))

extern const char *gnu_get_libc_version(void) GLIBC_ONLY;
#pragma weak dlvsym
#pragma weak pthread_attr_setaffinity_np

/* What glibc's pthread_atfork() and at_quick_exit() call, which are linked into each library. */
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
                             void *library) GLIBC_ONLY;
extern int __cxa_at_quick_exit(void (*function)(void *), void *library) GLIBC_ONLY;
extern void *__dso_handle;

static inline bool glibc_only_is_present(void)
{
    return gnu_get_libc_version != NULL;
}

static inline void glibc_only_atfork(void (*before)(void), void (*parent)(void),
                                     void (*child)(void))
{
    if (__register_atfork)
        __register_atfork(before, parent, child, __dso_handle);
}

static inline void glibc_only_at_quick_exit(void (*function)(void *unused))
{
    if (__cxa_at_quick_exit)
        __cxa_at_quick_exit(function, __dso_handle);
}

#endif
