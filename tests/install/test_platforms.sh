#!/usr/bin/env bash
# CMake refuses a processor that libprof does not support, a 32-bit build and a big-endian one, and names those that it supports.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "FAILED: $1"
    exit 1
}

# refuses BUILD COMPILER OPTION...: nothing is linked, since the compiler may have no libraries for such a build.
refuses() {
    rm -rf refused
    ! "$CMAKE" -S "$SOURCE_DIR" -B refused -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
        -DCMAKE_C_COMPILER="$2" "${@:3}" >cmake.txt 2>&1 || fail "$1 is not refused"
    tr -s ' \n' ' ' <cmake.txt | grep -qF "libprof runs on x86-64 and on little-endian aarch64, not on $1" || fail "$1: $(cat cmake.txt)"
}

# compiles COMPILER OPTION: whether it does.
compiles() { echo | "$1" "$2" -x c -c - -o object.o 2>/dev/null; }

refuses "riscv64 (64 bits, LITTLE_ENDIAN)" "$CC" -DCMAKE_SYSTEM_PROCESSOR=riscv64
if compiles "$CC" -m32; then
    refuses "x86_64 (32 bits, LITTLE_ENDIAN)" "$CC" -DCMAKE_SYSTEM_PROCESSOR=x86_64 -DCMAKE_C_FLAGS=-m32
fi
for compiler in "$CC" aarch64-linux-gnu-gcc; do
    if compiles "$compiler" -mbig-endian; then
        refuses "aarch64 (64 bits, BIG_ENDIAN)" "$compiler" -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_FLAGS=-mbig-endian
    fi
done
echo "all passed"
