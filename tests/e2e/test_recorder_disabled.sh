#!/usr/bin/env bash
# With PROF_DISABLED the macros of prof.h and block.h leave no trace in an object file, and their arguments are not
# evaluated.
. "$(dirname "$0")/common.sh"

cat >with.c <<'WITH'
#include <prof/block.h>
const char *name_of(int i);
int32_t chain_of(int i);
int work(int i);
int work(int i)
{
    PROF_RANGE("work");
    PROF_CREATE_BLOCK(name_of(i));
    PROF_SCOPE(name_of(i)); PROF_SCOPE(name_of(2));
    PROF_INSTRUCTION_SCOPE(chain_of(i), 7);
    PROF_INSTRUCTION_SCOPE(chain_of(i), 8);
    uint64_t token = PROF_BEGIN(name_of(i));
    uint32_t allocator = PROF_TRACK_ALLOCATOR(name_of(i));
    PROF_TRACK_ALLOCATION(allocator, sizeof(int));
    PROF_END(token);
    PROF_RESET_RESULTS();
    if (PROF_DUMP_RESULTS(name_of(i)) != PROF_ABSENT || token != 0 || allocator != PROF_NO_ALLOCATOR)
        return chain_of(i);
    return i + 1;
}
WITH
cat >without.c <<'WITHOUT'
int work(int i);
int work(int i)
{
    return i + 1;
}
WITHOUT
cp with.c with.cpp
cp without.c without.cpp

# facts_of OBJECT: its symbols, and the sizes of what is loaded.
facts_of() {
    nm "$1" | cut -c17-
    size -A "$1" | awk '$1 ~ /^\.(text|r?o?data|bss|tbss|tdata|init_array)/ { print $1, $2 }'
}

# same_object COMPILER SUFFIX FLAG...
same_object() {
    local compiler=$1 suffix=$2
    shift 2
    "$compiler" -c -Wall -Wextra -Werror "$@" "without.$suffix" -o without.o
    "$compiler" -c -Wall -Wextra -Werror -I"$include" -DPROF_DISABLED "$@" "with.$suffix" -o with.o
    same "what $compiler $* makes of disabled macros" "$(facts_of without.o)" "$(facts_of with.o)"
    "$compiler" -c -Wall -Wextra -I"$include" "$@" "with.$suffix" -o enabled.o
    nm enabled.o | found prof_event_begin || fail "$compiler $*: the enabled macros refer to nothing"
}

for compiler in "$CC" clang-14; do
    command -v "$compiler" >/dev/null || continue
    for level in -O1 -O2 -Os; do same_object "$compiler" c -std=c17 $level; done
done
for compiler in "$CXX" clang++-14; do
    command -v "$compiler" >/dev/null || continue
    for level in -O1 -O2; do same_object "$compiler" cpp -std=c++17 $level; done
done

# Not optimised at all, there is still nothing to link.
"$CC" -c -O0 -I"$include" -DPROF_DISABLED with.c -o with.o
same "undefined symbols at -O0" "U chain_of" "$(nm with.o | grep -o '[Uw] .*')"
