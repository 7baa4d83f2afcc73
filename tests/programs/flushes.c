/* flushes FILE N [DESCRIPTOR]: opens FILE, as DESCRIPTOR, writes to it N times and records 20,000 ranges "range" after each.
 * Prints on stderr how many milliseconds the first range took. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void ranges(int count)
{
    for (int i = 0; i < count; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
}

int main(int argc, char **argv)
{
    static const char block[4096];
    int fd = argc > 1 ? open(argv[1], O_WRONLY) : -1;
    int times = argc > 2 ? atoi(argv[2]) : 1;
    if (argc > 3)
        fd = dup2(fd, atoi(argv[3]));
    if (fd < 0) {
        perror("open");
        return 1;
    }
    for (int i = 0; i < times; i++) {
        if (write(fd, block, sizeof block) != sizeof block)
            return 2;
        long began_ms = now_ms();
        ranges(1);
        if (i == 0)
            fprintf(stderr, "%ld\n", now_ms() - began_ms);
        ranges(19999);
    }
    return close(fd) != 0;
}
