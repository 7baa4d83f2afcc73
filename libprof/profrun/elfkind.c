#include "elfkind.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { ELFKIND_OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { ELFKIND_OWN_MACHINE = EM_AARCH64 };
#else
#error "libprof runs on x86-64 and aarch64"
#endif

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

bool elfkind_is_static(int file)
{
    unsigned char ident[EI_NIDENT];
    Elf64_Phdr header;
    if (!elfkind_identify(file, ident) || ident[EI_CLASS] != ELFCLASS64) {
        return false;
    }
    return !elfkind_find_loader(file, &header);
}
