/* stack_of.h - which call stack something has, and which file an address belongs to. */
#ifndef PROF_STACK_OF_H
#define PROF_STACK_OF_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Index into stacks[]; TL_NONE: none was taken. */
uint32_t stack_of_slice(const struct timeline *timeline, uint32_t slice);
uint32_t stack_of_async(const struct timeline *timeline, uint32_t async);

/* What was at an address of the process at that time; NULL: code that no file holds, or none that
 * is known. */
const struct tl_module *stack_of_module(const struct timeline *timeline, uint32_t process,
                                        uint64_t address, uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
