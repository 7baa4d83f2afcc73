/* symfile.c - see symfile.h. */
#include "symfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef PROF_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#else
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#endif

/* ---- files of code, of which each way of reading has its own struct symfile ---- */

/* NULL: the path cannot be read, or is not of this machine. */
static struct symfile *open_path(const char *path);

#ifdef PROF_HAVE_LIBDW
/* ---- with libdw ----
 *
 * Elfutils' libdw reads the file, the debug information beside it or under
 * /usr/lib/debug (found by build-id), and debuginfod if the environment names a server.
 */

struct symfile {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr bias; /* from addresses of the file to libdw's */
};

static char debug_path[] = ":.debug:/usr/lib/debug", *debug_path_at = debug_path;

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_path_at,
};

bool symfile_has_lines(void)
{
    return true;
}

static struct symfile *open_path(const char *path)
{
    struct symfile *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->dwfl = dwfl_begin(&callbacks);
    if (file->dwfl) {
        dwfl_report_begin(file->dwfl);
        file->module = dwfl_report_offline(file->dwfl, path, path, -1);
        dwfl_report_end(file->dwfl, NULL, NULL);
    }
    if (file->module && dwfl_module_getelf(file->module, &file->bias))
        return file;
    symfile_close(file);
    return NULL;
}

uint32_t symfile_build_id(const struct symfile *file, const uint8_t **build_id)
{
    GElf_Addr address;
    int bytes = dwfl_module_build_id(file->module, build_id, &address);
    return bytes > 0 ? (uint32_t)bytes : 0;
}

void symfile_close(struct symfile *file)
{
    if (file && file->dwfl)
        dwfl_end(file->dwfl);
    free(file);
}

/* ---- one address ---- */

/* The linkage name distinguishes overloads. */
static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        return dwarf_formstring(&attribute);
    return dwarf_diename(die);
}

static void find_line(Dwfl_Module *module, GElf_Addr address, struct symfile_frame *frame)
{
    int line = 0;
    Dwfl_Line *at = dwfl_module_getsrc(module, address);
    frame->file = at ? dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
    frame->line = line > 0 ? (uint32_t)line : 0;
}

/* Where an inlined function was called. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct symfile_frame *frame)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Files *files;
    frame->file = NULL;
    frame->line = 0;
    if (dwarf_getsrcfiles(unit, &files, NULL) == 0 &&
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0)
        frame->file = dwarf_filesrc(files, number, NULL, NULL);
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0)
        frame->line = (uint32_t)number;
}

/* The innermost function or block at the address, and what it physically lies in, outwards. */
static int find_scopes(Dwfl_Module *module, Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Addr bias;
    Dwarf_Die innermost;
    int count = dwarf_getscopes(unit, address, scopes);
    if (count <= 0)
        return 0;
    Dwarf_Off offset = dwarf_dieoffset(&(*scopes)[0]);
    free(*scopes);
    *scopes = NULL;
    if (!dwarf_offdie(dwfl_module_getdwarf(module, &bias), offset, &innermost))
        return 0;
    return dwarf_getscopes_die(&innermost, scopes);
}

/* False: no function of the debug information covers the address. */
static bool visit_scopes(Dwarf_Die *unit, Dwarf_Die *scopes, int count, struct symfile_frame frame,
                         symfile_found found, void *user)
{
    const char *symbol = frame.function;
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        frame.function = name_of(&scopes[i]);
        frame.inlined = tag == DW_TAG_inlined_subroutine;
        if (!frame.function && !frame.inlined)
            frame.function = symbol;
        found(user, &frame);
        if (!frame.inlined)
            return true;
        find_call(unit, &scopes[i], &frame);
    }
    return false;
}

/* Where code ($x) or data ($d) begins, on Arm: such a symbol names no function. */
static bool is_mapping_symbol(const char *name)
{
    return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

bool symfile_find(struct symfile *file, uint64_t address, symfile_found found, void *user)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Addr bias = 0;
    GElf_Addr at = address + file->bias;
    const char *symbol = dwfl_module_addrname(file->module, at);
    struct symfile_frame frame = {.function = symbol && !is_mapping_symbol(symbol) ? symbol : NULL};
    find_line(file->module, at, &frame);
    Dwarf_Die *unit = dwfl_module_addrdie(file->module, at, &bias);
    int count = unit ? find_scopes(file->module, unit, at - bias, &scopes) : 0;
    bool told = count > 0 && visit_scopes(unit, scopes, count, frame, found, user);
    free(scopes);
    if (!told && frame.function)
        found(user, &frame);
    return told || frame.function;
}

#else
/* ---- without ----
 *
 * A small ELF reader: functions from .symtab, or from .dynsym where that was
 * stripped. The file may be damaged: every offset is checked.
 */

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

/* Assembly functions have no size: they extend to the next symbol or the end of the section. */
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

static struct symfile *open_path(const char *path)
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

#endif

/* ---- the file of a build ---- */

#define SYMFILE_DEBUG_DIRECTORY "/usr/lib/debug/.build-id"

static bool is_the_build(const struct symfile *file, const struct symfile_request *request)
{
    const uint8_t *build_id = NULL;
    return request->build_id_bytes == 0 ||
           (symfile_build_id(file, &build_id) == request->build_id_bytes &&
            memcmp(build_id, request->build_id, request->build_id_bytes) == 0);
}

/* Distributions keep the symbols of a build there, also when the file itself was replaced. */
static struct symfile *open_debug_file(const struct symfile_request *request)
{
    char path[sizeof SYMFILE_DEBUG_DIRECTORY + 64];
    if (request->build_id_bytes < 2 || request->build_id_bytes > 20)
        return NULL;
    int at = snprintf(path, sizeof path, SYMFILE_DEBUG_DIRECTORY "/%02x/", request->build_id[0]);
    for (uint32_t i = 1; i < request->build_id_bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", request->build_id[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".debug");
    return access(path, R_OK) == 0 ? open_path(path) : NULL;
}

struct symfile *symfile_open(const struct symfile_request *request, const char **problem)
{
    struct symfile *file = open_path(request->path);
    if (file && is_the_build(file, request))
        return file;
    *problem = file ? "is another build now" : "cannot be read";
    symfile_close(file);
    return open_debug_file(request);
}

/* ---- maps of JIT compilers ---- */

#define PERFMAP_BYTES_MAX (256u << 20)

static bool map_path(const char *where, uint32_t pid, char *path, size_t path_bytes)
{
    struct stat status;
    bool is_file = where && stat(where, &status) == 0 && !S_ISDIR(status.st_mode);
    int size = is_file ? snprintf(path, path_bytes, "%s", where)
                       : snprintf(path, path_bytes, "%s/perf-%u.map", where ? where : "/tmp", pid);
    return size > 0 && (size_t)size < path_bytes;
}

/* The whole file, terminated; NULL: there is none. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    struct stat status;
    char *text = NULL;
    if (!file)
        return NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size <= PERFMAP_BYTES_MAX)
        text = malloc((size_t)status.st_size + 1);
    if (text)
        text[fread(text, 1, (size_t)status.st_size, file)] = '\0';
    fclose(file);
    return text;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

/* False: the line is not an entry. */
static bool parse_line(char *line, struct perfmap_entry *entry)
{
    char *end, *after;
    entry->start = strtoull(line, &end, 16);
    if (end == line || *end != ' ')
        return false;
    entry->bytes = strtoull(end + 1, &after, 16);
    if (after == end + 1 || *after != ' ' || entry->bytes == 0)
        return false;
    entry->name = after + 1;
    return true;
}

static int earlier_first(const void *left, const void *right)
{
    const struct perfmap_entry *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static void parse(struct perfmap *map)
{
    size_t number = 0;
    char *rest = map->text;
    for (char *line; (line = strsep(&rest, "\n")); number++) {
        struct perfmap_entry *entry = &map->entries[map->count];
        if (!parse_line(line, entry))
            continue;
        entry->line = number;
        map->longest = entry->bytes > map->longest ? entry->bytes : map->longest;
        map->count++;
    }
    if (map->count)
        qsort(map->entries, map->count, sizeof *map->entries, earlier_first);
}

bool perfmap_load(struct perfmap *map, const char *where, uint32_t pid)
{
    char path[4096];
    *map = (struct perfmap){0};
    if (!map_path(where, pid, path, sizeof path) || !(map->text = read_text(path)))
        return false;
    map->entries = calloc(count_lines(map->text) + 1, sizeof *map->entries);
    if (map->entries)
        parse(map);
    return map->entries != NULL;
}

void perfmap_free(struct perfmap *map)
{
    free(map->entries);
    free(map->text);
    *map = (struct perfmap){0};
}

/* The last line that covers the address counts: memory is used again. */
const char *perfmap_find(const struct perfmap *map, uint64_t address)
{
    size_t low = 0, high = map->count;
    const struct perfmap_entry *best = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->entries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && address - map->entries[low].start < map->longest) {
        const struct perfmap_entry *entry = &map->entries[low];
        if (address - entry->start < entry->bytes && (!best || entry->line > best->line))
            best = entry;
    }
    return best ? best->name : NULL;
}
