#!/usr/bin/env bash
# The commands of README.md and of the pages of docs/ work, and print what the pages show: pages.py says how they are read.
# Those of docs/python.md and docs/slow_rank.md run in python/test_pages.
. "$(dirname "$0")/cuda_common.sh"

# The tools and the compilers as the page calls them, and a mpirun that starts ranks as Open MPI's does.
mkdir -m 700 run tools links
# Without a GPU, profrun simulates one; a process that was just started gets time before it is asked.
cat >tools/profrun <<PROFRUN
#!/bin/sh
exec "$PROF_BIN/profrun" --sim --force "\$@"
PROFRUN
cat >tools/profdump <<PROFDUMP
#!/bin/sh
[ "\$1" != ctl ] || sleep 0.5
exec "$PROF_BIN/profdump" "\$@"
PROFDUMP
printf '#!/bin/sh\ncat >/dev/null\n' >tools/flamegraph.pl
cat >tools/python <<PYTHON
#!/bin/sh
exec env LIBPROF_LIBRARY=$PROF_LIB/libprof.so.0 LIBPROF_BIN=$here/tools PYTHONPATH=$SOURCE_DIR/python_shim "$(command -v python3)" "\$@"
PYTHON
ln -s python tools/python3
for name in cudart cublas cublasLt; do
    ln -s "$SIM_LIB/lib$name.so.13" links/lib$name.so
done
# stands_for NAME COMPILER: by its path, or it would find itself
stands_for() {
    printf '#!/bin/sh\nexec "%s" "$@" -Wl,-rpath-link,"%s"\n' "$(command -v "$2")" "$SIM_LIB" >"tools/$1"
}
stands_for cc "$CC"
stands_for c++ "$CXX"
cat >tools/mpirun <<'MPIRUN'
#!/usr/bin/env bash
# mpirun -n COUNT COMMAND...
count=$2 ranks=()
shift 2
for ((rank = 0; rank < count; rank++)); do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_SIZE=$count "$@" &
    ranks+=($!)
done
for rank in "${ranks[@]}"; do
    wait "$rank" || exit
done
MPIRUN
chmod +x tools/*

# The library of the build is beside the tools' real place, so links will do.
unset PROF_TABLE
export PATH=$here/tools:$PATH CPATH=$include:$e2e_directory/../../examples LIBRARY_PATH=$here/links XDG_RUNTIME_DIR=$here/run
export EXAMPLES=$EXAMPLES_DIR
[[ -e $EXAMPLES_DIR/demo_ranges ]] || skip "the examples are not built"

page() { PAGES_PATH=$PATH python3 "$e2e_directory/pages.py" "$@" >page.txt; }

# A page that shows what is not so fails, for what is not so.
# wrong WHAT SENTENCE LINE...: a recipe of these lines
wrong() {
    printf '%s\n' "## Wrong" '```console' "${@:3}" '```' >wrong.md
    wrong_page "$1" "$2"
}
wrong_page() {
    rm -rf wrong
    ! page wrong.md wrong || fail "a page with $1 passes"
    found -F "$2" page.txt <page.txt || fail "a page with $1: $(cat page.txt)"
}
wrong "another line" "line 4: not printed: two" '$ echo one' two
wrong "a line once too often" "line 5: not printed: one" '$ echo one' one one
wrong "another number" "line 4: not printed: 8 ranges" '$ echo 9 ranges' '8 ranges'
wrong "a command that fails" "line 3: \$ false: exited with status 1" '$ false' '$ true'
wrong "another status" "line 5: not printed: 4" '$ (exit 3)' '$ echo $?' 4
wrong "a command that ends the shell" "line 4: \$ echo: was not run" '$ exit 0' '$ echo'
wrong "an old word" "line 3: \$ echo \"profdump: 'a' is now 'b'\": profdump: 'a' is now 'b'" "\$ echo \"profdump: 'a' is now 'b'\""
printf '%s\n' 'text' '```sh' '# comment' 'true' 'false   # fails' '```' >wrong.md
wrong_page "a failing command in a script" "line 5: \$ false   # fails: exited with status 1"
printf '%s\n' 'text' '' '    PROF_FULL=ring profrun -- ./app' >wrong.md
wrong_page "a command that nothing runs" "line 3: a command that is not in a block of sh or console"
printf '%s\n' '## Right' '```c file.c' 'text' '```' '```console' '$ cat file.c \' '  file.c; echo 1.5 ms of 3 steps' \
    'text' ... 'text' '700 us of 3 steps' '$ (exit 4)' '$ echo $?' 4 '```' '```sh not-run' 'false' '```' >right.md
page right.md right || fail "a page that is right: $(cat page.txt)"

# What commands name: programs, recordings of them, and what other profilers write.
mkdir files
cp "$EXAMPLES_DIR/demo_ranges" files/app
printf '%s\n' '#include <prof/prof.h>' '#include <unistd.h>' \
    'int main(void) { for (int i = 0; i < 300; i++) { PROF_RANGE("request"); usleep(50000); } }' >server.c
cc server.c -o files/server
printf '%s\n' 'import libprof' 'with libprof.record_function("train step"):' '    print("trained")' >files/train.py
(
    cd files
    profrun --stacks=range -q -o run.prof -- ./app >/dev/null
    for name in a b before after; do
        profrun -q -o $name.prof -- ./app >/dev/null
    done
    profdump --chrome rank0.pt.trace.json.gz run.prof
    profdump -o report.sqlite run.prof
) 2>files.txt || skip "profdump cannot write what the pages read: $(cat files.txt)"

# Every rule is in the page of findings, and nothing else.
status=0 skipped=0
profdump explain --rules | grep '^[a-z]' | sort >rules.txt
sed -n 's/^| `\([a-z0-9-]*\)` .*/\1/p' "$SOURCE_DIR/docs/findings.md" | sort | diff rules.txt - || {
    echo "docs/findings.md lists other rules (>) than profdump explain --rules (<)"
    status=1
}

for path in "$SOURCE_DIR"/README.md "$SOURCE_DIR"/docs/*.md; do
    name=$(basename "$path" .md) result=0
    [[ $name != python && $name != slow_rank ]] || continue
    rm -rf pages
    page "$path" pages files || result=$?
    case $result in
    0) ;;
    77) skipped=1 ;;
    *) status=1 ;;
    esac
    sed "s/^/$name: /" page.txt
done
no_violations "a page"
((status || !skipped)) || exit 77
exit $status
