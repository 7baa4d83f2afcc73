/* idle_pages: prints how many pages an idle library has stored into, and into how many of these a forked child stores: "12 0".
 * The first children are remembered; those after 300 are not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bits of /proc/PID/pagemap. */
#define IS_PRESENT (1ull << 63)
#define IS_OF_A_FILE (1ull << 61)
#define IS_OURS_ALONE (1ull << 56)

static uintptr_t begin, end; /* the library's writable segment */

static int find(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "/libprof.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W) {
            begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            end = begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* A page of zeros that was only read is nobody's alone; nor is one that a forked child has not stored into. */
static int count(void)
{
    const uintptr_t bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    int map = open("/proc/self/pagemap", O_RDONLY), pages = 0;
    for (uintptr_t page = begin / bytes; page * bytes < end; page++) {
        uint64_t entry;
        if (pread(map, &entry, sizeof entry, (off_t)(page * sizeof entry)) != sizeof entry)
            return -1;
        pages += (entry & IS_PRESENT) && (entry & IS_OURS_ALONE) && !(entry & IS_OF_A_FILE);
    }
    close(map);
    return pages;
}

int main(void)
{
    int status = 1;
    dl_iterate_phdr(find, NULL);
    for (int i = 0; i < 300; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, &status, 0);
    }
    printf("%d ", count());
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("%d\n", count());
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status ? 1 : 0;
}
