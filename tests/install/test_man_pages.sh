#!/usr/bin/env bash
# Every function of the public headers has a manual page that shows it as it is declared, and is found by its name.
set -eu

fail() {
    echo "FAILED: $1"
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$SOURCE_DIR/tests/install/install_common.sh"
install_into "$PWD/prefix"
include=$SOURCE_DIR/libprof/include/prof
installed=$PWD/prefix/share/man/man3
check() {
    python3 "$SOURCE_DIR/tests/install/man_pages.py" "$1" \
        <(cat "$SOURCE_DIR/libprof/prof.sym" "$SOURCE_DIR/export/library/profdump.sym") "$installed"
}
check "$include" || fail "headers and pages differ"

# seen WHAT FILE EXPRESSION SENTENCE: a copy in which sed changes FILE is found fault with.
seen() {
    rm -rf copy
    cp -r "$include" copy
    sed -i "$3" "copy/$2"
    ! check copy >wrong.txt || fail "$1 passes"
    grep -q "$4" wrong.txt || fail "$1: $(cat wrong.txt)"
}
seen "a function without a page" prof.h 's/prof_mark/prof_remark/' "prof_remark is not described"
seen "another parameter" block.h 's/(const char \*path)/(const char *file)/' "prof_dump_etprof: the header has"
seen "a function without a description" prof.3 '/^.It Fn prof_step /d' "prof_step is not described"
seen "a function of traces with another parameter" trace.h 's/size_t count/size_t number/' "prof_trace_open: the header has"
seen "a function that is no name of its page" prof.3 '/^.Nm prof_loss/d' "prof_loss is no name of its page"

if command -v mandoc >/dev/null; then
    for page in "$include"/*.3; do
        mandoc -Tlint -W warning "$page" || fail "mandoc finds fault with $page"
    done
    mandoc -Tutf8 "$installed/prof_python.3" | grep -q PROF_TAKEN || fail "prof_python.3 is not shown"
    mandoc -Tutf8 "$installed/prof_arrow.3" | grep -q PROF_ARROW_KERNELS || fail "prof_arrow.3 is not shown"
else
    echo "note: mandoc is missing, the pages were not linted"
fi
