/* mlockall [FLAGS [KIB [none]]]: maps KIB of memory, which cannot be accessed with "none", opens a range, locks its memory as
 * FLAGS say (1 MCL_CURRENT, 2 MCL_FUTURE, 4 MCL_ONFAULT), closes the range, and prints whether a page of its own is locked. */
#include <prof/prof.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char page[1 << 16];

static unsigned locked_kib(void)
{
    char line[256];
    unsigned kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "VmLck: %u", &kib);
    if (status)
        fclose(status);
    return kib;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 2 ? (size_t)atoi(argv[2]) << 10 : 0;
    if (bytes)
        mmap(NULL, bytes, argc > 3 ? PROT_NONE : PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *volatile heap = malloc(100); /* with or without libprof, there is a heap */
    free(heap);
    memset(page, 1, sizeof page);
    prof_range_push("locking");
    int result = mlockall(argc > 1 ? atoi(argv[1]) : 1);
    if (result != 0)
        printf("mlockall: %s\n", strerror(errno));
    else
        printf("locked: %s\n", locked_kib() > 500 ? "yes" : "no");
    prof_range_pop();
    return 0;
}
