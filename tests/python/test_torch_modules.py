"""Modules, Python functions and the stacks of backward operators: as torch.profiler has them."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import collections
import inspect
import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Counter, Dict, List, Tuple

import pytest

import libprof
from libprof._source_paths import Shortened
from libprof import _torch_observer, autograd
from libprof._arrow import ArrowTable, read_table

torch = pytest.importorskip("torch")


class Block(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:  # type: ignore[valid-type]
        return self.b(torch.relu(self.a(x)))


class Both:
    """One training step, recorded by torch.profiler and by libprof."""

    def __init__(self, directory: Path) -> None:
        self.model = torch.nn.Sequential(Block(), torch.nn.ReLU(), Block())
        self.train()
        verbose = torch._C._profiler._ExperimentalConfig(verbose=True)  # else its stacks are empty
        with torch.profiler.profile(with_stack=True, experimental_config=verbose) as self.theirs:
            self.train()
        with libprof.profile(with_stack=True) as self.ours:
            self.train()
        self.traces = []
        for name, profile in (("theirs.json", self.theirs), ("ours.json", self.ours)):
            profile.export_chrome_trace(str(directory / name))
            self.traces.append(json.loads((directory / name).read_text(errors="replace"))["traceEvents"])

    def train(self) -> None:
        self.model(torch.ones(2, 8)).sum().backward()


@pytest.fixture(scope="module")
def both(tmp_path_factory: Any) -> Both:
    if _torch_observer.find(torch)[0] is None:
        pytest.skip(f"no observer: {_torch_observer.find(torch)[1]}")
    return Both(tmp_path_factory.mktemp("both"))


@pytest.fixture
def both_functions(both: Both) -> Both:
    if not hasattr(both.theirs.events()[0], "is_python_function"):  # PyTorch 2.4
        assert rows_of_functions(both.ours) == {}
        pytest.skip("Python functions are no events of this torch.profiler")
    return both


def modules(trace: List[Dict[str, Any]]) -> List[Tuple[str, int, str]]:
    """The calls of modules in their order, with their number and the module around them."""
    calls = [event for event in trace if event.get("cat") == "python_function"]
    by_id = {event["args"]["Python id"]: event for event in calls}
    found = []
    for event in sorted((one for one in calls if one["name"].startswith("nn.Module: ")), key=lambda one: one["ts"]):
        around = by_id.get(event["args"].get("Python parent id"))  # from 2.14 on, the outermost have none
        while around is not None and not around["name"].startswith("nn.Module: "):
            around = by_id.get(around["args"].get("Python parent id"))
        found.append((event["name"], event["args"]["Python module id"], around["name"] if around else ""))
    return found


def test_modules_have_the_same_names_and_numbers(both: Both) -> None:
    theirs, ours = (modules(trace) for trace in both.traces)
    assert ours == theirs
    assert len(ours) == 8 and ("nn.Module: Linear_3", 3, "nn.Module: Block_1") in ours


def functions(stack: List[str]) -> str:
    """Within train(), without folders, classes and addresses."""
    short = [re.sub(r"\): .*\.", "): ", re.sub(" at 0x[0-9a-f]+>$", ">", entry)).rpartition("/")[2] for entry in stack]
    known = [entry for entry in short if entry.startswith(("test_torch_modules.py(", "nn.Module: ", "linear.py(", "<built-in "))]
    return " ".join(known).partition(" train")[0]


def accumulates(event: Any) -> bool:
    """There torch.profiler has the stack of whatever came first."""
    while event is not None and "AccumulateGrad" not in event.name:
        event = event.cpu_parent
    return event is not None


def is_operator(event: Any) -> bool:
    """PyTorch 2.4's events do not have their kind."""
    activity = getattr(event, "activity_type", None)
    return activity == "cpu_op" or (activity is None and not event.name.startswith(("[memory]", "ProfilerStep")))


def stacks(profile: Any) -> Counter[str]:
    """Of operators; torch.profiler drops one of two aten::sum that are in each other."""
    operators = [event for event in profile.events() if is_operator(event) and event.name != "aten::sum"]
    return collections.Counter(f"{one.name}: {functions(one.stack)}" for one in operators if not accumulates(one))


def test_backward_operators_have_the_stack_of_their_forward_operator(both: Both) -> None:
    theirs, ours = stacks(both.theirs), stacks(both.ours)
    assert sorted(theirs - ours) == [] and sorted(ours - theirs) == []
    relu = [event for event in both.ours.events() if event.name == "ReluBackward0"]
    assert len(relu) == 3 and all("nn.Module: Sequential_0" in event.stack for event in relu)
    inside = [event for event in both.ours.events() if event.name == "aten::threshold_backward"]
    assert [event.stack for event in inside] == [event.stack for event in relu]


def rows_of_functions(profile: Any, **options: Any) -> Dict[str, int]:
    """How often this file's functions and modules are called. torch.profiler leaves out folders and classes."""
    counts: Dict[str, int] = {}
    for row in profile.key_averages(**options):
        short = re.sub(r"\): .*\.", "): ", row.key).rpartition("/")[2]
        if short.startswith(("test_torch_modules.py(", "nn.Module: ", "linear.py(", "module.py(")) and " <module>" not in short:
            counts[short] = row.count
    return {name: count for name, count in counts.items() if not name.endswith((": __init__", ": both"))}


def test_functions_are_rows_as_in_this_pytorch(both_functions: Both) -> None:
    theirs, ours = rows_of_functions(both_functions.theirs), rows_of_functions(both_functions.ours)
    assert ours == theirs
    assert bool(ours) == ("include_python_functions" not in inspect.signature(both_functions.theirs.key_averages).parameters)
    wanted = {} if theirs else {"include_python_functions": True}
    theirs, ours = rows_of_functions(both_functions.theirs, **wanted), rows_of_functions(both_functions.ours, include_python_functions=True)
    assert ours == theirs and ours["nn.Module: Linear_0"] == 1 and len(ours) > 8
    assert rows_of_functions(both_functions.ours, include_python_functions=False) == {}


def test_functions_are_rows_of_autograds_profile_as_well(both_functions: Both) -> None:
    with autograd.profile(with_stack=True) as prof:
        both_functions.train()
    wanted = bool(rows_of_functions(both_functions.theirs))
    assert [bool(rows_of_functions(prof, **by)) for by in ({}, {"group_by_stack_n": 5})] == [wanted, wanted]
    for asked in (False, True):
        assert bool(rows_of_functions(prof, include_python_functions=asked)) == asked


def builtins_in_train(profile: Any) -> Counter[str]:
    """Calls of built-in functions; torch.profiler has the addresses of objects in their names."""

    def is_inside(event: Any) -> bool:
        while event is not None and not event.name.endswith("train"):
            event = event.cpu_parent
        return event is not None

    found = [event for event in profile.events() if event.name.startswith("<built-in ") and is_inside(event)]
    assert all(event.is_python_function for event in found)
    return collections.Counter(re.sub(" at 0x[0-9a-f]+>$", ">", event.name) for event in found)


def test_builtin_functions_are_events(both_functions: Both) -> None:
    theirs, ours = builtins_in_train(both_functions.theirs), builtins_in_train(both_functions.ours)
    assert ours == theirs and ours["<built-in function linear>"] == 4 and len(ours) > 4
    rows = {row.key: row.count for row in both_functions.ours.key_averages(include_python_functions=True)}
    assert rows["<built-in function linear>"] == 4


CUSTOM = """
import collections, re, sys, torch, libprof

@torch.library.custom_op("of_the_test::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2

@torch.library.custom_op("of_the_test::fails", mutates_args=())
def fails(x: torch.Tensor) -> torch.Tensor:
    raise ValueError

twice.register_autograd(lambda context, gradient: gradient * 2)
library = torch.library.Library("of_the_test", "FRAGMENT")
library.define("thrice(Tensor x) -> Tensor")
library.impl("thrice", lambda x: x * 3, "CompositeExplicitAutograd")

def behind():
    return [1]

def work():
    x = torch.ones(3, requires_grad=True)
    twice(x).sum().backward(), behind()
    for call in (torch.ops.of_the_test.twice, torch.ops.of_the_test.twice.default, torch.ops.of_the_test.thrice, fails):
        try:
            call(x)
        except ValueError:
            pass
        behind()

def short(event):
    return "-" if event is None else re.sub(r".*[:.] ?(?=\\w+$)", "", event.name)

work()
with libprof.profile(with_stack=True) as prof:
    work()
events = prof.events()
print([short(event.cpu_parent) for event in events if short(event) == "behind"])
operators = [event for event in events if event.name.startswith("of_the_test::")]
print([(event.name, event.cpu_parent.name.startswith("<built-in ")) for event in operators])
late = [
    event.name for event in events if event.name.startswith("<built-in ") and event.cpu_parent
    and event.time_range.end >= event.cpu_parent.time_range.end
]
print(late)
"""


def test_calls_of_custom_operators_end_where_they_end(run_python: Any) -> None:
    if _torch_observer.find(torch)[0] is None or not hasattr(torch.library, "custom_op"):
        pytest.skip("no observer, or no custom operators")
    parents, operators, late = run_python(CUSTOM).stdout.splitlines()
    assert parents == str(["work"] * 5)
    assert "('of_the_test::thrice', True)" in operators and late == "[]"


def test_groups_by_stack_and_folded_stacks_have_them(both: Both, tmp_path: Path) -> None:
    rows = [row for row in both.ours.key_averages(group_by_stack_n=4) if row.key == "AddmmBackward0"]
    assert len(rows) == 4 and {row.stack[3] for row in rows} == {f"nn.Module: Linear_{number}" for number in range(4)}
    assert {row.stack[0] for row in rows} == {"<built-in function linear>"}
    both.ours.export_stacks(str(tmp_path / "stacks.txt"))
    lines = [line for line in (tmp_path / "stacks.txt").read_text().splitlines() if ";AddmmBackward0 " in line]
    certain = [row for row in rows if row.self_cpu_time_total >= 1]  # lines have whole microseconds
    assert len(certain) <= len(lines) <= 4 and all("nn.Module:" in line for line in lines), lines


def backward(trace: List[Dict[str, Any]]) -> Counter[Tuple[str, Any]]:
    operators = [event for event in trace if event.get("cat") == "cpu_op" and "Backward0" in event["name"]]
    return collections.Counter((event["name"], event["args"].get("Sequence number")) for event in operators)


def test_the_engines_ranges_have_sequence_numbers(both: Both) -> None:
    def relative(numbers: Counter[Tuple[str, Any]]) -> Counter[Tuple[str, int]]:
        first = min(number for _name, number in numbers)
        return collections.Counter({(name, number - first): count for (name, number), count in numbers.items()})

    theirs, ours = (relative(backward(trace)) for trace in both.traces)
    assert ours == theirs and len(ours) == 24
    for event in both.ours.events():
        if event.name.startswith("autograd::engine::evaluate_function: ") and event.name.endswith("Backward0"):
            inner = event.cpu_children[0]
            assert event.sequence_nr == inner.sequence_nr >= 0 and event.fwd_thread == inner.fwd_thread


def test_backward_functions_belong_to_their_forward_thread(both: Both) -> None:
    """Threads number their operators each for itself: here both have the same numbers at the same time."""
    turns, results = threading.Barrier(2, timeout=600), {}

    def forward(name: str, operator: Any) -> None:
        x = torch.ones(4, requires_grad=True)
        results[name] = []
        for _ in range(3):
            turns.wait()
            with libprof.record_function(name):
                results[name].append(operator(x))

    threads = [threading.Thread(target=forward, args=one) for one in (("Sin", torch.sin), ("Exp", torch.exp))]
    with libprof.profile() as prof:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in (*results["Sin"], *results["Exp"]):
            result.sum().backward()
    events = prof.events()
    run_by = {event.name: event.thread for event in events if event.name in results}
    backward_of = {name: {e.fwd_thread for e in events if e.name == f"{name}Backward0"} for name in results}
    assert backward_of == {name: {thread} for name, thread in run_by.items()} and len(set(run_by.values())) == 2


def test_a_chrome_trace_has_each_forward_stack_once(both: Both) -> None:
    operators = [event for event in both.traces[1] if event.get("cat") == "cpu_op"]
    told = [event["name"] for event in operators if "Call stack" in event["args"]]
    assert sorted(set(told)) == ["AddmmBackward0", "ReluBackward0", "SumBackward0", "TBackward0"]
    assert len(told) == 12


def hierarchy(profile: Any, path: Path) -> Counter[Tuple[str, Any]]:
    profile.export_chrome_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    return collections.Counter(
        (event["name"], event["args"].get("Module Hierarchy")) for event in events if event.get("cat") == "cpu_op"
    )


def test_scripted_modules_have_a_hierarchy(both: Both, tmp_path: Path) -> None:
    scripted = torch.jit.script(both.model)
    for _ in range(3):
        scripted(torch.ones(2, 8))
    with torch.profiler.profile(with_modules=True) as theirs:
        scripted(torch.ones(2, 8))
    with libprof.profile(with_modules=True) as ours:
        scripted(torch.ones(2, 8))
    wanted = hierarchy(theirs, tmp_path / "theirs.json")
    wanted = collections.Counter({key: count for key, count in wanted.items() if "::" in key[0] or key[0] == "detach"})
    assert sorted(map(str, wanted - hierarchy(ours, tmp_path / "ours.json"))) == []
    assert ("aten::linear", "TOP()::<forward op>.0(Block)::forward.a(Linear)::forward.") in wanted
    with libprof.profile() as without:
        scripted(torch.ones(2, 8))
    assert not any(modules for _name, modules in hierarchy(without, tmp_path / "without.json"))


def test_python_functions_are_rows_if_asked_for(both: Both) -> None:
    rows = {row["name"]: row for row in json.loads(both.ours.trace.table("--kind", "python", format="json"))["key_averages"]}
    (train,) = (row for name, row in rows.items() if name.endswith("): Both.train"))
    assert train["kind"] == "python" and train["count"] == 1
    assert 0 < train["self_cpu_total_ns"] < train["cpu_total_ns"]
    assert sum(rows[f"nn.Module: Block_{number}"]["cpu_total_ns"] for number in (0, 1)) < train["cpu_total_ns"]
    averages = {row.key: row for row in both.ours.key_averages(include_python_functions=True) if row.kind == "python"}
    rows = {Shortened()(name): row for name, row in rows.items()}
    assert averages.keys() == rows.keys()
    for name, row in rows.items():
        times = (row["count"], row["self_cpu_total_ns"], row["cpu_total_ns"], row["self_cuda_total_ns"], row["cuda_total_ns"])
        mine = averages[name]
        assert times == (mine.count, mine.self_cpu_total_ns, mine.cpu_total_ns, mine.self_cuda_total_ns, mine.cuda_total_ns), name


def functions_in(event: Any) -> List[str]:
    """The modules around an event, innermost first."""
    around = []
    while event is not None:
        around += [event.name] if event.name.startswith("nn.Module: ") else []
        event = event.cpu_parent
    return around


def test_python_functions_are_events(both_functions: Both) -> None:
    theirs, ours = ([one for one in prof.events() if one.is_python_function] for prof in (both_functions.theirs, both_functions.ours))
    called = [[(one.name, one.python_module_id) for one in some if one.python_module_id >= 0] for some in (theirs, ours)]
    assert called[1] == called[0] and len(called[1]) == 8
    ids = {one.python_id: one for one in ours}
    assert len(ids) == len(ours) and {one.activity_type for one in ours} == {"python_function"}
    for one in ours:
        parent = ids.get(one.python_parent_id)
        assert parent is not None or one.python_parent_id == -1
        assert parent is None or parent.time_range.start <= one.time_range.start <= parent.time_range.end
        assert 0 <= one.self_cpu_time_total <= one.cpu_time_total + 0.001
    wanted, got = (
        [functions_in(one) for one in prof.events() if one.name == "aten::addmm"] for prof in (both_functions.theirs, both_functions.ours)
    )
    assert got == wanted and got[0] == ["nn.Module: Linear_0", "nn.Module: Block_0", "nn.Module: Sequential_0"]


def test_functions_take_their_time_from_ranges_around_them(both: Both) -> None:
    with libprof.profile(with_stack=True) as prof, libprof.record_function("step"):
        both.train()
    (step,) = (event for event in prof.events() if event.name == "step")
    (train,) = (event for event in step.cpu_children if event.name.endswith("train"))
    assert step.self_cpu_time_total <= step.cpu_time_total - train.cpu_time_total + 0.001
    assert train.cpu_parent is step and any(child.name == "nn.Module: Sequential_0" for child in train.cpu_children)
    rows = {row.key: row for row in prof.key_averages(include_python_functions=False)}
    assert rows["step"].self_cpu_time_total >= train.self_cpu_time_total and train.key not in rows
    with_functions = prof.key_averages(include_python_functions=True)
    for event in (step, train):
        (row,) = (one for one in with_functions if one.key == event.key)
        assert row.self_cpu_time_total == pytest.approx(event.self_cpu_time_total)
    outermost = sum(event.cpu_time_total for event in prof.events() if event.cpu_parent is None)
    assert with_functions.self_cpu_time_total == pytest.approx(outermost)
    assert train.key[-20:] in with_functions.table(max_name_column_width=200, row_limit=-1)
    again = prof.events().key_averages(include_python_functions=True)
    assert [(one.key, one.count) for one in again] == [(one.key, one.count) for one in with_functions]
    table = read_table(prof.trace.paths, ArrowTable.FUNCTIONS, prof.trace.window)
    assert table["name"][table["module"].index(3)] == "nn.Module: Linear_3"


ASKED: List[str] = []


class Telling(type(torch.nn.Module)):  # type: ignore[misc]
    """A metaclass that notes who asks its classes for their name."""

    def __getattribute__(cls, name: str) -> Any:
        if name == "__name__":
            ASKED.append("__getattribute__")
        return super().__getattribute__(name)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        ASKED.append("property")
        return "Wrong"


class Odd(torch.nn.Module, metaclass=Telling):  # type: ignore[misc, name-defined]
    def forward(self, x: int) -> int:
        return x


def test_the_name_of_a_class_is_found_without_code_of_the_program() -> None:
    odd = Odd()
    with libprof.profile(with_stack=True) as prof:
        ASKED.clear()
        odd(3)
        asked = list(ASKED)
    assert asked == []
    assert [one.name for one in prof.events() if one.python_module_id >= 0] == ["nn.Module: Odd_0"]


MANY = """
import libprof, torch

with libprof.profile(with_stack=True) as prof:
    for _ in range(17_000):
        torch.nn.Identity()(3)  # each at the address of the one before it
names = {one.name for one in prof.events() if one.name.startswith("nn.Module: ")}
print(len(names), "nn.Module: Identity_16383" in names, "nn.Module: Identity" in names)
"""


def test_modules_that_come_and_go_do_not_use_up_the_names(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", MANY], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["16385", "True", "True"], done.stdout + done.stderr
