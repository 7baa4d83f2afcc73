#!/usr/bin/env bash
# nsys-ai, a program that analyses what nsys exports, reads our databases: its kernels, ranges and copies are those of the recording.
# Columns that only scripts look at are checked by SQL.
# long: it fetches packages
. "$(dirname "$0")/cuda_common.sh"
. "$(dirname "$0")/packages_common.sh"

command -v python3 >/dev/null || skip "needs python3"
"$PROF_BIN/profdump" --version | found '^without SQLite' && skip "profdump was built without SQLite"

"$CC" -std=gnu17 -O1 -I"$include" "$e2e_directory/../../examples/demo_ranges.c" -o demo_ranges -L"$SIM_LIB" -l:libcudart.so.13
compile_cuda graphs
for name in demo_ranges graphs; do
    simulate "$name.prof" "./$name" >/dev/null
    "$PROF_BIN/profdump" -o "$name.sqlite" "$name.prof"
done

python3 - demo_ranges.sqlite graphs.sqlite <<'E2' || fail "columns that scripts look at"
import sqlite3
import sys

for file in sys.argv[1:]:
    database = sqlite3.connect(file)

    def rows(sql):
        return database.execute(sql).fetchall()

    assert rows("SELECT count(*) FROM NVTX_EVENTS")[0][0] > 0 or "graphs" in file
    assert rows("SELECT count(*) FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId WHERE n.text IS NOT s.value") == [(0,)]
    devices = rows("SELECT g.cuDevice, g.uuid, g.smCount FROM TARGET_INFO_GPU g")
    assert devices and devices == rows("SELECT cudaId, uuid, numMultiprocessors FROM TARGET_INFO_CUDA_DEVICE"), devices
    assert rows("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'")[0][0].count(".") == 2
captured, of_graphs = rows(
    "SELECT count(n.graphNodeId), count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
    "LEFT JOIN (SELECT DISTINCT graphNodeId FROM CUDA_GRAPH_NODE_EVENTS) n USING (graphNodeId) WHERE k.graphNodeId IS NOT NULL")[0]
assert 0 < captured <= of_graphs, (captured, of_graphs)
E2

if ! fetch nsys nsys-ai==0.3.0 --no-deps || ! fetch duckdb duckdb; then
    skip "nsys-ai could not be fetched: $(tail -n 1 fetch.txt)"
fi
export PYTHONPATH=$packages/nsys:$packages/duckdb
nsys_ai() { python3 -m nsys_ai "$@" 2>nsys.txt || fail "$1 $2: $(cat nsys.txt)" >&2; }

wanted=$("$PROF_BIN/profdump" query --format tsv "SELECT count(*) FROM operations WHERE kind = 'kernel' GROUP BY name" \
    demo_ranges.prof | tail -n +2 | sort -n | xargs)
[[ $wanted == *[1-9]* ]] || fail "the program launched no kernel"
nsys_ai skill run top_kernels demo_ranges.sqlite --format json >kernels.json
same "launches of each kernel" "$wanted" \
    "$(python3 -c 'import json; print(*sorted(row["invocations"] for row in json.load(open("kernels.json"))))')"
nsys_ai info demo_ranges.sqlite >info.txt
found 'GPU 0: Simulated GPU .*SMs=[1-9]' <info.txt || fail "no GPU: $(cat info.txt)"
