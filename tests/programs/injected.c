/* A program in which a CUDA driver that is not there initialises: calls the InitializeInjection() of
 * the library it was preloaded with, between two ranges. */
#include <prof/prof.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    int (*initialize)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "InitializeInjection");
    prof_range_push("before");
    prof_range_pop();
    if (initialize)
        initialize();
    prof_range_push("after");
    prof_range_pop();
    puts("OK");
    return 0;
}
