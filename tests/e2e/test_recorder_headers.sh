#!/usr/bin/env bash
# The public headers compile alone, without a warning, in every language they are for.
. "$(dirname "$0")/common.sh"

warnings=(-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror -fsyntax-only -I"$include")

# compiles COMPILER STANDARD FILE FLAG...
compiles() {
    "$1" -std="$2" "${warnings[@]}" "${@:4}" "$3" || fail "$*"
}

cat >use.c <<'USE'
#include <prof/prof.h>
void use(const char *name);
void use(const char *name)
{
    struct prof_site site = {"site", 0};
    PROF_RANGE("one");
    PROF_RANGE("two in one scope");
    prof_range_push_site(&site);
    prof_range_end(prof_range_begin(name));
    prof_range_pop();
}
USE
cp use.c use.cpp
cat >>use.cpp <<'USE'
void scopes()
{
    prof::range range("range");
    prof::range sized("sized", 3);
}
USE
cat >use_block.c <<'USE'
#include <prof/block.h>
prof_status use(const char *name);
prof_status use(const char *name)
{
    PROF_CREATE_BLOCK(name);
    PROF_SCOPE(name); PROF_SCOPE("two on one line");
    PROF_INSTRUCTION_SCOPE(0, 1u);
    PROF_INSTRUCTION_SCOPE(PROF_NO_CHAIN, 2u);
    uint64_t token = PROF_BEGIN(name);
    uint32_t allocator = PROF_TRACK_ALLOCATOR(name);
    PROF_TRACK_ALLOCATION(allocator, sizeof token);
    PROF_END(token);
    PROF_RESET_RESULTS();
    PROF_DUMP_RESULTS(name);
    return PROF_DUMP_RESULTS(name);
}
USE
cp use_block.c use_block.cpp
for header in prof format block arrow trace; do
    echo "#include <prof/$header.h>" >$header.c
    cp $header.c $header.cpp
done

for compiler in "$CC" clang-14 clang; do
    command -v "$compiler" >/dev/null || continue
    for standard in c11 gnu11 c17; do
        for file in prof.c format.c block.c arrow.c trace.c; do compiles "$compiler" $standard $file; done
        for file in use.c use_block.c; do
            compiles "$compiler" $standard $file -Wno-pedantic
            compiles "$compiler" $standard $file -Wno-pedantic -DPROF_LINKED -O2
            compiles "$compiler" $standard $file -Wno-pedantic -DPROF_DISABLED
        done
    done
done
for compiler in "$CXX" clang++-14 clang++; do
    command -v "$compiler" >/dev/null || continue
    for standard in c++17 gnu++17 c++20; do
        for file in prof.cpp format.cpp block.cpp arrow.cpp trace.cpp; do compiles "$compiler" $standard $file; done
        for file in use.cpp use_block.cpp; do
            compiles "$compiler" $standard $file -Wno-pedantic
            compiles "$compiler" $standard $file -Wno-pedantic -DPROF_LINKED -O2
            compiles "$compiler" $standard $file -Wno-pedantic -DPROF_DISABLED
        done
    done
done
