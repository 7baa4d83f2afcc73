/* start_files.c - stands in for the compiler's start files (crti.o, crtbeginS.o) on aarch64.
 *
 * Where the processor checks branches (BTI), the loader may only call functions that begin with a
 * landing pad. Those of the start files and of libgcc often have none, as in Debian 12, and one
 * object without makes the linker mark the whole library as unchecked. libprof.so needs of them
 * what is here.
 *
 * This object's note, which names BTI and PAC, is also the one that libprof.so gets: libgcc's
 * atomic functions have none, but are called directly and store no return address. */
#include <asm/hwcap.h>
#include <stdbool.h>
#include <sys/auxv.h>

/* By it, libc knows who has registered a function. */
__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;

/* Whether the processor has the atomic instructions of ARMv8.1: libgcc's atomic functions look at
 * it. Until it is set, they do without. */
__attribute__((visibility("hidden"))) bool __aarch64_have_lse_atomics;

__attribute__((constructor(101))) static void start_files_init(void)
{
    __aarch64_have_lse_atomics = getauxval(AT_HWCAP) & HWCAP_ATOMICS;
}
