"""``profdump hang`` with dumps of PyTorch's flight recorder: real ones from gloo, and hand-made ones with each fault."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from conftest import schema_faults

from libprof import _flight
from libprof._times import ranks_text

PROFDUMP = os.environ["LIBPROF_BIN"] + "/profdump"
WORLD = ("0", "default_pg")


def hang(*words: str, status: int = 0) -> str:
    done = subprocess.run([PROFDUMP, "hang", *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


class Job:
    """Dumps of a job, as PyTorch writes them."""

    def __init__(self, folder: Path, ranks: int, groups: Dict[Any, List[int]], as_json: bool = False) -> None:
        self.folder, self.as_json = folder, as_json
        self.groups = {WORLD: list(range(ranks)), **groups}
        self.entries: Dict[int, List[Dict[str, Any]]] = {rank: [] for rank in range(ranks)}
        self.clock = 1_000_000

    def call(self, number: int, name: str = "all_reduce", group: Any = WORLD, ranks: Any = None, done: bool = True, sizes: Any = ((8,),), **fields: Any) -> None:
        for rank in self.groups[group] if ranks is None else ranks:
            self.clock += 1000
            entry = {
                "record_id": len(self.entries[rank]), "pg_id": 0, "process_group": group, "collective_seq_id": number, "p2p_seq_id": 0,
                "op_id": number, "profiling_name": f"nccl:{name}", "time_created_ns": self.clock,
                "input_sizes": [list(size) for size in sizes], "output_sizes": [list(size) for size in sizes], "input_dtypes": ["Float"],
                "output_dtypes": ["Float"], "state": "completed" if done else "started", "retired": done, "is_p2p": False,
                "frames": [{"name": "train", "filename": "/src/train.py", "line": 10 + number}], **fields,
            }  # fmt: skip
            self.entries[rank].append(entry)

    def write(self, *, without: Any = ()) -> str:
        config = {name: {"name": name, "desc": text, "ranks": str(ranks)} for (name, text), ranks in self.groups.items()}
        for rank, entries in self.entries.items():
            if rank in without:
                continue
            content = {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": entries}
            path = self.folder / f"nccl_trace_rank_{rank}"
            path.write_bytes(json.dumps(content).encode() if self.as_json else pickle.dumps(content, protocol=2))
        return str(self.folder)


@pytest.fixture(params=["pickle", "json"])
def make(tmp_path: Path, request: Any) -> Callable[..., Job]:
    def job(ranks: int = 4, groups: Any = None) -> Job:
        return Job(tmp_path, ranks, groups or {}, request.param == "json")

    return job


def test_a_rank_that_has_not_called(make: Callable[..., Job]) -> None:
    job = make()
    job.call(1)
    job.call(2, ranks=[0, 1, 3], done=False)
    said = hang(job.write())
    assert "Flight recorder: rank 2 has not called all_reduce #2 of process group default_pg (0), in which ranks 0-1, 3 wait\n" in said
    assert "    ranks 0-1, 3 called it at\n      /src/train.py:12 train\n" in said
    assert "    last call of rank 2: all_reduce #1 of process group default_pg (0), completed, at\n      /src/train.py:11 train\n" in said


def test_the_rank_that_waits_for_nobody_is_first(make: Callable[..., Job]) -> None:
    """Rank 0 waits in its pair for rank 1, which is late; ranks 2 and 3 wait for rank 0."""
    pair = ("1", "pair")
    job = make(groups={pair: [0, 1]})
    job.call(1, ranks=[2, 3], done=False)
    job.call(1, "broadcast", pair, ranks=[0], done=False)
    answer = json.loads(hang("--format", "json", job.write()))
    assert not schema_faults(answer, "hang")
    first, second = answer["flight_recorder"]
    assert (first["ranks"], first["process_group"], first["waits_in"]) == ([1], ["1", "pair"], None)
    assert (second["ranks"], second["waits_in"]) == ([0, 1], "broadcast #1 of process group pair (1)")


def test_sizes_that_differ(make: Callable[..., Job]) -> None:
    job = make()
    job.call(1)
    job.call(2, ranks=[0, 1, 2], done=False)
    job.call(2, ranks=[3], done=False, sizes=((16,),))
    assert "rank 3 called all_reduce of [[16]] ['Float'] as #2 of process group default_pg (0), others all_reduce" in hang(job.write())


def test_another_collective(make: Callable[..., Job]) -> None:
    job = make()
    job.call(1, ranks=[0, 1, 2], done=False)
    job.call(1, "broadcast", ranks=[3], done=False)
    (one,) = json.loads(hang("--format", "json", job.write()))["flight_recorder"]
    assert (one["kind"], one["ranks"], one["waiting"]) == ("different", [3], [0, 1, 2])


def test_calls_whose_sizes_may_differ(make: Callable[..., Job]) -> None:
    job = make(ranks=2)
    for number, name in enumerate(("all_to_all", "ALLTOALL_BASE", "scatter"), 1):
        job.call(number, name, ranks=[0], input_sizes=[[4]])
        job.call(number, name, ranks=[1], input_sizes=[[6]])
    assert "no collective is open or differs between ranks" in hang(job.write())


def test_a_call_that_does_not_end(make: Callable[..., Job]) -> None:
    job = make()
    job.call(1, ranks=[0, 1], done=False)
    job.call(1, ranks=[2, 3])
    assert "all_reduce #1 of process group default_pg (0) has not ended on ranks 0-1: ranks 2-3 completed it" in hang(job.write())


def test_a_send_that_nobody_receives(make: Callable[..., Job]) -> None:
    stage = ("2", "pp")
    job = make(groups={stage: [1, 3]})
    job.call(1, "send 0->1", stage, ranks=[1], done=False, is_p2p=True, p2p_seq_id=5)
    assert "rank 3 has not called the recv of send 0->1 #5 of process group pp (2), in which rank 1 waits" in hang(job.write())


def test_ranks_without_a_dump(make: Callable[..., Job]) -> None:
    job = make()
    job.call(1)
    assert "rank 2: no dump" in hang(job.write(without=[2]))


def test_a_healthy_job(make: Callable[..., Job]) -> None:
    pairs: Dict[Any, List[int]] = {("1", "tp"): [0, 1], ("2", "tp"): [2, 3]}
    job = make(groups=pairs)
    for number in range(1, 20):
        job.call(number)
        for group in pairs:
            job.call(number, "_all_gather_base", group)
    assert hang(job.write()) == "Flight recorder: no collective is open or differs between ranks\n\nDumps: ranks 0-3\n"


class Harmful:
    def __reduce__(self) -> Any:
        return os.system, ("touch harmed",)


def test_damaged_dumps(tmp_path: Path) -> None:
    job = Job(tmp_path, 4, {})
    job.call(1)
    job.call(2, ranks=[0], done=False)
    job.write()
    whole = (tmp_path / "nccl_trace_rank_3").read_bytes()
    (tmp_path / "nccl_trace_rank_3").write_bytes(whole[: len(whole) - 20])
    (tmp_path / "nccl_trace_rank_2").write_bytes(pickle.dumps({"pg_config": Harmful(), "entries": []}, protocol=2))
    said = hang(str(tmp_path))
    assert "nccl_trace_rank_3: not a dump of PyTorch's flight recorder, or incomplete" in said
    assert "it contains posix.system" in said and not Path("harmed").exists()
    assert "rank 1 has not called all_reduce #2" in said
    for entries in ([{}], {"a": 1}, [[]], [{"profiling_name": "x", "collective_seq_id": "y"}], None):
        bad = tmp_path / "bad_0"
        bad.write_text(json.dumps({"pg_config": {}, "entries": entries}))
        assert "not a dump" in hang(str(bad), status=1)


def test_names_cannot_command_the_terminal(tmp_path: Path) -> None:
    job = Job(tmp_path, 2, {("1", "\x1b[2Jgroup\nFlight"): [0, 1]})
    job.call(1, group=("1", "\x1b[2Jgroup\nFlight"), ranks=[0], done=False)
    said = hang(job.write())
    assert "\x1b" not in said and "group\\nFlight" in said


def test_many_ranks(tmp_path: Path) -> None:
    job = Job(tmp_path, 512, {})
    job.call(1)
    job.call(2, ranks=[rank for rank in range(512) if rank != 300], done=False)
    dumps = [_flight.Dump(str(rank), rank, "", {WORLD: set(range(512))}, [_flight._call(rank, one) for one in entries]) for rank, entries in job.entries.items()]
    (verdict,) = _flight.judge(dumps)
    assert _flight.sentence(verdict).startswith("rank 300 has not called all_reduce #2") and "ranks 0-299, 301-511 wait" in _flight.sentence(verdict)


GLOO = """
import os, pathlib, pickle, threading, time
import torch, torch.distributed as dist, torch.multiprocessing as mp
from torch._C._distributed_c10d import _dump_fr_trace, _dump_fr_trace_json

def dump():
    return _dump_fr_trace(includeCollectives=True, includeStackTraces=True, onlyActive=False)

def wait_for(condition):
    while not condition():
        time.sleep(0.02)

def train(rank, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=3)
    pair = dist.new_group([0, 1], group_desc="pair")
    x = torch.ones(8)
    for _ in range(2):
        if rank < 2:
            dist.all_reduce(x, group=pair)
        dist.all_reduce(x)
    dist.barrier()
    if rank != 1:  # which is late
        threading.Thread(target=dist.all_reduce, args=(x,), daemon=True).start()
        wait_for(lambda: [entry["process_group"][1] for entry in pickle.loads(dump())["entries"]].count("default_pg") == 4)
    pathlib.Path(f"nccl_trace_rank_{rank}").write_bytes(dump())
    pathlib.Path(f"json_{rank}.json").write_bytes(_dump_fr_trace_json(includeCollectives=True, onlyActive=False))
    pathlib.Path(f"written_{rank}").touch()
    wait_for(lambda: all(pathlib.Path(f"written_{other}").exists() for other in range(3)))  # an end would fail the others' calls
    os._exit(0)

if __name__ == "__main__":
    mp.spawn(train, args=(os.path.abspath("store"),), nprocs=3)
"""


def test_dumps_of_pytorch(tmp_path: Path) -> None:
    """A real job of three processes, one of which is late. Its recordings are in the same directory as the dumps."""
    torch = pytest.importorskip("torch")
    if not hasattr(getattr(torch._C, "_distributed_c10d", None), "_dump_fr_trace_json"):
        pytest.skip("this PyTorch has no flight recorder for gloo")
    (tmp_path / "job.py").write_text(GLOO)
    environment = {**os.environ, "TORCH_FR_BUFFER_SIZE": "100", "TORCH_NCCL_TRACE_BUFFER_SIZE": "100"}
    subprocess.run([sys.executable, "job.py"], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=600)
    dumps = sorted(str(path) for path in tmp_path.glob("nccl_trace_rank_*"))
    assert len(dumps) == 3
    said = hang(*dumps)
    assert "Flight recorder: rank 1 has not called all_reduce #" in said and "default_pg (0), in which ranks 0, 2 wait" in said
    assert "job.py:" in said
    assert "rank 1 has not called all_reduce #" in hang(*(str(path) for path in tmp_path.glob("json_*.json")))


def test_recordings_beside_dumps(tmp_path: Path, run_python: Any) -> None:
    """The report shows the ranges that are open at the end of a late rank's recording."""
    job = Job(tmp_path, 2, {})
    job.call(1)
    job.call(2, ranks=[0], done=False)
    folder = job.write()
    late = (
        "import libprof, os, signal\n"
        "with libprof.profile(), libprof.record_function('load'), libprof.record_function('batch'):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    run_python(late, env={"RANK": "1", "WORLD_SIZE": "2", "PROF_OUTPUT": str(tmp_path / "rank1.prof")}, status=-9)
    said = hang(folder)
    assert "rank 1 is in load > batch, by its recording" in said and "\nHang: " in said
    assert json.loads(hang("--format", "json", folder))["flight_recorder"][0]["open"] == {"1": "load > batch"}


def test_the_field_s_own_analyser_agrees(tmp_path: Path) -> None:
    """torch.distributed.flight_recorder finds the same in the same files."""
    builder = pytest.importorskip("torch.distributed.flight_recorder.components.builder")
    loader = pytest.importorskip("torch.distributed.flight_recorder.components.loader")
    config = pytest.importorskip("torch.distributed.flight_recorder.components.config_manager")
    job = Job(tmp_path, 4, {})
    job.call(1)
    job.call(2, ranks=[0, 1, 3], done=False)
    folder = job.write()
    for path in tmp_path.iterdir():
        content = pickle.loads(path.read_bytes())
        content["host_name"] = "host"
        path.write_bytes(pickle.dumps(content, protocol=2))
    arguments = config.JobConfig().parse_args([folder, "-p", "nccl_trace_rank_"])
    details, version = loader.read_dir(arguments)
    database = builder.build_db(details, arguments, version)
    (theirs,) = [one for one in database.collectives if one.missing_ranks]
    (ours,) = json.loads(hang("--format", "json", folder))["flight_recorder"]
    assert (sorted(theirs.missing_ranks), theirs.collective_seq_id) == (ours["ranks"], ours["number"]) == ([2], 2)


def test_what_is_a_dump(tmp_path: Path) -> None:
    for content, expected in ((b"", False), (b"\x80\x02}", False), (b'{"pg_config": {}}', True), (pickle.dumps({"pg_config": 1}, 2), True)):
        (tmp_path / "one").write_bytes(content)
        assert _flight.is_dump(tmp_path / "one") is expected
    assert not _flight.is_dump(tmp_path / "nothing")


def test_ranks_are_listed_as_runs() -> None:
    assert [ranks_text(ranks, most) for ranks, most in (([2], 0), ([3, 1, 2], 0), ([0, 2, 3, 9], 2), (range(16, 1000), 8))] == [
        "rank 2", "ranks 1-3", "ranks 0, 2-3 and 1 more", "ranks 16-999",
    ]  # fmt: skip
