/* idle_pages: prints how much memory, in KiB, an idle library takes of a process, and how much of it a forked child copies by
 * storing into it: "library N KiB, child N KiB". The first children are remembered; those after 300 are not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sums a line of smaps over the library's mappings, and over the nameless one behind them, its zeroed data. */
static int library_kib(const char *kind)
{
    char line[4096], path[4096];
    unsigned long begin, end, last_end = 0;
    int counts = 0, kib, sum = 0;
    FILE *mappings = fopen("/proc/self/smaps", "r");
    if (!mappings)
        exit(1);
    while (fgets(line, sizeof line, mappings)) {
        *path = '\0';
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095s", &begin, &end, path) >= 2) {
            counts = strstr(path, "/libprof.so") || (!*path && begin == last_end);
            last_end = counts ? end : 0;
        } else if (counts && strncmp(line, kind, strlen(kind)) == 0 &&
                   sscanf(line + strlen(kind), ": %d", &kib) == 1) {
            sum += kib;
        }
    }
    fclose(mappings);
    return sum;
}

int main(void)
{
    int status = 1;
    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, &status, 0);
    }
    printf("library %d KiB, ", library_kib("Anonymous"));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("child %d KiB\n", library_kib("Private_Dirty"));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status ? 1 : 0;
}
