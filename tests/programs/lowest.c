/* lowest: which descriptor the program is given before its first range and after it. */
#include <prof/prof.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int lowest_free(void)
{
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

int main(void)
{
    int before = lowest_free();
    prof_range_push("outer");
    prof_range_push("inner");
    prof_range_pop();
    prof_range_pop();
    printf("%s\n", before == lowest_free() ? "the same" : "another");
    return 0;
}
