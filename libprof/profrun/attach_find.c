/* attach_find.c - the functions of the C library in another process, from its memory: files may have been replaced since
 * they were loaded, or be those of a container. */
#include "attach_process.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    SEGMENTS_MAX = 64,
    DYNAMIC_MAX = 128,
    TLS_SPARE_BYTES = 1 << 16,
    GAP_ALIGN = 16,
    GAP_BYTES_MAX = 1024
};
#define SYMBOLS_BYTES_MAX (64u << 20)
#define DLOPEN_BY_LIBC 0x80000000u /* __RTLD_DLOPEN */

/* One mapped ELF file. */
struct module {
    uint64_t bias;           /* what is added to the addresses of its headers */
    uint64_t code, code_end; /* its executable segment */
    uint64_t dynamic, dynamic_bytes;
    uint64_t tls_bytes;
    char name[256]; /* without its directory */
};

struct search {
    const struct attach_process *process;
    struct attach_functions *found;
    const void *code; /* that is to stand in the gap */
    size_t code_bytes;
    bool has_ours;
    uint64_t libc_dlopen, libc_dlsym;
    bool has_musl, has_glibc, has_sanitizer;
    bool first; /* the program itself comes next */
};

static bool read_segments(const struct attach_process *process, uint64_t base,
                          struct module *module)
{
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    if (!attach_process_read(process, base, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phnum > SEGMENTS_MAX ||
        !attach_process_read(process, base + header.e_phoff, segments,
                             header.e_phnum * sizeof *segments))
        return false;
    bool loaded = false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type == PT_LOAD && !loaded) {
            module->bias = base - (segment->p_vaddr & ~(uint64_t)(PAGE_BYTES - 1));
            loaded = true;
        }
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            segment->p_filesz == segment->p_memsz) {
            module->code = module->bias + segment->p_vaddr;
            module->code_end = module->code + segment->p_memsz;
        }
        if (segment->p_type == PT_DYNAMIC) {
            module->dynamic = segment->p_vaddr;
            module->dynamic_bytes = segment->p_memsz;
        }
        if (segment->p_type == PT_TLS)
            module->tls_bytes = segment->p_memsz + segment->p_align;
    }
    return loaded;
}

/* ---- symbols ---- */

struct symbols {
    Elf64_Sym *table;
    char *names;
    size_t count, names_bytes;
};

/* The loader has added the bias where it could write. */
static uint64_t relocated(const struct module *module, uint64_t address)
{
    return address < module->bias ? module->bias + address : address;
}

static bool read_tables(const struct attach_process *process, uint64_t table, uint64_t names,
                        uint64_t names_bytes, struct symbols *symbols)
{
    /* the names stand behind the symbols, as every linker puts them */
    if (names <= table || names - table > SYMBOLS_BYTES_MAX || names_bytes > SYMBOLS_BYTES_MAX ||
        !names_bytes)
        return false;
    symbols->count = (names - table) / sizeof *symbols->table;
    symbols->names_bytes = names_bytes;
    symbols->table = calloc(symbols->count + 1, sizeof *symbols->table);
    symbols->names = calloc(1, names_bytes + 1);
    return symbols->table && symbols->names &&
           attach_process_read(process, table, symbols->table,
                               symbols->count * sizeof *symbols->table) &&
           attach_process_read(process, names, symbols->names, names_bytes);
}

static bool read_symbols(const struct attach_process *process, const struct module *module,
                         struct symbols *symbols)
{
    Elf64_Dyn dynamic[DYNAMIC_MAX];
    uint64_t table = 0, names = 0, names_bytes = 0;
    const size_t bytes =
        module->dynamic_bytes < sizeof dynamic ? module->dynamic_bytes : sizeof dynamic;
    if (!module->dynamic ||
        !attach_process_read(process, module->bias + module->dynamic, dynamic, bytes))
        return false;
    for (size_t i = 0; i < bytes / sizeof *dynamic && dynamic[i].d_tag != DT_NULL; i++) {
        if (dynamic[i].d_tag == DT_SYMTAB)
            table = relocated(module, dynamic[i].d_un.d_ptr);
        if (dynamic[i].d_tag == DT_STRTAB)
            names = relocated(module, dynamic[i].d_un.d_ptr);
        if (dynamic[i].d_tag == DT_STRSZ)
            names_bytes = dynamic[i].d_un.d_val;
    }
    return read_tables(process, table, names, names_bytes, symbols);
}

static void free_symbols(struct symbols *symbols)
{
    free(symbols->table);
    free(symbols->names);
}

/* Stores the address of a function, if it is not known yet. */
static void take(const struct module *module, const struct symbols *symbols, const char *name,
                 uint64_t *address)
{
    for (size_t i = 0; i < symbols->count && !*address; i++) {
        const Elf64_Sym *symbol = &symbols->table[i];
        if (symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
            symbol->st_name < symbols->names_bytes &&
            strcmp(symbols->names + symbol->st_name, name) == 0)
            *address = module->bias + symbol->st_value;
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_libc(const char *name)
{
    return strcmp(name, "libc.so.6") == 0 || begins(name, "libc-2.");
}

static bool is_loader(const char *name)
{
    return begins(name, "ld-linux") || begins(name, "ld-2.");
}

static void take_functions(struct search *search, const struct module *module)
{
    struct attach_functions *found = search->found;
    struct symbols symbols = {0};
    uint64_t sanitizer = 0;
    if (read_symbols(search->process, module, &symbols)) {
        if (is_loader(module->name))
            take(module, &symbols, "_dl_allocate_tls_init", &found->tls_init);
        take(module, &symbols, "__asan_init", &sanitizer);
        take(module, &symbols, "__tsan_init", &sanitizer);
        take(module, &symbols, "__msan_init", &sanitizer);
        search->has_sanitizer |= sanitizer != 0;
        if (is_libc(module->name) || begins(module->name, "libpthread")) {
            take(module, &symbols, "pthread_create", &found->create);
            take(module, &symbols, "pthread_detach", &found->detach);
        }
        if (is_libc(module->name) || begins(module->name, "libdl")) {
            take(module, &symbols, "dlopen", &found->dlopen);
            take(module, &symbols, "dlsym", &found->dlsym);
            take(module, &symbols, "dlerror", &found->dlerror);
            take(module, &symbols, "__libc_dlopen_mode", &search->libc_dlopen);
            take(module, &symbols, "__libc_dlsym", &search->libc_dlsym);
        }
    }
    free_symbols(&symbols);
}

/* ---- mapped files ---- */

/* Whether nothing is there, or what we would write. Else it may be the code of another version of profrun. */
static bool is_ours(const struct search *search, uint64_t gap)
{
    unsigned char there[GAP_BYTES_MAX] = {0};
    if (search->code_bytes > sizeof there ||
        !attach_process_read(search->process, gap, there, search->code_bytes))
        return false;
    return memcmp(there, search->code, search->code_bytes) == 0 ||
           (there[0] == 0 && memcmp(there, there + 1, search->code_bytes - 1) == 0);
}

/* Behind a module's code, up to the end of the page. The first that is ours, so the same one each time; without one, the
 * first. */
static void take_gap(struct search *search, const struct module *module)
{
    const uint64_t step = (search->code_bytes + GAP_ALIGN - 1) & ~(uint64_t)(GAP_ALIGN - 1);
    const uint64_t end = (module->code_end + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    uint64_t gap = (module->code_end + GAP_ALIGN - 1) & ~(uint64_t)(GAP_ALIGN - 1);
    for (; module->code && !search->has_ours && gap + step <= end; gap += step) {
        search->has_ours = is_ours(search, gap);
        if (search->has_ours || !search->found->gap)
            search->found->gap = gap;
    }
}

static void look_at(struct search *search, uint64_t base, const char *name)
{
    struct module module = {0};
    snprintf(module.name, sizeof module.name, "%s", name);
    search->has_musl |= begins(name, "ld-musl") || begins(name, "libc.musl");
    if (!read_segments(search->process, base, &module))
        return;
    if (search->first || is_loader(name) || is_libc(name) || begins(name, "libpthread") ||
        begins(name, "libdl") || strstr(name, "asan") || strstr(name, "tsan"))
        take_functions(search, &module);
    search->first = false;
    if (is_loader(name)) {
        search->found->loader_begin = module.code;
        search->found->loader_end = module.code_end;
    }
    if (is_libc(name)) {
        search->has_glibc = true;
        search->found->libc_begin = module.code;
        search->found->libc_end = module.code_end;
    }
    search->found->tls_bytes += module.tls_bytes;
    take_gap(search, &module);
}

/* Calls `each` for the beginning of each mapped file. Returns false if the maps cannot be read. */
static bool each_file(const struct attach_process *process,
                      void (*each)(void *user, uint64_t base, const char *path), void *user)
{
    char name[64], *line = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)process->pid);
    FILE *maps = fopen(name, "re");
    while (maps && getline(&line, &size, maps) > 0) {
        uint64_t base, offset;
        int path_at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %*s %*s %n", &base, &offset, &path_at) >=
                2 &&
            offset == 0 && path_at > 0 && line[path_at] == '/') {
            char *deleted = strstr(line + path_at, " (deleted)");
            if (deleted)
                *deleted = '\0';
            each(user, base, line + path_at);
        }
    }
    free(line);
    if (maps)
        fclose(maps);
    return maps != NULL;
}

static const char *base_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

static void look_at_file(void *user, uint64_t base, const char *path)
{
    look_at(user, base, base_name(path));
}

static void settle(struct search *search)
{
    struct attach_functions *found = search->found;
    found->dlopen_flags = RTLD_NOW | RTLD_GLOBAL;
    found->tls_bytes += TLS_SPARE_BYTES;
    if (!found->dlopen ||
        !found->dlsym) { /* before glibc 2.34, in a program that is not linked with libdl */
        found->dlopen = search->libc_dlopen;
        found->dlsym = search->libc_dlsym;
        found->dlerror = 0;
        found->dlopen_flags |= DLOPEN_BY_LIBC;
    }
}

static bool explain_lack(struct attach_process *process, const struct search *search)
{
    const struct attach_functions *found = search->found;
    const char *why = NULL;
    if (search->has_musl)
        why = "it uses musl as its libc, but libprof needs glibc";
    else if (!search->has_glibc || !found->tls_init)
        why = "it is statically linked, or does not use glibc: no library can be loaded "
              "into it";
    else if (search->has_sanitizer)
        why = "it was built with a sanitizer, which does not support threads that profrun starts";
    else if (!found->create || !found->detach)
        why = "it has no threads library (libpthread), which libprof needs";
    else if (!found->dlopen || !found->dlsym)
        why = "its libc has no function that loads libraries";
    else if (!found->gap)
        why = "its mapped files have no gap that is large enough for profrun's code";
    if (why)
        snprintf(process->reason, sizeof process->reason, "%s", why);
    return !why;
}

bool attach_process_find(struct attach_process *process, const void *code, size_t code_bytes,
                         struct attach_functions *found)
{
    *found = (struct attach_functions){0};
    struct search search = {
        .process = process, .found = found, .code = code, .code_bytes = code_bytes, .first = true};
    if (!each_file(process, look_at_file, &search)) {
        snprintf(process->reason, sizeof process->reason, "its memory map cannot be read");
        return false;
    }
    settle(&search);
    return explain_lack(process, &search);
}

/* ---- what else is mapped ---- */

static void look_for_python(void *user, uint64_t base, const char *path)
{
    unsigned *version = user, minor;
    const char *at = strstr(base_name(path), "python3.");
    (void)base;
    if (at && !*version && sscanf(at, "python3.%u", &minor) == 1)
        *version = 0x300u + minor;
}

unsigned attach_process_python(const struct attach_process *process)
{
    unsigned version = 0;
    each_file(process, look_for_python, &version);
    return version;
}

struct library_search {
    char *path;
    size_t bytes;
};

static void look_for_library(void *user, uint64_t base, const char *path)
{
    const struct library_search *search = user;
    const char *name = base_name(path);
    (void)base;
    if (!*search->path && (begins(name, "libprof.so") || begins(name, "libprof-")))
        snprintf(search->path, search->bytes, "%s", path);
}

/* In a chroot, /proc shows paths from our root. */
static void strip_root(const struct attach_process *process, char *path)
{
    char link[64], root[4096];
    snprintf(link, sizeof link, "/proc/%d/root", (int)process->pid);
    const ssize_t size = readlink(link, root, sizeof root - 1);
    root[size > 0 ? size : 0] = '\0';
    if (size > 1 && begins(path, root) && path[size] == '/')
        memmove(path, path + size, strlen(path + size) + 1);
}

bool attach_process_has_library(const struct attach_process *process, char *path, size_t path_bytes)
{
    struct library_search search = {path, path_bytes};
    *path = '\0';
    each_file(process, look_for_library, &search);
    strip_root(process, path);
    return *path != '\0';
}
