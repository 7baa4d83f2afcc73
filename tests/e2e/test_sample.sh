#!/usr/bin/env bash
# PROF_SAMPLE: what threads were doing, right in proportion, whatever the program does with threads, children and signals.
. "$(dirname "$0")/common.sh"

compile sampled
export PROF_LOG=1

sample() { PROF_SAMPLE=${rate:-99} record "$@"; }

# used FILE FUNCTION [STATE]: nanoseconds of the samples with such a function on their stack
used() {
    "$PROF_BIN/profdump" stacks --cpu --rows -1 --format csv "$1" >stacks.csv || fail "stacks --cpu $1"
    python3 - stacks.csv "$2" "${3:-cpu_ns}" <<'EOF'
import csv, sys
rows = csv.DictReader(open(sys.argv[1]))
print(sum(int(row[sys.argv[3]]) for row in rows if sys.argv[2] in row["stack"]))
EOF
}

# between WHAT LOW VALUE HIGH. A thread is sampled from when it is found, which takes long on a busy machine: lower bounds are
# for what would be missing without samples, not for accuracy.
between() { (($3 >= $2 && $3 <= $4)) || fail "$1: $3 is not in $2 to $4"; }

valid() { "$PROF_BIN/profdump" check "$1" >check.txt || fail "check of $1: $(cat check.txt)"; }

# accurate FUNCTION TRUE_US ALL_US: within a tenth of the true time; on a busy machine, where samples come late and stand for
# more, within four standard deviations of the share that samples of such weights find by chance
accurate() {
    "$PROF_BIN/profdump" query "SELECT weight FROM samples WHERE state = 'runs'" ratio.prof --format tsv >weights.txt
    python3 - weights.txt "$(used ratio.prof "$1")" "$2" "$3" <<'EOF' || fail "$1: $(cat truth.txt)"
import math, sys
weights = [int(line) for line in open(sys.argv[1]).readlines()[1:]]
found, true, whole = int(sys.argv[2]), int(sys.argv[3]) * 1000, int(sys.argv[4]) * 1000
samples, share = sum(weights) ** 2 / sum(weight ** 2 for weight in weights), true / whole
allowed = max(0.1 * true, 4 * math.sqrt(share * (1 - share) / samples) * whole)
if not found or abs(found - true) > allowed:
    sys.exit(f"{found} ns instead of {true}, more than {allowed:.0f} off, with {samples:.0f} samples of {len(weights)}")
EOF
}

# ---- accuracy: against the CPU time that the program measured itself, however loaded the machine is ----
sample ratio.prof ./sampled ratio 12 >truth.txt
read -r slow fast <truth.txt
valid ratio.prof
accurate slow_decode "$slow" $((slow + fast))
accurate fast_part "$fast" $((slow + fast))
"$PROF_BIN/profdump" stacks --cpu ratio.prof | found '    main' || fail "callers are missing"
used ratio.prof slow_decode >used.txt
python3 - stacks.csv <<'EOF' || fail "a function has a stack for each of its addresses: $(cat stacks.csv)"
import csv, re, sys
rows = [(row["cut"], re.sub("[(][0-9]*[)]: ", ": ", row["stack"])) for row in csv.DictReader(open(sys.argv[1]))]
assert len(rows) == len(set(rows))
EOF
"$PROF_BIN/profdump" stacks --cpu --folded ratio.prof >folded.txt
same "folded stacks that are alike" "" "$(sed 's/ [0-9]*$//' folded.txt | sort | uniq -d)"
"$PROF_BIN/profdump" stacks --cpu --folded ratio.prof | found ';slow_decode;work [0-9]*$' || fail "no folded stacks"
rows=$("$PROF_BIN/profdump" query 'SELECT count(*) FROM samples WHERE state = "runs" AND tid = pid' ratio.prof --format tsv | tail -1)
((rows >= 24)) || fail "only $rows samples of 2.4 s of CPU time" # fewer, and heavier, where the machine is busy

# ---- by function: what each used itself adds up to all; a caller has what it called ----
"$PROF_BIN/profdump" stacks --cpu --functions --format csv ratio.prof >functions.csv || fail "stacks --cpu --functions"
python3 - functions.csv "$(used ratio.prof slow_decode)" "$(used ratio.prof '')" <<'EOF' || fail "functions: $(cat functions.csv)"
import csv, sys
rows = {row["function"]: row for row in csv.DictReader(open(sys.argv[1])) if row["place"] == "sampled"}
assert int(rows["slow_decode"]["total_ns"]) == int(sys.argv[2]) >= int(rows["slow_decode"]["self_ns"]), rows
assert int(rows["main"]["total_ns"]) >= int(rows["slow_decode"]["total_ns"]) + int(rows["fast_part"]["total_ns"]), rows
assert sum(int(row["self_ns"]) for row in csv.DictReader(open(sys.argv[1]))) == int(sys.argv[3])
EOF

# ---- functions with names of any length: those that differ only at their ends are two ----
stem=$(printf 'f%.0s' {1..5000})
cat >long.c <<END
#include <time.h>
static volatile unsigned long sink;
#define FUNCTION(name, key) \
    void __attribute__((noinline)) name(void) { for (unsigned long i = 0; i < 1000000; i++) sink += i ^ (sink >> key); }
FUNCTION(${stem}_first, 3)
FUNCTION(${stem}_second, 4)
int main(void) { for (int i = 0; i < 50 || clock() < CLOCKS_PER_SEC / 2; i++) { ${stem}_first(); ${stem}_second(); } return 0; }
END
"$CC" -O1 long.c -o long
rate=499 sample long.prof ./long
for end in first second; do
    "$PROF_BIN/profdump" stacks --cpu --rows -1 --format csv long.prof | found "fff_$end" || fail "no row of the function $end"
    "$PROF_BIN/profdump" stacks --cpu --folded long.prof | found "fff_$end" || fail "no folded stack of the function $end"
done
"$PROF_BIN/profdump" -o long.html long.prof
same "functions of the flame graph" 2 "$(grep -o 'fff\.\.\.#[0-9a-f]\{8\}"' long.html | sort -u | wc -l)"

# ---- for pprof: the same sum ----
if "$PROF_BIN/profdump" -o ratio.pb.gz ratio.prof 2>refused.txt; then
    python3 "$e2e_directory/../formats/check_pprof.py" ratio.pb.gz --stacks >pprof.txt || fail "the profile for pprof"
    sum=$(awk '/ slow_decode </ { sub(/.* cpu_sampled=/, ""); sum += $1 } END { printf "%.0f", sum }' pprof.txt)
    same "slow_decode for pprof" "$(used ratio.prof slow_decode)" "$sum"
    found '^cpu=0 device=0 calls=0 samples=[1-9].* main .*\[pid=[0-9]* tid=[0-9]*\]$' <pprof.txt || fail "labels: $(cat pprof.txt)"
else
    found 'not supported' <refused.txt || fail "pprof: $(cat refused.txt)"
fi

# ---- for Perfetto: a packet for each sample of a running thread; for a browser: a flame graph of all ----
"$PROF_BIN/profdump" -o ratio.pftrace -o ratio.html ratio.prof
python3 "$e2e_directory/../formats/check_perfetto.py" ratio.pftrace >said.txt || fail "for Perfetto: $(cat said.txt)"
python3 "$e2e_directory/../formats/check_perfetto.py" --stacks ratio.pftrace >stacks.txt || fail "samples for Perfetto"
rows=$("$PROF_BIN/profdump" query 'SELECT count(*) FROM samples WHERE state = "runs" AND stack IS NOT NULL' ratio.prof --format tsv | tail -1)
same "samples for Perfetto" "$rows" "$(awk '{ sum += $1 } END { print sum + 0 }' stacks.txt)"
found 'main;.*slow_decode;work \[[0-9]* [0-9]* sampled\]$' <stacks.txt || fail "no stacks for Perfetto: $(cat stacks.txt)"
"$PROF_BIN/profdump" -o ratio.speedscope.json ratio.prof
python3 "$e2e_directory/../formats/check_speedscope.py" ratio.speedscope.json >speedscope.txt || fail "for speedscope"
same "slow_decode for speedscope" "$(used ratio.prof slow_decode)" \
    "$(grep ', sampled: ' speedscope.txt | grep -o '[0-9][0-9]* [^,]*;slow_decode[^,]*' | awk '{ sum += $1 } END { printf "%.0f", sum }')"
python3 - ratio.html "$(used ratio.prof slow_decode)" <<'EOF' || fail "the flame graph of samples"
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
run = json.loads(re.search(r'id="run-data"[^>]*>(.*?)</script>', page, re.S).group(1))
flame = next(flame for flame in run["flames"] if flame["title"] == "Samples")
nodes, names = flame["nodes"], flame["names"]
def is_in(node, name):
    return node >= 0 and (name in names[nodes[node][1]] or is_in(nodes[node][0], name))
total = sum(node[4] + node[6] for number, node in enumerate(nodes) if is_in(number, "slow_decode"))
assert flame["metrics"] == ["CPU time", "Waiting"] and total == int(sys.argv[2]), (flame["metrics"], total, sys.argv[2])
EOF

# ---- waits ----
sample waits.prof ./sampled waits 1500
between "wait_for_data" 600000000 "$(used waits.prof wait_for_data wait_ns)" 60000000000

# ---- steps: on the CPU, queued for one, off it. A step is accurate to a period at each of its ends; the kernel's timers of CPU
# time expire late on a busy machine. There, a wait may end before the thread that looks for waits gets a processor: then it takes
# a longer one ----
waits_in_steps() {
    sample steps.prof ./sampled steps 6 "$1" >truth.txt
    "$PROF_BIN/profdump" query 'SELECT run, queued, off_cpu, duration, longest_wait, wait_stack FROM step_times ORDER BY start' \
        steps.prof --format csv >query.csv
    [[ $(awk -F, '$5 > 60000000' query.csv | wc -l) == 4 ]] # the line of names, too
}
wait_ms=150
until waits_in_steps $wait_ms; do
    ((wait_ms *= 2, wait_ms < 60000)) || fail "waits are not seen: $(cat query.csv)"
done
valid steps.prof
"$PROF_BIN/profdump" breakdown --table steps --format csv steps.prof >steps.csv
python3 - <<'EOF' || fail "steps: $(cat truth.txt steps.csv query.csv)"
import csv
truth = [int(line) * 1000 for line in open("truth.txt")]
rows = list(csv.DictReader(open("steps.csv")))
assert [row["step"] for row in rows] == [f"ProfilerStep#{number}" for number in range(6)]
for row, used, other in zip(rows, truth, csv.reader(list(open("query.csv"))[1:])):
    run, queued, off, whole = (int(row[name]) for name in ("run_ns", "queued_ns", "off_cpu_ns", "duration_ns"))
    assert run + queued + off == whole, row
    assert abs(run - used) < 60e6, (row, used)
    assert used or off >= int(row["longest_wait_ns"]) > 60e6 and row["wait_stack"], row
    assert other == [row[name] for name in ("run_ns", "queued_ns", "off_cpu_ns", "duration_ns", "longest_wait_ns", "wait_stack")], other
assert abs(sum(int(row["run_ns"]) for row in rows) - sum(truth)) < 60e6, sum(truth)
EOF
"$PROF_BIN/profdump" breakdown steps.prof 2>/dev/null | found "How each step's thread spent the step" || fail "no steps in breakdown"
"$PROF_BIN/profdump" breakdown waits.prof 2>/dev/null | found 'ProfilerStep' && fail "steps where there are none"

# ---- off: no samples, no timer, no thread ----
record off.prof ./sampled ratio 1
same "samples when off" 0 "$("$PROF_BIN/profdump" query 'SELECT count(*) FROM samples' off.prof --format tsv | tail -1)"
if "$PROF_BIN/profdump" -o off.pb.gz off.prof 2>refused.txt; then
    python3 "$e2e_directory/../formats/check_pprof.py" off.pb.gz | found -v cpu_sampled || fail "values of samples when off"
fi
"$PROF_BIN/profdump" stacks --cpu off.prof 2>&1 | found 'no samples in this recording' || fail "nothing is said of no samples"

# ---- threads that come and go: each uses 60 ms of CPU time ----
sample threads.prof ./sampled threads 5
valid threads.prof
between "20 threads" 100000000 "$(used threads.prof slow_decode)" 1500000000

# ---- threads that end before they are sampled: nothing is said of them ----
rate=997 sample storm.prof ./sampled storm 4000 2>stderr.txt
same "what is said of threads that have ended" "" "$(cat stderr.txt)"
valid storm.prof

# ---- fork, exec ----
child=$(PROF_OUTPUT=x sample "forks-%p.prof" ./sampled forks)
valid "forks-$child.prof"
between "a child" 50000000 "$(used "forks-$child.prof" in_child)" 400000000
same "a parent's function in its child's file" 0 "$(used "forks-$child.prof" slow_decode)"
sample "exec%n.prof" ./sampled exec >truth.txt
between "before exec" 50000000 "$(used exec1.prof slow_decode)" 300000000
between "after exec" 50000000 "$(used exec2.prof slow_decode)" 400000000

# ---- signals of the program: its own are untouched, and it never sees one of ours, which it cannot take ----
for mode in sigprof taken taken_later waiter; do
    rate=997 sample $mode.prof ./sampled $mode 2>stderr.txt || fail "$mode: status $?: $(cat stderr.txt)"
    valid $mode.prof
done
between "sigprof" 150000000 "$(used sigprof.prof slow_decode)" 600000000
between "taken" 100000000 "$(used taken.prof slow_decode)" 500000000
between "taken later" 800000000 "$(used taken_later.prof slow_decode)" 2500000000
between "waiter" 200000000 "$(used waiter.prof slow_decode)" 700000000

# ---- no timers to be had: said once; waits are recorded all the same ----
sample no_timers.prof ./sampled no_timers 2>stderr.txt || fail "no_timers: $?"
same "said once" 1 "$(grep -c 'no timer for thread' stderr.txt)"
between "waits without timers" 100000000 "$(used no_timers.prof wait_for_data wait_ns)" 60000000000

# ---- a sandbox ----
status=0
record_limit=600 sample strict.prof ./sampled strict 2>stderr.txt || status=$?
if ((status == 5)); then
    between "before the sandbox" 50000000 "$(used strict.prof slow_decode)" 400000000
else
    bare=0
    timeout 600 ./sampled strict 2>/dev/null || bare=$?
    same "status in a sandbox" $bare $status
fi

# ---- kill -9: what was sampled until then is in the file ----
sampled_500_ms() {
    local sum
    sum=$("$PROF_BIN/profdump" query 'SELECT sum(weight) FROM samples' kill.prof --format tsv 2>/dev/null | tail -1) || return 1
    [[ $sum =~ ^[0-9]+$ ]] && ((sum > 500000000))
}
PROF_SAMPLE=99 PROF_OUTPUT=kill.prof LD_PRELOAD="$lib" ./sampled forever & # no function: the number is the program's
process=$!
await "half a second of samples" sampled_500_ms
kill -KILL $process || fail "it ended by itself before it was killed"
status=0
wait $process 2>/dev/null || status=$?
same "status of what was killed" 137 $status
valid kill.prof
between "killed" 150000000 "$(used kill.prof slow_decode)" 60000000000

# ---- a ring keeps the latest ----
PROF_MAX_MB=2 PROF_FULL=ring sample ring.prof ./sampled ring
valid ring.prof
between "the end of a ring" 100000000 "$(used ring.prof slow_decode)" 400000000

# ---- the budget ends it, and that is reported ----
PROF_BUDGET=0.01% rate=1000 sample budget.prof ./sampled ratio 6 >truth.txt
valid budget.prof
"$PROF_BIN/profdump" budget.prof | found "samples of threads' stacks" || fail "the budget's end is not reported"

# ---- profrun ----
"$PROF_BIN/profrun" --sample 99 -q -o run.prof -- ./sampled ratio 2 >truth.txt
between "profrun" 100000000 "$(used run.prof slow_decode)" 400000000
same "a bad rate" 2 "$(status_of "$PROF_BIN/profrun" --sample 2000 -- true)"

# ---- a library of Python's that is being loaded: none of its functions is called before it is relocated ----
compile loads_python -ldl
"$CC" -DNEEDED -shared -I"$include" -fPIC -O2 "$programs/loads_python.c" -o libneeded.so -Wl,-z,now
"$CC" -DLIBRARY -shared -fPIC -O2 -I"$include" "$programs/loads_python.c" -o libpython3.so -L. -lneeded -Wl,-rpath,"$here" -Wl,-z,lazy
status=0
PROF_SAMPLE=999 record loads.prof ./loads_python ./libpython3.so || status=$?
same "a program that loads Python" 5 "$status"
valid loads.prof

# ---- Python: the interpreter's frames are its functions; each version that is here ----
cat >decode.py <<'EOF'
import ctypes, threading, time
library = ctypes.CDLL(None)
def slow_decode(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))
def read_disk():
    time.sleep(0.5)
def load():
    slow_decode(0.5)
    read_disk()
library.prof_range_push(b"load")
load()
thread = threading.Thread(target=slow_decode, args=(0.3,))
thread.start()
thread.join()
library.prof_range_pop()
EOF
find_pythons 3.9 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3
for each in "${pythons[@]}"; do
    version=${each%%:*}
    sample "python-$version.prof" "${each#*:}" decode.py
    valid "python-$version.prof"
    between "Python $version" 200000000 "$(used "python-$version.prof" 'decode.py(3): slow_decode')" 1100000000
    between "Python $version: callers" 100000000 "$(used "python-$version.prof" 'decode.py(9): load')" 1100000000
    between "Python $version: waits" 100000000 "$(used "python-$version.prof" 'decode.py(7): read_disk' wait_ns)" 60000000000
done
