/* named.c - three steps with a range of each name that is given: named NAME... */
#include <prof/prof.h>
#include <string.h>

int main(int argc, char **argv)
{
    for (int step = 0; step < 3; step++) {
        prof_step();
        for (int i = 1; i < argc; i++) {
            prof_range_push_n(argv[i], strlen(argv[i]));
            prof_range_pop();
        }
    }
    return 0;
}
