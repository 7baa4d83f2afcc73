#!/usr/bin/env bash
# A process that ends while profrun is attached: profrun says how, and exits with 123 where a signal ended it.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

compile attach_guest -lrt

# ended_by HOW WANTED_STATUS TEXT
ended_by() {
    local status=0 attacher
    rm -f ended.prof attach.txt
    touch attach.txt
    begin ./attach_guest sleep4
    "$PROF_BIN/profrun" --attach "$guest" -o ended.prof --for 1000s --no-table 2>attach.txt 9>&- & # else it would hold the pipe open
    attacher=$!
    await "a recording" grep -qE "recording to|cannot attach" attach.txt
    if grep -qE 'may not use ptrace|ptrace_scope|does not allow ptrace' attach.txt; then
        exec 9>&-
        skip "$(cat attach.txt)"
    fi
    if [[ $1 == exit ]]; then
        end 7 ended
    else
        kill "-$1" "$guest"
        wait "$guest" 2>/dev/null || true
        exec 9>&-
    fi
    wait "$attacher" || status=$?
    if grep -q 'the kernel does not say how' attach.txt; then
        return # before Linux 6.15, where the parent was first
    fi
    same "status after $1" "$2" "$status"
    [[ -z $3 ]] || found -F -- "$3" <attach.txt || fail "$1: $(cat attach.txt)"
    found -F "wrote $here/ended.prof" <attach.txt || fail "$1: $(cat attach.txt)"
}

ended_by exit 0 ""
ended_by KILL 123 "(attach_guest) ended while profrun was attached: it was ended by signal 9 (Killed)"
ended_by SEGV 123 "(attach_guest) ended while profrun was attached: it was ended by signal 11 (Segmentation fault)"
