/* gotpatch.c - a library calls functions of others through a table of addresses, its GOT. The
 * dynamic section lists relocations, which name the function and the place in the table. A page
 * that the loader has made read-only (RELRO) stays writable, as it is in libraries without that.
 */
#define _GNU_SOURCE
#include "gotpatch.h"

#include "atomic.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define GOTPATCH_JUMP R_X86_64_JUMP_SLOT
#define GOTPATCH_DATA R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define GOTPATCH_JUMP R_AARCH64_JUMP_SLOT
#define GOTPATCH_DATA R_AARCH64_GLOB_DAT
#else
#define GOTPATCH_JUMP 0
#define GOTPATCH_DATA 0
#endif

struct gotpatch_tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * lists[2]; /* of calls, and of all other addresses */
    size_t bytes[2];
};

static void gotpatch_read_entry(struct gotpatch_tables *tables, const ElfW(Dyn) * entry)
{
    const void *at = (const void *)(uintptr_t)entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB)
        tables->symbols = at;
    else if (entry->d_tag == DT_STRTAB)
        tables->strings = at;
    else if (entry->d_tag == DT_JMPREL)
        tables->lists[0] = at;
    else if (entry->d_tag == DT_PLTRELSZ)
        tables->bytes[0] = entry->d_un.d_val;
    else if (entry->d_tag == DT_RELA)
        tables->lists[1] = at;
    else if (entry->d_tag == DT_RELASZ)
        tables->bytes[1] = entry->d_un.d_val;
}

/* A word of the table changes in one segment: another thread calls the one function or the
 * other. */
static bool gotpatch_write(uintptr_t at, void *function)
{
    uintptr_t page = at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t bytes = at + sizeof(void *) - page;
    if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    store_release((uintptr_t *)at, (uintptr_t)function);
    return true;
}

static bool gotpatch_names(const struct gotpatch_tables *tables, const ElfW(Rela) * place,
                           const char *name)
{
    uint64_t type = ELF64_R_TYPE(place->r_info);
    const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(place->r_info)];
    return (type == GOTPATCH_JUMP || type == GOTPATCH_DATA) &&
           strcmp(tables->strings + symbol->st_name, name) == 0;
}

bool gotpatch_replace(void *handle, const char *name, void *function)
{
    struct gotpatch_tables tables = {0};
    struct link_map *map;
    bool replaced = false;
    if (sizeof(void *) != 8 || GOTPATCH_JUMP == 0 || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        gotpatch_read_entry(&tables, entry);
    if (!tables.symbols || !tables.strings)
        return false;
    for (int list = 0; list < 2; list++)
        for (size_t i = 0; tables.lists[list] && i < tables.bytes[list] / sizeof(ElfW(Rela)); i++)
            if (gotpatch_names(&tables, &tables.lists[list][i], name))
                replaced |= gotpatch_write(map->l_addr + tables.lists[list][i].r_offset, function);
    return replaced;
}
