#!/usr/bin/env bash
# The skill's commands answer 30 questions about recordings whose answers are known: answer.py has them.
. "$(dirname "$0")/skill_common.sh"

mkdir recordings recordings/traces
(
    cd recordings
    "$PROF_BIN/../test/make_traces" traces
    mkdir six six_twice
    cp traces/diff/run?.prof six
    cp traces/diff/twice_run?.prof six_twice
    head -c 30000 traces/demo.prof >cut.prof
    python3 "$tests/training.py" .
    export SIM_KERNEL_NS=5000 SIM_COPY_BASE_NS=1000 SIM_COPY_GBPS=8
    for name in demo demo_ranges; do
        profrun -q -o $name.prof -- "$EXAMPLES_DIR/$name" >/dev/null
    done
    for fault in none slow_gpu slow_input dead_rank; do
        "$PROF_BIN/../test/make_job" ranks=8 steps=10 fault=$fault $fault
    done
    for job in none slow_input; do
        [[ -n $fleet ]] || profdump pack -o $job.dataset $job >/dev/null
    done
)
answer() { python3 "$tests/answer.py" "$1" recordings "$SOURCE_DIR/../shared/data" $fleet; }

# The commands are those of the skill: one that answers another question is noticed.
cp -r "$skill" wrong
sed -i 's/ORDER BY total_ns DESC LIMIT 3" run.prof/ORDER BY total_ns LIMIT 3" run.prof/' wrong/references/read.md
! answer wrong >wrong.txt || fail "a skill with other commands answers everything"
found -F "WRONG: Which kernel took most device time, and how often did it run?" <wrong.txt || fail "$(cat wrong.txt)"

status=0
answer "$skill" || status=$?
no_violations "a demo"
exit $status
