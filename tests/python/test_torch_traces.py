"""Compares Chrome traces with torch.profiler's key by key, for two processes that train over gloo."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List

import pytest

import libprof
from conftest import RunPython

torch = pytest.importorskip("torch")

JOB = """
import os, sys
import torch, torch.distributed as dist, torch.multiprocessing as mp

def work(rank, which, store):
    if which == "torch":
        from torch.profiler import profile, record_function
    else:
        from libprof import profile, record_function
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=2)
    group = dist.new_group([0, 1])
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
    with profile(record_shapes=True, with_flops=True, profile_memory=True) as prof:
        for _ in range(2):
            with record_function("forward"):
                loss = model(torch.randn(8, 16)).sum()
            loss.backward()
            ones = torch.ones(5)
            dist.all_reduce(ones, group=group)
            dist.all_gather([torch.empty(5), torch.empty(5)], ones)
            dist.broadcast(ones, 0)
            if rank:
                dist.send(ones, 0)
            else:
                dist.recv(ones, 1)
            dist.barrier()
            with torch.profiler.record_function("named", "text"):
                pass
    prof.export_chrome_trace(f"{which}{rank}.json")
    dist.destroy_process_group()

if __name__ == "__main__":
    import libprof
    for which in ("torch", "libprof"):
        mp.spawn(work, (which, os.path.abspath("store." + which)), nprocs=2)
"""

SAME = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
"""Members of args whose values are equal in both. The others differ between runs."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the traces of both profilers and ranks."""
    directory = tmp_path_factory.mktemp("job")
    (directory / "job.py").write_text(JOB)
    done = subprocess.run(
        [sys.executable, "job.py"], cwd=directory, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


def read(path: Path) -> Dict[str, Any]:
    trace: Dict[str, Any] = json.loads(path.read_text())
    return trace


def described(events: List[Dict[str, Any]], category: str) -> "Counter[str]":
    """Counts events by name and members of args."""
    of = [event for event in events if event.get("cat") == category and not event["name"].startswith("ProfilerStep")]
    return Counter(
        json.dumps([event["name"], sorted(set(event["args"]) - IGNORED), {key: event["args"].get(key) for key in SAME}])
        for event in of
    )


IGNORED = {"Record function id", "flops", "forward_tid"}
"""torch.profiler writes the first as 0 where libprof omits it; only libprof writes the others."""


@pytest.mark.parametrize("rank", [0, 1])
def test_a_job_is_described_as_by_torch_profiler(traces: Path, rank: int) -> None:
    theirs, ours = read(traces / f"torch{rank}.json"), read(traces / f"libprof{rank}.json")
    assert set(theirs) <= set(ours)
    for key in ("distributedInfo", "record_shapes", "with_flops", "profile_memory", "host_name", "schemaVersion"):
        assert ours[key] == theirs[key], key
    assert len(ours["trace_id"]) == len(theirs["trace_id"])
    assert ours["distributedInfo"]["rank"] == rank and len(ours["distributedInfo"]["pg_config"]) == 2


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("category", ["cpu_op", "user_annotation"])
def test_events_have_the_members_of_torch_profilers(traces: Path, rank: int, category: str) -> None:
    theirs, ours = (read(traces / f"{which}{rank}.json")["traceEvents"] for which in ("torch", "libprof"))
    assert described(ours, category) == described(theirs, category)


def test_events_are_numbered_as_they_stand(traces: Path) -> None:
    events = read(traces / "libprof0.json")["traceEvents"]
    numbered = [event for event in events if "Ev Idx" in event.get("args", {})]
    assert [event["args"]["Ev Idx"] for event in numbered] == list(range(len(numbered)))
    assert {event["cat"] for event in numbered} == {"cpu_op", "user_annotation", "cpu_instant_event"}
    (end,) = [event for event in events if event["name"] == "Record Window End"]
    assert end["ts"] >= max(round(event["ts"] + event.get("dur", 0), 3) for event in numbered)


def test_the_handlers_file_is_the_exported_one(tmp_path: Path) -> None:
    categories = {}
    for views in (False, True):
        handler = libprof.tensorboard_trace_handler(str(tmp_path / str(views)), plugin_views=views)
        with libprof.profile(on_trace_ready=handler):
            with libprof.record_function("mine"):
                torch.ones(4, requires_grad=True).sum().backward()
        (path,) = (tmp_path / str(views)).iterdir()
        events = read(path)["traceEvents"]
        categories[views] = {event["name"]: event.get("cat") for event in events if event["ph"] in "Xs"}
    assert categories[False]["mine"] == "user_annotation" and categories[False]["fwdbwd"] == "fwdbwd"
    assert categories[True]["mine"] == "cpu_op" and categories[False]["aten::sum"] == "cpu_op"


def test_a_collective_keeps_what_pytorch_states_about_it(tmp_path: Path) -> None:
    """A trace keeps them when libprof reads and writes it."""
    args = {
        "External id": 9, "Collective name": "all_to_allv", "In msg nelems": 5, "Out msg nelems": 6, "Group size": 4, "dtype": "Float",
        "In split size": "[2, 3]", "Out split size": "[]", "Process Group Name": "1", "Process Group Description": "tensor_parallel",
        "Process Group Ranks": "[0, 1, 2, 3]", "Rank": 2, "Src Rank": 0, "Dst Rank": 1, "Seq": 7, "Comms Id": 10159970886763999802,
        "Global rank start": 0, "Global rank stride": 1, "Is asynchronized op": 1, "Input Dims": [[[5]]], "Input type": ["TensorList"],
    }  # fmt: skip
    described = {"trace_id": "x", "record_shapes": 1, "distributedInfo": {"rank": 1, "world_size": 2, "pg_config": [{"ranks": [0, 1]}]}}
    common = {"ph": "X", "pid": 5, "tid": 5}
    events = [
        {**common, "cat": "cpu_op", "name": "record_param_comms", "ts": 10, "dur": 90, "args": args},
        {**common, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 20, "dur": 5, "args": {"External id": 9, "correlation": 3}},
        {
            "ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "ncclDevKernel_SendRecv", "ts": 200, "dur": 5,
            "args": {"External id": 9, "correlation": 3, "device": 0, "stream": 7, "context": 1},
        },
    ]  # fmt: skip
    (tmp_path / "in.json").write_text(json.dumps({"schemaVersion": 1, **described, "traceEvents": events}))
    for window in ([], ["--window", "..1s"]):  # copied, and converted
        libprof.Trace(str(tmp_path / "in.json")).export(tmp_path / "out.json", None, *window)
        trace = read(tmp_path / "out.json")
        assert {key: trace[key] for key in described} == described
        out = {event["name"]: event.get("args", {}) for event in trace["traceEvents"]}
        kept = out["record_param_comms"]
        assert {key: kept[key] for key in args if key != "External id"} == {key: args[key] for key in args if key != "External id"}
    kernel = out["ncclDevKernel_SendRecv"]
    assert kernel["Collective name"] == "all_to_allv" and kernel["Comms Id"] == args["Comms Id"] and kernel["Seq"] == 7


OPTIMIZER = """
import json, libprof, torch
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(times, prof=None):
    for _ in range(times):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        if prof:
            prof.step()

libprof.start()
train(3)
libprof.stop()
with libprof.profile(schedule=libprof.schedule(wait=1, warmup=0, active=2, repeat=1)) as prof:
    train(5, prof)
for trace in (libprof.read(libprof.output_path()), prof.trace):
    print(next(row["count"] for row in trace.facts["key_averages"] if row["name"] == "ProfilerStep*"))
"""


@pytest.mark.parametrize("asked, counts", [("always", ["5", "2"]), ("never", ["2", "2"])])
def test_steps_of_optimizers_count_for_requests(run_python: RunPython, asked: str, counts: List[str]) -> None:
    """If a profile counts steps, the optimizer's do not count in addition."""
    done = run_python(OPTIMIZER, env={"PROF_DAEMON": asked, "KINETO_CONFIG": "/dev/null"})
    assert done.stdout.split() == counts
