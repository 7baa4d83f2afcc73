/* attach_relro.c - makes what the loader has made read-only of its own data writable, until a line comes on standard input:
 * so it is while profrun's code works there. Ends when standard input does. */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

static int protect(struct dl_phdr_info *module, size_t bytes, void *protection)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)bytes;
    if (module->dlpi_addr != getauxval(AT_BASE))
        return 0;
    for (const ElfW(Phdr) *segment = module->dlpi_phdr;
         segment < module->dlpi_phdr + module->dlpi_phnum; segment++) {
        if (segment->p_type != PT_GNU_RELRO)
            continue;
        const uintptr_t begin = (module->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        const uintptr_t end =
            (module->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (mprotect((void *)begin, end - begin, *(const int *)protection) == 0)
            return 1;
    }
    return 0;
}

int main(void)
{
    int writable = PROT_READ | PROT_WRITE, fixed = PROT_READ;
    char byte;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (dl_iterate_phdr(protect, &writable) != 1)
        return 1;
    puts("begun");
    if (read(STDIN_FILENO, &byte, 1) != 1 || dl_iterate_phdr(protect, &fixed) != 1)
        return 2;
    puts("read-only");
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    puts("ended");
    return 7;
}
