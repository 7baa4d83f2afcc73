/* Records from a constructor, main, an atexit handler and a destructor; leaves a range open. */
#include <prof/prof.h>

#include <stdlib.h>

static void range(const char *name)
{
    prof_range_push(name);
    prof_range_pop();
}

__attribute__((constructor)) static void construct(void)
{
    range("constructor");
}

__attribute__((destructor)) static void destruct(void)
{
    range("destructor");
}

static void at_exit(void)
{
    range("atexit");
}

int main(void)
{
    atexit(at_exit);
    range("main");
    prof_range_push("open at exit");
    return 0;
}
