"""PyTorch's own tools, and others, read torch.profiler's internal results. The same program runs under both profilers."""

# packages: torch==2.13.0+cpu numpy

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

import libprof
from libprof import _kineto, _tensors, _torch_observer, autograd

torch = pytest.importorskip("torch")
ALL = {"record_shapes": True, "profile_memory": True, "with_stack": True}


@pytest.fixture(scope="module", autouse=True)
def observer() -> None:
    if _torch_observer.find(torch)[0] is None:
        pytest.skip(f"no observer: {_torch_observer.find(torch)[1]}")


class Trained:
    """The first two steps of a new model and its optimizer."""

    def __init__(self, profile: Any, optimizer: Any) -> None:
        torch.manual_seed(0)
        layers = [torch.nn.Linear(16, 32), torch.nn.LayerNorm(32), torch.nn.ReLU(), torch.nn.Linear(32, 4)]
        self.model = torch.nn.Sequential(*layers)
        self.optimizer = optimizer(self.model.parameters())
        with profile(**ALL) as self.prof:
            for _ in range(2):
                self.optimizer.zero_grad()
                with torch.profiler.record_function("forward"):
                    loss = torch.cat([self.model(torch.ones(8, 16)), torch.zeros(8, 4)]).square().mean()
                loss.backward()
                self.optimizer.step()
                del loss

    def tree(self) -> List[Any]:
        tree: List[Any] = self.prof.profiler.kineto_results.experimental_event_tree()
        return tree


def flat(nodes: List[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        yield from flat(node.children)


def tensor(one: Any) -> Any:
    if isinstance(one, list):
        return [tensor(each) for each in one]
    if not isinstance(one, torch._C._profiler._TensorMetadata):
        return one
    return one.id, one.allocation_id, one.sizes, one.strides, one.dtype, one.layout, one.device


def operators(nodes: List[Any]) -> List[Tuple[Any, ...]]:
    """Operators with their inputs, and allocations."""
    found: List[Tuple[Any, ...]] = []
    types = torch._C._profiler._EventType
    for node in sorted(flat(nodes), key=lambda one: one.start_time_ns):
        kind, fields = node.typed
        if kind == types.TorchOp and fields.scope != torch._C._profiler.RecordScope.USER_SCOPE:
            found.append((node.name, fields.scope, tensor(fields.inputs), fields.sequence_number >= 0))
        elif kind == types.Allocation:
            found.append((node.name, fields.id, fields.allocation_id, fields.alloc_size, fields.device))
    return found


@pytest.fixture(scope="module", params=["Adam", "SGD"])
def both(request: Any) -> Tuple[Trained, Trained]:
    kind = getattr(torch.optim, request.param)
    make = (lambda parameters: kind(parameters, lr=0.1, momentum=0.9)) if request.param == "SGD" else kind
    return Trained(torch.profiler.profile, make), Trained(libprof.profile, make)


def test_operators_have_the_same_tensors_and_allocations(both: Tuple[Trained, Trained]) -> None:
    theirs, ours = (operators(one.tree()) for one in both)
    assert ours == theirs


def test_modules_and_optimizers_hold_the_programs_tensors(both: Tuple[Trained, Trained]) -> None:
    ours = both[1]
    calls = [node.extra_fields for node in flat(ours.tree()) if node.tag == torch._C._profiler._EventType.PyCall]
    modules = {call.module.self_ptr: call.module for call in calls if call.module}
    for module in ours.model:
        info = modules[id(module)]
        assert info.cls_name == type(module).__name__ and info.cls_ptr == id(type(module))
        found = [(name, one.storage_data_ptr) for name, one, _ in info.parameters]
        assert found == [(name, one.untyped_storage().data_ptr()) for name, one in module.named_parameters()]
    (optimizer,) = {call.optimizer.self_ptr: call.optimizer for call in calls if call.optimizer}.values()
    assert optimizer.self_ptr == id(ours.optimizer)
    states = [sorted(state) for state in (dict(named) for _, _, named in optimizer.parameters)]
    known = [sorted(key for key, one in state.items() if isinstance(one, torch.Tensor)) for state in ours.optimizer.state.values()]
    assert states == known


def categories(prof: Any) -> Counter[Tuple[str, str]]:
    profile = prof._memory_profile()
    sums: Counter[Tuple[str, str]] = Counter()
    for _, action, (key, version), size in profile.timeline:
        sums[action.name, str(profile._categories.get(key, version))] += size
    return sums


@pytest.mark.filterwarnings("ignore:`export_memory_timeline` is deprecated:FutureWarning")
def test_memory_has_the_same_categories(both: Tuple[Trained, Trained], tmp_path: Path) -> None:
    theirs, ours = both
    assert categories(ours.prof) == categories(theirs.prof)
    last: Dict[str, Any] = {}
    for one in both:
        path = tmp_path / "memory.json"
        one.prof.export_memory_timeline(str(path), "cpu")
        last[type(one.prof).__module__] = json.loads(path.read_text())[1][-1]
        one.prof.export_memory_timeline(str(tmp_path / "memory.raw.json.gz"), "cpu")
        rows = json.loads(gzip.decompress((tmp_path / "memory.raw.json.gz").read_bytes()))
        last[type(one.prof).__module__ + " raw"] = [row[1:] for row in rows]
    assert last["libprof.profiler"] == last["torch.profiler.profiler"] and any(last["libprof.profiler"][1:7])
    assert last["libprof.profiler raw"] == last["torch.profiler.profiler raw"]


def test_identities_need_what_they_come_from() -> None:
    with libprof.profile(profile_memory=True) as prof:
        torch.ones(4)
    with pytest.raises(ValueError, match="record_shapes=True, with_stack=True required"):
        prof._memory_profile()
    nodes = list(flat(prof.kineto_results.experimental_event_tree()))
    assert "aten::ones" in [node.name for node in nodes] and "[memory]" not in [node.name for node in nodes]
    with libprof.profile(record_shapes=True) as prof:
        torch.ones(4).add(1)
    (node,) = (one for one in flat(prof.kineto_results.experimental_event_tree()) if one.name == "aten::add")
    one, number, alpha = node.extra_fields.inputs
    assert (one.id, one.storage_data_ptr, one.dtype, one.sizes) == (None, None, torch.float32, [4])
    assert (number.sizes if hasattr(number, "sizes") else number, alpha) in (([], 1), (1, 1))


@pytest.mark.parametrize("missing", ["profile_memory", "record_shapes"])
def test_what_nobody_can_read_costs_nothing(missing: str) -> None:
    observer = _torch_observer.find(torch)[0]
    assert observer is not None
    with libprof.profile(**{**ALL, missing: False}):
        torch.ones(4).add(1)
        assert observer.tensors(0, 0)[0] == 0


def test_identities_need_no_stacks() -> None:
    with libprof.profile(profile_memory=True, record_shapes=True) as prof:
        torch.ones(4).add_(1)
    nodes = {node.name: node.extra_fields for node in flat(prof.kineto_results.experimental_event_tree())}
    number = nodes["[memory]"].allocation_id
    assert number is not None and nodes["aten::add_"].inputs[0].allocation_id == number


@pytest.mark.filterwarnings("error")
def test_warnings_that_are_errors_come_when_the_cycle_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tensors, "_ROWS_MAX", 1)
    ready: List[int] = []
    schedule = libprof.schedule(wait=0, warmup=1, active=1, repeat=2)
    prof = libprof.profile(schedule=schedule, on_trace_ready=lambda prof: ready.append(prof.step_num), **ALL)
    prof.start()
    for number in range(4):
        torch.ones(4).add(1)
        with pytest.raises(RuntimeWarning, match="identified") if number % 2 else contextlib.nullcontext():
            prof.step()
    prof.stop()
    assert ready == [2, 4] and "aten::add" in [event.name for event in prof.events()]


def test_results_are_there_when_the_profile_has_ended() -> None:
    prof = libprof.profile()
    assert prof.kineto_results is None
    with prof:
        torch.ones(4)
    results = prof.profiler.kineto_results
    assert isinstance(results, torch._C._autograd._ProfilerResult)
    events = results.events()
    (empty,) = (event for event in events if event.name() == "aten::empty")
    assert results.trace_start_ns() <= empty.start_ns() <= empty.end_ns() == empty.start_ns() + empty.duration_ns()
    assert (empty.device_type(), empty.scope(), empty.is_hidden_event()) == (torch.autograd.DeviceType.CPU, 0, False)
    with autograd.profile() as old:
        torch.ones(4)
    assert "aten::ones" in [event.name() for event in old.kineto_results.events()]


def test_results_in_kinetos_form_do_not_change_what_events_shows() -> None:
    with libprof.profile(activities=[{"CPU": ["USER_ANNOTATION"]}], with_stack=True) as prof:
        with libprof.record_function("mine"):
            torch.ones(4)
    assert "aten::ones" in [event.name() for event in prof.kineto_results.events()]
    assert [event.name for event in prof.events()] == ["mine"]


def test_everything_that_kineto_events_have_is_there() -> None:
    with libprof.profile() as prof:
        torch.ones(4)
    event, results = prof.kineto_results.events()[0], prof.kineto_results
    for ours, theirs in ((event, torch._C._autograd._KinetoEvent), (results, torch._C._autograd._ProfilerResult)):
        missing = [name for name in dir(theirs) if not name.startswith("_") and not hasattr(ours, name)]
        assert not missing
    for name in dir(torch._C._autograd._KinetoEvent):
        if not name.startswith("_"):
            getattr(event, name)()
    node = results.experimental_event_tree()[0]
    assert not [name for name in dir(torch._C._profiler._ProfilerEvent) if not name.startswith("_") and not hasattr(node, name)]


def test_patterns_are_found() -> None:
    matcher = pytest.importorskip("torch.profiler._pattern_matcher", reason="PyTorch 2.15 has no patterns")
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 3, 3), torch.nn.BatchNorm2d(3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with libprof.profile(**ALL) as prof:
        model(torch.rand(1, 3, 8, 8)).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    for pattern in (matcher.Conv2dBiasFollowedByBatchNorm2dPattern, matcher.GradNotSetToNonePattern):
        assert len(pattern(prof).matched_events()) == 1, pattern
    assert len(matcher.NamePattern(prof, "aten::conv2d").matched_events()) == 1
    from torch.profiler import _utils

    evaluation = _utils.BasicEvaluation(prof.profiler)
    assert all(one.self_time_ns >= 0 for key, one in evaluation.metrics.items() if key.event.tag.name == "TorchOp")


def test_each_cycle_has_its_own() -> None:
    found: List[Tuple[List[int], int]] = []

    def ready(prof: libprof.profile) -> None:
        nodes = list(flat(prof.kineto_results.experimental_event_tree()))
        sizes = [node.extra_fields.alloc_size for node in nodes if node.name == "[memory]"]
        observer = _torch_observer.find(torch)[0]
        assert observer is not None
        found.append((sizes, observer.tensors(0, 0)[0]))

    schedule = libprof.schedule(wait=0, warmup=1, active=1, repeat=3)
    with libprof.profile(schedule=schedule, on_trace_ready=ready, **ALL) as prof:
        for _ in range(6):
            torch.ones(256).add(1)
            prof.step()
    assert [(sizes.count(1024), sizes.count(-1024)) for sizes, _ in found] == [(2, 2)] * 3
    assert found[2][1] <= 2 * found[0][1], "rows of earlier cycles stay"


def test_tensors_may_run_code_of_the_program_where_they_are_looked_at() -> None:
    freed: List[int] = []

    class Placed(torch.Tensor):
        @staticmethod
        def __new__(cls) -> Any:
            return torch.Tensor._make_wrapper_subclass(cls, (4,), dispatch_device=True)

        @classmethod
        def __torch_dispatch__(cls, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
            freed.append(torch.ones(256).numel())
            return torch.device("cpu") if function is torch.ops.prim.device.default else torch.ones(4)

    with libprof.profile(**ALL) as prof:
        assert Placed().add(1).shape == (4,)
    assert "aten::add" in [event.name for event in prof.events()] and freed


def test_forked_children_log_nothing_of_their_parents_windows() -> None:
    observer = _torch_observer.find(torch)[0]
    assert observer is not None
    with libprof.profile(**ALL):
        torch.ones(4).add(1)
        assert observer.tensors(0, 0)[0] > 0
        child = os.fork()
        if not child:
            torch.ones(4).add(1)
            os._exit(observer.tensors(0, 0)[0] != 0)
        assert os.waitpid(child, 0)[1] == 0


def test_what_looks_at_modules_does_not_disturb_them() -> None:
    observe, seen = libprof._native.library().builtin("modules_observe"), []

    def fail(one: Any) -> None:
        seen.append(one)
        raise ValueError

    model = torch.nn.Linear(2, 2)
    with libprof.profile(with_stack=True):
        observe(fail)
        assert model(torch.ones(2)).shape == (2,)
        observe(None)
        model(torch.ones(2))
    assert seen and set(map(id, seen)) == {id(model)}


def test_what_looks_at_modules_is_called_once_for_each() -> None:
    observe, models = libprof._native.library().builtin("modules_observe"), [torch.nn.Linear(2, 2) for _ in range(2)]
    seen: List[Any] = []
    with libprof.profile(with_stack=True):
        for _ in range(2):
            observe(seen.append)
            for model in models * 3:
                model(torch.ones(2))
        observe(None)
    assert list(map(id, seen)) == list(map(id, models * 2))


@pytest.mark.filterwarnings("error")
def test_modules_may_hold_tensors_without_storage_or_gradient() -> None:
    model, weights = torch.nn.Linear(2, 2), torch.ones(3, 2, 2, requires_grad=True) * 2

    def call(weight: Any) -> Any:
        return torch.func.functional_call(model, {"weight": weight}, (torch.ones(1, 2),))

    with libprof.profile(**ALL) as prof:
        call(weights[0])
        torch.func.vmap(call)(weights)
    with libprof.profile(**ALL) as batched:
        torch.func.vmap(call)(weights)
    for one, names in ((prof, ["weight", "bias"]), (batched, ["bias"])):
        calls = [node.extra_fields for node in flat(one.kineto_results.experimental_event_tree()) if node.tag.name == "PyCall"]
        modules = [call.module for call in calls if call.module]
        assert modules and [name for name, _, _ in modules[0].parameters] == names


def test_threads_have_pytorchs_numbers_and_modules_their_parameters() -> None:
    """vLLM's layerwise profiler reads only thread 1, and shows modules with their parameters' types and sizes."""
    model = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Linear(2, 3))
    for profile in (torch.profiler.profile, libprof.profile):
        with profile(record_shapes=True, with_stack=True) as prof:
            model(torch.ones(1, 4))
            model(torch.ones(1, 4))
        nodes = [node for node in flat(prof.profiler.kineto_results.experimental_event_tree()) if node.start_tid == 1]
        modules = [node.extra_fields.module for node in nodes if node.tag == torch._C._profiler._EventType.PyCall]
        named = [(one.cls_name, [(name, value.sizes) for name, value, _ in one.parameters]) for one in modules if one]
        linear = [("Linear", [("weight", [2, 4]), ("bias", [2])]), ("Linear", [("weight", [3, 2]), ("bias", [3])])]
        assert named == [("Sequential", []), *linear] * 2, profile


def test_kernels_lie_in_the_call_that_launched_them() -> None:
    work = libprof.FunctionEvent(0, "aten::relu", 70, 0, 10)
    call = libprof.FunctionEvent(1, "cudaLaunchKernel", 70, 2, 3, kind="call")
    kernel = libprof.FunctionEvent(2, "relu", 7, 4, 6, kind="kernel", device_type=libprof.DeviceType.CUDA)
    call.cpu_parent, call.correlation, kernel.correlation = work, 5, 5
    (root,) = _kineto._Tree([work, call, kernel], None).build()
    (launch,) = root.children
    (found,) = launch.children
    assert (found.name, found.tag.name, found.correlation_id, found.parent) == ("relu", "Kineto", 5, launch)
    assert found.start_tid == launch.start_tid == root.start_tid
