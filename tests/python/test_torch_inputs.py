"""What is said of operators' inputs, and arrows from forward to backward operators: as torch.profiler has them."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import collections
import json
from pathlib import Path
from typing import Any, Counter, Dict, List, Tuple

import pytest

import libprof
from libprof import _torch_observer

torch = pytest.importorskip("torch")
FIELDS = ("input_shapes", "structured_input_shapes", "structured_input_strides", "input_dtypes", "concrete_inputs")
ARGUMENTS = ("Input Dims", "Input Strides", "Input type", "Concrete Inputs")


def work() -> None:
    """Inputs of every kind, some of them again with other values."""
    a = torch.ones(4, 6).t()
    for alpha in (2.5, 2.5, -1.0, float("inf")):
        torch.add(a, a, alpha=alpha)
    torch.cat([a, a[:2]])
    torch.cat([a[:2], a])
    torch._foreach_add([a, a], 1.5)
    torch.nn.functional.gelu(a, approximate="tanh")
    a.sum(dim=(0, 1), keepdim=True)
    torch.index_put(a, (torch.tensor([0]),), torch.tensor(1.0))
    torch.sparse.mm(torch.eye(3).to_sparse(), torch.ones(3, 3))
    for padding in (0, 1):
        torch.nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(2, 1, 3, 3), padding=padding)
    torch.full((2,), float("nan"))
    torch.zeros(list(range(1)) * 31)
    a.clamp(min=None, max=3)
    torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


@pytest.fixture(scope="module")
def both() -> Tuple[Any, Any]:
    if _torch_observer.find(torch)[0] is None:
        pytest.skip(f"no observer: {_torch_observer.find(torch)[1]}")
    work()
    with torch.profiler.profile(record_shapes=True, with_flops=True) as theirs:
        work()
    with libprof.profile(record_shapes=True, with_flops=True) as ours:
        work()
    return theirs, ours


def inputs_of(events: Any, fields: List[str]) -> Counter[str]:
    told = [[event.name, int(event.flops or 0), *(getattr(event, field) for field in fields)] for event in events]
    return collections.Counter(repr(one) for one in told if not one[0].startswith("Profiler"))


def test_inputs_are_the_same(both: Tuple[Any, Any]) -> None:
    fields = [field for field in FIELDS if hasattr(both[0].events()[0], field)]  # PyTorch 2.4 lacks some
    theirs, ours = (inputs_of(profile.events(), fields) for profile in both)
    assert sorted(theirs - ours) == []
    names = {text.split(",")[0] for text in ours - theirs}  # it drops a call that is the only child of its name
    assert names <= {text.split(",")[0] for text in theirs} and len(theirs) > 60


def slices_of(profile: Any, path: Path) -> List[Dict[str, Any]]:
    profile.export_chrome_trace(str(path))
    events: List[Dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    return events


def test_chrome_traces_have_the_same_arguments(both: Tuple[Any, Any], tmp_path: Path) -> None:
    def told(profile: Any, name: str) -> Counter[str]:
        events = [event for event in slices_of(profile, tmp_path / name) if event.get("cat") == "cpu_op"]
        return collections.Counter(repr([one["name"], *(one["args"].get(key) for key in ARGUMENTS)]) for one in events)

    assert sorted(told(both[0], "theirs.json") - told(both[1], "ours.json")) == []


def test_a_call_that_is_known_is_not_another_one() -> None:
    """Inputs with the same sizes and other strides, types or values."""
    a, b = torch.ones(3, 3), torch.ones(3, 3)
    with libprof.profile(record_shapes=True) as prof:
        for second in (b, b.t(), b.double(), 2, 2.0, True, b):
            torch.add(a, second)
    adds = [event for event in prof.events() if event.name == "aten::add"]
    other = [repr((e.structured_input_strides, e.input_dtypes, e.concrete_inputs)) for e in adds]
    assert len(adds) == 7 and other[0] == other[6] and len(set(other[:3])) == 3, other


def test_texts_of_inputs_do_not_grow_without_limit(tmp_path: Path) -> None:
    """An input that has another value each time; the last ones are still right."""
    a = torch.ones(2)
    with libprof.profile(record_shapes=True) as prof:
        for number in range(3000):
            a * number
            torch.add(a, a, alpha=number)
    adds = [event.concrete_inputs[2] for event in prof.events() if event.name == "aten::add"]
    assert adds == list(range(3000))


def arrows(profile: Any, path: Path) -> Counter[Tuple[str, str]]:
    events = slices_of(profile, path)
    named = {(e["tid"], e["ts"]): e["name"] for e in events if e.get("cat") == "cpu_op" and "evaluate" not in e["name"]}
    ends = [event for event in events if event.get("cat") == "fwdbwd"]
    begun = {event["id"]: named[event["tid"], event["ts"]] for event in ends if event["ph"] == "s"}
    ended = {event["id"]: named[event["tid"], event["ts"]] for event in ends if event["ph"] == "f"}
    return collections.Counter((begun[number], ended[number]) for number in begun)


def test_arrows_from_forward_to_backward(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Conv1d(2, 2, 3))

    def train() -> None:
        model(torch.ones(2, 2, 8)).sum().backward()

    train()
    with torch.profiler.profile() as theirs:
        train()
    with libprof.profile() as ours:
        train()
    wanted = arrows(theirs, tmp_path / "theirs.json")
    assert arrows(ours, tmp_path / "ours.json") == wanted and len(wanted) >= 5
    threads = {event.name: event.fwd_thread for event in ours.events() if event.name.endswith("Backward0")}
    assert threads["AddmmBackward0"] is not None and threads["SumBackward0"] is not None
