/* elfkind.h - what an ELF file's headers say about preloading a library into it. */
#ifndef PROFRUN_ELFKIND_H
#define PROFRUN_ELFKIND_H

#include <stdbool.h>

bool elfkind_is_elf(int file);

/* Why a library like ours cannot be loaded into the file ("is a 32-bit program", ...), a static
 * string; NULL if it can, or if it is not an ELF file. */
const char *elfkind_foreign(int file);

/* Whether it is an ELF file without a dynamic loader. */
bool elfkind_is_static(int file);

#endif
