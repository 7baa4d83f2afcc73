#!/usr/bin/env bash
# Every recipe of docs/cookbook.md does what the page shows: cookbook.py says how it is read.
. "$(dirname "$0")/cuda_common.sh"

# The tools and the compilers as the page calls them, and a mpirun that starts ranks as Open MPI's does.
mkdir -m 700 run tools links
ln -s "$PROF_BIN/profrun" "$PROF_BIN/profdump" tools/
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

page() { python3 "$e2e_directory/cookbook.py" "$@" >page.txt; }

# A page that shows what is not so fails, for what is not so.
# wrong WHAT SENTENCE LINE...: a recipe of these lines
wrong() {
    printf '%s\n' "## Wrong" '```console' "${@:3}" '```' >wrong.md
    rm -rf wrong
    ! page wrong.md wrong || fail "a page with $1 passes"
    found -F "$2" page.txt <page.txt || fail "a page with $1: $(cat page.txt)"
}
wrong "another line" "line 4: not printed: two" '$ echo one' two
wrong "a line once too often" "line 5: not printed: one" '$ echo one' one one
wrong "another number" "line 4: not printed: 8 ranges" '$ echo 9 ranges' '8 ranges'
wrong "a command that fails" "line 3: \$ false: ended with 1" '$ false' '$ true'
wrong "another status" "line 5: not printed: 4" '$ (exit 3)' '$ echo $?' 4
wrong "a command that ends the shell" "line 4: \$ echo: was not run" '$ exit 0' '$ echo'
printf '%s\n' '## Right' '```c file.c' 'text' '```' '```console' '$ cat file.c \' '  file.c; echo 1.5 ms of 3 steps' \
    'text' ... 'text' '700 us of 3 steps' '$ (exit 4)' '$ echo $?' 4 '```' >right.md
page right.md right || fail "a page that is right: $(cat page.txt)"

# The recipes with a database want a profdump that writes one.
PROF_TABLE=0 simulate any.prof "$EXAMPLES_DIR/demo_ranges" >out.txt
tables=$("$PROF_BIN/profdump" --sqlite any.sqlite any.prof 2>&1 || true)
[[ $tables != *"built without"* ]] || skip "$tables"

status=0
page "$e2e_directory/../../docs/cookbook.md" recipes || status=$?
no_violations "the cookbook"
((status == 0)) || cat page.txt
exit $status
