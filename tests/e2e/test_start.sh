#!/usr/bin/env bash
# PROF_SAMPLE and PROF_HANG record from the start of the program: before its first range, and without any. What ends soon leaves no
# file, and nothing about the program changes.
. "$(dirname "$0")/common.sh"

compile starts
export PROF_LOG=1

# used FILE FUNCTION [COLUMN]: nanoseconds of the samples with such a function on their stack
used() {
    "$PROF_BIN/profdump" stacks --cpu --rows -1 --format csv "$1" >stacks.csv 2>/dev/null || fail "stacks --cpu $1"
    python3 - stacks.csv "$2" "${3:-cpu_ns}" <<'EOF'
import csv, sys
print(sum(int(row[sys.argv[3]]) for row in csv.DictReader(open(sys.argv[1])) if sys.argv[2] in row["stack"]))
EOF
}
has() { local ns; ns=$(used "${@:2}"); ((ns >= $1)) || fail "$2: $3 has $ns ns, not $1"; }
valid() { for file in "$@"; do "$PROF_BIN/profdump" check "$file" >check.txt || fail "check of $file: $(cat check.txt)"; done; }
files() { find . -maxdepth 1 -name "$1" | wc -l; }
sample() { PROF_SAMPLE=99 record "$@"; }

# ---- samples: before the first range, and without one; also where nobody would hear of it ----
sample compute.prof ./starts compute 500
has 300000000 compute.prof loading
sample late.prof ./starts late 500
has 300000000 late.prof loading
has 300000000 late.prof serving
sample meet.prof ./starts meet 1500
has 600000000 meet.prof meeting wait_ns
"$PROF_BIN/profrun" -q --sample 99 -o quiet.prof -- ./starts compute 300
has 100000000 quiet.prof loading
valid compute.prof late.prof meet.prof quiet.prof

# ---- children: forked, and daemons; the parent's functions are not in their files ----
child=$(PROF_SAMPLE=99 record 'child-%p.prof' ./starts child 400)
has 200000000 "child-$child.prof" in_child
valid "child-$child.prof"
sample 'daemon-%p.prof' ./starts daemon 400
await "the daemon" test -e done
await "the daemon's end" test ! -e "/proc/$(cat done)"
has 200000000 "daemon-$(cat done).prof" loading

# ---- what ends soon, or only waits for others, leaves no file; nor does what shall not be recorded ----
cat >script.sh <<'EOF'
for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done
./starts compute 400
EOF
PROF_SAMPLE=99 PROF_HANG=60s record script.prof sh script.sh
(($(files 'script*.prof') <= 2)) || fail "a script leaves files: $(echo script*.prof)" # on a busy machine, the shell's own
for file in script*.prof; do
    ns=$((${ns:-0} + $(used "$file" loading)))
done
((ns >= 100000000)) || fail "a script's program has $ns ns"

# ---- programs that one process executes, as wrapper scripts do: the name is the last one's ----
cat >wrapper.sh <<'EOF'
i=0
while [ $i -lt 100000 ]; do i=$((i + 1)); done
exec ./starts compute 500
EOF
sample wrapper.prof sh wrapper.sh
has 300000000 wrapper.prof loading
same "files of a wrapper and its program" 2 "$(files 'wrapper*.prof')"
valid wrapper*.prof
"$PROF_BIN/profrun" --sample 99 -o again.prof --no-table -- sh wrapper.sh 2>again.txt
found 'wrote 2 files' <again.txt || fail "the files are not listed: $(cat again.txt)"

PROF_START=api sample api.prof ./starts compute 300
PROF_OUTPUT=x sample /dev/null ./starts compute 300
same "files of what shall not be recorded" 0 "$(files 'api*.prof')"
found 'ended within 100 ms' < <("$PROF_BIN/profrun" --sample 99 -- /bin/true 2>&1) || fail "a short program's lack of a file is not explained"

# ---- a process that ends while its file is made: that is whole, or there is none ----
for how in exit _exit exec quick_exit; do
    for ((us = 95000; us < 115000; us += 2000)); do
        PROF_SAMPLE=99 record 'ends-%p.prof' ./starts ends_at $us $how || fail "$how after $us us: $?"
    done
done
for ((us = 95000; us < 115000; us += 4000)); do
    PROF_SAMPLE=99 record "fails-$us.prof" ./starts fails_at $us || fail "a failed exec after $us us: $?"
    has 100000000 fails-$us.prof loading
done
for file in ends-*.prof fails-*.prof; do
    [[ ! -e $file ]] || valid "$file"
done

# ---- the program's own: its environment, threads, privileges, sandboxes ----
for i in 1 2 3; do
    sample environment-$i.prof ./starts environment 300 || fail "environment: $?"
    valid environment-$i.prof
done
RANK=3 WORLD_SIZE=8 sample 'rank%R%q{WORLD_SIZE}.prof' ./starts environment 300
valid rank-rank38.prof
record_limit=600 sample leave.prof ./starts leave || fail "the process does not end: $?"
PROF_HANG=1h record_limit=600 record leave-hang.prof ./starts leave || fail "the process does not end beside the hang watch: $?"
for mode in strict unshare; do
    bare=0 status=0
    ./starts $mode >bare.txt 2>/dev/null || bare=$?
    PROF_SAMPLE=99 PROF_HANG=60s record $mode.prof ./starts $mode >watched.txt 2>/dev/null || status=$?
    same "status of $mode" $bare $status
    same "output of $mode" "$(cat bare.txt)" "$(cat watched.txt)"
done

# ---- hangs before the first range: written once; no action ----
PROF_HANG=400ms PROF_HANG_ACTION=abort PROF_OUTPUT=stuck.prof LD_PRELOAD="$lib" ./starts stuck 2>stuck.txt &
process=$!
await "a hang before the first range" grep -qs '^end$' stuck.prof.hang.txt
kill -KILL $process || fail "it was aborted"
wait $process 2>/dev/null || true
found '^libprof: nothing was recorded' <stuck.txt || fail "it is not said: $(cat stuck.txt)"
found '^nothing-recorded$' <stuck.prof.hang.txt || fail "the text: $(cat stuck.prof.hang.txt)"
"$PROF_BIN/profdump" hang stuck.prof >said.txt
found '^Hang: pid [0-9]* cannot go on: thread [0-9]* (starts) waits for mutex 0x[0-9a-f]*, which it holds itself$' <said.txt ||
    fail "the deadlock: $(cat said.txt)"
found '^      pid [0-9]* has recorded nothing since it began' <said.txt || fail "the verdict: $(cat said.txt)"
found ' stuck (starts)' <said.txt || fail "the stack: $(cat said.txt)"

# ---- the CPU time of libprof's own threads is none of the program's: here the sampler's, which looks at 900 threads ----
PROF_SAMPLE=1000 PROF_HANG=400ms PROF_OUTPUT=crowd.prof LD_PRELOAD="$lib" ./starts stuck 900 2>crowd.txt &
process=$!
await "a hang beside samples of many threads" grep -qs '^end$' crowd.prof.hang.txt
kill -KILL $process
wait $process 2>/dev/null || true
"$PROF_BIN/profdump" hang crowd.prof >said.txt
found '^Hang: pid [0-9]* cannot go on: thread [0-9]* (starts) waits for mutex' <said.txt || fail "beside samples: $(cat said.txt)"

# ---- none: a program that computes, one that waits for a child, a worker, a launcher ----
export PROF_HANG=300ms PROF_LOG=1
record busy.prof ./starts compute 1500 2>busy.txt
record 'worker-%p.prof' sh -c './starts fork_stuck; true' 2>worker.txt
record 'launcher-%p.prof' timeout 600 sh -c './starts compute 1500; true' 2>launcher.txt
for name in busy launcher; do
    same "what is said of $name" "" "$(cat $name.txt)"
    same "texts of $name" 0 "$(files "$name*.hang.txt")"
done
same "texts of a parent and its worker" 1 "$(files 'worker*.hang.txt')"
