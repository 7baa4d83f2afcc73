/* modules.c - which file an address of code belongs to, also after the file was closed.
 *
 * The executable mappings of the loaded libraries are remembered as they come and go; one goes into
 * the file when a call stack first points into it. The loader counts what it opens and closes, so
 * looking again costs next to nothing while nothing changed.
 *
 * Looking asks the loader, which takes a lock of its own for a moment: done when a stack is new,
 * and by the writer thread, never for a stack that is known.
 */
#include "atomic.h"
#include "clock.h"
#include "process.h"
#include "recorder.h"
#include "stacks.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULES_MAX 16384u
#define MODULES_PATHS_BYTES (4u << 20)
#define MODULES_SUSPEND_MS 100

/* One executable mapping. Written by the thread that looks, before it is counted; the flags
 * later. */
struct module {
    uint64_t start, end, file_offset, bias;
    uint64_t ticks;
    const char *path;
    uint32_t path_bytes;
    uint32_t build_id_bytes;
    uint8_t build_id[20];
    uint32_t seen;   /* number of the look that saw it last */
    uint32_t gone;   /* looking stores -> everybody loads */
    uint32_t stated; /* exchange decides who states it */
};

static struct {
    struct module *at;
    char *paths;
    uint32_t paths_used;
    uint32_t count;          /* looking releases -> everybody acquires */
    uint32_t busy;           /* taken by the thread that looks */
    uint32_t look;           /* number of the latest look */
    uint64_t opened, closed; /* the loader's counters at that time */
    uint32_t expected;       /* place of the module that will probably be met next */
    bool suspended;          /* modules_suspend() got `busy` */
    uint64_t vdso;           /* where the kernel put it, 0 nowhere */
    char program[PATH_MAX];  /* the loader gives the executable no name */
} modules;

bool modules_init(void)
{
    size_t bytes = MODULES_MAX * sizeof *modules.at + MODULES_PATHS_BYTES;
    if (modules.at)
        return true;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    ssize_t size = readlink("/proc/self/exe", modules.program, sizeof modules.program - 1);
    modules.program[size > 0 ? size : 0] = '\0';
    modules.vdso = getauxval(AT_SYSINFO_EHDR);
    modules.paths = (char *)memory + MODULES_MAX * sizeof *modules.at;
    modules.at = memory;
    return true;
}

/* ---- what the loader says of one object ---- */

static bool modules_maps(const struct dl_phdr_info *info, uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_R && address >= header->p_vaddr &&
            bytes <= header->p_memsz && address - header->p_vaddr <= header->p_memsz - bytes)
            return true;
    }
    return false;
}

static uint64_t modules_note_bytes(uint64_t bytes)
{
    return (bytes + 3) & ~(uint64_t)3;
}

static void modules_find_note(const uint8_t *notes, uint64_t bytes, struct module *module)
{
    ElfW(Nhdr) note;
    for (uint64_t at = 0; at + sizeof note <= bytes;) {
        memcpy(&note, notes + at, sizeof note);
        uint64_t name = at + sizeof note, content = name + modules_note_bytes(note.n_namesz);
        at = content + modules_note_bytes(note.n_descsz);
        if (at > bytes)
            return;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp(notes + name, "GNU", 4) != 0 || note.n_descsz > sizeof module->build_id)
            continue;
        memcpy(module->build_id, notes + content, note.n_descsz);
        module->build_id_bytes = note.n_descsz;
    }
}

static void modules_read_build_id(const struct dl_phdr_info *info, struct module *module)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_NOTE || !modules_maps(info, header->p_vaddr, header->p_memsz))
            continue;
        uintptr_t notes = (uintptr_t)(info->dlpi_addr + header->p_vaddr);
        modules_find_note((const uint8_t *)notes, header->p_memsz, module);
    }
}

static const char *modules_path(const struct dl_phdr_info *info, const struct module *module,
                                char buffer[PATH_MAX])
{
    if (modules.vdso >= module->start && modules.vdso < module->end)
        return "[vdso]";
    if (!info->dlpi_name || !*info->dlpi_name)
        return modules.program;
    return process_absolute_path(info->dlpi_name, buffer, PATH_MAX) ? buffer : info->dlpi_name;
}

/* ---- the table ---- */

/* They come in the order of the last time. */
static struct module *modules_find_known(const struct module *module)
{
    uint32_t count = modules.count;
    for (uint32_t i = 0; i < count; i++) {
        struct module *known = &modules.at[(modules.expected + i) % count];
        if (known->gone || known->start != module->start || known->end != module->end)
            continue;
        bool same = known->build_id_bytes == module->build_id_bytes &&
                    memcmp(known->build_id, module->build_id, sizeof known->build_id) == 0 &&
                    known->path_bytes == module->path_bytes &&
                    memcmp(known->path, module->path, module->path_bytes) == 0;
        if (same) {
            modules.expected = (uint32_t)(known - modules.at) + 1;
            return known;
        }
    }
    return NULL;
}

/* A copy that lasts; that of an earlier module where a library comes again and again. */
static void modules_copy_path(struct module *module)
{
    for (uint32_t i = modules.count; i-- > 0;) {
        const struct module *other = &modules.at[i];
        if (other->path_bytes == module->path_bytes &&
            memcmp(other->path, module->path, module->path_bytes) == 0) {
            module->path = other->path;
            return;
        }
    }
    if (module->path_bytes > MODULES_PATHS_BYTES - modules.paths_used)
        module->path_bytes = 0;
    module->path = memcpy(modules.paths + modules.paths_used, module->path, module->path_bytes);
    modules.paths_used += module->path_bytes;
}

static void modules_add(const struct module *module)
{
    uint32_t count = modules.count;
    if (count == MODULES_MAX)
        return;
    struct module *added = &modules.at[count];
    *added = *module;
    modules_copy_path(added);
    added->ticks = clock_read();
    added->seen = modules.look;
    modules.expected = count + 1;
    store_release(&modules.count, count + 1);
}

static void modules_meet(const struct dl_phdr_info *info, const ElfW(Phdr) * header)
{
    char buffer[PATH_MAX];
    struct module module = {.start = info->dlpi_addr + header->p_vaddr,
                            .file_offset = header->p_offset,
                            .bias = info->dlpi_addr};
    module.end = module.start + header->p_memsz;
    module.path = modules_path(info, &module, buffer);
    module.path_bytes = (uint32_t)strlen(module.path);
    modules_read_build_id(info, &module);
    struct module *known = modules_find_known(&module);
    if (known)
        known->seen = modules.look;
    else
        modules_add(&module);
}

static int modules_on_object(struct dl_phdr_info *info, size_t size, void *user)
{
    bool *first = user;
    (void)size;
    if (*first && modules.look > 0 && info->dlpi_adds == modules.opened &&
        info->dlpi_subs == modules.closed)
        return 1;
    if (*first) {
        modules.opened = info->dlpi_adds;
        modules.closed = info->dlpi_subs;
        modules.expected = 0;
        modules.look++;
    }
    *first = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
            modules_meet(info, &info->dlpi_phdr[i]);
    return 0;
}

static void modules_drop(uint32_t index, void (*gone)(uint64_t start, uint64_t end))
{
    struct module *module = &modules.at[index];
    struct prof_rec_module_gone record = {.ticks = clock_read(), .id = index + 1};
    store_relaxed(&module->gone, 1u);
    if (load_relaxed(&module->stated))
        meta_append(PROF_REC_MODULE_GONE, &record, sizeof record, NULL, 0);
    gone(module->start, module->end);
}

bool modules_scan(void (*gone)(uint64_t start, uint64_t end))
{
    if (!modules.at || exchange_acquire(&modules.busy, 1u))
        return false;
    bool unchanged = true; /* until the loader's counters say otherwise */
    dl_iterate_phdr(modules_on_object, &unchanged);
    for (uint32_t i = 0; !unchanged && i < modules.count; i++)
        if (!modules.at[i].gone && modules.at[i].seen != modules.look)
            modules_drop(i, gone);
    store_release(&modules.busy, 0u);
    return true;
}

uint32_t modules_generation(void)
{
    return load_relaxed(&modules.look);
}

/* ---- stating ---- */

static void modules_write(const struct module *module)
{
    struct prof_rec_module record = {
        .start = module->start,
        .end = module->end,
        .file_offset = module->file_offset,
        .bias = module->bias,
        .ticks = module->ticks,
        .id = (uint32_t)(module - modules.at) + 1,
        .bytes = module->path_bytes,
        .build_id_bytes = module->build_id_bytes,
    };
    memcpy(record.build_id, module->build_id, sizeof record.build_id);
    meta_append(PROF_REC_MODULE, &record, sizeof record, module->path, module->path_bytes);
}

bool modules_emit(uint64_t address)
{
    uint32_t count = load_acquire(&modules.count);
    for (uint32_t i = count; i-- > 0;) {
        struct module *module = &modules.at[i];
        if (address < module->start || address >= module->end || load_relaxed(&module->gone))
            continue;
        if (!load_relaxed(&module->stated) && !exchange_acquire(&module->stated, 1u))
            modules_write(module);
        return true;
    }
    return false;
}

/* ---- fork ---- */

void modules_suspend(void)
{
    uint32_t busy = 1;
    for (int i = 0; i < MODULES_SUSPEND_MS && (busy = exchange_acquire(&modules.busy, 1u)); i++)
        clock_pause(1000);
    modules.suspended = !busy;
}

void modules_resume(bool child)
{
    if (child || modules.suspended)
        store_release(&modules.busy, 0u);
}

void modules_forget_emitted(void)
{
    for (uint32_t i = 0; i < modules.count; i++)
        store_relaxed(&modules.at[i].stated, 0u);
}
