/* symfile_table.c - a small ELF reader: functions from .symtab, or from .dynsym where that was
 * stripped. The file may be damaged: every offset is checked. */
#include "symfile.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbol {
    uint64_t start, bytes;
    const char *name;
};

struct symfile {
    const uint8_t *bytes;
    size_t size;
    struct symbol *symbols; /* by start */
    size_t symbol_count;
    const uint8_t *build_id;
    uint32_t build_id_bytes;
};

bool symfile_has_lines(void)
{
    return false;
}

static bool holds(const struct symfile *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset;
}

static const ElfW(Ehdr) * elf_header(const struct symfile *file)
{
    return (const ElfW(Ehdr) *)(const void *)file->bytes;
}

static bool is_ours(const struct symfile *file)
{
    if (file->size < sizeof(ElfW(Ehdr)) || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
        return false;
    const ElfW(Ehdr) *header = elf_header(file);
    const uint16_t one = 1;
    int order = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == order &&
           header->e_shentsize == sizeof(ElfW(Shdr)) && header->e_shoff % 8 == 0 &&
           holds(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)));
}

static const ElfW(Shdr) * section(const struct symfile *file, uint32_t index)
{
    const ElfW(Ehdr) *header = elf_header(file);
    if (index >= header->e_shnum)
        return NULL;
    const ElfW(Shdr) *found =
        (const ElfW(Shdr) *)(const void *)(file->bytes + header->e_shoff) + index;
    bool good = found->sh_type == SHT_NOBITS || holds(file, found->sh_offset, found->sh_size);
    return good ? found : NULL;
}

static const ElfW(Shdr) * section_of_type(const struct symfile *file, uint32_t type)
{
    for (uint32_t i = 0; i < elf_header(file)->e_shnum; i++) {
        const ElfW(Shdr) *found = section(file, i);
        if (found && found->sh_type == type)
            return found;
    }
    return NULL;
}

/* ---- build-id ---- */

static void read_notes(struct symfile *file, const ElfW(Shdr) * notes)
{
    ElfW(Nhdr) note;
    for (uint64_t at = 0; at + sizeof note <= notes->sh_size;) {
        const uint8_t *here = file->bytes + notes->sh_offset + at;
        memcpy(&note, here, sizeof note);
        uint64_t name = ((uint64_t)note.n_namesz + 3) & ~3ull;
        at += sizeof note + name + (((uint64_t)note.n_descsz + 3) & ~3ull);
        if (at > notes->sh_size)
            return;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp(here + sizeof note, "GNU", 4) != 0)
            continue;
        file->build_id = here + sizeof note + name;
        file->build_id_bytes = note.n_descsz;
    }
}

uint32_t symfile_build_id(const struct symfile *file, const uint8_t **build_id)
{
    *build_id = file->build_id;
    return file->build_id_bytes;
}

/* ---- symbols ---- */

static int by_start(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

/* Assembly code does not say how long it is: to the end of its section, or to the next symbol. */
static uint64_t size_of(const struct symfile *file, const ElfW(Sym) * symbol)
{
    const ElfW(Shdr) *home = symbol->st_size ? NULL : section(file, symbol->st_shndx);
    if (!home || symbol->st_value < home->sh_addr ||
        symbol->st_value - home->sh_addr > home->sh_size)
        return symbol->st_size;
    return home->sh_size - (symbol->st_value - home->sh_addr);
}

static void add_symbol(struct symfile *file, const ElfW(Sym) * symbol, const ElfW(Shdr) * texts)
{
    const char *text = (const char *)file->bytes + texts->sh_offset;
    unsigned type = symbol->st_info & 15u;
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_name >= texts->sh_size ||
        !memchr(text + symbol->st_name, 0, texts->sh_size - symbol->st_name))
        return;
    file->symbols[file->symbol_count++] =
        (struct symbol){symbol->st_value, size_of(file, symbol), text + symbol->st_name};
}

static bool read_symbols(struct symfile *file, const ElfW(Shdr) * table)
{
    const ElfW(Shdr) *texts = table ? section(file, table->sh_link) : NULL;
    if (!texts || texts->sh_type != SHT_STRTAB || table->sh_offset % 8)
        return true;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)(file->bytes + table->sh_offset);
    size_t count = table->sh_size / sizeof *symbols;
    file->symbols = calloc(count + 1, sizeof *file->symbols);
    for (size_t i = 0; i < count && file->symbols; i++)
        add_symbol(file, &symbols[i], texts);
    if (file->symbol_count)
        qsort(file->symbols, file->symbol_count, sizeof *file->symbols, by_start);
    return file->symbols != NULL;
}

static bool read_file(struct symfile *file)
{
    if (!is_ours(file))
        return false;
    for (uint32_t i = 0; i < elf_header(file)->e_shnum; i++) {
        const ElfW(Shdr) *found = section(file, i);
        if (found && found->sh_type == SHT_NOTE)
            read_notes(file, found);
    }
    const ElfW(Shdr) *table = section_of_type(file, SHT_SYMTAB);
    return read_symbols(file, table ? table : section_of_type(file, SHT_DYNSYM));
}

struct symfile *symfile_open_path(const char *path)
{
    struct symfile *file = calloc(1, sizeof *file);
    struct stat status;
    int fd = file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes != MAP_FAILED) {
        file->bytes = bytes;
        file->size = (size_t)status.st_size;
        if (read_file(file))
            return file;
    }
    symfile_close(file);
    return NULL;
}

void symfile_close(struct symfile *file)
{
    if (!file)
        return;
    if (file->bytes)
        munmap((void *)(uintptr_t)file->bytes, file->size);
    free(file->symbols);
    free(file);
}

/* The last symbol that begins at or before the address, if it reaches so far. */
bool symfile_find(struct symfile *file, uint64_t address, symfile_found found, void *user)
{
    size_t low = 0, high = file->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct symbol *symbol = low ? &file->symbols[low - 1] : NULL;
    while (symbol && symbol > file->symbols && symbol[-1].start == symbol->start)
        symbol--; /* the largest of those that begin there */
    if (!symbol || address - symbol->start >= symbol->bytes)
        return false;
    found(user, &(struct symfile_frame){.function = symbol->name});
    return true;
}
