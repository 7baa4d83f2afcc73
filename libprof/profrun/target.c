#include "target.h"

#include "runopts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows at most five interpreters of interpreters. */
enum { TARGET_INTERPRETERS_MAX = 5, TARGET_HEAD_BYTES = 256 };

static bool target_is_program(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* Walks PATH. Returns the first program called `name`, or else the first file (so that "not
 * executable" can be said rather than "not found"), or NULL. */
static char *target_search(const char *name)
{
    const char *at = getenv("PATH");
    char *unusable = NULL;
    if (!at)
        at = "/bin:/usr/bin";
    while (true) {
        const size_t length = strcspn(at, ":");
        char *path = NULL;
        /* an empty element means the current directory */
        if (asprintf(&path, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name) < 0)
            break;
        if (target_is_program(path)) {
            free(unusable);
            return path;
        }
        if (!unusable && access(path, F_OK) == 0)
            unusable = path;
        else
            free(path);
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return unusable;
}

static int target_refuse(const char *name, const char *path)
{
    struct stat facts;
    if (!path || stat(path, &facts) != 0) {
        const int error = path ? errno : ENOENT;
        message("%s: %s", name, strerror(error));
        return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
    }
    message("%s: %s", path, S_ISDIR(facts.st_mode) ? "is a directory" : "is not executable");
    return STATUS_NOT_EXECUTABLE;
}

/* Whether executing the file raises privileges, upon which the loader ignores LD_PRELOAD. */
static bool target_is_privileged(const char *path)
{
    struct stat facts;
    struct statvfs file_system;
    if (stat(path, &facts) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    if (statvfs(path, &file_system) == 0 && (file_system.f_flag & ST_NOSUID))
        return false;
    const bool other_user = (facts.st_mode & S_ISUID) && facts.st_uid != getuid();
    const bool other_group =
        (facts.st_mode & S_ISGID) && (facts.st_mode & S_IXGRP) && facts.st_gid != getgid();
    /* root has all capabilities anyway, so a file can add none */
    const bool capabilities = getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
    return other_user || other_group || capabilities;
}

static void target_set(struct target *target, enum target_kind kind, const char *path,
                       const char *why)
{
    static const char *const remedies[] = {
        [TARGET_STATIC] = "build it without -static, and with 'nvcc -cudart shared' for --sim; "
                          "programs that it starts are recorded",
        [TARGET_PRIVILEGED] =
            "run it as the user whose privileges it gains, or a copy without them",
        [TARGET_FOREIGN] = "build libprof for the program's architecture and libc",
    };
    target->kind = kind;
    target->remedy = remedies[kind];
    snprintf(target->reason, sizeof target->reason, "%s %s", path, why);
}

/* The interpreter a script names after "#!", cut out of `head` in place; NULL if it is not a
 * script. */
static char *target_interpreter(char *head)
{
    if (head[0] != '#' || head[1] != '!')
        return NULL;
    char *start = head + 2 + strspn(head + 2, " \t");
    start[strcspn(start, " \t\r\n")] = '\0';
    return *start == '/' ? start : NULL;
}

static void target_classify(struct target *target, const char *path, int depth)
{
    char head[TARGET_HEAD_BYTES + 1] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return; /* executable but not readable: run it and hope */
    if (read(file, head, TARGET_HEAD_BYTES) > 0) {
        char *interpreter = target_interpreter(head);
        target->text = target->text && !interpreter && !elfkind_is_elf(file);
        const char *foreign = interpreter ? NULL : elfkind_foreign(file);
        if (interpreter && depth < TARGET_INTERPRETERS_MAX) {
            target_classify(target, interpreter, depth + 1);
        } else if (foreign) {
            target_set(target, TARGET_FOREIGN, path, foreign);
        } else if (elfkind_is_static(file)) {
            target_set(target, TARGET_STATIC, path,
                       "is statically linked: nothing can be preloaded");
        } else if (target_is_privileged(path)) {
            target_set(target, TARGET_PRIVILEGED, path,
                       "gains privileges (setuid, setgid or file capabilities): the loader ignores "
                       "LD_PRELOAD");
        }
    }
    close(file);
}

int target_init(struct target *target, const char *name)
{
    *target = (struct target){.kind = TARGET_ORDINARY, .text = true};
    target->path = strchr(name, '/') ? strdup(name) : target_search(name);
    if (!target->path || !target_is_program(target->path))
        return target_refuse(name, target->path);
    target_classify(target, target->path, 0);
    return 0;
}

void target_fini(struct target *target)
{
    free(target->path);
    target->path = NULL;
}

void target_execute(const struct target *target, char *const *argv)
{
    if (target->text) {
        execvp(target->path, argv); /* falls back to sh, as a shell does */
    } else {
        execv(target->path,
              argv); /* no sh for an ELF file of another machine: it would read it as commands */
    }
}

/* ---- what an ELF file's headers say ---- */

#if defined(__x86_64__)
enum { ELFKIND_OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { ELFKIND_OWN_MACHINE = EM_AARCH64 };
#endif

static const char *elfkind_machine(const Elf64_Ehdr *header)
{
    if (header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_ident[EI_CLASS] != ELFCLASS64)
        return "another processor architecture";
    return header->e_machine == EM_X86_64    ? "x86-64"
           : header->e_machine == EM_AARCH64 ? "aarch64"
                                             : "another processor architecture";
}

enum { ELFKIND_LOADER_BYTES = 128 };

static bool elfkind_read(int file, void *data, size_t size, off_t offset)
{
    return pread(file, data, size, offset) == (ssize_t)size;
}

static bool elfkind_identify(int file, unsigned char ident[EI_NIDENT])
{
    return elfkind_read(file, ident, EI_NIDENT, 0) && memcmp(ident, ELFMAG, SELFMAG) == 0;
}

bool elfkind_is_elf(int file)
{
    unsigned char ident[EI_NIDENT];
    return elfkind_identify(file, ident);
}

/* Reads the PT_INTERP header of a 64-bit file. */
static bool elfkind_find_loader(int file, Elf64_Phdr *found)
{
    Elf64_Ehdr header;
    if (!elfkind_read(file, &header, sizeof header, 0)) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        const off_t offset = (off_t)(header.e_phoff + (Elf64_Off)i * header.e_phentsize);
        if (!elfkind_read(file, found, sizeof *found, offset)) {
            return false;
        }
        if (found->p_type == PT_INTERP) {
            return true;
        }
    }
    return false;
}

static bool elfkind_uses_musl(int file)
{
    Elf64_Phdr header;
    char loader[ELFKIND_LOADER_BYTES] = "";
    if (!elfkind_find_loader(file, &header) || header.p_filesz >= sizeof loader) {
        return false;
    }
    return elfkind_read(file, loader, header.p_filesz, (off_t)header.p_offset) &&
           strstr(loader, "ld-musl") != NULL;
}

const char *elfkind_foreign(int file)
{
    Elf64_Ehdr header;
    if (!elfkind_identify(file, header.e_ident)) {
        return NULL;
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64) {
        return "is a 32-bit program, libprof is a 64-bit library";
    }
    if (!elfkind_read(file, &header, sizeof header, 0)) {
        return NULL;
    }
    if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != ELFKIND_OWN_MACHINE) {
        return "is a program for another processor architecture";
    }
    return elfkind_uses_musl(file) ? "uses musl as its libc, libprof needs glibc" : NULL;
}

bool elfkind_library_differs(const char *path, const char **machine, const char **own)
{
    Elf64_Ehdr header;
    const Elf64_Ehdr ours = {.e_ident = {[EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB},
                             .e_machine = ELFKIND_OWN_MACHINE};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool known = elfkind_is_elf(file) && elfkind_read(file, &header, sizeof header, 0);
    close(file);
    if (!known)
        return false;
    *machine = elfkind_machine(&header);
    *own = elfkind_machine(&ours);
    return strcmp(*machine, *own) != 0;
}

bool elfkind_is_static(int file)
{
    unsigned char ident[EI_NIDENT];
    Elf64_Phdr header;
    if (!elfkind_identify(file, ident) || ident[EI_CLASS] != ELFCLASS64) {
        return false;
    }
    return !elfkind_find_loader(file, &header);
}
