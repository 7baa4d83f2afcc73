#!/usr/bin/env bash
# However often the library gets into a process, one instance records.
. "$(dirname "$0")/common.sh"

compile ranges
cp -L "$lib" ./libcopy.so
cp -L "$lib" ./libother.so
cat >injected.c <<'INJECTED'
/* Loads the library that CUDA_INJECTION64_PATH names, as libcuda does, calls it twice, then records. */
#include <dlfcn.h>
#include <stdlib.h>
#include <prof/prof.h>

int main(int argc, char **argv)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    int (*initialize)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
    if (!initialize || initialize() != 1 || initialize() != 1)
        return 1;
    for (int i = 0; i < 10; i++) {
        prof_range_push("injected");
        prof_range_pop();
    }
    /* Another library that comes late still finds room for its thread-local storage: glibc has 1.6 KiB for all. */
    if (argc > 2 && !dlopen(argv[2], RTLD_NOW))
        return 2;
    /* A program that was not preloaded finds the functions in the library itself. */
    if (argc > 1) {
        void (*push)(const char *) = (void (*)(const char *))dlsym(library, "prof_range_push");
        void (*pop)(void) = (void (*)(void))dlsym(library, "prof_range_pop");
        for (int i = 0; i < 10; i++) {
            push("by hand");
            pop();
        }
    }
    return 0;
}
INJECTED
"$CC" -O2 -I"$include" injected.c -o injected -ldl

one_file() {
    local files=("$1"/*)
    same "files of $1" 1 ${#files[@]}
    expect "${files[0]}" "$2" 'process["closed"]' 'not any(raw.loss)'
}

mkdir same copies twice injected_only late
record same/%n.prof ./injected
one_file same 'count == {"injected": 10}'
CUDA_INJECTION64_PATH=$here/libcopy.so record copies/%n.prof ./injected
one_file copies 'count == {"injected": 10}'
LD_PRELOAD="$here/libcopy.so $here/libother.so" PROF_OUTPUT=twice/%n.prof ./ranges
one_file twice 'count["outer"] == 1'
CUDA_INJECTION64_PATH=$here/libcopy.so PROF_OUTPUT=injected_only/%n.prof ./injected by_hand
one_file injected_only 'count == {"by hand": 10}'
CUDA_INJECTION64_PATH=$here/libcopy.so PROF_OUTPUT=late/%n.prof ./injected by_hand "$here/libother.so"
one_file late 'count == {"by hand": 10}'
