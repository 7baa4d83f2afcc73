#!/usr/bin/env bash
# The clocks of hosts, compared by collectives: right within the error stated, and refused where nothing can be said.
# long: it simulates many jobs
. "$(dirname "$0")/fleet_common.sh"

python3 "$fleet_directory/clocks.py" "$PROF_BIN/../test/make_job" 2 || fail "clocks are not within their error"

make_job ranks=4 gpus=4 steps=4 one
fleet pack one/*.prof -o one.dataset >/dev/null
same "a host alone" 1 "$(fleet fleet clocks one.dataset --format tsv | tail -n +2 | wc -l)"

make_job ranks=8 tp=8 gpus=4 steps=1 layers=1 short
fleet pack short/*.prof -o short.dataset >/dev/null
found 'only [0-9]* collectives connect it' < <(fleet fleet clocks short.dataset) || fail "$(fleet fleet clocks short.dataset)"

# What the kernels state of their clocks: these of node0 and node1 are at most 100 us apart, as both say.
make_job ranks=8 tp=4 gpus=4 ntp=100 agreeing
fleet pack agreeing/*.prof -o agreeing.dataset >/dev/null
same "what the kernels state" "True	100000	8" "$(fleet fleet agreeing.dataset --format tsv \
    --sql "SELECT clock_synchronized, clock_error_ns, count(*) FROM ranks GROUP BY 1, 2" | tail -n +2)"
kernels() { fleet fleet --format json clocks "$1" | python3 -c 'import json, sys
for row in json.load(sys.stdin)["rows"]: print(row["host"], row["kernel_bound_ns"], row["refused"], row["note"], sep="|")'; }
same "clocks that agree" "node0|100000|None|None
node1|100000|None|None" "$(kernels agreeing.dataset)"

make_job ranks=8 tp=4 gpus=4 ntp=500 clock=bad contradicting
fleet pack contradicting/*.prof -o contradicting.dataset >/dev/null
found '^node1|500000|None|[0-9.]* ms ahead of node0, although the kernels of both state at most 1[.0]* ms' \
    < <(kernels contradicting.dataset) || fail "$(kernels contradicting.dataset)"
found '^node0|500000|None|[0-9.]* ms behind node1, ' < <(kernels contradicting.dataset) || fail "$(kernels contradicting.dataset)"

found '^- the clock of node1 is [0-9.]* ms ahead of node0, although the kernels' < <(fleet fleet contradicting.dataset) ||
    fail "$(fleet fleet contradicting.dataset)"
found '^Nothing stands out' < <(fleet fleet agreeing.dataset) || fail "$(fleet fleet agreeing.dataset)"

# Two ranks that share no collective: how far their clocks are apart is unknown, but not without limit.
fleet pack agreeing/rank-00000.prof agreeing/rank-00005.prof -o apart.dataset >/dev/null
found '^node1|100000|no collective connects it with node0|within 200[.0]* us of node0 by NTP or PTP' < <(kernels apart.dataset) ||
    fail "$(kernels apart.dataset)"

make_job ranks=8 tp=4 gpus=4 ntp=0 free
fleet pack free/*.prof -o free.dataset >/dev/null
same "clocks that run freely" "node0|None|None|its kernel says that its clock is not synchronized
node1|None|None|its kernel says that its clock is not synchronized" "$(kernels free.dataset)"

# Nothing was recorded, and a dataset of an older libprof, which has no such columns: nothing is said.
same "nothing is stated" "node0|None|None|None" "$(kernels short.dataset | head -n 1)"
cp -r agreeing.dataset older.dataset
python3 - older.dataset/table=ranks/*.parquet <<'PY'
import os, sys
import duckdb
for path in sys.argv[1:]:
    duckdb.execute(f"COPY (SELECT * EXCLUDE (clock_synchronized, clock_error_ns) FROM read_parquet('{path}', hive_partitioning = false)) TO '{path}.new' (FORMAT parquet)")
    os.replace(f"{path}.new", path)
PY
same "an older dataset" "node0|None|None|None
node1|None|None|None" "$(kernels older.dataset 2>older.txt)"
found 'an older libprof wrote it, without clock_synchronized, clock_error_ns' <older.txt || fail "$(cat older.txt)"

# No communicator is known: nothing to compare, and no error.
cat >kineto.json <<'JSON'
{"traceEvents":[{"ph":"X","cat":"kernel","name":"ncclKernel","pid":0,"tid":7,"ts":5,"dur":3,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":9,"ts":1,"dur":1}]}
JSON
fleet pack kineto.json -o kineto >/dev/null
fleet fleet clocks kineto >/dev/null
