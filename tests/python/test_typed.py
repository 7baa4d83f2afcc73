"""Programs that use the package pass a type checker, and the checker knows what they get."""

# packages: mypy

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

PROGRAM = """
from typing import List, Optional

import libprof
from libprof import EventList, FunctionEvent, FunctionEventAvg, autograd


def ready(prof: libprof.profile) -> None:
    prof.export_chrome_trace("trace.json")


when = libprof.schedule(wait=1, warmup=1, active=1)
with libprof.profile(activities=[libprof.ProfilerActivity.CPU], schedule=when, on_trace_ready=ready) as prof:
    with libprof.record_function("step", batch=1):
        prof.step()


@libprof.record_function("named")
def named(size: int) -> str:
    return "x" * size


events: EventList[FunctionEvent] = prof.events()
averages: EventList[FunctionEventAvg] = prof.key_averages(group_by_stack_n=2)
first: FunctionEvent = events[0]
measured: libprof.BenchResult = libprof.bench(named, 3, repeats=20, baseline="main")
compared = libprof.bench_compare({"a": lambda: None, "b": print})
half: float = measured.device.median_ns / 2 + (measured.device.high_ns or 0)
operation: libprof.BenchOperation = compared["a"].operations[0]
total: float = averages[0].cpu_time_total + first.self_device_time_total + first.cuda_time + prof.self_cpu_time_total
text: str = averages.table(sort_by="cpu_time_total") + first.cpu_time_str + named(3)
size: Optional[int] = first.cpu_memory_usage
columns: List[str] = prof.trace.kernels().columns
reveal_type(averages[0].cuda_time)
reveal_type(events.key_averages()[0])
reveal_type(named)
with autograd.profile() as old:
    pass
wrong: int = prof.events()
libprof.schedule(wait=1)
"""


def test_a_typed_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    environment = {**os.environ, "MYPYPATH": str(Path(os.environ["SOURCE_DIR"], "python_shim"))}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    said = [line.partition(": ")[2] for line in done.stdout.splitlines() if line.startswith("program.py")]
    assert [line for line in said if line.startswith("note: Revealed")] == [
        'note: Revealed type is "float"',
        'note: Revealed type is "libprof.averages.FunctionEventAvg"',
        'note: Revealed type is "def (size: int) -> str"',
    ], done.stdout + done.stderr
    wrong = [line for line in said if line.startswith("error")]
    assert "Incompatible types in assignment" in wrong[0] and all("Missing named arg" in one for one in wrong[1:]), done.stdout
    assert len(wrong) > 1
