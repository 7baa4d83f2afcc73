#!/usr/bin/env bash
# What `profdump fleet` answers to programs: JSON from every report, and exit statuses that a gate can use.
. "$(dirname "$0")/fleet_common.sh"

for fault in none slow_input dead_rank; do
    make_job ranks=8 tp=2 pp=1 gpus=4 steps=8 seed=1 fault=$fault job || fail "a job"
    fleet pack job -o $fault.dataset >/dev/null || fail "pack"
    rm -rf job
done
mkdir nothing one traces && : >nothing/empty.prof
fleet pack nothing -o nothing.dataset >packed.txt 2>&1 || true # it is refused, which leaves an empty dataset
"$PROF_BIN/../test/make_traces" traces && cp traces/demo.prof $'one/a "quote"\n\033.prof' && fleet pack one -o one.dataset >/dev/null || fail "pack one"
LIBPROF_BIN=$PROF_BIN python3 "$fleet_directory/answers.py" || fail "answers for programs"
