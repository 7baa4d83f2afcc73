/* cublas_find.h - finds the real cuBLAS functions, in the library that the caller was linked with.
 *
 * libcublas's functions have version names, "libcublas.so.13", and a program's references name the
 * version they were linked with. libprof.so has the same names under each of the versions, so the
 * version that a call came for says which library it was for, also where several are loaded. And
 * they are hidden: only such a reference finds them. dlsym(RTLD_DEFAULT, "cublasSgemm_v2") and weak
 * references of programs that were not linked with cuBLAS see what they would see without libprof.
 */
#ifndef PROF_CUBLAS_FIND_H
#define PROF_CUBLAS_FIND_H

#include "cublas_abi.h"

/* What is known of a function that we interpose: all zero at first, so that a process without
 * cuBLAS has nothing to relocate. */
struct cublas_function {
    void (*real)(void); /* NULL: not looked up yet; stored by the first caller */
    uint64_t name_id;   /* of its ranges, as it is kept (names_keep); 0: none yet */
};

/* The function itself, of the library that is loaded under `soname`; never opens one that is not
 * there. NULL: there is none. The library stays loaded from here on, as what was found in it is
 * kept. Threads: any. Takes the loader's lock the first time, unless it was loaded with the
 * program. Keeps errno. */
void (*cublas_find(struct cublas_function *function, const char *name, const char *soname))(void);

/* Says so, and returns what a call for it can have. */
cublas_status cublas_missing(const char *name, const char *soname);

#endif
