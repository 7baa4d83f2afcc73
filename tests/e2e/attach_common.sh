# What the tests of profrun --attach share, on top of common.sh: sourced, not run.
#
#   begin COMMAND...     runs COMMAND, which prints "begun" and ends when its standard input does; sets $guest, its process
#   attach [OPTION...]   runs profrun --attach on it; its messages are in attach.txt. Skips the test where ptrace is forbidden
#   end STATUS OUTPUT    ends it: it exits with STATUS, has printed "begun" and OUTPUT, and nothing on standard error

begin() {
    rm -f in out.txt err.txt
    mkfifo in
    "$@" <in >out.txt 2>err.txt &
    guest=$!
    exec 9>in
    await "the begin of $*" grep -q begun out.txt
}

attach() {
    local status=0
    "$PROF_BIN/profrun" --attach "$guest" "$@" 2>attach.txt || status=$?
    if grep -qE 'may not use ptrace|ptrace_scope|does not allow ptrace' attach.txt; then
        exec 9>&-
        skip "$(cat attach.txt)"
    fi
    ((status == 0)) || fail "attach to $guest: status $status, $(cat attach.txt)"
}

end() {
    local status=0
    exec 9>&-
    wait "$guest" || status=$?
    same "status" "$1" "$status"
    same "output" "begun"$'\n'"$2" "$(cat out.txt)"
    same "errors" "" "$(cat err.txt)"
}
