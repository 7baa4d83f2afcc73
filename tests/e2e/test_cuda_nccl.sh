#!/usr/bin/env bash
# libprof as NCCL's profiler plugin: every interface that NCCL may choose, and how it is found, replaced and turned off.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda nccl_host -I"$e2e_directory/../../nccl" -ldl

ranges_of() {
    "$PROF_BIN/profdump" --chrome out.json "$1"
    python3 - "$2" <<'PYTHON' || fail "what is recorded of $1"
import json, sys
version = int(sys.argv[1])
events = json.load(open("out.json"))["traceEvents"]
ranges = [e for e in events if e.get("cat") == "user_annotation"]
group = "0xfedcba9876543210"
def args(name): return [e["args"] for e in sorted(ranges, key=lambda e: e["ts"]) if e["name"] == name]
task = {"Algorithm": "RING", "Protocol": "LL", "Channels": 8}
calls = args("ncclAllReduce")
assert all(int(c["NCCL communicator ID"]) == int(group, 16) and c["Message size [bytes]"] == 4096 for c in calls), calls
assert [c["Message size [bytes]"] for c in args("ncclSend")] == [16], args("ncclSend")
if version < 5:
    # One range for each task; the interface does not say when kernels are launched.
    assert [c["NCCL sequence number"] for c in calls] == [5, 6], calls
    assert all(task.items() <= c.items() for c in calls), calls
    assert not args("ncclCommInit") or version == 4
else:
    single, grouped, captured = calls
    assert single["NCCL sequence number"] == 5 and task.items() <= single.items(), single
    assert "NCCL sequence number" not in grouped and captured["Graph captured"] == 1
    tasks = args("NCCL task AllReduce")
    assert [(t["NCCL call"], t["NCCL sequence number"]) for t in tasks] == \
        [(grouped["NCCL call"], 6)] + 2 * [(captured["NCCL call"], 9)], tasks
    assert not any("NCCL communicator ID" in t for t in tasks), "counted twice"
    assert len(args("NCCL launch")) == 2
    kernels = sorted((e for e in events if e.get("cat") == "kernel"), key=lambda e: e["ts"])
    assert [k["args"].get("Process Group Name") for k in kernels] == [group, None, None], "one call, or several"
if version >= 4:
    assert {k: v for k, v in args("ncclCommInit")[0].items() if k != "domain"} == {"NCCL communicator ID": str(int(group, 16)),
        "No. of ranks": 8, "Rank": 3, "No. of nodes": 2, "Communicator name": 'group "7"\n'}
PYTHON
}

for version in 1 2 3 4 5 6; do
    mask=0x6
    ((version == 5)) && mask=0xf06
    ((version == 6)) && mask=0x1f06
    same "interface $version" "libprof v$version mask $mask" "$(simulate v$version.prof ./nccl_host $version 2>err.txt)"
    ranges_of v$version.prof $version
done

# A range is closed by the thread that opened it: not by another one, nor by a child's copy of it.
mkdir elsewhere
simulate elsewhere/run.prof ./nccl_host 6 elsewhere >out.txt 2>err.txt || fail "stopped elsewhere: $(cat out.txt err.txt)"
(($(ls elsewhere/*.prof | wc -l) == 2)) || fail "the child has no recording: $(ls elsewhere)"
"$PROF_BIN/profdump" elsewhere/*.prof >out.txt
found 'stopped elsewhere .* 2$' <out.txt || fail "not stopped elsewhere: $(cat out.txt)"
! found -E 'pop without a push|range still open' <out.txt || fail "another thread closed the range: $(cat out.txt)"

# How it is found, replaced and turned off.
same "in the process" "libprof v6 mask 0x1f06" "$(NCCL_PROFILER_PLUGIN=STATIC_PLUGIN simulate static.prof ./nccl_host 2>err.txt)"
same "the user's plugin" "no plugin" "$(NCCL_PROFILER_PLUGIN=none simulate none.prof ./nccl_host 2>err.txt)"
same "turned off" "no plugin" "$(PROF_NCCL=0 simulate off.prof ./nccl_host 2>err.txt)"
same "turned off, yet chosen" "libprof v6 mask 0" "$(PROF_NCCL=0 NCCL_PROFILER_PLUGIN=$lib simulate off2.prof ./nccl_host 2>err.txt)"
same "without libprof" "no plugin" "$(bare ./nccl_host)"
no_violations "libprof as NCCL's plugin"

# NCCL's NVTX range gets the attributes; there is no second range of the call.
if [[ -n ${NVTX_INCLUDE:-} ]]; then
    compile_cuda nccl_host -DWITH_NVTX -isystem "$NVTX_INCLUDE" -I"$e2e_directory/../../nccl" -ldl
    same "with NVTX" "libprof v6 mask 0x1f06" "$(simulate nvtx.prof ./nccl_host 2>err.txt)"
    "$PROF_BIN/profdump" --chrome out.json nvtx.prof
    python3 - <<'PYTHON' || fail "what is recorded beside NVTX"
import json
events = json.load(open("out.json"))["traceEvents"]
calls = [e["args"] for e in events if e["name"] == "ncclAllReduce" and e.get("cat") == "user_annotation"]
assert len(calls) == 3, calls
assert calls[0]["NCCL sequence number"] == 5 and "NCCL communicator ID" not in calls[0], calls[0]
PYTHON
fi
