#!/usr/bin/env python3
"""What tests/cuda/nccl_host.c leads to in a Chrome trace: nccl_expect.py 1..6|proxy|steps|nvtx|task FILE [through]

through: by the real NCCL, which passes no communicator to interfaces 1 to 3, from NCCL 2.27 on.
"""
import json
import sys

what, path = sys.argv[1:3]
through = len(sys.argv) > 3
events = sorted((e for e in json.load(open(path))["traceEvents"] if "ts" in e), key=lambda e: e["ts"])
COMMUNICATOR = "0xfedcba9876543210"
TASK = {"Algorithm": "RING", "Protocol": "LL", "Channels": 8}


def args(name):
    return [e["args"] for e in events if e.get("cat") == "user_annotation" and e["name"] == name]


def without_calls(calls):
    """Interfaces 1 to 4: a range for each task. They do not say when kernels are launched."""
    assert [c["NCCL sequence number"] for c in calls] == [5, 6], calls
    assert all(TASK.items() <= c.items() for c in calls), calls


def with_calls(calls):
    single, grouped, captured, grouped_captured = calls
    assert single["NCCL sequence number"] == 5 and TASK.items() <= single.items(), single
    assert "NCCL group" not in single and "NCCL group" not in captured
    assert "NCCL sequence number" not in grouped and captured["Graph captured"] == 1
    tasks = args("NCCL task AllReduce")
    assert all(TASK.items() <= t.items() for t in tasks), tasks
    replays = 2 * [(captured["NCCL call"], None), (grouped_captured["NCCL call"], None)]  # NCCL does not count these
    assert [(t["NCCL call"], t.get("NCCL sequence number")) for t in tasks] == [(grouped["NCCL call"], 6)] + replays, tasks
    assert not any("NCCL communicator ID" in t for t in tasks), "counted twice"
    assert [r["NCCL group"] for r in args("NCCL launch")] == [grouped["NCCL group"], grouped_captured["NCCL group"]]
    assert args("ncclSend")[0]["NCCL group"] == grouped["NCCL group"]
    kernels = [e["args"] for e in events if e.get("cat") == "kernel"]
    # A call's own kernel is the call's, also in replays of a graph. A group's kernel may serve several calls.
    own = [k.get("Process Group Name") for k in kernels]
    assert own == [COMMUNICATOR, None] + 2 * [COMMUNICATOR, None], own
    places = [k["captured in"].split(" > ")[0] for k in kernels[2:]]
    assert places == 2 * ["NCCL:ncclAllReduce", "NCCL:NCCL launch"], places


def version(number):
    calls = args("ncclAllReduce")
    sends = args("ncclSend") if number < 5 else args("NCCL task Send")
    assert sends and {s["Peer rank"] for s in sends} == {5}, sends
    communicators = {int(c.get("NCCL communicator ID", 0)) for c in calls}
    assert communicators == {int(COMMUNICATOR, 16)} or (through and number < 4 and communicators == {0}), calls
    assert all(c["Message size [bytes]"] == 4096 for c in calls), calls
    assert [c["Message size [bytes]"] for c in args("ncclSend")] == [16], args("ncclSend")
    (without_calls if number < 5 else with_calls)(calls)
    assert number >= 4 or not args("ncclCommInit")
    if number >= 4:
        stated = {k: v for k, v in args("ncclCommInit")[0].items() if k != "domain"}
        assert stated == {"NCCL communicator ID": str(int(COMMUNICATOR, 16)), "No. of ranks": 8, "Rank": 3,
                          "No. of nodes": 2, "Communicator name": 'group "7"\n'}, stated


def proxies(steps):
    """Two operations, the second for another process's call; the first has two steps. All may overlap."""
    call = args("ncclAllReduce")[0]["NCCL call"]
    spans = {}
    for e in (e for e in events if e["name"].startswith("NCCL proxy")):
        spans.setdefault(e["id"], {"name": e["name"], "args": {}})[e["ph"]] = e["ts"]
        spans[e["id"]]["args"].update(e.get("args", {}))
    sends = [s for s in spans.values() if s["name"] == "NCCL proxy send"]
    assert [s["args"].get("NCCL call") for s in sends] == [call, None], spans
    for key, value in {"Peer": 5, "Channel": 3, "Steps": 2, "Chunk size [bytes]": 65536}.items():
        assert all(s["args"][key] == value for s in sends), sends
    assert sends[0]["b"] <= sends[1]["b"] <= sends[0]["e"] <= sends[1]["e"], "neither encloses the other"
    found = [s["args"] for s in spans.values() if s["name"] == "NCCL proxy step"]
    assert [(s["Step"], s.get("Bytes")) for s in found] == ([(0, 4096), (1, None)] if steps else []), found
    assert len({s["NCCL proxy operation"] for s in found}) == (1 if steps else 0)


def beside_nvtx():
    calls = args("ncclAllReduce")
    assert len(calls) == 4, calls
    assert calls[0]["NCCL sequence number"] == 5 and "NCCL communicator ID" not in calls[0], calls[0]


def one_call():
    assert len(args("ncclAllReduce")) == 1 and len(args("NCCL task AllReduce")) == 1, events


if what.isdigit():
    version(int(what))
else:
    {"proxy": lambda: proxies(False), "steps": lambda: proxies(True), "nvtx": beside_nvtx, "task": one_call}[what]()
