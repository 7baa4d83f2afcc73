#!/usr/bin/env bash
# Programs into which nothing can be preloaded: they run; one line says why, and another what to do.
. "$(dirname "$0")/common.sh"
make_tree

cat >program.c <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const char *preload = getenv("LD_PRELOAD");
    printf("ran with %d arguments, preload %s\n", argc - 1, preload ? "set" : "unset");
    return argc > 1 ? atoi(argv[1]) : 0;
}
PROGRAM
"$CC" -o ordinary program.c || exit 1
run ./ordinary 4
check "an ordinary program" "4 ran with 1 arguments, preload set" "$status $out"
check_lacks "needs no warning" "running it without recording" "$err"

if "$CC" -static -o static program.c 2>/dev/null; then
    run -o a.prof ./static 5
    check "a static program runs" "5 ran with 1 arguments, preload set" "$status $out"
    check "and the reason is said, and what to do, and nothing else" \
        "profrun: ./static is statically linked: nothing can be preloaded; running it without recording
profrun: build it without -static, and with 'nvcc -cudart shared' for --sim; programs that it starts are recorded" "$err"
    run -q ./static 6
    check "also with -q" "6" "$status"
    check_has "also with -q the warning comes" "statically linked" "$err"
    printf '#!%s\n' "$PWD/static" >by_static
    chmod +x by_static
    run ./by_static
    check_has "the interpreter of a script counts" "$PWD/static is statically linked" "$err"
fi
"$CC" -static-pie -o static_pie program.c 2>/dev/null && {
    run ./static_pie
    check_has "a static PIE" "statically linked" "$err"
}

# The same file with another ELF class, machine or loader: what matters is in the headers.
patch() {
    cp ordinary "$1"
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
patch bits32 4 '\001'
run ./bits32
check_has "a 32-bit program" "is a 32-bit program" "$err"
check_has "and what to do" "build libprof for the program's architecture" "$err"
patch machine 18 '\002\000'
run ./machine
check_has "another architecture" "another processor architecture" "$err"
check "which cannot be executed here" 126 "$status"
"$CC" -Wl,--dynamic-linker=/lib/ld-musl-$(uname -m).so.1 -o musl program.c
run ./musl
check_has "another libc" "uses musl" "$err"

# Libraries of another machine: this profrun's own, and another one in LD_PRELOAD.
case $(uname -m) in
x86_64) own=x86-64 other=aarch64 number='\267\000' ;;
*) own=aarch64 other=x86-64 number='\076\000' ;;
esac
cp tree/lib/libprof.so other.so
printf "$number" | dd of=other.so bs=1 seek=18 conv=notrunc 2>/dev/null
PROF_LIBRARY=$PWD/other.so run ./ordinary 7
check "a libprof.so of another machine" "2 profrun: cannot preload $PWD/other.so: it is a library for $other, and this profrun is \
for $own; set PROF_LIBRARY to a libprof.so for $own" "$status $err"
LD_PRELOAD=$PWD/other.so:$PWD/tree/lib/libprof.so run ./ordinary 8
check "one of each machine: the program runs" "8 ran with 1 arguments, preload set" "$status $out"
check_has "and it is said why the loader refuses one" "profrun: LD_PRELOAD names $PWD/other.so, a library for $other: programs \
for $own run without it" "$err"
check_has "the loader's own message" "cannot be preloaded" "$err"

printf '#!/bin/sh\necho "$LD_PRELOAD"\n' >script
chmod +x script
run ./script
check "a script is preloaded into its interpreter" "$PWD/tree/lib/libprof.so" "$out"
head -c 100 ordinary >stub
chmod +x stub
run ./stub
check "a torn ELF file" 126 "$status"

# Device code whose runtime is not expected from a library: the runtime is inside, and the simulated driver is not enough.
mkdir tree/lib/sim
cat >device_code.s <<'CODE'
.section .nv_fatbin,"a"
.quad 0
.section .note.GNU-stack,"",@progbits
CODE
echo 'void __cudaRegisterFatBinary(void) {}' >runtime.c
"$CC" -shared -fPIC -Wl,-soname,libruntime.so runtime.c -o libruntime.so
echo 'void __cudaRegisterFatBinary(void); int kernels(void) { __cudaRegisterFatBinary(); return 0; }' >kernels.c
"$CC" -shared -fPIC -Wl,-soname,libkernels.so kernels.c runtime.c device_code.s -o libkernels.so
"$CC" -shared -fPIC -Wl,-soname,libcublas.so.12 kernels.c runtime.c device_code.s -o libcublas.so.12
embeds() {
    run --sim "$1" 3
    check "$1 does not run" "125 " "$status $out"
    check "$1: why, and what to do" "profrun: $2 contains the CUDA runtime; --sim needs the shared one
profrun: build it with 'nvcc -cudart shared' (CMake: CUDA_RUNTIME_LIBRARY Shared); the program was not run" "$err"
    run "$1" 3
    check "$1 runs without --sim" "3 ran with 1 arguments, preload set" "$status $out"
}
"$CC" -o embeds program.c kernels.c runtime.c device_code.s
embeds ./embeds ./embeds
strip -o stripped embeds
embeds ./stripped ./stripped
"$CC" -o linked program.c -Wl,--no-as-needed,-rpath,"$PWD" -L. -lkernels
embeds ./linked "$PWD/libkernels.so"
"$CC" -o shared program.c kernels.c device_code.s "-Wl,-rpath,$PWD" -L. -lruntime
"$CC" -o with_cublas program.c -Wl,--no-as-needed,-rpath,"$PWD" libcublas.so.12
for program in ./shared ./with_cublas ./script; do
    run --sim "$program"
    check "$program runs" 0 "$status"
    check_lacks "$program" "contains the CUDA runtime" "$err"
done

if [ "$(id -u)" -eq 0 ]; then
    directory=$(mktemp -d /tmp/profrun-test.XXXXXX)
    cp ordinary "$directory/setuid"
    chown nobody "$directory/setuid"
    chmod 4755 "$directory/setuid"
    run "$directory/setuid" 3
    if findmnt -no OPTIONS -T "$directory" 2>/dev/null | grep -w nosuid >/dev/null; then
        echo "note: $directory is mounted nosuid, setuid not tested"
    else
        check "a setuid program runs, the loader drops the preload" \
            "3 ran with 1 arguments, preload unset" "$status $out"
        check_has "and it is said" "gains privileges" "$err"
        check_has "and what to do" "run it as the user" "$err"
    fi
    chown root "$directory/setuid"
    chmod 4755 "$directory/setuid"
    run "$directory/setuid" 3
    check_lacks "setuid to oneself changes nothing" "gains privileges" "$err"
    rm -r "$directory"
else
    echo "note: not root, setuid not tested"
fi
finish
