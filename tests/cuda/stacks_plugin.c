/* stacks_plugin.c - a library that calls back from a function of the name PLUGIN, and from its constructor, which runs
 * under the loader's lock, pushes a range. */
#include <prof/prof.h>

void PLUGIN(void (*function)(void));

__attribute__((noinline)) void PLUGIN(void (*function)(void))
{
    function();
    __asm__ volatile("" ::: "memory");
}

void plugin_enter(void (*function)(void));

void plugin_enter(void (*function)(void))
{
    PLUGIN(function);
    __asm__ volatile("" ::: "memory");
}

__attribute__((constructor)) static void plugin_load(void)
{
    prof_range_push("in a constructor");
    prof_range_pop();
}
