/* itt_heap.h - what a program's pointers for functions of its own allocators hold: memory as prof_alloc()
 * has it. The functions of one domain are one allocator, since one of them frees what another gave.
 *
 * Any thread, any argument but a handle that is none; they keep errno.
 */
#ifndef PROF_ITT_HEAP_H
#define PROF_ITT_HEAP_H

#include "itt_abi.h"

/* The allocator's number; NULL: too many, or no name (counted). */
void *itt_heap_function_create(const char *name, const char *domain);

/* `address` is where the program keeps the address. */
void itt_heap_allocate_end(void *function, void *const *address, size_t bytes, int initialized);
void itt_heap_free_begin(void *function, void *address);
void itt_heap_reallocate_begin(void *function, void *address, size_t bytes, int initialized);
void itt_heap_reallocate_end(void *function, void *address, void *const *new_address, size_t bytes,
                             int initialized);

#endif
