/* attach_allocator.c - a library that stands before the allocator: ends the process when a thread allocates or frees that
 * is not one of libc's, or does not run its destructors. libc knows the stack of each of its threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static __thread bool checked __attribute__((tls_model("initial-exec")));

static void refuse(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
    abort();
}

static void check(void)
{
    pthread_attr_t attributes;
    void *stack;
    size_t bytes;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (checked || gettid() == getpid())
        return;
    checked = true; /* what follows allocates */
    if (pthread_getattr_np(pthread_self(), &attributes) != 0 ||
        pthread_attr_getstack(&attributes, &stack, &bytes) != 0)
        refuse("a thread allocates that libc does not know\n");
    pthread_attr_destroy(&attributes);
    if (here < (uintptr_t)stack || here >= (uintptr_t)stack + bytes)
        refuse("a thread allocates on a stack that libc does not know\n");
}

void *malloc(size_t bytes)
{
    check();
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    check();
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    check();
    return __libc_realloc(block, bytes);
}

void free(void *block)
{
    check();
    __libc_free(block);
}
