/* unwind_symbol.c - where a function or variable of Python's interpreter is. dlsym() would wait for
 * the loader's lock, which a program holds while it imports, and forever if it hangs in the
 * initialization of a library.
 *
 * (loaded.c takes no such lock either, but one for the loader's list of libraries, in which a
 * program can hang as well.) The tables are those of the loader, in memory: .dynamic, the table of
 * symbols, their names, and GNU's hash table.
 */
#include "unwind_inside.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#define UNWIND_NAME_BYTES 64u
#define UNWIND_DYNAMIC_MAX 128u
#define UNWIND_CHAIN_MAX 4096u

struct unwind_tables {
    uint64_t bias;
    uint64_t symbols, names, hash; /* addresses */
};

/* The loader puts addresses in the place of offsets, but for sections that cannot be written. */
static uint64_t unwind_table_address(uint64_t value, uint64_t bias)
{
    return value < bias ? value + bias : value;
}

static void unwind_read_dynamic(uint64_t dynamic, struct unwind_tables *tables)
{
    Elf64_Dyn entry;
    for (unsigned i = 0; i < UNWIND_DYNAMIC_MAX; i++) {
        if (!unwind_copy(&entry, dynamic + i * sizeof entry, sizeof entry) ||
            entry.d_tag == DT_NULL)
            return;
        uint64_t address = unwind_table_address(entry.d_un.d_ptr, tables->bias);
        if (entry.d_tag == DT_SYMTAB)
            tables->symbols = address;
        else if (entry.d_tag == DT_STRTAB)
            tables->names = address;
        else if (entry.d_tag == DT_GNU_HASH)
            tables->hash = address;
    }
}

static bool unwind_read_tables(uint64_t first, struct unwind_tables *tables)
{
    struct unwind_headers headers;
    *tables = (struct unwind_tables){0};
    if (!unwind_read_headers(first, &headers) || !headers.dynamic)
        return false;
    tables->bias = headers.bias;
    unwind_read_dynamic(headers.dynamic, tables);
    return tables->symbols && tables->names && tables->hash;
}

static uint32_t unwind_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* 0: that is another symbol, or one that the module only uses. */
static uint64_t unwind_symbol_value(const struct unwind_tables *tables, uint32_t number,
                                    const char *name)
{
    Elf64_Sym symbol;
    char found[UNWIND_NAME_BYTES];
    size_t bytes = strlen(name) + 1;
    bool same = bytes <= sizeof found &&
                unwind_copy(&symbol, tables->symbols + number * sizeof symbol, sizeof symbol) &&
                unwind_copy(found, tables->names + symbol.st_name, bytes) &&
                memcmp(found, name, bytes) == 0;
    return same && symbol.st_shndx != SHN_UNDEF ? tables->bias + symbol.st_value : 0;
}

static uint64_t unwind_find_in(const struct unwind_tables *tables, const char *name)
{
    uint32_t head[4], hash = unwind_hash(name), number,
                      other = 0; /* buckets, first, words, shift */
    if (!unwind_copy(head, tables->hash, sizeof head) || !head[0])
        return 0;
    uint64_t buckets = tables->hash + sizeof head + head[2] * UINT64_C(8);
    uint64_t chains = buckets + head[0] * UINT64_C(4);
    if (!unwind_copy(&number, buckets + hash % head[0] * UINT64_C(4), sizeof number) ||
        number < head[1])
        return 0;
    for (unsigned i = 0; i < UNWIND_CHAIN_MAX && !(other & 1); i++, number++) {
        if (!unwind_copy(&other, chains + (number - head[1]) * UINT64_C(4), sizeof other))
            return 0;
        uint64_t value = (other | 1) == (hash | 1) ? unwind_symbol_value(tables, number, name) : 0;
        if (value)
            return value;
    }
    return 0;
}

/* The program, whose headers the kernel has named, or a file of that name: libpython3.11.so.1.0. */
static bool unwind_may_be_python(const char *path, uint64_t first)
{
    const char *name = strrchr(path, '/');
    return (name && strstr(name, "python")) || getauxval(AT_PHDR) - first < sizeof(Elf64_Ehdr) * 2;
}

void *unwind_find_python(const char *name)
{
    struct unwind_tables tables;
    const char *path;
    uint64_t first, value = 0;
    for (unsigned i = 0; !value && unwind_module_at(i, &path, &first); i++)
        if (unwind_may_be_python(path, first) && unwind_read_tables(first, &tables))
            value = unwind_find_in(&tables, name);
    return (void *)(uintptr_t)value;
}
