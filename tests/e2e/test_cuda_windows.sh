#!/usr/bin/env bash
# prof_start() and prof_stop() around CUDA work: what is launched outside is in no table, and the ledger says so.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda windows
export PROF_START=api
for layout in "${layouts[@]}"; do
    same "output" OK "$(SIM_CUPTI_LAYOUT=$layout simulate few-$layout.prof ./windows 3 2>&1)"
done
same "output" OK "$(simulate many.prof ./windows 200 2>&1)"
no_violations "starting and stopping"
expect_cuda few-*.prof -- "ops['work(float*, int)'] == 6 and ops['other()'] == 0 and count['inside'] == 3" \
    "count['outside'] == 0 and loss['launched'] == loss['recorded'] == 6 and calls['cudaLaunchKernel'] == 6" \
    "loss['lost_operations'] == 0 and process['closed'] and 0 < loss['out_of_window'] <= 9"
expect_cuda many.prof -- "ops['work(float*, int)'] == 400 and ops['other()'] == 0 and count['inside'] == 200" \
    "count['outside'] == 0 and loss['launched'] == 400 == loss['recorded'] + loss['lost_operations']" \
    "loss['recorded'] == 400 and process['closed'] and loss['out_of_window'] <= 600"

# Each window is a part of the file that can be shown by itself, and all of them are the whole.
for window in 1 2 3; do
    "$PROF_BIN/profdump" check --window on:$window few-13.0.prof >check.txt || fail "window $window: $(cat check.txt)"
    "$PROF_BIN/profdump" --json --window on:$window few-13.0.prof >window-$window.json
done
"$PROF_BIN/profdump" --json few-13.0.prof >whole.json
"$PROF_BIN/profdump" --chrome window-2.trace --window on:2 few-13.0.prof
cat >add_up.py <<'PYTHON'
import collections, json
def rows(path):
    facts = json.load(open(path))
    return facts, {(row["kind"], row["name"]): row for row in facts["key_averages"]}
whole, wanted = rows("whole.json")
sums = collections.Counter()
for number in (1, 2, 3):
    part, table = rows(f"window-{number}.json")
    assert table["kernel", "work(float*, int)"]["count"] == 2 and table["range", "inside"]["count"] == 1, table
    assert part["loss"]["launched"] == part["loss"]["recorded"] == 2, part["loss"]
    assert part["window"]["from_realtime_ns"] < part["window"]["to_realtime_ns"]
    assert len(part["processes"][0]["windows"]) == 1
    for key, row in table.items():
        for column in ("count", "cpu_total_ns", "self_cpu_total_ns", "cuda_total_ns", "self_cuda_total_ns"):
            sums[key, column] += row[column]
for (key, column), number in sums.items():
    assert wanted[key][column] == number, (key, column, wanted[key][column], number)
assert {key for key, _ in sums} == set(wanted)
events = json.load(open("window-2.trace"))["traceEvents"]
assert sum(event.get("cat") == "kernel" for event in events) == 2
print("all add up")
PYTHON
same "windows added up" "all add up" "$(python3 add_up.py 2>&1 | tail -3)"
same "a window that there was not" "profdump: --window: recording was on 3 times, not 4" \
    "$("$PROF_BIN/profdump" --window on:4 few-13.0.prof 2>&1)"

# Never started: nothing is left, nothing is said.
mkdir never && cd never
same "output when never started" OK "$(simulate never.prof ../windows 0 2>&1)"
same "files when never started" "" "$(ls)"
