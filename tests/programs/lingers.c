/* lingers.c - a library to preload: the program's main() returns LINGER_MS later than it would. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

typedef int main_function(int, char **, char **);

static main_function *real_main;

static int main_and_linger(int count, char **arguments, char **environment)
{
    int status = real_main(count, arguments, environment);
    const char *text = getenv("LINGER_MS");
    long ms = text ? atol(text) : 0;
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        continue;
    return status;
}

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *) = NULL;
    *(void **)(void *)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(main_and_linger, count, arguments, init, fini, loader_fini, stack_end);
}
