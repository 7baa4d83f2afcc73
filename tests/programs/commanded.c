/* commanded: for each number N on standard input, records N marks "mark" and prints how many there are so far. */
#include <prof/prof.h>

#include <stdio.h>

int main(void)
{
    long wanted, marks = 0;
    while (scanf("%ld", &wanted) == 1) {
        for (long i = 0; i < wanted; i++)
            prof_mark("mark");
        marks += wanted;
        printf("%ld\n", marks);
        fflush(stdout);
    }
    return 0;
}
