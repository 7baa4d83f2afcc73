#!/usr/bin/env bash
# libprof makes no process that the program, a tracer or a debugger could see.
. "$(dirname "$0")/common.sh"

compile waits_for_all
compile numbered
same "children" 1 "$(record run.prof ./waits_for_all)"
expect run.prof 'count["range"] == 4000000' 'not any(raw.loss)' 'process["closed"]'

# Nor where a table is printed at the end: a debugger stays with the program.
if command -v gdb >/dev/null; then
    cat >commands.gdb <<GDB
set startup-with-shell off
set follow-fork-mode child
set environment LD_PRELOAD $lib
set environment PROF_OUTPUT run.prof
set environment PROF_TABLE 1
run
GDB

    rm run.prof
    timeout 600 gdb -q -batch -x commands.gdb --args ./numbered 1000000 >gdb.txt 2>&1 </dev/null || fail "gdb: $(cat gdb.txt)"
    ! found 'ttaching after' <gdb.txt || fail "gdb left the program for a child: $(cat gdb.txt)"
    found 'exited normally' <gdb.txt || fail "gdb did not stay: $(cat gdb.txt)"
    found 'Ledger: ' <gdb.txt || fail "no table: $(cat gdb.txt)"
fi

if command -v strace >/dev/null; then
    rm run.prof
    timeout 600 strace -f -qq -e trace=clone,clone3,fork,vfork -o calls.txt env LD_PRELOAD="$lib" PROF_OUTPUT=run.prof \
        ./numbered 1000000 >numbered.txt || fail "strace: $?"
    ! grep -vE 'CLONE_THREAD|resumed' calls.txt || fail "processes were made"
fi
