#!/usr/bin/env bash
# Process 1 of a PID namespace may have a child, made without libc's fork(), that is process 1 as well, of another one: it leaves
# its parent's recording, CUDA and socket alone. And processes of two namespaces that have one number and one /tmp have two sockets.
. "$(dirname "$0")/common.sh"

# first COMMAND...: as process 1 of a PID namespace.
first() { unshare "${user[@]}" --pid --fork --mount-proc "$@"; }
user=()
((EUID == 0)) || user=(--user --map-root-user)
first true 2>stderr.txt || skip "no PID namespaces here: $(cat stderr.txt)"
compile pid_one
compile steps

for how in exit _exit exec vfork; do
    same "status of a child's $how" 0 "$(PROF_CONTROL=1 XDG_RUNTIME_DIR=$here first env LD_PRELOAD="$lib" PROF_OUTPUT=$how.prof ./pid_one $how)"
    expect $how.prof 'count == {"before": 1000, "after": 1000}' 'not any(raw.loss)' 'process["closed"]'
done

# Two spaces, one directory: each process is found by its number outside, and inside by 1.
export XDG_RUNTIME_DIR=$here/run PROF_CONTROL=1
mkdir -m 700 run
for space in a b; do
    PROF_START=api first env LD_PRELOAD="$lib" PROF_OUTPUT=$space.prof ./steps slow 100000 >$space.txt 2>&1 &
done
listed() { "$PROF_BIN/profdump" ctl list 2>/dev/null | awk 'NR > 1 { print $1 }'; }
two_listed() { (($(listed | wc -l) == 2)); }
has_file() { "$PROF_BIN/profdump" ctl "$1" status >status.txt && found '^file: .*/' <status.txt; }
await "two processes that can be reached" two_listed
pids=$(listed)
trap 'status=$?; set +e; kill -9 $pids 2>/dev/null; (exit $status); leave' EXIT
for pid in $pids; do
    "$PROF_BIN/profdump" ctl "$pid" start
    await "a file of process $pid" has_file "$pid"
    found "^process:    $pid, steps" <status.txt || fail "status: $(cat status.txt)"
    if command -v nsenter >/dev/null && ((EUID == 0)); then
        nsenter -t "$pid" -p -m "$PROF_BIN/profdump" ctl 1 status >inside.txt || fail "status inside"
        same "the file, asked inside" "$(grep ^file: status.txt | cut -d, -f1)" "$(grep ^file: inside.txt | cut -d, -f1)"
    fi
done
kill -9 $pids
wait 2>stderr.txt || true
for space in a b; do
    expect $space.prof 'process["pid"] == 1' 'count.total() > 0'
done
