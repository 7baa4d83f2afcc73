#!/usr/bin/env bash
# What the profrun tests share: sourced, not run. They start in an empty directory of their own.
#
# libprof.so is replaced by a stand-in that leaves a file at PROF_OUTPUT and names it in PROF_SESSION_FILE, so
# that these tests fail for profrun's mistakes only; profdump by a script that shows its arguments.

set -u
: "${BIN_DIR:?}" "${CC:?}"
failures=0
# a profrun built with AddressSanitizer must bear what the tests preload
export ASAN_OPTIONS=verify_asan_link_order=0

fail() {
    echo "FAILED: $1"
    shift
    for line in "$@"; do
        echo "    $line"
    done
    failures=$((failures + 1))
}

# check WHAT WANTED GOT
check() {
    if [ "$2" != "$3" ]; then
        fail "$1" "wanted: $2" "got:    $3"
    fi
}

# check_has WHAT PART TEXT
check_has() {
    case $3 in
    *"$2"*) ;;
    *) fail "$1" "wanted somewhere: $2" "got: $3" ;;
    esac
}

# check_lacks WHAT PART TEXT
check_lacks() {
    case $3 in
    *"$2"*) fail "$1" "not wanted: $2" "got: $3" ;;
    esac
}

skip() {
    echo "skipped: $1"
    exit 77
}

finish() {
    [ "$failures" -eq 0 ] && echo "all passed"
    exit $((failures != 0))
}

# Makes ./tree/bin/{profrun,profdump} and ./tree/lib/libprof.so, and sets PROFRUN.
make_tree() {
    rm -rf ./*
    mkdir -p tree/bin tree/lib
    cp "$BIN_DIR/profrun" tree/bin/
    cat >tree/bin/profdump <<'STAND_IN'
#!/bin/sh
case "$*" in
*bogus*--version) echo "profdump: no such column" >&2; exit 2 ;;
*) echo "TABLE $*" ;;
esac
STAND_IN
    chmod +x tree/bin/profdump
    cat >stand_in.c <<'STAND_IN'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void stand_in(void)
{
    const char *session = getenv("PROF_SESSION_FILE"), *output = getenv("PROF_OUTPUT");
    FILE *file = output && !strchr(output, '%') ? fopen(output, "wx") : NULL;
    if (file) {
        fputs("recording\n", file);
        fclose(file);
        file = session ? fopen(session, "a") : NULL;
    }
    if (file) {
        fprintf(file, "%s\n", output);
        fclose(file);
    }
    file = session && getenv("STAND_IN_SAYS") ? fopen(session, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", getenv("STAND_IN_SAYS"));
        fclose(file);
    }
}
STAND_IN
    "$CC" -shared -fPIC -o tree/lib/libprof.so stand_in.c || exit 1
    PROFRUN=$PWD/tree/bin/profrun
    unset PROF_LIBRARY PROF_OUTPUT CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH INTEL_LIBITTNOTIFY64 LD_PRELOAD
    export TMPDIR=$PWD/tmp XDG_RUNTIME_DIR=
    mkdir tmp
}

# Runs profrun; leaves its stdout in $out, stderr in $err, status in $status.
run() {
    out=$("$PROFRUN" "$@" 2>err.txt)
    status=$?
    err=$(cat err.txt)
}

# Waits until `test "$@"` holds, at most ten minutes.
wait_until() {
    for _ in $(seq 12000); do
        if test "$@"; then
            return 0
        fi
        sleep 0.05
    done
    fail "waited in vain for: $*"
    return 1
}
