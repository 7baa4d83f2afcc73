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
for header in prof format; do
    echo "#include <prof/$header.h>" >$header.c
    cp $header.c $header.cpp
done

for compiler in "$CC" clang-14 clang; do
    command -v "$compiler" >/dev/null || continue
    for standard in c11 gnu11 c17; do
        for file in prof.c format.c; do compiles "$compiler" $standard $file; done
        compiles "$compiler" $standard use.c -Wno-pedantic
        compiles "$compiler" $standard use.c -Wno-pedantic -DPROF_LINKED -O2
    done
done
for compiler in "$CXX" clang++-14 clang++; do
    command -v "$compiler" >/dev/null || continue
    for standard in c++17 gnu++17 c++20; do
        for file in prof.cpp format.cpp; do compiles "$compiler" $standard $file; done
        compiles "$compiler" $standard use.cpp -Wno-pedantic
        compiles "$compiler" $standard use.cpp -Wno-pedantic -DPROF_LINKED -O2
    done
done
