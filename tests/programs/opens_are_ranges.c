/* A library that records: what opens and closes files is a range of that name, and so is what a thread does. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    prof_range_push("open");
    int fd = next(path, flags, mode);
    prof_range_pop();
    return fd;
}

int open64(const char *, int, ...) __attribute__((alias("open")));

int openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    int (*next)(int, const char *, int, ...) =
        (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    prof_range_push("openat");
    int fd = next(directory, path, flags, mode);
    prof_range_pop();
    return fd;
}

int close(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    prof_range_push("close");
    int result = next(fd);
    prof_range_pop();
    return result;
}

struct start {
    void *(*run)(void *);
    void *argument;
};

static void *run_in_range(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    prof_range_push("thread");
    void *result = start.run(start.argument);
    prof_range_pop();
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    struct start *start = malloc(sizeof *start);
    *start = (struct start){run, argument};
    return next(thread, attributes, run_in_range, start);
}
