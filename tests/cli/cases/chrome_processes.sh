# Two recordings count their correlation ids from 1. In one Chrome trace those of the second one are others, so what
# is read back is the same, launch by launch.
profdump --chrome both.json rank0.prof rank1.prof
python3 - <<'PYTHON'
import json

calls = {}
for event in json.load(open("both.json"))["traceEvents"]:
    if event.get("cat") in ("cuda_runtime", "cuda_driver") and event["args"].get("correlation"):
        calls.setdefault(event["args"]["correlation"], set()).add(event["pid"])
print("ids of calls:", len(calls), "of several processes:", sum(len(pids) > 1 for pids in calls.values()))
PYTHON
profdump check both.json
profdump check --ledger both.json
profdump rank0.prof rank1.prof | grep -v '^Program\|^Recorded\|^GPU mode\|^Ledger' >first.txt
profdump both.json | grep -v '^Program\|^Recorded\|^GPU mode\|^Ledger' | diff first.txt -
