"""Numbers of torch.profiler: the same program under both, and what ours shows of it."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import inspect
import re
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Dict, List

import pytest

import libprof
from libprof import _torch_observer
from libprof._recording import Recording
from libprof._results import Shown, events_of

torch = pytest.importorskip("torch")

OURS, THEIRS = libprof.profile, torch.profiler.profile


def counts(listed: Any) -> Dict[str, int]:
    return {row.key: row.count for row in listed}


# ---- cycles and steps ----


def cycles(profile: Any, plan: Dict[str, int], acc_events: bool) -> List[Any]:
    """Of each cycle: its step_num, the numbers of its steps, how often which range was called."""
    seen: List[Any] = []

    def ready(prof: Any) -> None:
        events = prof.events()
        steps = [event.trace_name for event in events if event.trace_name.startswith("ProfilerStep#")]
        calls = [event.name for event in events if event.name.startswith("work ")]
        rows = {key: n for key, n in counts(prof.key_averages()).items() if key.startswith(("work ", "Profiler"))}
        seen.append((prof.step_num, sorted(steps), sorted(calls), rows))

    schedule = torch.profiler.schedule if profile is THEIRS else libprof.schedule
    with profile(schedule=schedule(**plan), on_trace_ready=ready, acc_events=acc_events) as prof:
        for step in range(14):
            with torch.profiler.record_function(f"work {step}"):
                pass
            prof.step()
    return seen


PLANS = [
    {"skip_first": 3, "wait": 1, "warmup": 1, "active": 2, "repeat": 2},
    {"wait": 0, "warmup": 2, "active": 2},
    {"skip_first": 7, "wait": 2, "warmup": 1, "active": 3, "skip_first_wait": 1},
]


@pytest.mark.parametrize("acc_events", [False, True])
@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_cycles_hold_the_same_steps(plan: Dict[str, int], acc_events: bool) -> None:
    missing = {*plan, "acc_events"} - {*inspect.signature(THEIRS).parameters, *inspect.signature(torch.profiler.schedule).parameters}
    if missing:
        pytest.skip(f"this torch.profiler has no {missing}")
    ours = cycles(OURS, plan, acc_events)
    assert ours == cycles(THEIRS, plan, acc_events) and len(ours) >= 2


def test_steps_are_numbered_as_the_profile_counts_them() -> None:
    schedule = libprof.schedule(skip_first=100, wait=5, warmup=1, active=2, repeat=1)
    with libprof.profile(schedule=schedule) as prof:
        for _ in range(110):
            prof.step()
    assert [event.trace_name for event in prof.events()] == ["ProfilerStep#106", "ProfilerStep#107"]


@pytest.mark.parametrize("record_shapes", [False, True])
def test_a_range_may_have_the_name_of_a_step(record_shapes: bool) -> None:
    for profile in (torch.profiler.profile, libprof.profile):
        with profile(record_shapes=record_shapes) as prof:
            with torch.profiler.record_function("ProfilerStep#7"):
                torch.ones(2)
        assert "ProfilerStep#7" in [event.trace_name for event in prof.events()], profile


def test_profiles_that_step_together_do_not_count_twice() -> None:
    schedule = libprof.schedule(wait=0, warmup=1, active=3, repeat=1)
    with libprof.profile(schedule=schedule) as outer, libprof.profile(schedule=schedule) as inner:
        for _ in range(4):
            outer.step()
            inner.step()
    assert counts(outer.key_averages()) == {"ProfilerStep*": 3}
    assert counts(inner.key_averages()) in ({"ProfilerStep*": 3}, {"ProfilerStep*": 2}), "the first begins before"


# ---- what the program named ----


def test_user_annotations() -> None:
    layer = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

    def work() -> None:
        with torch.profiler.record_function("training"):
            layer(torch.ones(2, 4)).relu().sum().backward()
            optimizer.step()

    def annotations(prof: Any) -> List[Any]:
        return [{one.key for one in listed if one.is_user_annotation} for listed in (prof.events(), prof.key_averages())]

    with THEIRS() as theirs:
        work()
    with OURS() as ours, libprof.record_function("ours"):
        work()
    named = {"training", "Optimizer.step#SGD.step"}
    if hasattr(theirs.events()[0], "is_user_annotation"):  # from PyTorch 2.5 on
        assert annotations(theirs) == [named, named]
    assert annotations(ours) == [named | {"ours"}, named | {"ours"}]
    added = libprof.EventList(ours.events()).key_averages()
    assert {row.key for row in added if row.is_user_annotation} == named | {"ours"}


# ---- activities ----


def shown(demo: Path, *activities: Any) -> Dict[str, Any]:
    """Rows of a profile with these activities, had it recorded the demo."""
    with pytest.warns(RuntimeWarning) if any("OVERHEAD" in str(one) for one in activities) else nullcontext():
        prof = libprof.profile(activities=activities)
    prof._cycles = [Recording([str(demo)])]
    return {row.key: row for row in prof.key_averages()}


def test_activities_are_honoured(demo_trace: Path) -> None:
    both = shown(demo_trace, "CPU", "CUDA")
    host, devices = shown(demo_trace, "CPU"), shown(demo_trace, "CUDA")
    assert {row.kind for row in host.values()} == {"range", "mark"} and not set(host) & set(devices)
    assert "call" in {row.kind for row in devices.values()} and set(host) | set(devices) == set(both)
    assert all(row.cuda_total_ns == row.self_cuda_total_ns == 0 for row in host.values())
    for key, row in host.items():
        assert (row.count, row.cpu_total_ns) == (both[key].count, both[key].cpu_total_ns), key
    kinds = {event.kind for event in events_of(Recording([str(demo_trace)]), Shown())} - {"step"}
    assert {row.kind for row in both.values()} == kinds >= {"call", "kernel"}
    total = sum(row.self_cpu_total_ns for row in both.values())
    alone = sum(row.self_cpu_total_ns for row in host.values())
    events = events_of(Recording([str(demo_trace)]), Shown())
    outside = sum(event.duration_ns for event in events if event.kind == "call" and event.cpu_parent is None)
    assert alone == total - outside, "the time of calls is that of the ranges around them"
    for key, row in devices.items():
        assert (row.count, row.self_cuda_total_ns) == (both[key].count, both[key].self_cuda_total_ns), key


def test_lists_of_activity_types_are_honoured(demo_trace: Path) -> None:
    both = shown(demo_trace, "CPU", "CUDA")
    copies = shown(demo_trace, {"CUDA": ["GPU_MEMCPY"]})
    assert {row.kind for row in copies.values()} == {"memcpy"}
    assert all(row.cuda_total_ns == both[key].cuda_total_ns for key, row in copies.items())
    ranges = shown(demo_trace, {"CPU": ["USER_ANNOTATION"], "CUDA": ["GPU_MEMCPY"]})
    assert {row.kind for row in ranges.values()} == {"range", "memcpy"}
    moved = sum(row.self_cuda_total_ns for row in ranges.values() if row.kind == "range")
    assert 0 < moved <= sum(row.self_cuda_total_ns for row in copies.values())
    calls = shown(demo_trace, "CPU", {"CUDA": ["CUDA_RUNTIME", "CONCURRENT_KERNEL", "GPU_MEMCPY", "GPU_MEMSET"]})
    assert calls.keys() <= both.keys() and "call" in {row.kind for row in calls.values()}
    assert shown(demo_trace, {"CPU": []}) == shown(demo_trace, {"CPU": ["OVERHEAD", "GPU_MEMCPY"]}) == {}
    with pytest.raises(ValueError, match="CPU occurs more than once"):
        libprof.profile(activities=["CPU", {"CPU": []}])


def test_files_of_hidden_activities_warn(tmp_path: Path) -> None:
    with libprof.profile(activities=["CUDA"]) as prof, libprof.record_function("hidden"):
        pass
    assert prof.key_averages() == prof.events() == []
    with pytest.warns(RuntimeWarning, match="file contains everything that was recorded"):
        prof.export_chrome_trace(str(tmp_path / "trace.json"))


# ---- FLOPs ----


def multiply() -> None:
    small, large, batch = torch.ones(2, 2), torch.ones(64, 64), torch.ones(3, 4, 5)
    large @ large
    small @ small
    torch.nn.functional.linear(torch.ones(5, 8), torch.ones(4, 8), torch.ones(4))
    torch.bmm(batch, batch.transpose(1, 2))
    torch.baddbmm(torch.ones(3, 4, 4), batch, batch.transpose(1, 2))
    (large * large + large).mul_(2).sum()
    image, weight = torch.ones(2, 4, 16, 16), torch.ones(8, 2, 3, 3)
    torch.nn.functional.conv2d(image, weight, stride=2, padding=1, groups=2)


def flops(listed: Any) -> Dict[Any, float]:
    return {(row.key, str(row.input_shapes)): row.flops for row in listed if row.flops}


def test_flops_of_shapes_are_counted_once() -> None:
    """As a build with CUDA emits operators: with the shapes of their inputs."""

    def emit(event: Any) -> None:
        with libprof.record_function(event.name, sizes=str(event.input_shapes)):
            for child in event.cpu_children:
                emit(child)

    with THEIRS(with_flops=True) as theirs:
        multiply()
    with OURS(with_flops=True) as ours:
        for event in theirs.events():
            if event.cpu_parent is None and event.name.startswith("aten::"):
                emit(event)
    expected = flops(theirs.key_averages(group_by_input_shape=True))
    conv = [key for key in expected if key[0] == "aten::conv2d"]
    assert len(conv) == 1 and len(expected) == 8, expected
    del expected[conv[0]]  # shapes do not say stride and padding
    assert flops(ours.key_averages(group_by_input_shape=True)) == expected
    total = sum(expected.values())
    assert sum(row.flops for row in ours.key_averages() if row.flops) == total == ours.total_average().flops
    assert sum(event.flops for event in ours.events() if event.flops) == total
    names = {row.key: row.flops for row in ours.key_averages()}
    assert names["aten::mm"] == 2 * 64**3 + 16 and names["aten::matmul"] == names["aten::linear"] == 0


def test_flops_of_cublas_are_the_operators() -> None:
    with OURS(with_flops=True) as prof:
        with libprof.record_function("aten::mm", sizes="[[4, 4], [4, 4]]"):
            with libprof.record_function("cublasSgemm_v2", flops=128):
                pass
        with libprof.record_function("cublasSgemm_v2", flops=64):
            pass
        with libprof.record_function("mine", flops=1):
            pass
    assert {row.key: row.flops for row in prof.key_averages()} == {"aten::mm": 128, "cublasSgemm_v2": 64, "mine": 1}


# ---- operators, as the observer sees them ----


def train(layer: Any, optimizer: Any) -> None:
    multiply()
    optimizer.zero_grad()
    loss = layer(torch.ones(2, 8)).relu().sum()
    loss.backward()
    optimizer.step()
    kept.append(torch.cat([torch.zeros(5), torch.zeros(7)]))


kept: List[Any] = []


def operators(prof: Any, fields: List[str]) -> Dict[Any, List[Any]]:
    """FLOPs, bytes and fields of each operator, by name and shapes. torch.profiler drops an only child with its parent's name."""
    rows: Dict[Any, List[Any]] = {}
    for event in prof.events():
        around = event.cpu_parent
        siblings = [one for one in around.cpu_children if one.name.startswith("aten::")] if around else []
        if event.name.startswith("aten::") and not (around and around.name == event.name and len(siblings) == 1):
            row = rows.setdefault((event.name, str(event.input_shapes)), [])
            memory = (event.cpu_memory_usage, self_memory(event))
            row.append((event.flops or 0, *memory, event.sequence_nr >= 0, *(getattr(event, name) for name in fields)))
    return rows


def self_memory(event: Any) -> int:
    """With that of an only child of the same name."""
    only = event.cpu_children[0] if len(event.cpu_children) == 1 else None
    size: int = self_memory(only) if only and only.name == event.name else event.self_cpu_memory_usage
    return size


@pytest.fixture
def observer() -> None:
    found, why = _torch_observer.find(torch)
    if found is None:
        pytest.skip(f"the observer cannot be compiled: {why}")


@pytest.mark.usefixtures("observer")
def test_operators_have_their_shapes_flops_and_memory() -> None:
    layer = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
    train(layer, optimizer)
    profiles = []
    for profile in (THEIRS, OURS):
        with profile(record_shapes=True, with_flops=True, profile_memory=True) as prof:
            train(layer, optimizer)
        profiles.append(prof)
    first = profiles[0].events()[0]  # PyTorch 2.4 has none of these
    fields = [name for name in ("input_dtypes", "activity_type") if hasattr(first, name)]
    theirs, ours = (operators(prof, fields) for prof in profiles)
    assert list(ours) == list(theirs) and len(ours) > 40
    assert ours == theirs
    expected, counted = (flops(prof.key_averages(group_by_input_shape=True)) for prof in profiles)
    assert counted == expected and any(name == "aten::conv2d" for name, _shapes in counted)
    memory = [{row.key: row.cpu_memory_usage for row in prof.key_averages()} for prof in profiles]
    theirs, ours = ({key: size for key, size in sizes.items() if size} for sizes in memory)
    assert ours == theirs and ours["[memory]"] < 0
    text = profiles[1].key_averages(group_by_input_shape=True).table(sort_by="self_cpu_memory_usage", row_limit=3)
    assert "16.00 KB" in text and "Total FLOPs" in text, text


@pytest.mark.usefixtures("observer")
def test_operators_of_all_threads() -> None:
    def work() -> None:
        with torch.profiler.record_function("on another thread"):
            torch.ones(3, 3) @ torch.ones(3, 3)

    thread = threading.Thread(target=work)
    with OURS() as prof:
        thread.start()
        thread.join()
    assert counts(prof.key_averages())["aten::mm"] == 1


# ---- profiles around and beside each other ----

SQUARE = """
import sys, threading, warnings, libprof, torch
from libprof import _torch_operators

def multiply(times):
    for _ in range(times):
        torch.ones(2, 2) @ torch.ones(2, 2)

def calls(prof):
    return {row.key: row.count for row in prof.key_averages()}.get("aten::mm", 0)

def nested(outer, inner):
    with outer(**options) as around:
        multiply(1)
        with inner(**options) as inside:
            multiply(2)
        multiply(4)
    return calls(around), calls(inside)

def overlapping(first, second):
    one, other = first(**options), second(**options)
    one.start()
    multiply(1)
    other.start()
    multiply(2)
    one.stop()
    multiply(4)
    other.stop()
    return calls(one), calls(other)

ours, theirs = libprof.profile, torch.profiler.profile
options = {"profile_memory": True} if "memory" in sys.argv else {}
for _ in range(20):
    print(nested(ours, theirs), nested(theirs, ours), nested(ours, ours), overlapping(ours, ours))
"""


@pytest.mark.usefixtures("observer")
@pytest.mark.parametrize("memory", ["", "memory"])
def test_profiles_of_both_kinds_see_all_operators(run_python: Any, memory: str) -> None:
    done = run_python(SQUARE, memory)
    assert done.stdout == "(7, 2) (7, 2) (7, 2) (3, 6)\n" * 20, done.stderr
    said = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert len(said) == bool(memory) and all("PyTorch's own profiler was on" in line for line in said), said


def test_without_the_observer_a_profiler_of_pytorch_takes_the_operators(run_python: Any) -> None:
    done = run_python(SQUARE, env={"LIBPROF_TORCH_OBSERVER": "0"})
    assert done.stdout == "(5, 2) (7, 0) (7, 2) (3, 6)\n" * 20, done.stderr
    assert done.stderr.count("PyTorch's operators are not recorded: PyTorch's own profiler is on") == 1


# ---- memory that is not known ----

MEMORY = """
import sys, libprof
if "late" not in sys.argv:
    import torch

def allocate():
    import torch
    return torch.ones(1000)

if "theirs" in sys.argv:
    around = torch.profiler.profile()
    around.__enter__()
with libprof.profile(profile_memory=True, record_shapes=True) as prof:
    with libprof.record_function("allocates"):
        kept = allocate()
row = {row.key: row for row in prof.key_averages()}["allocates"]
event = next(event for event in prof.events() if event.name == "allocates")
print(row.cpu_memory_usage, row.self_cpu_memory_usage, event.cpu_memory_usage, event.self_cpu_memory_usage)
print(row.device_memory_usage, prof.key_averages().total_average().cpu_memory_usage)
for averages in (prof.key_averages(), prof.key_averages(group_by_input_shape=True)):
    text = averages.table(sort_by="cpu_memory_usage")
    line = next(line for line in text.splitlines() if " allocates " in line)
    print(line.split()[6:8], "0 B" in line, "CUDA" in text)
if "theirs" in sys.argv:
    around.__exit__(None, None, None)
"""


@pytest.mark.parametrize(
    "how, why",
    [("late", "it was imported within the profile"), ("theirs", "PyTorch's own profiler was on"), ("0", "=0")],
)
def test_memory_that_was_not_seen_is_not_zero(run_python: Any, how: str, why: str) -> None:
    done = run_python(MEMORY, how, env={"LIBPROF_TORCH_OBSERVER": "0" if how == "0" else ""})
    line = "['--', '--'] False False"
    assert done.stdout.splitlines() == ["None None None None", "0 None", line, line], done.stderr
    assert re.search(rf"program.py:\d+: RuntimeWarning: profile_memory: .*{why}.*shown as --", done.stderr), done.stderr
