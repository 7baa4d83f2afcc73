/* hang_unwind.h - unwinds the stack of another thread, from its registers, without libunwind.
 *
 * libunwind and the loader take locks, which a thread that hangs may hold. This reads .eh_frame by itself, and all memory
 * through the kernel: an address that cannot be read is an error and no fault. x86-64 only; elsewhere a stack is one frame.
 *
 * What it knows is shared by the hang watch and the sampler: whoever calls hang_unwind_prepare() or what depends on it holds
 * the lock.
 */
#ifndef PROF_HANG_UNWIND_H
#define PROF_HANG_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers: 6 rbp, 7 rsp, 16 the return address. */
#define HANG_REGISTERS 17u
#define HANG_RSP 7u
#define HANG_PC 16u

struct hang_registers {
    uint64_t value[HANG_REGISTERS];
    uint32_t known; /* a bit for each */
};

/* Only threads of ours take it, and never for longer than they unwind. */
void hang_unwind_lock(void);
void hang_unwind_unlock(void);
void hang_unwind_fork_child(void);

/* Reads the list of mappings, on which the rest depends. False: it cannot be read. */
bool hang_unwind_prepare(void);

/* Copies this process's memory. False: not all of it can be read. Async-signal-safe. */
bool hang_unwind_copy(void *to, uint64_t from, size_t size);

/* Return addresses, innermost first; the first is where the thread is. `complete`: the outermost frame was reached. Returns
 * how many, at most `limit`. */
unsigned hang_unwind(const struct hang_registers *registers, uint64_t *addresses, unsigned limit,
                     bool *complete);

/* Part of a stack as it was: reads from it stand for reads of memory. */
struct hang_dump {
    uint64_t start;
    size_t size;
    const uint8_t *bytes;
};

/* The same from a copy of the stack. What code does to registers is remembered by address until hang_unwind_prepare(): a
 * stack of functions that were met before needs no system call. Frames outside of the copy are not followed. */
unsigned hang_unwind_dump(const struct hang_registers *registers, const struct hang_dump *dump,
                          uint64_t *addresses, unsigned limit, bool *complete);

/* The file that contains the address, and the address as the file counts. False: it is in none. */
bool hang_unwind_locate(uint64_t address, const char **path, uint64_t *offset);

#endif
