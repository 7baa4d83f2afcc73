/* loaded.h - looks up functions of loaded libraries without dlopen() and dlsym(). Those take the
 * loader's lock, which a thread holds while it runs constructors: a constructor that waits for
 * another thread would wait forever for one that calls them. They also change what the program's
 * next dlerror() returns.
 */
#ifndef PROF_LOADED_H
#define PROF_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* In the constructor of a library that was loaded with the program: what is loaded by now stays
 * loaded. */
void loaded_init(void);

/* What dlvsym() finds of `name` with this version in the library that is loaded under `soname`;
 * NULL: nothing, or the library is not loaded. `*stays`: it was loaded with the program, and is
 * never unloaded. Threads: any. Keeps errno, takes no lock but that of dl_iterate_phdr(). */
void *loaded_find(const char *soname, const char *name, const char *version, bool *stays);

/* What dlsym(RTLD_NEXT, name) finds in libraries that were loaded with the program; NULL: nothing.
 * `*path` is that of its library, as the loader has it. Threads and locks: as above. */
void *loaded_find_next(const char *name, const char **path);

/* What an entry of an object's dynamic section points to, NULL: there is none. */
const void *loaded_table(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic, int64_t tag);

/* NULL: the object has none. */
const ElfW(Dyn) * loaded_dynamic(const struct dl_phdr_info *object);

/* ---- which functions a loaded library calls ---- */

/* From now on, calls of `name` from the library `handle` (of dlopen) go to `function`. Nobody
 * else's calls change.
 *
 * Returns  false when the library calls no such function, or its table cannot be written. */
bool gotpatch_replace(void *handle, const char *name, void *function);

#endif
