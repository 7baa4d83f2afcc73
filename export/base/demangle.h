/* demangle.h - C++ symbol names as people wrote them.
 *
 * The demangler is the one of the C++ runtime, found at run time: nothing is linked for it, and
 * where there is no C++ runtime names stay as they are.
 */
#ifndef PROF_DEMANGLE_H
#define PROF_DEMANGLE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Longest result. A short name can stand for an endless one ("bombs"); such a name stays
 * mangled. */
#define DEMANGLE_BYTES_MAX 65536

/* True when a demangler is at hand. The first call looks for it. Threads: any. */
bool demangle_available(void);

/* Demangles `name` (any bytes, not terminated). Returns a terminated text to free(), its length in
 * `size_out`; NULL when the name is not mangled, cannot be demangled or there is no demangler.
 * Threads: any. */
char *demangle_name(const char *name, size_t size, size_t *size_out);

/* A part of a demangled name: "f" of "void ns::f<int>(float*)". */
struct text demangle_short_name(struct text name);

#ifdef __cplusplus
}
#endif
#endif
