#!/usr/bin/env bash
# profrun --attach: a running program gets libprof and does not notice. It is stopped while it computes, allocates, sleeps,
# waits and takes signals, with one thread and with several. ATTACH_ROUNDS: how often.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

compile attach_guest -lrt
for mode in busy malloc sleep futex epoll signals fork busy4 malloc4 sleep4 futex4; do
    for ((round = 0; round < ${ATTACH_ROUNDS:-2}; round++)); do
        begin ./attach_guest "$mode"
        attach -o run.prof
        found "attached to process $guest (attach_guest): recording to $here/run.prof; one thread was stopped for" <attach.txt ||
            fail "$mode: $(cat attach.txt)"
        found -F "$lib" <"/proc/$guest/maps" || found /libprof.so <"/proc/$guest/maps" || fail "libprof is not in the process"
        end 7 ended
        "$PROF_BIN/profdump" check run.prof >check.txt || fail "$mode: $(cat check.txt)"
        rm run.prof
    done
done

# Every register is the program's own afterwards.
compile attach_registers
for kind in general vector scalable sleep; do
    status_of ./attach_registers "$kind" </dev/null >status.txt
    [[ $(cat status.txt) != 77 ]] || continue # another processor
    begin ./attach_registers "$kind"
    for ((round = 0; round < ${ATTACH_ROUNDS:-2}; round++)); do
        attach -o "registers$round.prof" --for 10ms --no-table
    done
    end 7 ended
    rm registers*.prof
done

# For a while, then again: the second time goes to the same file. Signals and masks of the program are its own.
begin ./attach_guest sleep4
grep -E '^Sig(Blk|Ign|Cgt)' "/proc/$guest/status" >before.txt
attach -o twice.prof --for 200ms --no-table
found "wrote $here/twice.prof" <attach.txt || fail "$(cat attach.txt)"
"$PROF_BIN/profdump" ctl "$guest" status | found "recording: *off, by time; was on 1 time" || fail "it did not stop"
attach -o other.prof
found "recording again to $here/twice.prof" <attach.txt || fail "$(cat attach.txt)"
[[ ! -e other.prof ]] || fail "a second file"
attach
found "it was recording already, to $here/twice.prof" <attach.txt || fail "$(cat attach.txt)"
"$PROF_BIN/profdump" ctl "$guest" dump dump.prof
same "signals" "$(cat before.txt)" "$(grep -E '^Sig(Blk|Ign|Cgt)' "/proc/$guest/status")"
end 7 ended
"$PROF_BIN/profdump" twice.prof >twice.txt
found "on by attach, off by time" <twice.txt || fail "$(cat twice.txt)"

# What such a recording cannot contain is said in the table's head, by check, and in JSON.
note="libprof was loaded into the running process: what happened before is not recorded"
same "notes" 1 "$(grep -c "^Note:      $note" twice.txt)"
"$PROF_BIN/profdump" check twice.prof | found "^note .* recorder  *1 .*: $note" || fail "check says nothing of it"
"$PROF_BIN/profdump" --json twice.prof | found '"notes":\["libprof was loaded into' || fail "JSON has no note"

# The table, and options of the recording. Those of the program's own environment do not count.
begin env PROF_OUTPUT=wrong.prof PROF_MAX_MB=nonsense ./attach_guest sleep
PROF_MAX_MB=64 attach -o options.prof --for 100ms
found "Ledger: nothing lost" <attach.txt || fail "no table: $(cat attach.txt)"
"$PROF_BIN/profdump" ctl "$guest" status | found "of at most 64 " || fail "PROF_MAX_MB"
end 7 ended

# A directory that the process cannot write to.
begin ./attach_guest sleep
status=0
"$PROF_BIN/profrun" --attach "$guest" -o "$here/missing/%p.prof" 2>attach.txt || status=$?
same "status for a missing directory" 2 "$status"
status=0
"$PROF_BIN/profrun" --attach "$guest" -o "$here/%q{NOWHERE}/x/%p.prof" 2>attach.txt || status=$?
same "status where the process cannot create it" 125 "$status"
found "cannot create the file: No such file" <attach.txt || fail "$(cat attach.txt)"
end 7 ended

# A program that has libprof already.
begin env LD_PRELOAD="$lib" PROF_OUTPUT=own.prof PROF_START=api PROF_TABLE=0 ./attach_guest sleep4
attach -o ignored.prof --for 100ms --no-table
found "recording to $here/own.prof" <attach.txt || fail "$(cat attach.txt)"
end 7 ended

# Python, in its interpreter's loop.
find_pythons 3.9
cat >loop.py <<'SCRIPT'
import os, sys, threading
os.set_blocking(0, False)
print("begun", flush=True)
while True:
    try:
        if not os.read(0, 1):
            break
    except BlockingIOError:
        pass
    sum(i * i for i in range(1000))
print("ended", threading.active_count())
sys.exit(7)
SCRIPT
for entry in "${pythons[@]:-}"; do
    [[ -n $entry ]] || continue
    rm -f python.prof
    begin "$(python="${entry#*:}" && "$python" -c 'import sys; print(sys.executable)')" loop.py
    attach -o python.prof --for 100ms --no-table
    end 7 "ended 1"
    "$PROF_BIN/profdump" check python.prof >check.txt || fail "$entry: $(cat check.txt)"
done
