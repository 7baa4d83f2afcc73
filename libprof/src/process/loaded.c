#define _GNU_SOURCE
#include "loaded.h"

#include "atomic.h"
#include "recorder.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LOADED_VERSION_MASK 0x7fffu
#define LOADED_VERSION_HIDDEN 0x8000u /* found by references that name the version alone */

/* Objects that were loaded with the program; the loader lists them first. */
static uint32_t loaded_startup GUEST_DATA;

/* The loader has made the address absolute, but not everywhere. */
const void *loaded_table(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic, int64_t tag)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t at = dynamic->d_un.d_ptr;
        if (dynamic->d_tag == tag)
            return (const void *)(at < object->dlpi_addr ? object->dlpi_addr + at : at);
    }
    return NULL;
}

const ElfW(Dyn) * loaded_dynamic(const struct dl_phdr_info *object)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    return NULL;
}

static bool loaded_is_named(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
                            const char *strings, const char *soname)
{
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    if (slash && strcmp(slash + 1, soname) == 0)
        return true;
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == DT_SONAME)
            return strcmp(strings + dynamic->d_un.d_val, soname) == 0;
    return false;
}

/* ---- one object's symbols ---- */

struct loaded_symbols {
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Half) * versions;     /* of each symbol; NULL: the object has no versions */
    const ElfW(Verdef) * defined;    /* their names */
    const uint32_t *gnu_hash, *hash; /* NULL: it has not this one */
};

static struct loaded_symbols loaded_symbols_of(const struct dl_phdr_info *object,
                                               const ElfW(Dyn) * dynamic)
{
    return (struct loaded_symbols){
        .strings = loaded_table(object, dynamic, DT_STRTAB),
        .symbols = loaded_table(object, dynamic, DT_SYMTAB),
        .versions = loaded_table(object, dynamic, DT_VERSYM),
        .defined = loaded_table(object, dynamic, DT_VERDEF),
        .gnu_hash = loaded_table(object, dynamic, DT_GNU_HASH),
        .hash = loaded_table(object, dynamic, DT_HASH),
    };
}

static bool loaded_has_version(const struct loaded_symbols *of, uint32_t index, const char *version)
{
    const ElfW(Verdef) *defined = of->defined;
    unsigned number = of->versions[index] & LOADED_VERSION_MASK;
    for (; defined; defined = defined->vd_next
                                  ? (const void *)((const char *)defined + defined->vd_next)
                                  : NULL) {
        const ElfW(Verdaux) *names = (const void *)((const char *)defined + defined->vd_aux);
        if ((defined->vd_ndx & LOADED_VERSION_MASK) == number)
            return strcmp(of->strings + names->vda_name, version) == 0;
    }
    return false;
}

/* Without `version`: the default one. */
static bool loaded_is_symbol(const struct loaded_symbols *of, uint32_t index, const char *name,
                             const char *version)
{
    const ElfW(Sym) *symbol = &of->symbols[index];
    if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || (symbol->st_info & 0xf) != STT_FUNC ||
        strcmp(of->strings + symbol->st_name, name) != 0)
        return false;
    if (!of->versions)
        return true;
    return version ? loaded_has_version(of, index, version)
                   : !(of->versions[index] & LOADED_VERSION_HIDDEN);
}

/* Words: number of buckets, first symbol in the table, size of a filter that is not used here, a
 * shift for that. */
static uint32_t loaded_index_gnu(const struct loaded_symbols *of, const char *name,
                                 const char *version)
{
    uint32_t hash = 5381;
    for (const char *at = name; *at; at++)
        hash = hash * 33 + (unsigned char)*at;
    const uint32_t *table = of->gnu_hash;
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chains = buckets + table[0];
    uint32_t index = table[0] ? buckets[hash % table[0]] : 0;
    if (index < table[1])
        return 0;
    for (;; index++) {
        uint32_t found = chains[index - table[1]];
        if ((found | 1) == (hash | 1) && loaded_is_symbol(of, index, name, version))
            return index;
        if (found & 1)
            return 0;
    }
}

/* Words: number of buckets, number of symbols. */
static uint32_t loaded_index_sysv(const struct loaded_symbols *of, const char *name,
                                  const char *version)
{
    for (uint32_t index = 1; index < of->hash[1]; index++)
        if (loaded_is_symbol(of, index, name, version))
            return index;
    return 0;
}

static void *loaded_in(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic,
                       const char *name, const char *version)
{
    struct loaded_symbols of = loaded_symbols_of(object, dynamic);
    uint32_t index = 0;
    if (of.strings && of.symbols && of.gnu_hash)
        index = loaded_index_gnu(&of, name, version);
    else if (of.strings && of.symbols && of.hash)
        index = loaded_index_sysv(&of, name, version);
    return index ? (void *)(object->dlpi_addr + of.symbols[index].st_value) : NULL;
}

/* ---- all objects ---- */

struct loaded_search {
    const char *soname, *name, *version;
    uint32_t seen; /* objects so far */
    bool after_ours;
    void *found;
    const char *path;
};

static int loaded_count(struct dl_phdr_info *object, size_t bytes, void *count)
{
    (void)object, (void)bytes;
    ++*(uint32_t *)count;
    return 0;
}

GUEST_PATH void loaded_init(void)
{
    uint32_t count = 0;
    dl_iterate_phdr(loaded_count, &count);
    store_relaxed(&loaded_startup, count);
}

static int loaded_look(struct dl_phdr_info *object, size_t bytes, void *user)
{
    struct loaded_search *search = user;
    const ElfW(Dyn) *dynamic = loaded_dynamic(object);
    const char *strings = dynamic ? loaded_table(object, dynamic, DT_STRTAB) : NULL;
    (void)bytes;
    search->seen++;
    if (!strings || !loaded_is_named(object, dynamic, strings, search->soname))
        return 0;
    search->found = loaded_in(object, dynamic, search->name, search->version);
    return search->found != NULL;
}

void *loaded_find(const char *soname, const char *name, const char *version, bool *stays)
{
    struct loaded_search search = {.soname = soname, .name = name, .version = version};
    dl_iterate_phdr(loaded_look, &search);
    *stays = search.seen <= load_relaxed(&loaded_startup);
    return search.found;
}

static bool loaded_holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int loaded_look_next(struct dl_phdr_info *object, size_t bytes, void *user)
{
    struct loaded_search *search = user;
    const ElfW(Dyn) *dynamic = loaded_dynamic(object);
    (void)bytes;
    if (++search->seen > load_relaxed(&loaded_startup))
        return 1;
    if (search->after_ours && dynamic)
        search->found = loaded_in(object, dynamic, search->name, NULL);
    search->after_ours |= loaded_holds(object, (uintptr_t)&loaded_startup);
    search->path = object->dlpi_name;
    return search->found != NULL;
}

void *loaded_find_next(const char *name, const char **path)
{
    struct loaded_search search = {.name = name};
    dl_iterate_phdr(loaded_look_next, &search);
    *path = search.path;
    return search.found;
}

/* ---- which functions a loaded library calls ---- */

/* A library calls functions of others through a table of addresses, its GOT. The dynamic section
 * lists relocations, which name the function and the place in the table. A page that the loader has
 * made read-only (RELRO) stays writable, as it is in libraries without that. */

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
