/* memory_kinds.h - CUPTI's memory kinds: what the configuration asks for, what CUPTI gives.
 *
 * Where CUPTI has no records of allocations (before CUDA 11.2) or refuses them, allocations are
 * read from the calls (memory_calls.h): one or the other, never both. */
#ifndef PROF_MEMORY_KINDS_H
#define PROF_MEMORY_KINDS_H

#include <stdbool.h>
#include <stdint.h>

struct oracle;

/* Beside the other kinds, with the same rules. What is refused is noted once; nothing fails.
 * `oracle` tells which kinds the library has. */
void memory_kinds_enable(const struct oracle *oracle);
void memory_kinds_disable(void);

/* Whether allocations are to be read from the calls. Threads: any. */
bool memory_kinds_from_calls(void);

#endif
