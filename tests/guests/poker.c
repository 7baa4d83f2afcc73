/* Preloaded before libprof.so, makes any program one that records: the whole process, its reads, writes and opened
 * files are ranges. Calls that libc makes by itself, such as those of stdio, pass by unseen. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

static ssize_t (*next_read)(int, void *, size_t);
static ssize_t (*next_write)(int, const void *, size_t);
static int (*next_open)(const char *, int, ...);
static int (*next_openat)(int, const char *, int, ...);

/* Other libraries' constructors may come first and call what stands here. */
static void find_next(void)
{
    if (next_openat)
        return;
    *(void **)&next_read = dlsym(RTLD_NEXT, "read");
    *(void **)&next_write = dlsym(RTLD_NEXT, "write");
    *(void **)&next_open = dlsym(RTLD_NEXT, "open");
    *(void **)&next_openat = dlsym(RTLD_NEXT, "openat");
}

/* Not closed before the process ends, like a range of a main function that does not return. */
__attribute__((constructor)) static void poke(void)
{
    find_next();
    prof_range_push("guest");
}

ssize_t read(int fd, void *buffer, size_t size)
{
    find_next();
    prof_range_push("read");
    ssize_t result = next_read(fd, buffer, size);
    prof_range_pop();
    return result;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    find_next();
    prof_range_push("write");
    ssize_t result = next_write(fd, buffer, size);
    prof_range_pop();
    return result;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    find_next();
    prof_range_push("open");
    int fd = next_open(path, flags, mode);
    prof_range_pop();
    return fd;
}

int openat(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    find_next();
    prof_range_push("openat");
    int fd = next_openat(directory, path, flags, mode);
    prof_range_pop();
    return fd;
}

/* On machines with 64 bits the same functions under their other names. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));
