#!/usr/bin/env bash
# Another project gets libprof from an installation, by pkg-config and by find_package, from C and from C++, and from
# its sources, by add_subdirectory and by FetchContent. The target uninstall removes an installation.
set -eu
. "$SOURCE_DIR/tests/install/install_common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
prefix=$work/prefix

fail() {
    echo "FAILED: $1"
    exit 1
}

# Uninstalling removes the files and the directories that were created for them, and nothing else.
uninstall() { "$CMAKE" -DBUILD_DIR="$PWD/notes" -P "$SOURCE_DIR/libprof/cmake/prof_uninstall.cmake" >uninstall.log 2>&1; }
"$CMAKE" --build "$BUILD_DIR" --target help >targets.txt
for target in prof_uninstall uninstall; do
    grep -qw "$target" targets.txt || fail "there is no target $target"
done
export DESTDIR=$PWD/stage
mkdir -p stage/usr/share/man/man1 stage/usr/lib
touch stage/usr/lib/others.so
(cd stage && find . | sort) >before.txt
install_into /usr
touch stage/usr/include/prof/mine.h
[ -L stage/usr/lib*/libprof.so ] || [ -L stage/usr/lib/*/libprof.so ] || fail "DESTDIR is not followed"
uninstall || fail "uninstall: $(cat uninstall.log)"
(cd stage && find . ! -path './usr/include*' | sort) | diff before.txt - || fail "uninstall leaves this, or takes too much"
[ -e stage/usr/include/prof/mine.h ] || fail "uninstall takes what was not installed"
! uninstall || fail "uninstall finds something to remove again"
grep -q 'nothing was installed' uninstall.log || fail "uninstall does not say that there is nothing: $(cat uninstall.log)"

# That holds after a second installation, and if a file is already gone.
install_into /usr
install_into /usr
rm stage/usr/bin/profrun stage/usr/include/prof/mine.h
uninstall || fail "uninstall after two installations: $(cat uninstall.log)"
(cd stage && find . | sort) | diff before.txt - || fail "uninstall after two installations leaves this"
unset DESTDIR

install_into "$prefix"
for file in bin/profrun bin/profdump include/prof/prof.h include/prof/trace.h include/prof/block.h include/prof/format.h \
    share/man/man1/profrun.1 share/man/man3/prof_range_push.3 share/man/man3/prof_trace_open.3 share/bash-completion/completions/profrun share/zsh/site-functions/_profdump \
    share/fish/vendor_completions.d/profdump.fish share/libprof/skills/libprof/SKILL.md share/libprof/skills/libprof/references/read.md; do
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
cat >headers.c <<'HEADERS'
#include <prof/prof.h>
#include <stdio.h>
int main(void)
{
    PROF_RANGE("headers");
    puts(prof_version() ? "linked" : "absent");
    return 0;
}
HEADERS

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
    [ "$(pkg-config --cflags --libs libprof)" = "$(pkg-config --cflags --libs prof)" ] || fail "libprof by pkg-config"
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

# A project with settings of its own; -DWAY=... selects how it gets libprof.
cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.22)
project(consumer VERSION 7 LANGUAGES C)
enable_testing()
foreach(name IN ITEMS prof product recorder library sim sim_cuda demo example_demo bench bench_harness tests test_all
        test_support test_model make_traces install_prof uninstall lint format docs)
    add_custom_target(${name})
endforeach()
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wcast-qual -Wconversion -Wswitch-enum
    -Wmissing-declarations -Wredundant-decls -Wunused-macros -Wpadded -Werror)
set(CMAKE_C_STANDARD 11)
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_DEBUG_POSTFIX d)
set(CMAKE_C_CPPCHECK false) # finds fault with everything
set(PROF_BUILD_TESTS ON CACHE BOOL "")

get_cmake_property(before CACHE_VARIABLES)
if(WAY STREQUAL "find_package")
    find_package(prof 0.1 REQUIRED COMPONENTS prof trace OPTIONAL_COMPONENTS none)
    if(prof_none_FOUND)
        message(FATAL_ERROR "a component that is none is found")
    endif()
    find_package(libprof 0.1 QUIET REQUIRED COMPONENTS prof OPTIONAL_COMPONENTS none)
    if(NOT libprof_prof_FOUND OR libprof_none_FOUND)
        message(FATAL_ERROR "find_package(libprof) differs")
    endif()
elseif(WAY STREQUAL "add_subdirectory")
    add_subdirectory("${LIBPROF}" libprof)
else()
    include(FetchContent)
    FetchContent_Declare(libprof SOURCE_DIR "${LIBPROF}" BINARY_DIR "${CMAKE_BINARY_DIR}/libprof")
    FetchContent_MakeAvailable(libprof)
endif()
get_cmake_property(after CACHE_VARIABLES)
list(REMOVE_ITEM after ${before})
list(FILTER after EXCLUDE REGEX "^(PROF_|prof_DIR$|libprof_|(_GNUInstallDirs_LAST_)?CMAKE_INSTALL_|FETCHCONTENT_|CMAKE_HAVE_|_?FIND_PACKAGE_)")
if(after OR NOT "$CACHE{CMAKE_BUILD_TYPE}" STREQUAL "${BUILD_TYPE}")
    message(FATAL_ERROR "set for the whole project: ${after} $CACHE{CMAKE_BUILD_TYPE}")
endif()

function(check_names directory)
    get_property(names DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER names EXCLUDE REGEX "^(prof_.*|profrun|profdump)$")
    if(names)
        message(FATAL_ERROR "targets of ${directory}: ${names}")
    endif()
    get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    foreach(next IN LISTS below)
        check_names("${next}")
    endforeach()
endfunction()
if(NOT WAY STREQUAL "find_package")
    check_names("${LIBPROF}")
endif()

file(GENERATE OUTPUT library.txt CONTENT "$<TARGET_SONAME_FILE_NAME:prof::prof>\n")

set(CMAKE_UNITY_BUILD OFF)
set(CMAKE_C_CPPCHECK "")
add_executable(consumer_c consumer.c)
target_link_libraries(consumer_c PRIVATE prof::prof)
add_executable(headers_c headers.c)
target_link_libraries(headers_c PRIVATE prof::headers)
if(READER)
    add_executable(reader_c reader.c)
    target_link_libraries(reader_c PRIVATE prof::trace)
endif()
if(CONSUMER_CXX)
    enable_language(CXX)
    add_executable(consumer_cpp consumer.cpp)
    target_link_libraries(consumer_cpp PRIVATE prof::prof)
endif()
if(CONSUMER_CXX AND READER)
    add_executable(reader_cpp reader.cpp)
    target_link_libraries(reader_cpp PRIVATE prof::trace)
endif()
PROJECT

# configure WAY [ARGUMENT]...: into WAY/
configure() {
    "$CMAKE" -S . -B "$1" -DWAY="$1" -DLIBPROF="$SOURCE_DIR" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
        -DCONSUMER_CXX="${CXX:-}" "${@:2}" >"$1.log" 2>&1 || fail "configuring with $1: $(cat "$1.log")"
}
build() { "$CMAKE" --build "$1" --parallel 2 >"$1.log" 2>&1 || fail "building with $1: $(cat "$1.log")"; }

# moved as a whole: neither package file may hold the prefix it was installed under
mv "$prefix" "$PWD/moved"
configure find_package -DREADER=ON -DCMAKE_PREFIX_PATH="$PWD/moved"
[ "$(grep -c 'libprof: to record a program' find_package.log)" = 1 ] || fail "the way to record is not said once"
build find_package
for program in consumer_c ${CXX:+consumer_cpp}; do
    find_package/$program "$version" || fail "$program by find_package"
done
for program in reader_c ${CXX:+reader_cpp}; do
    find_package/$program || fail "$program by find_package"
done

[ "$(find_package/headers_c)" = absent ] || fail "prof::headers links the library"

if [ -z "$SANITIZE" ]; then
    moved/bin/profrun sh -c 'echo "$LD_PRELOAD"' >preload.txt 2>/dev/null || fail "profrun"
    [ -e "$(cat preload.txt)" ] || fail "profrun does not find the library: $(cat preload.txt)"
fi

# From the sources. Only what is compiled differently has to be compiled again: the launcher takes objects that
# the build tree has, except those of libprof.so's own folder.
cat >launcher <<'LAUNCHER'
#!/usr/bin/env bash
for ((i = 1; i < $#; i++)); do
    [ "${!i}" = -o ] && next=$((i + 1)) && object=$PWD/${!next}
done
ready=$BUILD_DIR/${object#"$EMBEDDED"/}
case $ready in
*/prof_library.dir/*) exec "$@" ;;
esac
[ -e "$ready" ] || exec "$@"
cp "$ready" "$object"
LAUNCHER
chmod +x launcher
export EMBEDDED=$PWD/add_subdirectory/libprof
configure add_subdirectory -DCMAKE_C_COMPILER_LAUNCHER="$PWD/launcher" -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-Map=$PWD/linked.txt"
build add_subdirectory
for program in consumer_c ${CXX:+consumer_cpp}; do
    add_subdirectory/$program "$version" || fail "$program by add_subdirectory"
done
[ -e add_subdirectory/libprof/lib/libprof.so ] || fail "libprof.so is not among libprof's own files"
find add_subdirectory/libprof -name '*.o' -printf '%f\n' | sort -u >compiled.txt
grep -oE '[a-z0-9_]+\.c\.o' linked.txt | sort -u | comm -23 compiled.txt - >unused.txt
[ ! -s unused.txt ] || fail "compiled, and not in libprof.so: $(cat unused.txt)"
built=$(find add_subdirectory \( -name profdump -o -name profrun -o -name 'libprofdump.so*' -o -name libcuda.so.1 \) -type f)
[ -z "$built" ] || fail "built though nobody needs it: $built"
[ ! -e add_subdirectory/compile_commands.json ] || fail "compile_commands.json is written"
[ ! -e add_subdirectory/CMakeFiles/VerifyGlobs.cmake ] || fail "every build of the project looks for sources of libprof"
(cd add_subdirectory && "$(dirname "$CMAKE")/ctest" -N) | grep -q 'Total Tests: 0' || fail "libprof's tests are the project's"
"$CMAKE" --install add_subdirectory --prefix "$PWD/none" >none.log || fail "installing a project with libprof: $(cat none.log)"
[ ! -e none ] || fail "libprof is installed with a project that did not ask for it"

configure FetchContent -DCMAKE_BUILD_TYPE=Debug -DBUILD_TYPE=Debug
grep -qx "libprof.so.${version%%.*}" FetchContent/library.txt || fail "another name: $(cat FetchContent/library.txt)"
echo "all passed"
