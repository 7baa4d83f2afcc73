"""kineto.py JOB TRACES: what make_job recorded, as torch.profiler (Kineto) writes it: a Chrome trace for each rank.

The traces have operators record_param_comms with process groups and sequence numbers, kernels with the same members, and steps. They
have nothing of libprof's: no NVTX ranges of NCCL. Of a collective that did not end, there is the operator without a kernel.
"""

import json
import os
import pathlib
import subprocess
import sys

FUNCTIONS = {"ncclAllReduce": "allreduce", "ncclAllGather": "_allgather_base", "ncclSend": "send", "ncclRecv": "recv"}
BFLOAT16 = 2
COMMUNICATOR = "NCCL communicator ID"


def exported(recording, folder):
    """The trace that profdump makes of a recording, or None: a rank that has none."""
    path = folder / f"{recording.stem}.json"
    subprocess.run([f"{os.environ['LIBPROF_BIN']}/profdump", "-o", path, recording], check=True, stdout=subprocess.DEVNULL)
    trace = json.loads(path.read_text())
    path.unlink()
    return trace


def group_members(traces):
    """The ranks of each communicator."""
    members = {}
    for trace in traces:
        rank = trace["distributedInfo"]["rank"]
        for event in trace["traceEvents"]:
            if COMMUNICATOR in event.get("args", {}):
                members.setdefault(event["args"][COMMUNICATOR], set()).add(rank)
    return {communicator: sorted(ranks) for communicator, ranks in members.items()}


def comms_args(event, members, number, sequence, rank):
    """Members of record_param_comms, and of its kernel."""
    ranks = members[event["args"][COMMUNICATOR]]
    elements = event["args"]["Message size [bytes]"] // BFLOAT16
    args = {
        "Collective name": FUNCTIONS[event["name"]], "In msg nelems": elements, "Out msg nelems": elements, "Group size": len(ranks),
        "dtype": "BFloat16", "Process Group Name": str(number), "Process Group Description": "undefined",
        "Process Group Ranks": str(ranks), "Rank": rank, "Seq": sequence,
    }  # fmt: skip
    if event["name"] in ("ncclSend", "ncclRecv"):
        peer = ranks[event["args"]["Peer rank"]]
        args.update({"Rank": event["args"]["Peer rank"], "Dst Rank" if event["name"] == "ncclSend" else "Src Rank": peer})
    return args


def convert_events(trace, members, numbers, first_sequence):
    rank = trace["distributedInfo"]["rank"]
    sequences, launched, events = {}, {}, []
    open_calls = []
    for event in trace["traceEvents"]:
        args, kind = event.get("args", {}), event.get("cat")
        if kind == "gpu_user_annotation" or event["ph"] in "sf":
            continue
        if COMMUNICATOR in args:
            communicator = args[COMMUNICATOR]
            sequences[communicator] = sequences.get(communicator, first_sequence) + 1
            comms = comms_args(event, members, numbers[communicator], sequences[communicator], rank)
            open_calls.append((event["ts"], event["ts"] + event.get("dur", 1e12), comms))
            event = {**event, "cat": "cpu_op", "name": "record_param_comms", "args": comms}
        elif kind == "cuda_runtime":
            for begin, end, comms in open_calls[-1:]:
                if begin <= event["ts"] < end:
                    launched[args["correlation"]] = comms
        elif kind == "kernel":
            kept = {key: value for key, value in args.items() if "msg" not in key and key not in ("Collective name", "dtype", "Process Group Name")}
            event = {**event, "args": {**kept, **launched.get(args["correlation"], {})}}
        if event.get("dur") is not None or event["ph"] == "M":
            events.append(event)
    return events


def convert(job, traces, first_sequence=0, name="rank{rank}.pt.trace.json", distributed=True):
    """`first_sequence`: of the process groups. `distributed`: False leaves out what states the rank."""
    folder = pathlib.Path(traces)
    folder.mkdir()
    exports = [exported(path, folder) for path in sorted(pathlib.Path(job).glob("*.prof"))]
    members = group_members(exports)
    numbers = {communicator: i + 1 for i, communicator in enumerate(sorted(members))}
    for trace in exports:
        events = convert_events(trace, members, numbers, first_sequence)
        rank = trace["distributedInfo"]["rank"]
        head = {key: trace[key] for key in ("schemaVersion", "deviceProperties", "displayTimeUnit", "baseTimeNanoseconds", "host_name")}
        if distributed:
            head["distributedInfo"] = {"backend": "nccl", **trace["distributedInfo"]}
        (folder / name.format(rank=rank)).write_text(json.dumps({**head, "traceEvents": events}))


if __name__ == "__main__":
    convert(*sys.argv[1:3])
