#!/usr/bin/env bash
# Attempts of a restarted job, and recordings that do not state their rank.
. "$(dirname "$0")/fleet_common.sh"

rows() { fleet fleet "$@" --format tsv | tail -n +2; }

# Two attempts: by the launcher's count of restarts, and by time alone. Reports are about the last one; an option chooses another.
TORCHELASTIC_RUN_ID=train TORCHELASTIC_RESTART_COUNT=0 make_job ranks=8 steps=6 seed=2 gpus=4 fault=dead_rank victim=3 first
TORCHELASTIC_RUN_ID=train TORCHELASTIC_RESTART_COUNT=1 make_job ranks=8 steps=10 seed=3 start=60 gpus=4 second
fleet pack first second -o stated --workers 1 >/dev/null
make_job ranks=8 steps=6 seed=2 gpus=4 fault=dead_rank victim=3 early
make_job ranks=8 steps=10 seed=3 start=60 gpus=4 late
fleet pack late -o timed --workers 1 >/dev/null && fleet pack early -o timed --workers 1 >/dev/null
for dataset in stated timed; do
    found ', attempt 2 of 2$' < <(fleet fleet $dataset) && found '^Nothing stands out' < <(fleet fleet $dataset) || fail "$(fleet fleet $dataset)"
    found '^- rank 3 stopped first' < <(fleet fleet $dataset --attempt 1) || fail "$(fleet fleet $dataset --attempt 1)"
    same "steps of the last attempt" 80 "$(rows $dataset --sql 'SELECT count(*) FROM steps')"
    same "attempts" "1	8
2	8" "$(rows $dataset --attempt all --sql 'SELECT attempt, count(*) FROM ranks GROUP BY attempt ORDER BY attempt')"
    found '^- several recordings have the same rank' < <(fleet fleet $dataset --attempt all) || fail "$(fleet fleet $dataset --attempt all)"
    if fleet fleet $dataset --attempt 3 2>err.txt; then fail "there is no attempt 3"; fi
    same "what is said" "profdump: --attempt 3: the dataset has 2 attempts" "$(cat err.txt)"
done
same "the job of a rank" "train restart 1" "$(rows stated --sql 'SELECT DISTINCT job FROM ranks')"
same "one rank of the last attempt" 10 "$(fleet fleet breakdown timed --format tsv | awk '$1 == 3 { print $2 }')"

# Recordings of one process, and processes of a rank that run at the same time, are of one attempt.
python3 - <<'PYTHON' || fail "attempts"
from libprof.fleet._attempts import choose, find_attempts
def attempts(*rows):
    return [find_attempts(rows).of[row[0]] for row in rows]
def row(recording, rank, pid, start, job=None, known=True, host="node", process_start=None):
    return (recording, rank, known, host, pid, start, 10, job, process_start)
assert attempts(row(1, 0, 7, 0), row(2, 0, 7, 50), row(3, 1, 8, 1)) == [1, 1, 1], "windows of one process"
assert attempts(row(1, 0, 7, 0), row(2, 0, 9, 5)) == [1, 1], "a loader's process beside the rank's"
assert attempts(row(1, 0, 7, 0), row(2, 1, 8, 1), row(3, 1, 18, 31), row(4, 0, 17, 30)) == [1, 1, 2, 2]
assert attempts(row(1, 0, 7, 0, "4 restart 0"), row(2, 0, 7, 50, "4 restart 1"), row(3, 1, 8, 2, "4 restart 0")) == [1, 2, 1]
assert attempts(row(1, 0, 7, 0, "4"), row(2, 0, 9, 50, "4")) == [1, 2], "two programs of one Slurm job"
assert attempts(row(1, 0, 7, 0, "4 restart 0"), row(2, 0, 9, 50, "4 requeue 1 restart 0")) == [1, 2], "Slurm restarts torchrun"
assert attempts(row(1, 0, 7, 0, "none restart 0"), row(2, 0, 9, 50, "none restart 0")) == [1, 2], "torchrun by hand"
assert attempts(row(1, 0, 7, 0, "4"), row(2, 0, 9, 1, "5"), row(3, 1, 8, 2, "4"), row(4, 1, 10, 3, "5")) == [1, 2, 1, 2], "two jobs"
failed = row(1, 0, 7, 0, "x restart 0", host="a"), row(2, 1, 8, 1, "x restart 0", host="b")
for a_start, b_start in ((50, 51), (51, 50), (50, 70)):
    again = row(3, 0, 17, a_start, "x restart 1", host="a"), row(4, 1, 18, b_start, "x restart 0", host="b")
    assert attempts(*failed, *again) == [1, 1, 2, 2], "torchrun counts restarts on the host that failed"
assert attempts(row(1, 0, 7, 0, process_start=-5), row(2, 0, 7, 50, process_start=45)) == [1, 2], "the same number in a new container"
assert attempts(row(1, 0, 7, 0, process_start=-5), row(2, 0, 7, 50, process_start=-4)) == [1, 1], "windows of one process, and a clock that is set"
late = [row(rank + 1, rank, 7 + rank, rank) for rank in range(8)] + [row(9, 0, 99, 50)]
assert attempts(*late)[-1] == 2 and choose(find_attempts(late), "").shown == 1, "a process that a rank left behind"
assert choose(find_attempts([*late, *(row(20 + rank, rank, 107 + rank, 100 + rank) for rank in range(8))]), "").shown == 3
assert attempts(row(1, -5, 7, 0, known=False), row(2, -6, 9, 50, known=False)) == [1, 1], "unknown ranks"
PYTHON

# The rank is that of the file's name where the trace does not state it.
make_job ranks=8 steps=8 gpus=4 tp=2 fault=slow_gpu victim=6 slow
for name in 'rank{rank}.json' 'train-rank-{rank}.pt.trace.json' 'job_r{rank}.json'; do
    rm -rf traces named
    python3 -c 'import kineto, sys; kineto.convert("slow", "traces", name=sys.argv[1], distributed=False)' "$name"
    fleet pack traces -o named --workers 1 >/dev/null
    found '^- the others wait for rank 6 on node1' < <(fleet fleet named) || fail "$name: $(fleet fleet named)"
done

# Otherwise the GPU and its host stand for it. No negative number is printed, and nothing is said of all ranks.
rm -rf traces named
python3 -c 'import kineto; kineto.convert("slow", "traces", name="trace{rank}x.json", distributed=False)'
fleet pack traces/trace[0-3]x.json -o named --workers 1 >/dev/null
fleet pack traces -o named --workers 1 >/dev/null
found '^- the others wait for GPU 2 of node1' < <(fleet fleet named) || fail "$(fleet fleet named)"
for report in "" stragglers breakdown groups collectives averages outliers; do
    # shellcheck disable=SC2086 # no report is none
    ! grep -E '(^|[^0-9a-z])-[0-9]{3,}' <(fleet fleet $report named) || fail "$report prints a negative rank"
done
rm -rf healthy traces named
make_job ranks=8 steps=8 gpus=4 tp=2 healthy
python3 -c 'import kineto; kineto.convert("healthy", "traces", name="trace{rank}x.json", distributed=False)'
fleet pack traces -o named --workers 1 >/dev/null
found '^- whether all ranks recorded cannot be judged: 8 recordings do not state their rank' < <(fleet fleet named) || fail "$(fleet fleet named)"
found '^- whether all ranks recorded cannot be judged: 1 recording does not state its rank' < <(
    rm -rf traces named
    python3 -c 'import kineto; kineto.convert("healthy", "traces", name="rank{rank}.json", distributed=False)'
    mv traces/rank7.json traces/last.json
    fleet pack traces -o named --workers 1 >/dev/null
    fleet fleet named) || fail "$(fleet fleet named)"

# Of ranks that are missing for certain, the least number is stated: two of eight traces are not there, and one does not state its rank.
rm -rf traces named
python3 -c 'import kineto; kineto.convert("healthy", "traces")'
rm traces/rank[56].pt.trace.json
python3 - <<'PYTHON'
import json
trace = json.load(open("traces/rank7.pt.trace.json"))
del trace["distributedInfo"]
json.dump(trace, open("traces/last.json", "w"))
PYTHON
rm traces/rank7.pt.trace.json
fleet pack traces -o named --workers 1 >/dev/null
found '^- at least 2 of 8 ranks have no recording' < <(fleet fleet named) || fail "$(fleet fleet named)"
! found 'cannot be judged: 1 recording' < <(fleet fleet named) || fail "$(fleet fleet named)"

# What reports leave out is stated.
same "left out" "profdump: attempt 2 of 2: other attempts are left out (--attempt all reads them)" \
    "$(fleet fleet breakdown timed 2>&1 >/dev/null)"
same "left out of SQL" "profdump: attempt 1 of 2: other attempts are left out (--attempt all reads them)" \
    "$(rows timed --attempt 1 --sql 'SELECT 1' 2>&1 >/dev/null)"
same "all are read" "" "$(fleet fleet breakdown timed --attempt all 2>&1 >/dev/null)"
