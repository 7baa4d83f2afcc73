# What the end-to-end tests share: sourced, not run. Needs PROF_BIN and PROF_LIB in the environment.
#
#   compile NAME [FLAG...]       builds tests/programs/NAME.c or NAME.cpp into ./NAME
#   record FILE COMMAND...       runs COMMAND with the library preloaded and PROF_OUTPUT=FILE, for at most $record_limit
#   expect FILE EXPRESSION...    the trace is valid and each Python expression about it is true (see expect.py)
#   same WHAT WANTED GOT         both texts are equal
#   count_of NAME FILE           how often NAME is in the trace so far, 0 while it cannot be read
#   COMMAND | found PATTERN      the command's output has such a line
#   find_pythons VERSION [COMMAND...]  sets the array pythons to VERSION:COMMAND of each Python from VERSION on
#   await WHAT COMMAND...     tries until the command succeeds; fails after ten minutes
#   fail WHAT, skip WHY
#
# Every test runs in an empty directory of its own, left behind only when it fails.

set -euo pipefail

: "${PROF_BIN:?}" "${PROF_LIB:?}"
export -n PROF_BIN PROF_LIB # libprof warns of PROF_ variables that it does not know
e2e_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$e2e_directory/../programs
include=$e2e_directory/../../libprof/include
lib=$PROF_LIB/libprof.so
CC=${CC:-cc}
CXX=${CXX:-c++}

if [[ -n ${SANITIZE:-} ]]; then
    echo "skipped: what is built with sanitizers cannot be preloaded"
    exit 77
fi

export PROF_TABLE=0
ulimit -c 0
here=$(mktemp -d "${TMPDIR:-/tmp}/recorder.XXXXXX")
cd "$here"

leave() {
    local status=$? left
    left=$(jobs -p) # a test that fails may leave programs that never end
    [[ -z $left ]] || kill -KILL $left 2>/dev/null || true
    if ((status == 0 || status == 77)); then
        cd / && rm -rf "$here"
    else
        echo "FAILED with $status; left in $here"
    fi
}
trap leave EXIT

count_of() {
    "$PROF_BIN/profdump" --format csv "$2" 2>/dev/null |
        awk -F, -v name="$1" '$1 == name { count = $NF } END { print count + 0 }'
}

# Reads to the end, unlike grep -q: a command whose output nobody reads would fail of it.
found() { grep "$@" >/dev/null; }

fail() {
    echo "FAILED: $*"
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

await() {
    local what=$1 end=$((SECONDS + 600))
    shift
    until "$@"; do
        ((SECONDS < end)) || fail "waited ten minutes in vain for $what"
        sleep 0.02
    done
}

same() {
    [[ $2 == "$3" ]] || fail "$1"$'\n'"wanted: $2"$'\n'"got:    $3"
}

compile() {
    local name=$1
    shift
    if [[ -e $programs/$name.cpp ]]; then
        "$CXX" -std=c++17 -O2 -g -Wall -I"$include" "$programs/$name.cpp" -o "$name" "$@" -pthread
    else
        "$CC" -std=gnu17 -O2 -g -Wall -I"$include" "$programs/$name.c" -o "$name" "$@" -pthread
    fi
}

record() {
    local file=$1
    shift
    ${record_limit:+timeout "$record_limit"} env LD_PRELOAD="$lib" PROF_OUTPUT="$file" "$@"
}

expect() {
    python3 "$e2e_directory/expect.py" "$PROF_BIN/profdump" "$@"
}

# Takes the first of each version; PYTHONS: commands to try instead.
find_pythons() {
    local python version least=${1#3.}
    pythons=()
    for python in ${PYTHONS:-python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 "${@:2}"}; do
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
        [[ " ${pythons[*]:-} " == *" $version:"* || $version != 3.* ]] && continue
        ((${version#3.} < least)) || pythons+=("$version:$python")
    done
}

# The status COMMAND ends with, as the shell counts it (128 + n for signal n).
status_of() {
    local status=0
    "$@" 2>>stderr.txt || status=$?
    echo "$status"
}
