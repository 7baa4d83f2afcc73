/* attach_find.c - the functions of the C library in another process, from its memory: files may
 * have been replaced since they were loaded, or be those of a container. */
#include "attach_process.h"

#include <dlfcn.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SEGMENTS_MAX = 64,
    DYNAMIC_MAX = 128,
    TLS_SPARE_BYTES = 1 << 16,
    GAP_ALIGN = 16,
    GAP_BYTES_MAX = 2048,
    NEEDED_MAX = 64,
    CANDIDATES_MAX = 64,
    LOADER_DATA_BYTES_MAX = 1 << 20,
    TURNS_MAX = 1 << 16,
};
#define SYMBOLS_BYTES_MAX (64u << 20)
#define DLOPEN_BY_LIBC 0x80000000u /* __RTLD_DLOPEN */

/* One mapped ELF file. */
struct module {
    uint64_t bias;             /* what is added to the addresses of its headers */
    uint64_t code, code_end;   /* its executable segment */
    uint64_t data, data_end;   /* its writable segment */
    struct attach_range relro; /* what the loader has made read-only of that */
    uint64_t dynamic, dynamic_bytes;
    uint64_t tls_bytes;
    char name[256]; /* without its directory */
};

struct search {
    const struct attach_process *process;
    struct attach_functions *found;
    const struct attach_code *code;      /* that is to stand in the gap */
    uint64_t theirs[ATTACH_ALLOCATIONS]; /* in our code that is there */
    uint64_t libc_dlopen, libc_dlsym;
    struct attach_range loader_data, loader_relro;
    /* functions of that name, of any library */
    uint64_t candidates[ATTACH_ALLOCATIONS][CANDIDATES_MAX];
    unsigned candidate_count[ATTACH_ALLOCATIONS];
    char needed[NEEDED_MAX][64]; /* by the program itself: these stay loaded */
    unsigned needed_count;
    bool has_musl, has_glibc, has_loader, has_sanitizer;
    bool first; /* the program itself comes next */
};

/* The kernel's, which the loader uses; a power of two. */
static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t page_of(uint64_t address)
{
    return address & ~(page_bytes() - 1);
}

static uint64_t page_end(uint64_t address)
{
    return page_of(address + page_bytes() - 1);
}

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
            module->bias = base - page_of(segment->p_vaddr);
            loaded = true;
        }
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
            segment->p_filesz == segment->p_memsz) {
            module->code = module->bias + segment->p_vaddr;
            module->code_end = module->code + segment->p_memsz;
        }
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W) {
            module->data = module->bias + segment->p_vaddr;
            module->data_end = module->data + segment->p_memsz;
        }
        if (segment->p_type == PT_GNU_RELRO) {
            module->relro.begin = module->bias + segment->p_vaddr;
            module->relro.end = page_of(module->relro.begin + segment->p_memsz);
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
    uint64_t needed[NEEDED_MAX]; /* offsets in `names` */
    unsigned needed_count;
};

/* The loader has added the bias where it could write. */
static uint64_t relocated(const struct module *module, uint64_t address)
{
    return address < module->bias ? module->bias + address : address;
}

/* How many symbols there are: only the hash tables tell. */
static size_t count_by_hash(const struct attach_process *process, uint64_t hash)
{
    uint32_t counts[2];
    return hash && attach_process_read(process, hash, counts, sizeof counts) ? counts[1] : 0;
}

static size_t count_by_gnu_hash(const struct attach_process *process, uint64_t hash)
{
    struct {
        uint32_t buckets, first, words, shift;
    } header;
    uint32_t last = 0, chain = 0;
    if (!hash || !attach_process_read(process, hash, &header, sizeof header) ||
        header.buckets > SYMBOLS_BYTES_MAX / sizeof last)
        return 0;
    const uint64_t buckets = hash + sizeof header + header.words * sizeof(uint64_t);
    uint32_t *firsts = calloc(header.buckets, sizeof *firsts);
    if (firsts && attach_process_read(process, buckets, firsts, header.buckets * sizeof *firsts))
        for (uint32_t i = 0; i < header.buckets; i++)
            last = firsts[i] > last ? firsts[i] : last;
    free(firsts);
    if (last < header.first)
        return 0;
    const uint64_t chains = buckets + header.buckets * sizeof last;
    for (; !(chain & 1); last++)
        if (!attach_process_read(process, chains + (last - header.first) * sizeof chain, &chain,
                                 sizeof chain))
            return 0;
    return last;
}

static bool read_tables(const struct attach_process *process, uint64_t table, uint64_t names,
                        struct symbols *symbols)
{
    if (!table || !names || symbols->count > SYMBOLS_BYTES_MAX / sizeof *symbols->table ||
        symbols->names_bytes > SYMBOLS_BYTES_MAX || !symbols->names_bytes)
        return false;
    symbols->table = calloc(symbols->count + 1, sizeof *symbols->table);
    symbols->names = calloc(1, symbols->names_bytes + 1);
    return symbols->table && symbols->names &&
           attach_process_read(process, table, symbols->table,
                               symbols->count * sizeof *symbols->table) &&
           attach_process_read(process, names, symbols->names, symbols->names_bytes);
}

static bool read_symbols(const struct attach_process *process, const struct module *module,
                         struct symbols *symbols)
{
    Elf64_Dyn dynamic[DYNAMIC_MAX];
    uint64_t table = 0, names = 0, hash = 0, gnu_hash = 0;
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
            symbols->names_bytes = dynamic[i].d_un.d_val;
        if (dynamic[i].d_tag == DT_HASH)
            hash = relocated(module, dynamic[i].d_un.d_ptr);
        if (dynamic[i].d_tag == DT_GNU_HASH)
            gnu_hash = relocated(module, dynamic[i].d_un.d_ptr);
        if (dynamic[i].d_tag == DT_NEEDED && symbols->needed_count < NEEDED_MAX)
            symbols->needed[symbols->needed_count++] = dynamic[i].d_un.d_val;
    }
    symbols->count = count_by_hash(process, hash);
    if (!symbols->count)
        symbols->count = count_by_gnu_hash(process, gnu_hash);
    return read_tables(process, table, names, symbols);
}

static void free_symbols(struct symbols *symbols)
{
    free(symbols->table);
    free(symbols->names);
}

/* The address of the next symbol of that name from *at on, 0 after the last. `defined`: not what
 * stands for a function of another library in a program that is not position-independent, a jump
 * that is its address for everybody. */
static uint64_t next_symbol(const struct module *module, const struct symbols *symbols,
                            const char *name, bool defined, size_t *at)
{
    while (*at < symbols->count) {
        const Elf64_Sym *symbol = &symbols->table[(*at)++];
        if ((!defined || symbol->st_shndx != SHN_UNDEF) && symbol->st_value &&
            symbol->st_name < symbols->names_bytes &&
            strcmp(symbols->names + symbol->st_name, name) == 0)
            return module->bias + symbol->st_value;
    }
    return 0;
}

/* Stores the address of a function, if it is not known yet. */
static void take(const struct module *module, const struct symbols *symbols, const char *name,
                 uint64_t *address)
{
    size_t at = 0;
    if (!*address)
        *address = next_symbol(module, symbols, name, true, &at);
}

static void take_candidates(struct search *search, const struct module *module,
                            const struct symbols *symbols)
{
    static const char *const names[] = {[ATTACH_MALLOC] = "malloc",
                                        [ATTACH_CALLOC] = "calloc",
                                        [ATTACH_REALLOC] = "realloc",
                                        [ATTACH_FREE] = "free"};
    for (unsigned i = 0; i < ATTACH_ALLOCATIONS; i++) {
        size_t at = 0;
        for (uint64_t address; search->candidate_count[i] < CANDIDATES_MAX &&
                               (address = next_symbol(module, symbols, names[i], false, &at));)
            search->candidates[i][search->candidate_count[i]++] = address;
    }
}

static void take_needed(struct search *search, const struct symbols *symbols)
{
    for (unsigned i = 0; i < symbols->needed_count; i++)
        if (symbols->needed[i] < symbols->names_bytes)
            snprintf(search->needed[search->needed_count++], sizeof *search->needed, "%s",
                     symbols->names + symbols->needed[i]);
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

static bool is_part_of_libc(const char *name)
{
    return is_libc(name) || is_loader(name) || begins(name, "libpthread") || begins(name, "libdl");
}

static void take_functions(struct search *search, const struct module *module)
{
    struct attach_functions *found = search->found;
    struct symbols symbols = {0};
    uint64_t sanitizer = 0;
    if (read_symbols(search->process, module, &symbols)) {
        if (search->first)
            take_needed(search, &symbols);
        if (search->first || strstr(module->name, "asan") || strstr(module->name, "tsan")) {
            take(module, &symbols, "__asan_init", &sanitizer);
            take(module, &symbols, "__tsan_init", &sanitizer);
            take(module, &symbols, "__msan_init", &sanitizer);
            search->has_sanitizer |= sanitizer != 0;
        }
        if (is_libc(module->name))
            take(module, &symbols, "__libc_single_threaded", &found->single_threaded);
        if (is_libc(module->name) || begins(module->name, "libpthread")) {
            take(module, &symbols, "pthread_create", &found->create);
            take(module, &symbols, "pthread_join", &found->join);
            take(module, &symbols, "pthread_detach", &found->detach);
            take(module, &symbols, "_thread_db_sizeof_pthread", &found->thread_bytes_at);
            take(module, &symbols, "_thread_db_pthread_tid", &found->thread_number_at);
        }
        if (is_libc(module->name) || begins(module->name, "libdl")) {
            take(module, &symbols, "dlopen", &found->dlopen);
            take(module, &symbols, "dlsym", &found->dlsym);
            take(module, &symbols, "dlerror", &found->dlerror);
            take(module, &symbols, "__libc_dlopen_mode", &search->libc_dlopen);
            take(module, &symbols, "__libc_dlsym", &search->libc_dlsym);
        }
        if (!is_loader(module->name))
            take_candidates(search, module, &symbols);
    }
    free_symbols(&symbols);
}

/* ---- mapped files ---- */

enum gap_content { GAP_OTHER, GAP_FREE, GAP_OURS };

/* Other code may be that of another version of profrun. */
static enum gap_content look_at_gap(struct search *search, uint64_t gap)
{
    const struct attach_code *code = search->code;
    const size_t behind = code->theirs + sizeof search->theirs;
    unsigned char there[GAP_BYTES_MAX] = {0};
    if (code->size > sizeof there || !attach_process_read(search->process, gap, there, code->size))
        return GAP_OTHER;
    if (memcmp(there, code->bytes, code->theirs) == 0 &&
        memcmp(there + behind, (const char *)code->bytes + behind, code->size - behind) == 0) {
        memcpy(search->theirs, there + code->theirs, sizeof search->theirs);
        return GAP_OURS;
    }
    return there[0] == 0 && memcmp(there, there + 1, code->size - 1) == 0 ? GAP_FREE : GAP_OTHER;
}

/* Behind a module's code, up to the end of the page. The first that is ours, so the same one each
 * time; without one, the first. */
static void take_gap(struct search *search, const struct module *module)
{
    struct attach_functions *found = search->found;
    const uint64_t step = (search->code->size + GAP_ALIGN - 1) & ~(uint64_t)(GAP_ALIGN - 1);
    const uint64_t end = page_end(module->code_end);
    uint64_t gap = (module->code_end + GAP_ALIGN - 1) & ~(uint64_t)(GAP_ALIGN - 1);
    for (; module->code && !found->has_code && gap + step <= end; gap += step) {
        const enum gap_content content = look_at_gap(search, gap);
        found->has_code = content == GAP_OURS;
        if (found->has_code || (content == GAP_FREE && !found->gap))
            found->gap = gap;
    }
}

/* A library that the program has opened may be closed, and our code with it. */
static bool stays_loaded(const struct search *search, const char *name)
{
    if (search->first || is_part_of_libc(name))
        return true;
    for (unsigned i = 0; i < search->needed_count; i++)
        if (strcmp(search->needed[i], name) == 0)
            return true;
    return false;
}

/* The last page of libc's data has room that nobody else uses. */
static void take_turn(struct search *search, const struct module *module)
{
    const uint64_t at = (module->data_end + 15) & ~(uint64_t)15;
    const uint64_t end = page_end(module->data_end);
    struct attach_turn there;
    if (module->data && at + sizeof there <= end &&
        attach_process_read(search->process, at, &there, sizeof there) && !there.unused &&
        there.count < TURNS_MAX)
        search->found->turn = at;
}

static void look_at(struct search *search, uint64_t base, const char *name)
{
    struct attach_functions *found = search->found;
    struct module module = {0};
    snprintf(module.name, sizeof module.name, "%s", name);
    search->has_musl |= begins(name, "ld-musl") || begins(name, "libc.musl");
    if (!read_segments(search->process, base, &module))
        return;
    take_functions(search, &module);
    if (stays_loaded(search, name))
        take_gap(search, &module);
    search->first = false;
    if (is_part_of_libc(name) && found->libc_parts < ATTACH_LIBC_PARTS)
        found->libc[found->libc_parts++] = (struct attach_range){module.code, module.code_end};
    if (is_loader(name)) {
        search->has_loader = true;
        search->loader_data = (struct attach_range){module.data, module.data_end};
        search->loader_relro = module.relro;
    }
    if (is_libc(name)) {
        search->has_glibc = true;
        take_turn(search, &module);
    }
    found->tls_bytes += module.tls_bytes;
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

/* ---- the loader's allocator ---- */

static bool is_candidate(const struct search *search, unsigned function, uint64_t address)
{
    for (unsigned i = 0; i < search->candidate_count[function]; i++)
        if (search->candidates[function][i] == address)
            return true;
    return false;
}

/* ld.so calls the program's allocator through pointers in its data: variables of its own since
 * glibc 2.32, entries of its global offset table before. They have no names, but their values are
 * known: each stands there once, or our function does, while another profrun is at work. Of two,
 * the one is meant that was made read-only after it was set. */
static bool take_pointer(struct search *search, unsigned function, const uint64_t *values,
                         size_t count)
{
    struct attach_functions *found = search->found;
    const struct attach_range relro = search->loader_relro;
    const uint64_t ours = found->has_code ? found->gap + search->code->ours[function] : 0;
    unsigned fixed = 0, others = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t address = search->loader_data.begin + i * sizeof *values;
        const bool is_fixed = address >= relro.begin && address < relro.end;
        if ((!ours || values[i] != ours) && !is_candidate(search, function, values[i]))
            continue;
        fixed += is_fixed;
        others += !is_fixed;
        if (!is_fixed && fixed)
            continue;
        found->pointers[function] = address;
        found->theirs[function] = values[i] == ours ? search->theirs[function] : values[i];
    }
    return (fixed == 1 || (fixed == 0 && others == 1)) &&
           (!found->has_code || found->theirs[function] == search->theirs[function]);
}

static bool take_pointers(struct search *search)
{
    struct attach_range *data = &search->loader_data;
    data->begin = (data->begin + 7) & ~(uint64_t)7;
    const size_t bytes = data->end > data->begin ? data->end - data->begin : 0;
    uint64_t *values = bytes && bytes <= LOADER_DATA_BYTES_MAX ? malloc(bytes) : NULL;
    bool taken = values && attach_process_read(search->process, data->begin, values, bytes);
    for (unsigned i = 0; i < ATTACH_ALLOCATIONS && taken; i++)
        taken = take_pointer(search, i, values, bytes / sizeof *values);
    free(values);
    return taken;
}

/* What the loader has made read-only is made writable for a moment. That it is writable now proves
 * nothing: a bare thread of another profrun may have done that. */
static bool take_page(struct search *search)
{
    struct attach_functions *found = search->found;
    const struct attach_range relro = search->loader_relro;
    uint64_t first = relro.end, last = relro.begin;
    if (!found->turn)
        return false;
    for (unsigned i = 0; i < ATTACH_ALLOCATIONS; i++) {
        const uint64_t pointer = found->pointers[i];
        if (pointer < relro.begin || pointer >= relro.end) {
            if (!attach_process_may_write(search->process, pointer))
                return false;
            continue;
        }
        first = pointer < first ? pointer : first;
        last = pointer + sizeof pointer > last ? pointer + sizeof pointer : last;
    }
    if (first < last) {
        found->page = page_of(first);
        found->page_bytes = page_end(last) - found->page;
    }
    return true;
}

static bool explain_lack(struct attach_process *process, struct search *search)
{
    const struct attach_functions *found = search->found;
    const char *why = NULL;
    if (search->has_musl)
        why = "it uses musl as its libc, but libprof needs glibc";
    else if (!search->has_glibc || !search->has_loader)
        why = "it is statically linked, or does not use glibc: no library can be loaded "
              "into it";
    else if (search->has_sanitizer)
        why = "it was built with a sanitizer, which does not support threads that profrun starts";
    else if (!found->create || !found->join || !found->detach)
        why = "it has no threads library (libpthread), which libprof needs";
    else if (!found->dlopen || !found->dlsym)
        why = "its libc has no function that loads libraries";
    else if (!attach_arch_find_threads(process, search->found))
        why = "its libc does not say how it knows a thread's number: that needs glibc 2.34";
    else if (!found->gap)
        why = "its mapped files have no gap that is large enough for profrun's code";
    else if (!take_pointers(search) || !take_page(search))
        why =
            "it is not known how its loader (ld.so) calls the program's malloc(), which no thread "
            "of profrun's may do";
    if (why)
        snprintf(process->reason, sizeof process->reason, "%s", why);
    return !why;
}

bool attach_process_find(struct attach_process *process, const struct attach_code *code,
                         struct attach_functions *found)
{
    *found = (struct attach_functions){0};
    static struct search search;
    search = (struct search){.process = process, .found = found, .code = code, .first = true};
    if (!each_file(process, look_at_file, &search)) {
        snprintf(process->reason, sizeof process->reason, "its memory map cannot be read");
        return false;
    }
    settle(&search);
    return explain_lack(process, &search);
}

/* ---- what else is mapped ---- */

bool attach_process_may_write(const struct attach_process *process, uint64_t address)
{
    char name[64], *line = NULL, access[5];
    size_t size = 0;
    bool may = false;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)process->pid);
    FILE *maps = fopen(name, "re");
    while (maps && getline(&line, &size, maps) > 0) {
        uint64_t begin, end;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, access) == 3 &&
            address >= begin && address < end)
            may = access[1] == 'w';
    }
    free(line);
    if (maps)
        fclose(maps);
    return may;
}

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
