#!/usr/bin/env bash
# os.fork() of Python 3.12 and later warns in a process with several threads: of the program's own threads, not of libprof's,
# which run again afterwards. Tested with each Python from 3.12 on that is found, pyenv's included (PYTHONS: these instead).
. "$(dirname "$0")/common.sh"

find_pythons 3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3
((${#pythons[@]})) || skip "no Python from 3.12 on"

cat >forks.py <<'PYTHON'
import ctypes, os, sys, threading, time
from pathlib import Path

prof = ctypes.CDLL(None)

def ranges(name):
    for _ in range(100):
        prof.prof_range_push(name)
        prof.prof_range_pop()

def await_threads():
    """They are back when os.fork() has returned; their names they give themselves."""
    numbers = set(os.listdir("/proc/self/task")) - {str(os.getpid())}
    wanted = {"prof-writer\n", "prof-files\n"} | ({"prof-hang\n"} if "PROF_HANG" in os.environ else set())
    assert len(numbers) == len(wanted), numbers
    while {Path(f"/proc/self/task/{number}/comm").read_text() for number in numbers} != wanted:
        pass

def fork():
    pid = os.fork()
    if pid == 0:
        ranges(b"child")
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0

ranges(b"parent")
if sys.argv[1] == "hooks":  # what a program does after a fork it may do before the interpreter counts
    os.register_at_fork(after_in_parent=lambda: ranges(b"parent"))
if sys.argv[1] == "threads":
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    fork()
else:
    for _ in range(20):
        fork()
        await_threads()
        ranges(b"parent")
prof.prof_stop()
fork()  # the writer is there as long as the file is open
PYTHON

cat >loaded.py <<'PYTHON'
import ctypes, os, sys
prof = ctypes.CDLL(sys.argv[1])
prof.prof_start()
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
PYTHON

cat >unrecorded.py <<'PYTHON'
import os, time
def fork(depth):
    pid = os.fork()
    if pid == 0:
        if depth:
            fork(depth - 1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
end = time.monotonic() + 0.4  # before the file is made, and after
while time.monotonic() < end:
    fork(1)
    sum(range(100000))
PYTHON

# run HOW [VARIABLE=VALUE...]: what the program says, each warning once.
run() {
    mkdir "$1-$version"
    env "${@:2}" PROF_OUTPUT="$1-$version/run.prof" timeout 600 "$python" -W always forks.py "$1" 2>&1
}

for entry in "${pythons[@]}"; do
    version=${entry%%:*} python=${entry#*:}
    for how in alone hooks; do
        same "what $how says in Python $version" "" "$(run $how LD_PRELOAD="$lib")"
        "$PROF_BIN/profdump" check "$how-$version" >check.txt || fail "$(cat check.txt)"
        "$PROF_BIN/profdump" --json "$how-$version" | found '"name":"child","kind":"range","count":2000,' ||
            fail "$how in Python $version: children lost ranges"
    done
    expect "alone-$version/run.prof" 'count == {"parent": 2100}' 'process["closed"]' 'not any(raw.loss)'
    mkdir "watched-$version"
    same "what Python $version says beside the hang watch" "" \
        "$(cd "watched-$version" && env LD_PRELOAD="$lib" PROF_HANG=1h PROF_OUTPUT=run.prof timeout 600 "$python" -W always ../forks.py alone 2>&1)"
    for mode in PROF_SAMPLE=99 PROF_HANG=1h; do
        same "what Python $version says with $mode alone" "" \
            "$(cd "watched-$version" && env LD_PRELOAD="$lib" $mode PROF_OUTPUT='u%p.prof' timeout 600 "$python" -W always ../unrecorded.py 2>&1)"
    done
    warned=$(run threads LD_PRELOAD="$lib" | grep -c 'is multi-threaded' || true)
    same "warnings of a program with a thread in Python $version" 2 "$warned"
    same "libprof loaded by Python $version" "" "$(PROF_OUTPUT=l.prof "$python" -W always loaded.py "$lib" 2>&1)"
done
