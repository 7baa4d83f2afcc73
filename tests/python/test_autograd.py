"""The first torch.autograd.profiler's names: its errors, texts and files, without its faults."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import ast
import json
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import libprof
from libprof import _native
from libprof import autograd as profiler


def test_unfinished_and_not_reentrant(tmp_path: Path) -> None:
    with profiler.profile() as prof:
        assert repr(prof) == str(prof) == "<unfinished torch.autograd.profile>"
        for ask in (prof.table, prof.key_averages, prof.total_average, lambda: prof.export_chrome_trace("x")):
            with pytest.raises(RuntimeError, match="^can't export a trace that didn't finish running$"):
                ask()
        with pytest.raises(RuntimeError, match="^autograd profiler traces are not reentrant$"):
            prof.__enter__()
    with pytest.raises(RuntimeError, match="not reentrant"):
        prof.__enter__()


def test_disabled() -> None:
    with profiler.profile(enabled=False) as prof:
        assert not libprof.is_recording()
    assert prof.function_events is None
    with profiler.emit_nvtx(enabled=False):
        assert not libprof.is_recording()


def test_table() -> None:
    with profiler.profile() as prof:
        with profiler.range("outer"), profiler.range("inner"):
            time.sleep(0.001)
        with profiler.range("outer"):
            pass
    rows = str(prof).splitlines()
    assert rows[0] == rows[2] == "-" * 9 + ("  " + "-" * 15) * 5
    assert rows[1].split() == "Name CPU time CUDA time Calls CPU total CUDA total".split()
    assert [row.split()[0] for row in rows[3:]] == ["outer", "inner", "outer"] and str(prof).endswith("us\n")
    averages = prof.key_averages()
    assert [(row.key, row.count) for row in averages] == [("outer", 2), ("inner", 1)]
    table = averages.table(sort_by="count").splitlines()
    assert [row.split()[0] for row in table[3:]] == ["outer", "inner"], "descending"
    assert averages.table("cpu_time", header="head").splitlines()[:2] == ["=" * len(rows[0]), "head"]
    assert len(averages.table(row_limit=1).splitlines()) == 4 and profiler.EventList().table() == ""
    with pytest.raises(ValueError, match="unknown column"):
        averages.table(sort_by="nothing")


def test_averages_of_averages() -> None:
    listed = profiler.EventList(
        profiler.FunctionEvent(i, "f", 0, 10 * i, 10 * i + 2.0 * i) for i in (1, 2, 3)
    )
    once, twice = listed.key_averages(), listed.key_averages().key_averages()
    assert once[0].count == twice[0].count == 3 and once[0].cpu_time == twice[0].cpu_time == 4.0
    total = twice.total_average()
    assert total.key == "Total" and total.cpu_time_total == 12.0
    assert repr(once[0]) == "<FunctionEventAvg cpu_time=4.000us cuda_time=0.000us key=f>"


def test_events() -> None:
    event = profiler.FunctionEvent(7, "f", 3, 1000.0, 2500000.0)
    event.append_kernel("k", 1, 10, 13)
    event.append_kernel("k", 1, 20, 21)
    assert repr(event) == "<FunctionEvent id=7 cpu_time=2499000.000us cuda_time=4.000us name=f thread=3>"
    assert (event.count, event.key, event.cpu_interval.elapsed_us()) == (1, "f", 2499000.0)
    assert (event.kernels[0].name, event.kernels[0].device, event.kernels[0].interval.end) == ("k", 1, 13)
    assert profiler.format_time(0.12345) == "0.123us"


def sleepy() -> None:
    time.sleep(0.002)
    with profiler.range("inner"):
        time.sleep(0.001)


def test_python_functions_take_no_time_away() -> None:
    with profiler.profile(with_stack=True) as prof, profiler.range("outer"):
        sleepy()
    outer, inner = prof.function_events
    assert inner.cpu_parent is outer and outer.cpu_children == [inner]
    assert prof.self_cpu_time_total == pytest.approx(outer.cpu_time_total)
    for options in ({}, {"group_by_stack_n": 5}):
        rows = {row.key: row for row in prof.key_averages(include_python_functions=False, **options)}
        assert rows.keys() == {"outer", "inner"}
        assert rows["outer"].self_cpu_time_total == pytest.approx(outer.cpu_time_total - inner.cpu_time_total)
    with_functions = prof.key_averages(include_python_functions=True)
    assert any(row.key.endswith("sleepy") and row.self_cpu_time_total < inner.cpu_time_total for row in with_functions)


def test_arrows_have_two_like_ends(tmp_path: Path) -> None:
    event = profiler.FunctionEvent(1, 'f"', 3, 1.0, 5.0)
    event.append_kernel("one", 0, 6, 7)
    event.append_kernel("two", 0, 8, 9)
    profiler.EventList([event]).export_chrome_trace(str(tmp_path / "t.json"))
    rows = json.loads((tmp_path / "t.json").read_text())
    starts, ends = ([row for row in rows if row["ph"] == ph] for ph in "sf")
    assert [(s["id"], s["name"], s["cat"]) for s in starts] == [(f["id"], f["name"], f["cat"]) for f in ends]
    assert len({s["id"] for s in starts}) == 2 and all(f["bp"] == "e" for f in ends)
    assert all(isinstance(row["pid"], int) for row in rows)
    slices = {(row["pid"], row["tid"], row["ts"]) for row in rows if row["ph"] == "X"}
    assert all((row["pid"], row["tid"], row["ts"]) in slices for row in starts + ends)
    with pytest.raises(OSError):
        profiler.EventList([event]).export_chrome_trace(str(tmp_path / "no" / "t.json"))


def test_threads_have_stacks_of_their_own() -> None:
    library = _native.library()
    with profiler.range("opened before"), profiler.profile() as prof:
        other = threading.Thread(target=library.prof_range_push, args=(b"never closed",))
        other.start()
        other.join()
        with profiler.range("own"):
            pass
    assert prof.function_events is not None
    assert "own" in [event.name for event in prof.function_events]
    own = next(event for event in prof.function_events if event.name == "own")
    assert own.cpu_parent is None


def test_marks_of_before_do_not_come_back() -> None:
    libprof.mark("stale")
    with profiler.profile() as prof:
        pass
    with profiler.profile() as prof:
        with profiler.range("fresh"):
            pass
    assert [event.name for event in prof.function_events or []] == ["fresh"]


def test_nvtx_is_not_reentrant(run_python: Any) -> None:
    source = """
from libprof import autograd as profiler
import libprof
emit = profiler.emit_nvtx()
with emit:
    assert libprof.is_recording()
    with profiler.range("forwarded"):
        pass
    try:
        emit.__enter__()
    except RuntimeError as error:
        print(error)
assert not libprof.is_recording()
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    with profiler.emit_nvtx():
        pass
print(said[0].message)
"""
    assert run_python(source).stdout.splitlines() == [
        "NVTX annotation context manager is not reentrant",
        "ranges are not forwarded to NVTX: recording has already begun: these options can no longer change",
    ]


def test_enforce_unique() -> None:
    unique = profiler.EnforceUnique()
    unique.see(1)
    unique.see(1, "a")
    with pytest.raises(RuntimeError, match=r"^duplicate key: \(1, 'a'\)$"):
        unique.see(1, "a")


def test_string_table() -> None:
    table = profiler.StringTable()
    assert table["plain name"] == "plain name"
    assert table["N5torch8autograd9GraphRootE"] in (
        "torch::autograd::GraphRoot",
        "N5torch8autograd9GraphRootE",
    )


def test_load_nvprof(shared_dir: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(next((shared_dir / "data" / "nvprof").glob("*.zip"))) as packed:
        packed.extractall(tmp_path)
    began = time.perf_counter()
    functions = profiler.load_nvprof(next(tmp_path.glob("*.sql")))
    assert time.perf_counter() - began < 30
    assert len(functions) == 3030 and len({event.thread for event in functions}) == 1
    kernels = [kernel for event in functions for kernel in event.kernels]
    assert (
        round(sum(1000 * kernel.duration for kernel in kernels)) == 4502377
    ), "each operation once, nanoseconds"
    only = [kernel for kernel in kernels if not kernel.name.startswith("Mem")]
    assert round(sum(1000 * kernel.duration for kernel in only)) == 3643599 and len(only) == 2015
    backward = next(row for row in functions.key_averages() if row.key == "Batch- Backward")
    assert backward.count == 101 and backward.cuda_time_total == pytest.approx(3540.254)
    assert {kernel.device for kernel in kernels} == {0} and all(not k.name.isdigit() for k in kernels)


def test_load_what_is_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        profiler.load_nvprof(tmp_path / "none.nvvp")
    (tmp_path / "bad.nvvp").write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(libprof.ProfError, match="bad.nvvp"):
        profiler.load_nvprof(tmp_path / "bad.nvvp")


DOCUMENTED = """
import libprof
import torch
from libprof import autograd as profiler
x = torch.randn((1, 1), requires_grad=True)
with profiler.profile() as prof:
    y = x ** 2
    y.backward()
print(prof)
"""


def test_documented_example(run_python: Any) -> None:
    pytest.importorskip("torch")
    done = run_python(DOCUMENTED)
    assert done.stderr == ""
    rows = done.stdout.splitlines()
    assert rows[1].split() == "Name CPU time CUDA time Calls CPU total CUDA total".split()
    names = [row.split("  ")[0] for row in rows[3:]]
    assert "aten::pow" in names and any("PowBackward0" in name for name in names)
    assert any("AccumulateGrad" in name for name in names)


WITHOUT_OBSERVER = {"LIBPROF_TORCH_OBSERVER": "0"}


@pytest.mark.parametrize("first", ["torch", "libprof"])
def test_operators_without_the_observer(run_python: Any, first: str) -> None:
    torch = pytest.importorskip("torch")
    source = (
        f"import {first}\nimport torch, libprof\nfor _ in range(2):\n"
        "    with libprof.profile(record_shapes=True, with_flops=True) as prof:\n"
        "        x = torch.ones(2, 3, requires_grad=True)\n        (x @ x.t()).sum().backward()\n"
        "rows = prof.key_averages(group_by_input_shape=True)\n"
        "print([(row.input_shapes, row.flops) for row in rows if row.key == 'aten::mm'])\n"
        "print({event.name for event in prof.events() if event.sequence_nr >= 0})\n"
    )
    done = run_python(source, env=WITHOUT_OBSERVER)
    if torch.version.hip is not None:
        assert "annotate operators without shapes" in done.stderr
        return
    assert done.stderr == ""
    rows, names = map(ast.literal_eval, done.stdout.splitlines())
    assert ([[2, 3], [3, 2]], 24) in [(shapes[:2], flops) for shapes, flops in rows], rows
    assert {"aten::mm", "MmBackward0"} <= names
