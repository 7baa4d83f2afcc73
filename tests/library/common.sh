# What the tests of the library share: sourced, not run. Leaves the test in an empty directory with traces/.
#
#   fail WHAT, skip WHY
#   exported FORMAT ENDING INPUT...         profdump -o and the library write the same, say the same and end the same
#   record_stacks                           makes traces/stacks.prof
#   reported REPORT [--OPTION...] INPUT...  the same of what they print

set -euo pipefail

here=$(mktemp -d "${TMPDIR:-/tmp}/library.XXXXXX")
trap 'rm -rf "$here"' EXIT
cd "$here"
test=$BUILD_DIR/test
data=$SOURCE_DIR/../shared/data
compared=0

fail() {
    echo "FAILED: $*"
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

[[ -x $test/make_traces ]] || skip "make_traces was not built"
mkdir traces
"$test/make_traces" traces

# What it has beyond what was written: none of our temporary files.
leftovers() { find . -name '.prof-*' | grep . && fail "temporary files are left"; return 0; }

# alike PATH PROFDUMP_WORD... -- ASK_WORD...: PATH is what both write, "" nothing. It can be named in what is written,
# so one takes the place of the other.
alike() {
    local path=$1 profdump=() wanted=0 got=0
    shift
    while [[ $1 != -- ]]; do
        profdump+=("$1")
        shift
    done
    shift
    rm -f wanted.file ${path:+"$path"}
    "$BIN_DIR/profdump" "${profdump[@]}" >wanted.out 2>wanted.err || wanted=$?
    if [[ -n $path && -e $path ]]; then mv "$path" wanted.file; fi
    "$test/ask_trace" "$@" >got.out 2>got.err || got=$?
    # Advice about the command line is profdump's own, and so are lines after a sentence, which point at a place in a statement.
    sed -i "/^Try 'profdump .*--help'/d; /^profdump: note: /d; s/standard output: /output: /" wanted.err
    sed -i '/^  /d' wanted.err
    [[ $wanted != [345] ]] || wanted=1 # the library has one status for these
    [[ $wanted == "$got" ]] || fail "profdump ${profdump[*]} ends with $wanted, the library with $got: $(cat got.err)"
    cmp wanted.out got.out || fail "profdump ${profdump[*]} prints something else than the library"
    diff wanted.err got.err || fail "profdump ${profdump[*]} says something else than the library"
    if [[ -e wanted.file ]]; then
        cmp wanted.file "$path" || fail "profdump ${profdump[*]} writes something else than the library"
    elif [[ -n $path && -e $path ]]; then
        fail "the library failed and left $path"
    elif [[ -n $path && $wanted == 0 ]]; then
        fail "profdump ${profdump[*]} wrote nothing"
    fi
    compared=$((compared + 1))
}

# A recording with call stacks as traces/stacks.prof, whose functions are found in the program. False: it cannot be had.
record_stacks() {
    [[ -z ${SANITIZE:-} && -x $EXAMPLES_DIR/demo_ranges ]] || return
    "$BIN_DIR/profrun" --sim --stacks=range --quiet -o traces/stacks.prof -- "$EXAMPLES_DIR/demo_ranges" >/dev/null 2>&1
}

# exported FORMAT ENDING INPUT...
exported() {
    local format=$1 out=out$2
    shift 2
    alike $out -o $out --to "$format" "$@" -- export "$format" $out "$@"
}

formats=(chrome html perfetto sqlite svg pprof speedscope prometheus etprof folded csv)
reports=(table explain stacks roofline blocks tax breakdown check graphs memory)

# reported REPORT [--OPTION...] INPUT...
reported() {
    local word=$1
    shift
    if [[ $word == table ]]; then
        alike "" "$@" -- report table - "$@"
    elif [[ $word == blocks || $word == tax ]]; then
        alike "" executorch "$word" "$@" -- report "$word" - "$@"
    else
        alike "" "$word" "$@" -- report "$word" - "$@"
    fi
}
