/* attach_needed.h - whether code of aarch64 still needs what is in x16 and x17. */
#ifndef PROFRUN_ATTACH_NEEDED_H
#define PROFRUN_ATTACH_NEEDED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the code at `at` may read x16 or x17 before it calls a function or returns: there, the
 * linker may put code that changes both. Follows jumps; what it does not understand, or what leads
 * too far, counts as needed. `read` stores the instruction at an address; false: there is none. */
bool attach_needs_scratch(bool (*read)(const void *user, uint64_t at, uint32_t *instruction),
                          const void *user, uint64_t at);

#endif
