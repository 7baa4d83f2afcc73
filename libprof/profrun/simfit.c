/* simfit.c - a CUDA runtime inside a file.
 *
 * nvcc links the runtime statically unless it is told '-cudart shared'. Such a runtime asks the
 * driver for tables that are not documented, so it does not run on the simulated driver.
 *
 * Device code is in the section .nv_fatbin. The code beside it registers itself with the runtime by
 * __cudaRegisterFatBinary(): if the file does not expect that function from a library, the runtime
 * is inside.
 */
#include "target.h"

#include "runopts.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A mapped file, of which only what lies within it is read. */
struct simfit_file {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Shdr *sections; /* NULL: it has none, or is not an ELF file */
    size_t count, names;        /* of the sections; which of them has their names */
};

static const void *simfit_at(const struct simfit_file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

/* "" where there is no such text. */
static const char *simfit_text(const struct simfit_file *file, const Elf64_Shdr *table, uint64_t at)
{
    const char *text = simfit_at(file, table->sh_offset, table->sh_size);
    if (!text || at >= table->sh_size || !memchr(text + at, '\0', table->sh_size - at))
        return "";
    return text + at;
}

static void simfit_find_sections(struct simfit_file *file)
{
    const Elf64_Ehdr *header = simfit_at(file, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
        header->e_shstrndx >= header->e_shnum || header->e_shoff % _Alignof(Elf64_Shdr))
        return;
    file->sections =
        simfit_at(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof *file->sections);
    file->count = file->sections ? header->e_shnum : 0;
    file->names = header->e_shstrndx;
}

static bool simfit_expects(const struct simfit_file *file, const Elf64_Shdr *symbols,
                           const char *name)
{
    const Elf64_Sym *symbol = simfit_at(file, symbols->sh_offset, symbols->sh_size);
    if (!symbol || symbols->sh_link >= file->count || symbols->sh_offset % _Alignof(Elf64_Sym))
        return false;
    for (size_t i = 0; i < symbols->sh_size / sizeof *symbol; i++)
        if (symbol[i].st_shndx == SHN_UNDEF &&
            strcmp(simfit_text(file, &file->sections[symbols->sh_link], symbol[i].st_name), name) ==
                0)
            return true;
    return false;
}

static bool simfit_has_runtime(const struct simfit_file *file)
{
    bool device_code = false, expects = false;
    for (size_t i = 0; i < file->count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        const char *name = simfit_text(file, &file->sections[file->names], section->sh_name);
        device_code |= strcmp(name, ".nv_fatbin") == 0;
        expects |= section->sh_type == SHT_DYNSYM &&
                   simfit_expects(file, section, "__cudaRegisterFatBinary");
    }
    return device_code && !expects;
}

static void simfit_map(const char *path, struct simfit_file *file)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *file = (struct simfit_file){0};
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED)
            *file = (struct simfit_file){.bytes = bytes, .size = (size_t)status.st_size};
    }
    close(fd);
    simfit_find_sections(file);
}

static void simfit_unmap(const struct simfit_file *file)
{
    if (file->bytes)
        munmap((void *)(uintptr_t)file->bytes, file->size);
}

/* NVIDIA's own libraries embed the runtime, and have no other form. A program may load them and not
 * call them. */
static bool simfit_is_nvidias(const char *path)
{
    static const char *const begin[] = {"libcu", "libnv", "libnccl", "libnpp"};
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(slash ? slash + 1 : path, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

/* Of a line of the loader's list: "name => path (address)". */
static bool simfit_read_path(const char *line, char path[PATH_MAX])
{
    const char *arrow = strstr(line, " => /");
    if (!arrow)
        return false;
    const char *begin = arrow + strlen(" => "), *end = strstr(begin, " (0x");
    if (!end || end - begin >= PATH_MAX)
        return false;
    snprintf(path, PATH_MAX, "%.*s", (int)(end - begin), begin);
    return true;
}

static bool simfit_is_unfit_library(const char *line, char path[PATH_MAX])
{
    struct simfit_file file;
    if (!simfit_read_path(line, path) || simfit_is_nvidias(path))
        return false;
    simfit_map(path, &file);
    const bool unfit = simfit_has_runtime(&file);
    simfit_unmap(&file);
    return unfit;
}

/* Asks the loader, which lists what the program is linked with and does not run it. */
static bool simfit_find_library(const char *program, char path[PATH_MAX])
{
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0 && setenv("LD_TRACE_LOADED_OBJECTS", "1", 1) == 0)
            execl(program, program, (char *)NULL);
        _exit(STATUS_INTERNAL);
    }
    close(ends[1]);
    FILE *list = fdopen(ends[0], "r");
    while (list && getline(&line, &size, list) > 0)
        found = found || simfit_is_unfit_library(line, path);
    free(line);
    if (list)
        fclose(list);
    else
        close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return found;
}

int simfit_check(const char *path)
{
    char library[PATH_MAX] = "";
    struct simfit_file file;
    simfit_map(path, &file);
    const bool is_elf = file.sections != NULL, unfit = simfit_has_runtime(&file);
    simfit_unmap(&file);
    if (!is_elf || (!unfit && !simfit_find_library(path, library)))
        return 0;
    message("%s contains the CUDA runtime; --sim needs the shared one", unfit ? path : library);
    message("build it with 'nvcc -cudart shared' (CMake: CUDA_RUNTIME_LIBRARY Shared); the "
            "program was not run");
    return STATUS_INTERNAL;
}
