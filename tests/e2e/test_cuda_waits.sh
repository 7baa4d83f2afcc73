#!/usr/bin/env bash
# Waits are cuda_sync rows as Kineto writes them, and a wait for an event says which call recorded it, in which stream.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda waits
same "output" OK "$(simulate waits.prof ./waits 2>&1)"
no_violations "libprof with records of events"
"$PROF_BIN/profdump" --chrome waits.json waits.prof
python3 - waits.json <<'PYTHON' || fail "the waits"
import collections, json, sys
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
syncs = sorted((e for e in events if e["cat"] == "cuda_sync"), key=lambda e: e["args"]["correlation"])
assert collections.Counter(e["name"] for e in syncs) == {
    "Stream Wait Event": 2, "Event Sync": 2, "Stream Sync": 1, "Context Sync": 1}, syncs
assert all(e["args"]["cuda_sync_kind"] == e["name"] for e in syncs)
waits = [e["args"] for e in syncs if "Event" in e["name"]]
word = "wait_on_cuda_event_record_corr_id"
if any(word in args for args in waits): # no version before 12.4 tells
    first, second, once, again = (args[word] for args in waits)
    assert 0 < first < waits[0]["correlation"] < second < waits[1]["correlation"] < once < again < waits[2]["correlation"], waits
    streams = [args["wait_on_stream"] for args in waits]
    assert streams[0] == streams[1] != streams[2] == streams[3] == waits[0]["stream"], waits
else:
    assert not any("wait_on_stream" in args for args in waits)
ids = [args["wait_on_cuda_event_id"] for args in waits]
assert ids[0] == ids[1] == ids[3] != ids[2], ids
assert not any(key.startswith("wait_on") for e in syncs if "Event" not in e["name"] for key in e["args"]), syncs
print("tells" if word in waits[0] else "cannot tell")
PYTHON
