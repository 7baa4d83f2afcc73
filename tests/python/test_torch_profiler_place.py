"""What PyTorch does only where a profiler is: ranges of Inductor and of data pipes, other profilers, execution traces."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import gc
import json
import pickle
import threading
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

import libprof
from libprof import _torch_observer, ranges

torch = pytest.importorskip("torch")
KEYWORDS = {"kernel_file": "/tmp/kernel.py", "num_warps": 4, "scale": 0.5, "is_fused": True, "quoted": 'a "name"'}


@pytest.fixture(autouse=True)
def observer() -> None:
    if _torch_observer.find(torch)[0] is None:
        pytest.skip(f"no observer: {_torch_observer.find(torch)[1]}")


def launch() -> None:
    """A range as Inductor has it around a kernel."""
    a = torch.ones(4, 4)
    with torch._C._profiler._RecordFunctionFast("triton_poi_fused_add_0", [a, a], KEYWORDS):
        torch.add(a, a)


def chrome(profile: Any, path: Path) -> List[Dict[str, Any]]:
    profile.export_chrome_trace(str(path))
    events: List[Dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    return events


def test_ranges_around_kernels_are_as_with_torch_profiler(tmp_path: Path) -> None:
    with torch.profiler.profile(record_shapes=True) as theirs:
        launch()
    with libprof.profile(record_shapes=True) as ours:
        launch()
    theirs_event, event = (next(e for e in each.events() if e.name.startswith("triton")) for each in (theirs, ours))
    assert event.input_shapes == theirs_event.input_shapes == [[4, 4], [4, 4]]
    assert not event.is_user_annotation and event.key in {row.key for row in ours.key_averages()}
    assert event.kwinputs == KEYWORDS, "torch.profiler loses texts with quotes"
    (slice_,) = [one for one in chrome(ours, tmp_path / "ours.json") if one["name"] == event.name]
    assert slice_["cat"] == "cpu_op" and slice_["args"]["num_warps"] == 4, slice_


def test_without_shapes_there_is_a_name() -> None:
    with libprof.profile() as ours:
        launch()
    (event,) = [one for one in ours.events() if one.name.startswith("triton")]
    assert event.kwinputs == {} and event.input_shapes == []


def test_the_place_is_free_again() -> None:
    with libprof.profile():
        with libprof.profile(profile_memory=True):
            assert torch.autograd._profiler_enabled()
        assert torch.autograd._profiler_enabled()
    assert not torch.autograd._profiler_enabled()
    with libprof.profile() as later:
        launch()
    assert any(one.name.startswith("triton") for one in later.events())


def test_the_deprecated_profiler_runs_inside() -> None:
    from torch.autograd import profiler_legacy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with libprof.profile() as ours:
            with profiler_legacy.profile() as theirs:
                torch.ones(2)
            launch()
    assert any(event.name == "aten::ones" for event in theirs.function_events)
    assert any(event.name == "aten::ones" for event in ours.events())
    assert any(event.name.startswith("triton") for event in ours.events()), "libprof has its place again"


def test_a_profile_that_ends_on_another_thread_leaves_that_threads_place_alone() -> None:
    first, second = (libprof.profile(profile_memory=True) for _ in range(2))
    first.start()

    def work() -> None:
        second.start()
        first.stop()
        kept = torch.ones(1 << 20)
        second.stop()
        assert kept is not None

    with pytest.warns(RuntimeWarning, match="ended on a different thread"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert sum(event.cpu_memory_usage or 0 for event in second.events() if event.name == "aten::ones") == 4 << 20
    with libprof.profile():
        pass
    assert not torch.autograd._profiler_enabled(), "the next profile of the first thread has cleared its place"


def test_a_profiler_inside_takes_nothing_away() -> None:
    with libprof.profile() as ours:
        with torch.profiler.profile():
            pass
        assert torch.autograd.profiler._is_profiler_enabled and torch.autograd._profiler_enabled()
        launch()
    assert any(event.name.startswith("triton") for event in ours.events())
    assert not torch.autograd.profiler._is_profiler_enabled


def test_a_program_can_begin_pytorchs_profiler_by_itself() -> None:
    functions = torch._C._autograd
    config = torch.autograd.ProfilerConfig(
        torch.autograd.ProfilerState.CPU, False, False, False, False, False, torch._C._profiler._ExperimentalConfig()
    )
    with libprof.profile():
        functions._enable_profiler_legacy(config)
        torch.ones(2)
        assert functions._disable_profiler_legacy()


def test_operators_have_the_numbers_of_an_execution_trace(tmp_path: Path) -> None:
    written = tmp_path / "execution.json"
    observer = torch.profiler.ExecutionTraceObserver().register_callback(str(written))
    with libprof.profile(execution_trace_observer=observer) as ours:
        weight = torch.ones(3, requires_grad=True)
        (weight * 2).sum().backward()
    nodes = json.loads(written.read_text())["nodes"]
    known = {
        attribute["value"]: node["name"]
        for node in nodes
        for attribute in node.get("attrs", [])
        if attribute["name"] == "rf_id"
    }
    events = chrome(ours, tmp_path / "trace.json")
    numbered = {one["args"]["Record function id"]: one["name"] for one in events if one.get("cat") == "cpu_op"}
    assert {"aten::mul", "aten::sum", "aten::ones"} <= set(numbered.values())
    assert numbered.items() <= known.items()


def written_by(profiler: Any, directory: Path) -> Tuple[List[Dict[str, Any]], Any, Path]:
    """Runs a program with steps and ranges. Returns its execution trace's nodes, the profile and the Chrome trace's path."""
    observer = torch.profiler.ExecutionTraceObserver().register_callback(str(directory / f"{profiler.__name__}.et.json"))
    schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    with profiler.profile(schedule=schedule, execution_trace_observer=observer, record_shapes=True) as prof:
        for _ in range(5):
            with profiler.record_function("outer"):
                with profiler.record_function("inner"):
                    torch.ones(3).mul(2)
            prof.step()
    nodes = json.loads((directory / f"{profiler.__name__}.et.json").read_text())["nodes"]
    return nodes, prof, directory / f"{profiler.__name__}.json"


def attributes_of(node: Dict[str, Any]) -> Dict[str, Any]:
    return {one["name"]: one["value"] for one in node["attrs"]}


def test_execution_traces_have_steps_and_ranges(tmp_path: Path) -> None:
    """Like torch.profiler's. Converters and replay tools find iterations by the names of steps."""
    theirs, _, _ = written_by(torch.profiler, tmp_path)
    ours, prof, path = written_by(libprof, tmp_path)
    assert [node["name"] for node in ours] == [node["name"] for node in theirs]
    assert [node["name"] for node in ours if "ProfilerStep" in node["name"]] == ["ProfilerStep#2", "ProfilerStep#3"]
    parents = {node["id"]: node["name"] for node in ours}
    assert {parents[node["ctrl_deps"]] for node in ours if node["name"] == "outer"} == {"ProfilerStep#2", "ProfilerStep#3"}
    known = {attributes_of(node)["rf_id"]: node["name"] for node in ours if "rf_id" in attributes_of(node)}
    events = [one for one in chrome(prof, path) if "Record function id" in one.get("args", {})]
    assert events and all(known[one["args"]["Record function id"]] == one["name"] for one in events)
    assert Counter(one["name"] for one in events if one["cat"] == "user_annotation") == {"outer": 2, "inner": 2}
    counts = {row.key: row.count for row in prof.key_averages()}
    assert counts["ProfilerStep*"] == 2 and counts["outer"] == counts["inner"] == 2


def test_ranges_end_in_any_order_while_an_execution_trace_is_written(tmp_path: Path) -> None:
    def suspended() -> Iterator[int]:
        with libprof.record_function("suspended"):
            yield 1

    ranges.is_recording()  # binds the functions
    push = ranges._push
    before = libprof.record_function("before")
    with libprof.profile() as outer, before:
        observer = torch.profiler.ExecutionTraceObserver().register_callback(str(tmp_path / "et.json"))
        with libprof.profile(execution_trace_observer=observer):
            generator = suspended()
            with libprof.record_function("within"):
                next(generator)
            generator.close()
            late = libprof.record_function("late")
            late.__enter__()
        late.__exit__()
        with libprof.record_function("after"):
            torch.ones(2)
    counts = {row.key: row.count for row in outer.key_averages()}
    assert {name: counts[name] for name in ("before", "within", "suspended", "late", "after")} == {
        "before": 1, "within": 1, "suspended": 2, "late": 1, "after": 1,
    }  # fmt: skip
    assert ranges._push == push, "ranges are as fast as before"
    names = [node["name"] for node in json.loads((tmp_path / "et.json").read_text())["nodes"]]
    assert "within" in names and "before" not in names and "after" not in names


def test_copies_and_lost_profiles_leave_no_execution_trace(tmp_path: Path) -> None:
    ranges.is_recording()  # binds the functions
    push = ranges._push
    observer = torch.profiler.ExecutionTraceObserver().register_callback(str(tmp_path / "et.json"))
    with libprof.profile(execution_trace_observer=observer) as prof, libprof.record_function("mine"):
        torch.ones(2)
    assert "mine" in {event.name for event in pickle.loads(pickle.dumps(prof)).events()}
    observer = torch.profiler.ExecutionTraceObserver().register_callback(str(tmp_path / "lost.json"))
    lost = libprof.profile(execution_trace_observer=observer)
    lost.start()
    assert ranges._push != push
    with pytest.warns(RuntimeWarning, match="a running profile was deleted"):
        del lost
        gc.collect()
    assert ranges._push == push and not observer._execution_trace_running


def test_execution_traces_have_ranges_without_a_profile(tmp_path: Path) -> None:
    gate = (libprof.is_recording(), ranges._gate, ranges._push)[1:]
    observer = libprof.ExecutionTraceObserver().register_callback(str(tmp_path / "et.json"))
    assert isinstance(observer, torch.profiler.ExecutionTraceObserver)
    for name in ("first", "second"):
        with libprof.record_function("outside"):
            observer.start()
            observer.start()
            assert not libprof.is_recording()
            with libprof.record_function(name, "text"):
                torch.ones(2)
            with libprof.profile(execution_trace_observer=None) as prof, libprof.record_function("within"):
                torch.ones(2)
            observer.stop()
            assert (ranges._gate, ranges._push) == gate
        assert [event.name for event in prof.events() if event.is_user_annotation] == ["within"]
    observer.unregister_callback()
    named = [node["name"] for node in json.loads((tmp_path / "et.json").read_text())["nodes"]]
    assert [name for name in named if name in ("first", "second", "within", "outside")] == ["first", "within", "second", "within"]


def test_the_environment_asks_for_an_execution_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_PYTORCH_EXECUTION_TRACE", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with libprof.profile() as prof, libprof.record_function("mine"):
        torch.ones(2)
    path = prof.execution_trace_observer.get_output_file_path()
    assert '"mine"' in Path(path).read_text()


def test_ranges_of_an_observer_outlive_profiles_within(tmp_path: Path) -> None:
    push = (ranges.is_recording(), ranges._push)[1]
    observer = libprof.ExecutionTraceObserver().register_callback(str(tmp_path / "et.json"))
    observer.start()
    with libprof.record_function("epoch"):
        for _ in range(2):
            with libprof.profile(execution_trace_observer=None) as prof, libprof.record_function("within"):
                torch.ones(2)
        torch.add(1, 1)
    torch.ones(3)
    observer.stop()
    observer.unregister_callback()
    assert [event.name for event in prof.events() if event.is_user_annotation] == ["within"] and ranges._push == push
    nodes = {node["id"]: node for node in json.loads((tmp_path / "et.json").read_text())["nodes"]}
    around = Counter((node["name"], nodes[node["ctrl_deps"]]["name"]) for node in nodes.values() if "name" in node)
    assert around["within", "epoch"] == 2 and around["aten::add", "epoch"] == 1
    assert around["aten::ones", "within"] == 2 and not around["aten::ones", "epoch"]
