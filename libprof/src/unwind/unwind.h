/* unwind.h - unwinds stacks of other threads, from their registers, without libunwind.
 *
 * libunwind and the loader take locks, which a thread that hangs may hold. This reads .eh_frame by
 * itself, and all memory through the kernel: an address that cannot be read is an error and no
 * fault. Signatures of pointer authentication (aarch64) are removed from addresses.
 *
 * Its state is shared by the hang watch and the sampler: callers of unwind_prepare(), and of what
 * depends on it, hold the lock.
 */
#ifndef PROF_UNWIND_H
#define PROF_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers. UNWIND_RA: what the tables call the return address. */
#if defined(__x86_64__)
#define UNWIND_REGISTERS 17u
#define UNWIND_FP 6u
#define UNWIND_SP 7u
#define UNWIND_PC 16u
#define UNWIND_RA UNWIND_PC
#else
#define UNWIND_REGISTERS 33u
#define UNWIND_FP 29u
#define UNWIND_SP 31u
#define UNWIND_PC 32u
#define UNWIND_RA 30u /* the link register: a function that calls none leaves it there */
#endif

#define UNWIND_BIT(number) (UINT64_C(1) << (number))

struct unwind_registers {
    uint64_t value[UNWIND_REGISTERS];
    uint64_t known; /* UNWIND_BIT() for each */
};

/* Only threads of ours take it, and never for longer than they unwind. */
void unwind_lock(void);
void unwind_unlock(void);
void unwind_fork_child(void);

/* Reads the list of mappings, on which the rest depends. False: it cannot be read. */
bool unwind_prepare(void);

/* Copies this process's memory. False: not all of it can be read. Async-signal-safe. */
bool unwind_copy(void *to, uint64_t from, size_t size);

/* Return addresses, innermost first; the first is where the thread is. `complete`: the outermost
 * frame was reached. Returns how many, at most `limit`. */
unsigned unwind_stack(const struct unwind_registers *registers, uint64_t *addresses, unsigned limit,
                      bool *complete);

/* Part of a stack as it was: reads from it stand for reads of memory. */
struct unwind_dump {
    uint64_t start;
    size_t size;
    const uint8_t *bytes;
};

/* The same from a copy of the stack. Unwind rules are cached by address until unwind_prepare(): a
 * stack of functions that were met before needs no system call. Frames outside of the copy are not
 * followed. */
unsigned unwind_dump_stack(const struct unwind_registers *registers, const struct unwind_dump *dump,
                           uint64_t *addresses, unsigned limit, bool *complete);

/* What a name that Python's interpreter exports stands for; NULL: there is none, or no interpreter.
 * Takes no lock of the loader. */
void *unwind_find_python(const char *name);

/* The file that contains the address, and the address as the file counts. False: it is in none. */
bool unwind_locate(uint64_t address, const char **path, uint64_t *offset);

#endif
