#!/usr/bin/env bash
# An installed libprof is found by pkg-config and by find_package, from C and from C++, and profrun finds the
# library beside itself.
set -eu
prefix=$PWD/prefix
rm -rf ./*
"$CMAKE" --install "$BUILD_DIR" --prefix "$prefix" >install.log

fail() {
    echo "FAILED: $1"
    exit 1
}

for file in bin/profrun bin/profdump include/prof/prof.h include/prof/trace.h include/prof/block.h include/prof/format.h \
    share/man/man1/profrun.1 share/man/man3/prof_range_push.3 share/man/man3/prof_trace_open.3 share/bash-completion/completions/profrun share/zsh/site-functions/_profdump \
    share/fish/vendor_completions.d/profdump.fish; do
    [ -e "$prefix/$file" ] || fail "$file is not installed"
done
library=$(find "$prefix" -name libprof.so)
[ -n "$library" ] || fail "libprof.so is not installed"
libraries=$(dirname "$library")

# What is installed must not refer to the build tree.
if grep -rIl "$BUILD_DIR" "$prefix"; then
    fail "these files name the build tree"
fi
for file in "$prefix"/bin/* "$library" "$libraries/libprofdump.so"; do
    if readelf -d "$file" | grep -E 'RPATH|RUNPATH'; then
        fail "$file has a run path"
    fi
done

cat >consumer.c <<'CONSUMER'
#include <prof/prof.h>
#include <stdio.h>
#include <string.h>
#ifndef PROF_LINKED
#error "the package must say that the library is linked"
#endif
int main(int argc, char **argv)
{
    PROF_RANGE("consumer");
    prof_range_push("inner");
    prof_range_pop();
    const char *version = prof_version();
    puts(version ? version : "absent");
    return version && argc == 2 && strcmp(version, argv[1]) == 0 ? 0 : 1;
}
CONSUMER
cp consumer.c consumer.cpp

# The library that reads traces, which is none of the recorder's.
cat >reader.c <<'READER'
#include <prof/trace.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    const char *const paths[] = {"no such file"};
    struct prof_trace *trace;
    puts(prof_trace_format(0));
    return prof_trace_open(paths, 1, NULL, &trace) == PROF_FAILED && strstr(prof_trace_error(NULL), paths[0]) ? 0 : 1;
}
READER
cp reader.c reader.cpp

# Libraries of a sanitizer build need its run-time first; what is tested here does not depend on it.
version=$(cat "$SOURCE_DIR/VERSION")
flags=
[ -z "$SANITIZE" ] || flags=-fsanitize=$SANITIZE

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$libraries/pkgconfig
    # --as-needed: the distributions' default, must not drop the library
    "$CC" $flags consumer.c -Wl,--as-needed $(pkg-config --cflags --libs prof) -o consumer_pc
    LD_LIBRARY_PATH=$libraries ./consumer_pc "$version" || fail "C by pkg-config"
    "$CC" $flags reader.c -Wl,--as-needed $(pkg-config --cflags --libs prof-trace) -o reader_pc
    LD_LIBRARY_PATH=$libraries ./reader_pc || fail "prof-trace by pkg-config"
    if [ -n "${CXX:-}" ]; then
        "$CXX" -std=c++17 $flags consumer.cpp -Wl,--as-needed $(pkg-config --cflags --libs prof) \
            -o consumer_pc_cpp
        LD_LIBRARY_PATH=$libraries ./consumer_pc_cpp "$version" || fail "C++ by pkg-config"
    fi
else
    echo "note: pkg-config is missing, prof.pc not tested"
fi

cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(prof 0.1 REQUIRED COMPONENTS prof trace OPTIONAL_COMPONENTS none)
if(prof_none_FOUND)
    message(FATAL_ERROR "a component that is none is found")
endif()
add_executable(reader_c reader.c)
target_link_libraries(reader_c PRIVATE prof::trace)
add_executable(consumer_c consumer.c)
target_link_libraries(consumer_c PRIVATE prof::prof)
if(CONSUMER_CXX)
    enable_language(CXX)
    add_executable(consumer_cpp consumer.cpp)
    target_link_libraries(consumer_cpp PRIVATE prof::prof)
    add_executable(reader_cpp reader.cpp)
    target_link_libraries(reader_cpp PRIVATE prof::trace)
endif()
PROJECT
# moved as a whole: neither package file may hold the prefix it was installed under
mv "$prefix" "$PWD/moved"
"$CMAKE" -S . -B consumer_build -DCMAKE_PREFIX_PATH="$PWD/moved" -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_CXX_FLAGS="$flags" -DCONSUMER_CXX="${CXX:-}" >cmake.log 2>&1 ||
    { cat cmake.log; fail "find_package"; }
"$CMAKE" --build consumer_build >>cmake.log 2>&1 || { cat cmake.log; fail "build with find_package"; }
consumer_build/consumer_c "$version" || fail "C by find_package"
consumer_build/reader_c || fail "prof::trace in C"
[ -z "${CXX:-}" ] || consumer_build/reader_cpp || fail "prof::trace in C++"
[ -z "${CXX:-}" ] || consumer_build/consumer_cpp "$version" || fail "C++ by find_package"

if [ -z "$SANITIZE" ]; then
    moved/bin/profrun sh -c 'echo "$LD_PRELOAD"' >preload.txt 2>/dev/null || fail "profrun"
    [ -e "$(cat preload.txt)" ] || fail "profrun does not find the library: $(cat preload.txt)"
fi
echo "all passed"
