#!/usr/bin/env bash
# profrun with the real library and the real profdump: what is recorded is found, shown and survives the program.
. "$(dirname "$0")/common.sh"
[ -z "$SANITIZE" ] || skip "a library with a sanitizer inside cannot be preloaded into ordinary programs"
rm -rf ./*
PROFRUN=$BIN_DIR/profrun
unset PROF_OUTPUT LD_PRELOAD
cat >ranges.c <<'PROGRAM'
#include <prof/prof.h>
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    prof_range_push("outer");
    for (int i = 0; i < 7; i++) {
        PROF_RANGE("inner");
    }
    prof_range_pop();
    if (argc > 1)
        raise(atoi(argv[1]));
    return 3;
}
PROGRAM
"$CC" -I"$SOURCE_DIR/libprof/include" ranges.c -o ranges || exit 1

./ranges
check "without profrun the program runs" 3 "$?"
check "and leaves nothing" "ranges ranges.c" "$(echo *)"

run -o run.prof ./ranges
check "status" 3 "$status"
check "stdout" "" "$out"
check_has "the table" "inner" "$err"
check_has "the file" "profrun: wrote run.prof (" "$err"
check "the table is printed once" 1 "$(echo "$err" | grep -c 'Self CPU time total')"
check_has "profdump reads it again" "outer" "$("$BIN_DIR/profdump" run.prof)"

run -o killed.prof ./ranges 9
check "killed" 137 "$status"
check_has "what was recorded until then is shown" "inner" "$err"
run -o crashed.prof ./ranges 11
check "crashed" 139 "$status"
check_has "what was recorded until the crash is shown" "inner" "$err"

run -o 'many-%p.prof' bash -c './ranges & ./ranges & wait'
check "two processes" 0 "$status"
check "two files" 2 "$(ls many-*.prof | wc -l)"
check_has "both are said" "wrote 2 files" "$err"

# A program that finds CUDA by itself, as PyTorch's libraries do, gets the simulated one too.
mkdir own
echo 'int cudaGetDeviceCount(int *count) { *count = 7; return 0; }' |
    "$CC" -shared -fPIC -x c - -Wl,-soname,libcudart.so.13 -o own/libcudart.so.13
cat >devices.c <<'PROGRAM'
#include <stdio.h>
int cudaGetDeviceCount(int *count);
int main(void)
{
    int count = 0;
    int status = cudaGetDeviceCount(&count);
    printf("%d %d\n", status, count);
    return 0;
}
PROGRAM
"$CC" devices.c own/libcudart.so.13 "-Wl,--disable-new-dtags,-rpath,$PWD/own" -o devices || exit 1
check "its own CUDA" "0 7" "$(./devices)"
run --sim -o devices.prof ./devices
check "the simulated one" "0 1" "$out"

run --sort bogus -o never.prof ./ranges
check "an unknown column is found before the run" 2 "$status"
check "and nothing recorded" "" "$(ls never.prof 2>/dev/null)"
run bash -c 'true; /bin/true'
check_has "nothing recorded" "bash recorded nothing" "$err"
finish
