#!/usr/bin/env bash
# profdump ctl: list, start, stop, status, dump; what it says when it cannot; who may; what is left behind.
. "$(dirname "$0")/common.sh"

compile steps
export XDG_RUNTIME_DIR=$here/run PROF_CONTROL=1
mkdir -m 700 run

ctl() {
    "$PROF_BIN/profdump" ctl "$@"
}

# begin FILE COMMAND...: in the background; $pid is reachable when this returns.
begin() {
    : >out.txt
    record "$@" >out.txt &
    job=$!
    await "its first line" test -s out.txt
    pid=$(head -1 out.txt)
    await "the socket of process $pid" test -S "run/libprof/$pid.sock"
}

has_work() { (($(count_of work ctl.prof) >= $1)); }

# refused WHAT SENTENCE COMMAND...: fails with 1, saying that in one line.
refused() {
    local what=$1 sentence=$2 status=0
    shift 2
    "$@" >refused.txt 2>&1 || status=$?
    same "$what: status" 1 "$status"
    grep -qF "$sentence" refused.txt || fail "$what: $(cat refused.txt)"
    ! grep -qF '\n' refused.txt || fail "$what: shows the end of the answer's line: $(cat refused.txt)"
}

# unlisted WHAT PID: a process that has ended is in no list. Processes of other tests may be: in /tmp.
unlisted() {
    local status=0
    ctl list >list.txt 2>&1 || status=$?
    if ((status == 1)); then
        grep -qF "no process of yours" list.txt || fail "$1: $(cat list.txt)"
    else
        same "$1: status" 0 "$status"
        ! grep -q "^ *$2 " list.txt || fail "$1: $(cat list.txt)"
    fi
}

PROF_START=api begin ctl.prof ./steps until end
ctl list | found " $pid  off        steps" || fail "a waiting process is not listed: $(ctl list)"
ctl "$pid" status >status.txt
same "status of one that waits" "recording:  off file:       none yet: nothing was recorded" \
    "$(grep -E '^(recording|file)' status.txt | paste -sd' ')"
refused "stop of one that does not record" "it is not recording" ctl "$pid" stop
refused "dump of one that has nothing" "it is not recording" ctl "$pid" dump x.prof
ctl "$pid" start
await "steps that are recorded" has_work 20
refused "a second start" "it is already recording" ctl "$pid" start
ctl list | found " $pid  on         steps $here/ctl.prof" || fail "the list: $(ctl list)"
ctl "$pid" dump copy.prof | found "wrote copy.prof"
ctl "$pid" dump | found "wrote ctl-dump1.prof"
ctl "$pid" dump | found "wrote ctl-dump2.prof"
refused "dump to nowhere" "No such file" ctl "$pid" dump no/such/copy.prof
ctl "$pid" status >status.txt
for line in "process:    $pid, steps" "recording:  on, by ctl; was on 1 time so far" "file:       $here/ctl.prof, 0.1 MiB of" \
    "losses:     0" "GPU mode:   none"; do
    grep -qF "$line" status.txt || fail "status lacks '$line': $(cat status.txt)"
done
(($(sed -n 's/^records: *//p' status.txt) > 50)) || fail "records: $(cat status.txt)"
ctl "$pid" stop
ctl "$pid" start
touch end
wait "$job"
for copy in copy ctl-dump1 ctl-dump2; do
    expect $copy.prof 'count["work"] >= 20 and count["last"] == 0 and not process["closed"]' 'not any(raw.loss)'
done
expect ctl.prof 'count["step 0"] == 0 and count["last"] == 1' \
    '[(w["start"], w["stop"]) for w in process["windows"]] == [("ctl", "ctl"), ("ctl", None)]'
same "entries of processes that ended" "" "$(ls run/libprof)"
same "unfinished dumps" "" "$(ls ./*.part 2>/dev/null || true)"

# Where there is nobody to talk to.
refused "no process" "there is no process 4194000" ctl 4194000 status
unlisted ended "$pid"
sleep 30 &
plain=$!
refused "no libprof" "runs without libprof" ctl $plain status
mkfifo number
PROF_CONTROL=0 record mute.prof ./steps until never >number &
read -r mute <number
refused "not asked for" "was not started with PROF_CONTROL=1" ctl "$mute" status
kill "$mute" $plain
wait $! || true
for wrong in "" "1" "1 fly" "x status" "-1 status" "list 1" "1 dump a b"; do
    # shellcheck disable=SC2086
    same "ctl $wrong" 2 "$(status_of "$PROF_BIN/profdump" ctl $wrong)"
done

# One that stands still does not hold the caller.
rm end
begin stopped.prof ./steps until end
kill -STOP "$pid"
trap 'kill -CONT "$pid"; leave' EXIT
# its threads stop one after the other
while grep -L '^State:.*T (stopped)' "/proc/$pid"/task/*/status | found .; do sleep 0.01; done
refused "a stopped process" "does not answer" ctl "$pid" status
kill -CONT "$pid"
trap leave EXIT
touch end
wait "$job"

# kill -9 leaves an entry, which the next list removes; so does exec, whose program makes one again.
begin killed.prof ./steps until never
kill -9 "$pid"
wait "$job" || true
[[ -S run/libprof/$pid.sock ]] || fail "kill -9 left no entry: this test tests nothing"
unlisted killed "$pid"

# Sockets that lie: a process that is not libprof answers for itself, or in another's name.
cat >liar.py <<'CODE'
"""liar.py HOW [PID]: answers in the name of a process, this one or PID, in lines that are not what was asked for."""
import os, socket, sys
how, pid = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.getpid()
path = f"run/libprof/{pid}.sock"
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(5)
print(os.getpid(), flush=True)
while True:
    caller, _ = listener.accept()
    try:
        caller.recv(100)
        if how == "nonsense":
            caller.sendall(os.urandom(5000))
        while how == "endless":
            caller.sendall(b"x" * 65536)
        if how == "controls":
            caller.sendall(b"ok\nprogram \x1b[31mred\nrecording \x1b]0;title\x07\nfile /nowhere\x7f\n")
    except OSError:
        pass
    caller.close()
CODE
lie() {
    : >out.txt
    python3 liar.py "$@" >out.txt &
    job=$!
    await "a liar" test -s out.txt
    pid=$(cat out.txt)
}
stop_lying() {
    kill "$job"
    wait "$job" 2>/dev/null || true
    rm -f run/libprof/*.sock
}
mkdir -p -m 700 run/libprof
for how in nonsense endless; do
    lie $how
    refused "$how" "process $pid: its answer is not libprof's" ctl "$pid" status
    refused "$how, a dump" "process $pid: its answer is not libprof's" ctl "$pid" dump lie.prof
    stop_lying
done
lie nothing
refused "no answer" "process $pid does not answer" ctl "$pid" dump lie.prof
stop_lying
lie controls
ctl "$pid" status >status.txt
found -P '[\x00-\x09\x0b-\x1f\x7f]' <status.txt && fail "control characters reach the terminal: $(cat -v status.txt)"
found 'recording:  ?]0;title?' <status.txt || fail "an answer with control characters: $(cat -v status.txt)"
stop_lying
lie nonsense $$
refused "in another's name" "did not ask process $$: its socket belongs to process $pid" ctl $$ status
stop_lying
[[ ! -e lie.prof ]] || fail "a dump of a liar"
same "entries after a list" "" "$(ls run/libprof)"
record quick.prof ./steps quick || same "status of _exit" 7 $?
same "entries after _exit" "" "$(ls run/libprof)"
same "after pthread_exit" gone "$(record left.prof timeout 600 ./steps leaves)"

# Children have entries of their own, and neither fork nor exit is disturbed by commands.
begin 'family-%p.prof' ./steps children 200
while kill -0 "$pid" 2>/dev/null; do
    ctl list >/dev/null 2>&1 || true
    ctl "$pid" stop >/dev/null 2>&1 || true
    ctl "$pid" start >/dev/null 2>&1 || true
    ctl "$pid" dump family.prof >/dev/null 2>&1 || true
done
wait "$job" || fail "commands disturb a program that forks"
same "entries after a family" "" "$(ls run/libprof)"
[[ ! -e family.prof ]] || expect family.prof 'not any(raw.loss)'

# Those that end while their entry is being made, 20 ms after they began, leave none either.
record 'brief-%p.prof' ./steps children 100 19800 >out.txt
same "entries of processes that ended early" "" "$(ls run/libprof)"

# The program may close our descriptors and use their numbers.
begin closed.prof ./steps closes go
touch go
await "it to close all" found closed <out.txt
ctl "$pid" status >/dev/null 2>&1 || true
rm go
wait "$job" || fail "a descriptor of the program's was used"
rm -rf run/libprof

# ---- who may ----

# A directory that others can write to, or that is none, is not used; then it is the other place.
other=/tmp/libprof-$(id -u)
existed=0
[[ ! -e $other ]] || existed=1
mkdir -m 777 elsewhere && ln -s "$here/elsewhere" run/libprof
rm end
PROF_LOG=2 record linked.prof ./steps until end >out.txt 2>linked.txt &
job=$!
await "what is said of a link" grep -qs "cannot reach this process through $here/run/libprof" linked.txt
touch end
wait "$job"
same "entries behind a link" "" "$(ls elsewhere)"
rm run/libprof && mkdir -m 777 run/libprof && chmod 777 run/libprof
record open.prof ./steps slow 50 >out.txt
same "entries in an open directory" "" "$(ls run/libprof)"
((existed)) || rmdir "$other" 2>/dev/null || true
rm -rf run/libprof

if ((EUID == 0)) && command -v setpriv >/dev/null; then
    chmod 755 "$here" run
    # Somebody else's directory in root's name.
    mkdir run/libprof && chown 54321 run/libprof && chmod 700 run/libprof
    record foreign.prof ./steps slow 50 >out.txt
    same "entries in a foreign directory" "" "$(ls run/libprof)"
    rm -rf run/libprof
    # A stranger may not command us.
    rm end
    begin ours.prof ./steps until end
    install -m 755 "$PROF_BIN/profdump" . # the build may lie where a stranger may not enter
    status=0
    setpriv --reuid=54321 --clear-groups ./profdump ctl "$pid" stop >refused.txt 2>&1 || status=$?
    same "a stranger's command" 1 $status
    grep -q "is not yours: it belongs to user 0" refused.txt || fail "a stranger: $(cat refused.txt)"
    chmod 755 run/libprof && chmod 666 run/libprof/*.sock # even if the door stands open
    python3 - "run/libprof/$pid.sock" <<'CODE'
import os, socket, sys
os.setuid(54321)
caller = socket.socket(socket.AF_UNIX)
caller.connect(sys.argv[1])
try:
    caller.sendall(b"stop\n")
    answer = caller.recv(100)
except ConnectionError:
    answer = b""
assert answer == b"", answer
CODE
    touch end
    wait "$job"
    expect ours.prof 'len(process["windows"]) == 1 and count["last"] == 1'
else
    echo "note: not root, without foreign users"
fi
