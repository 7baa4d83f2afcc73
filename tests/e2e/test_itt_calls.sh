#!/usr/bin/env bash
# Every call of ITT that is recorded, by a static part of our own.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/nvtx_common.sh"

compile itt_calls -rdynamic

record calls.prof ./itt_calls >out.txt
grep -q '^[4-9][0-9] functions, sync_acquired not$' out.txt || fail "what was bound: $(cat out.txt)"
nvtx calls.prof 'sum(raw.loss) == 0 and unopened == 0 and all(each.ended for each in ranges)' \
    'count["calls", "outer"] == 100 and count["calls", "inner"] == 100 and count["calls", "early"] == 1' \
    '[each.attributes for each in ranges if each.name == "inner"] == [{"number": i} for i in range(100)]' \
    'all(each.attributes == {"number": 0.5, "text": "some text"} for each in ranges if each.name == "outer")' \
    '{each.depth for each in ranges if each.name == "inner"} == {1}' \
    'of("formatted").attributes == {"metadata": "it took 7 of 12.5 %", "number": "[1, -2, 3]", "text": "cut"}' \
    'count["calls", "exported_function"] == 1' \
    'of("aten::mm").attributes == {"seq": 12, "sizes": "[[2, 3], [3, 4]]"}' \
    'of("overlapped").attributes == {"number": -1} and of("overlapped").ended != [of("overlapped").thread]' \
    'count["calls", "region"] == 1 and count["calls", "frame"] == 2 and count["old frames", "frame"] == 1' \
    'count["submitted", "frame"] == 1 and count["", "event"] == 1' \
    'of("old mark").attributes == {"parameter": "parameter of it"}' \
    'of("marker").domain == "calls" and of("marker").attributes == {"text": "of it"}' \
    'count["calls", "paused"] == 0 and count["calls", "resumed"] == 1' \
    '{name for _, name, *_ in raw.threads.values()} >= {"main of ITT", "the one that ends"}'

# Reasons of windows, counters, memory and a frame that was told after it was over.
"$PROF_BIN/profdump" --json calls.prof >calls.json
"$PROF_BIN/profdump" --chrome calls.chrome calls.prof
python3 - <<'PYTHON'
import json
facts = open("calls.json").read()
assert '"itt"' in facts, "no window ended by itt"
events = json.load(open("calls.chrome"))["traceEvents"]
counters = {}  # the last of each is repeated where the trace ends
for event in events:
    if event["ph"] == "C":
        counters.setdefault(event["name"], []).append(next(iter(event["args"].values())))
assert [v for k, v in counters.items() if k.endswith("counted")] == [[1, 2, 3, 4, 5, 3, 3]], counters
assert [v for k, v in counters.items() if k.endswith("real")] == [[2.5, 2.5]], counters
assert [v for k, v in counters.items() if k.endswith("early count")] == [[-4, -4]], counters
assert [v for k, v in counters.items() if k.endswith("third")] == [[30, 30]], counters
begins = [e for e in events if e["ph"] in "bX" and e["name"] == "frame" and "submitted" in json.dumps(e)]
assert len(begins) == 1, begins
ends = [e for e in events if e["ph"] == "e" and e.get("id") == begins[0].get("id") and e.get("cat") == begins[0]["cat"]]
took = ends[0]["ts"] - begins[0]["ts"] if ends else begins[0]["dur"]
assert 3000 <= took < 1e6, took
PYTHON
"$PROF_BIN/profdump" memory calls.prof | grep -q 'Allocator pool *2 *1 ' || fail "memory: $("$PROF_BIN/profdump" memory calls.prof)"
"$PROF_BIN/profdump" check calls.prof >check.txt || fail "check: $(cat check.txt)"

# A static part of before 2010 asks for names, of which a preloaded library may not have any.
ITT_COLLECTOR=names record names.prof ./itt_calls >names.txt
same "by name" "0 functions, sync_acquired not" "$(cat names.txt)"
[[ ! -e names.prof ]] || fail "something was recorded without a collector"
