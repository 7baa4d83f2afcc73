#!/usr/bin/env bash
# Python's ways to make processes: multiprocessing with each start method, subprocess, os.fork, os.posix_spawn. Every
# worker has a file of its own, nothing is lost, and nothing hangs.
. "$(dirname "$0")/common.sh"

cat >work.py <<'PYTHON'
import ctypes, multiprocessing, os, subprocess, sys

prof = ctypes.CDLL(None)

def ranges(name, count=10):
    for _ in range(count):
        prof.prof_range_push(name.encode())
        prof.prof_range_pop()

def worker(index):
    ranges("worker", 100)
    return index * index

if __name__ == "__main__":
    how = sys.argv[1]
    ranges("parent")
    if how == "subprocess":
        subprocess.run([sys.executable, __file__, "alone"], check=True)
    elif how == "os":
        pid = os.fork()
        if pid == 0:
            ranges("worker", 100)
            os._exit(0)
        os.waitpid(pid, 0)
        pid = os.posix_spawn(sys.executable, [sys.executable, __file__, "alone"], os.environ)
        os.waitpid(pid, 0)
    elif how != "alone":
        with multiprocessing.get_context(how).Pool(4) as pool:
            assert pool.map(worker, range(40)) == [n * n for n in range(40)]
            pool.close()
            pool.join()
    ranges("parent")
PYTHON

# counts DIRECTORY: calls of each range in all files together.
counts() {
    "$PROF_BIN/profdump" check "$1" >check.txt || fail "$(cat check.txt)"
    "$PROF_BIN/profdump" --json "$1" | python3 -c '
import json, sys
facts = json.load(sys.stdin)
rows = {row["name"]: row["count"] for row in facts["key_averages"]}
print(rows.get("parent"), rows.get("worker", 0), sum(p["closed"] for p in facts["processes"]))'
}

for how in fork spawn forkserver subprocess os; do
    mkdir $how
    LD_PRELOAD=$lib PROF_OUTPUT=$how/%p.prof timeout 600 python3 work.py $how >out.txt 2>&1 || fail "$how: $(cat out.txt)"
    same "output of $how" "" "$(cat out.txt)"
done
# spawned workers run the file's first lines again, not its main part
read -r parent worker closed <<<"$(counts fork)"
same "fork" "20 4000" "$parent $worker"
((closed >= 2 && closed <= 5)) || fail "fork: $closed files are closed"
for how in spawn forkserver; do
    read -r parent worker closed <<<"$(counts $how)"
    same "$how" "20 4000" "$parent $worker"
done
same "subprocess" "40 0 2" "$(counts subprocess)"
same "os" "40 100 3" "$(counts os)"
named=$("$PROF_BIN/profdump" --json os | grep -o '"origin":"[a-z]*"' | sort | tr '\n' ' ')
same "children of os" '"origin":"fork" "origin":"spawn" ' "$named"
