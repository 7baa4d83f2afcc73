/* nccl_internal.h - functions of the real libnccl.so.2 that it does not export. Its wheels are not stripped.
 * Needs _GNU_SOURCE. */
#ifndef NCCL_INTERNAL_H
#define NCCL_INTERNAL_H

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct nccl_library {
    void *handle;
    char *base;
    const char *image; /* the file */
};

static struct nccl_library nccl_open(const char *path)
{
    struct link_map *map = NULL;
    struct stat status;
    struct nccl_library library = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    int file = open(path, O_RDONLY);
    if (!library.handle || file < 0 || fstat(file, &status) != 0 ||
        dlinfo(library.handle, RTLD_DI_LINKMAP, &map) != 0) {
        printf("cannot open %s: %s\n", path, dlerror());
        exit(1);
    }
    library.base = (char *)map->l_addr;
    library.image = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    return library;
}

/* NULL: it has none of that name. */
static void *nccl_internal(const struct nccl_library *library, const char *name)
{
    const ElfW(Ehdr) *header = (const void *)library->image;
    const ElfW(Shdr) *sections = (const void *)(library->image + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const ElfW(Sym) *symbols = (const void *)(library->image + sections[i].sh_offset);
        const char *names = library->image + sections[sections[i].sh_link].sh_offset;
        for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++)
            if (symbols[j].st_value && strcmp(names + symbols[j].st_name, name) == 0)
                return library->base + symbols[j].st_value;
    }
    return NULL;
}

#endif
