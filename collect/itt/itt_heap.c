/* itt_heap.c - records a free when it begins and an allocation when it ends: in between, another
 * thread may be given the memory.
 */
#define PROF_IMPLEMENTATION
#include "itt_calls.h"

#include "prof/prof.h"

static uint32_t itt_heap_allocator(const void *function)
{
    return (uint32_t)(uintptr_t)function;
}

void *itt_heap_function_create(const char *name, const char *domain)
{
    return (void *)(uintptr_t)prof_alloc_track(domain ? domain : name);
}

void itt_heap_allocate_end(void *function, void *const *address, size_t bytes, int initialized)
{
    (void)initialized;
    if (address && *address)
        prof_alloc(itt_heap_allocator(function), *address, bytes);
}

void itt_heap_free_begin(void *function, void *address)
{
    prof_free(itt_heap_allocator(function), address);
}

void itt_heap_reallocate_begin(void *function, void *address, size_t bytes, int initialized)
{
    (void)bytes;
    (void)initialized;
    itt_heap_free_begin(function, address);
}

/* One that failed has left the old memory as it was; its size is not known, so it stays freed. */
void itt_heap_reallocate_end(void *function, void *address, void *const *new_address, size_t bytes,
                             int initialized)
{
    (void)address;
    itt_heap_allocate_end(function, new_address, bytes, initialized);
}
