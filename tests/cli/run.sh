#!/usr/bin/env bash
# Golden tests of profdump: what a command prints, to the byte, and how it ends.
#
#     run.sh [--update] BIN_DIR [CASE...]
#
# A case is cases/NAME.sh, run by bash in an empty directory that holds the traces of make_traces.c, with profdump first
# in PATH. Expected are NAME.out (stdout), NAME.err (stderr; none when empty) and NAME.exit (none when 0).
# --update writes them. All JSON that the cases ask for must be as its schema says: see check_schemas.py.
# BIN_DIR/../test/make_traces is used where it was built, else it is compiled with $CC.
set -u
umask 022 # what is written has modes

here=$(cd "$(dirname "$0")" && pwd)
update=0
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
if [ $# -lt 1 ] || [ ! -x "$1/profdump" ]; then
    echo "usage: run.sh [--update] BIN_DIR [CASE...]; BIN_DIR holds profdump" >&2
    exit 2
fi
bin=$(cd "$1" && pwd)
shift

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

make_traces=$bin/../test/make_traces
if [ ! -x "$make_traces" ]; then
    make_traces=$work/make_traces
    "${CC:-cc}" -std=c17 -D_GNU_SOURCE -I"$here/../support" -I"$here/../../libprof/include" "$here"/make_traces.c "$here"/make_diffs.c "$here"/make_executorch.c \
        "$here"/../support/trace_*.c -o "$make_traces" || exit 1
fi
mkdir "$work/traces" && "$make_traces" "$work/traces" || exit 1
databases=0
if [ -x "$bin/../test/make_databases" ]; then
    mkdir "$work/databases" && "$bin/../test/make_databases" "$work/databases" || exit 1
    databases=1
fi

# A text as a regular expression.
quoted() { sed 's/[][\.*^$+?(){}|,]/\\&/g' <<<"$1"; }

# What depends on the machine: the version, and where this folder is.
normalize() {
    sed -E 's/(profdump |"libprof": ?")[0-9]+\.[0-9]+\.[0-9]+[-a-z]*/\1VERSION/; s,"'"$(quoted "$here")"'/,"CASES/,g'
}

# In front of profdump; not where a case is about the stream that it writes to.
mkdir "$work/kept" "$work/keeper" && ln -s "$here/keep_json.sh" "$work/keeper/profdump"
keeper_of() {
    case $1 in
    closed_pipe | stdout_full | table_formats | exports_keep_recordings) ;;
    *) echo "$work/keeper:" ;;
    esac
}

# expect FILE TEXT_FILE: compares, or updates. An empty text has no file.
expect() {
    if [ $update = 1 ]; then
        if [ -s "$2" ]; then cp "$2" "$1"; else rm -f "$1"; fi
        return 0
    fi
    if [ -e "$1" ]; then diff -u "$1" "$2"; else diff -u /dev/null "$2"; fi
}

run_case() {
    local name=$1 status=0
    mkdir "$work/$name"
    (
        cd "$work/$name" || exit 1
        # Times that are not the same: "the newest trace" must be clear.
        if [[ $name == sqlite_* ]]; then cp "$work"/databases/* .; fi
        cp "$work"/traces/*.prof . && touch -d '2020-01-01' ./*.prof
        unset NO_COLOR CLICOLOR_FORCE
        PATH=$(keeper_of "$name")$bin:$PATH KEPT=$work/kept PROFDUMP=$bin/profdump LC_ALL=C CASES=$here TRACES=$work/traces TERM=xterm bash "$here/cases/$name.sh" >"$work/out" 2>"$work/err" </dev/null
        echo $? >"$work/exit"
    )
    normalize <"$work/out" >"$work/out.txt"
    normalize <"$work/err" >"$work/err.txt"
    grep -v '^0$' "$work/exit" >"$work/exit.txt"
    expect "$here/cases/$name.out" "$work/out.txt" || status=1
    expect "$here/cases/$name.err" "$work/err.txt" || status=1
    expect "$here/cases/$name.exit" "$work/exit.txt" || status=1
    return $status
}

failed=0
count=0
for script in "$here"/cases/*.sh; do
    name=$(basename "$script" .sh)
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then
        continue
    fi
    if [ $databases = 0 ] && [[ $name == sqlite_* ]]; then
        continue # built without libsqlite3
    fi
    count=$((count + 1))
    if ! run_case "$name"; then
        echo "FAILED: $name"
        failed=$((failed + 1))
    fi
done
if [ $# -eq 0 ] && [ $databases = 1 ] && ! python3 "$here/check_schemas.py" "$bin/profdump" "$work/kept"; then
    echo "FAILED: schemas"
    failed=$((failed + 1))
fi
echo "$count cases, $failed failed"
[ $failed = 0 ] && [ $count -gt 0 ]
