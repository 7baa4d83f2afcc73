"""torch.profiler's ``prof.profiler.kineto_results``: Kineto's events, and the tree of events.

PyTorch's memory profiler and pattern matcher, vLLM's layerwise profiler and others read these objects. They pass
``isinstance()`` checks for PyTorch's classes.
"""

from __future__ import annotations

import bisect
import functools
import json
import re
import sys
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from ._python_events import end_ns
from ._recording import Recording
from ._tensors import Allocation, Held, Parameter, Seen, Tensor
from .errors import ProfError
from .events import FunctionEvent

_PLACE = re.compile(r"(.*)\((\d+)\): (.*)", re.DOTALL)
_MODULE = "nn.Module: "
_STEP = "_optimizer_step_code"
_MODULE_FRAME = ("torch/nn/modules/module.py", "_wrapped_call_impl")
_EVALUATES = "autograd::engine::evaluate_function: "
_DTYPES = {
    "unsigned char": "uint8", "signed char": "int8", "short int": "int16", "int": "int32", "long int": "int64",
    "c10::Half": "float16", "float": "float32", "double": "float64", "c10::BFloat16": "bfloat16", "bool": "bool",
    "c10::complex<float>": "complex64", "c10::complex<double>": "complex128",
}  # fmt: skip


def _torch() -> Any:
    torch = sys.modules.get("torch")
    if not hasattr(torch, "autograd"):
        raise ProfError("kineto_results has PyTorch's types: import torch first")
    return torch


def _theirs(name: str) -> Any:
    """A class of torch._C._profiler, for isinstance()."""
    return property(lambda self: getattr(_torch()._C._profiler, name), doc=f"torch's {name}.")


# ---- the fields of the tree's events ----


class TensorMetadata:
    """``torch._C._profiler._TensorMetadata``."""

    __class__ = _theirs("_TensorMetadata")

    def __init__(self, tensor: Tensor, sizes: List[int], strides: List[int]) -> None:
        self.impl_ptr, self.storage_data_ptr = tensor.impl or None, tensor.storage or None
        self.id, self.allocation_id = tensor.id, tensor.allocation_id
        self.dtype, self.layout, self.device = tensor.dtype, tensor.layout, tensor.device
        self.sizes, self.strides = sizes, strides


class _TorchOp:
    """``_ExtraFields_TorchOp``: of operators and other ranges."""

    __class__ = _theirs("_ExtraFields_TorchOp")

    def __init__(self, event: FunctionEvent, inputs: Dict[int, Any]) -> None:
        self.name, self.sequence_number = event.name, event.sequence_nr
        self._event, self._logged = event, inputs
        self._inputs: Optional[List[Any]] = None

    @property
    def allow_tf32_cublas(self) -> bool:
        """As it is now."""
        return bool(_torch().backends.cuda.matmul.allow_tf32)

    @property
    def scope(self) -> Any:
        """PyTorch's scope: operator, backward function or range of the program."""
        event, scopes = self._event, _torch()._C._profiler.RecordScope
        around = event.cpu_parent
        if around is not None and around.name == _EVALUATES + event.name:
            return scopes.BACKWARD_FUNCTION
        return scopes.USER_SCOPE if event.is_user_annotation else scopes.FUNCTION

    @property
    def inputs(self) -> List[Any]:
        """Tensors, lists of tensors and numbers; None for anything else."""
        if self._inputs is None:
            self._inputs = [self._input(number, kind) for number, kind in enumerate(self._event.input_dtypes)]
        return self._inputs

    def _input(self, number: int, kind: str) -> Any:
        event = self._event
        if kind == "Scalar":
            return event.concrete_inputs[number]
        if kind in ("", "ScalarList"):
            return None
        logged = self._logged.get(number)
        sizes, strides = event.structured_input_shapes[number], event.structured_input_strides[number]
        if kind == "TensorList":
            made = logged or [_unknown(None) for _ in sizes]
            return [TensorMetadata(one, *both) for one, *both in zip(made, sizes, strides)]
        return TensorMetadata(logged or _unknown(kind), sizes, strides)


def _unknown(dtype: Optional[str]) -> Tensor:
    """A tensor with a recorded type, but no identity."""
    torch = _torch()
    return Tensor(getattr(torch, _DTYPES.get(dtype or "", ""), None), torch.strided, torch.device("cpu"), 0, None)


class _Allocation:
    """``_ExtraFields_Allocation``."""

    __class__ = _theirs("_ExtraFields_Allocation")

    def __init__(self, one: Allocation) -> None:
        self.ptr, self.alloc_size, self.device = one.storage, one.size, one.device
        self.id, self.allocation_id = one.id, one.allocation_id
        self.total_allocated, self.total_reserved = one.allocated, one.reserved


class _Frame(NamedTuple):
    """``_PyFrameState``. The line is the one of the function's ``def``."""

    file_name: str = ""
    line_number: int = 0
    function_name: str = ""


class _ModuleInfo:
    """``_NNModuleInfo``."""

    def __init__(self, cls_name: str, held: Optional[Held]) -> None:
        self.cls_name = held.class_name if held else cls_name
        self.self_ptr, self.cls_ptr = (held.address, held.class_address) if held else (0, 0)
        self.parameters = [(name, _known(one), _known(grad)) for name, one, grad, _ in held.parameters] if held else []


class _OptimizerInfo:
    """``_OptimizerInfo``."""

    def __init__(self, held: Held) -> None:
        self.self_ptr = held.address
        self.parameters = [
            (_known(one), _known(grad), [(name, _known(value)) for name, value in state])
            for _, one, grad, state in held.parameters
        ]


def _known(one: Optional[Parameter]) -> Optional[TensorMetadata]:
    return TensorMetadata(one, one.sizes, one.strides) if one is not None else None


class _PyCall:
    """``_ExtraFields_PyCall``."""

    __class__ = _theirs("_ExtraFields_PyCall")

    def __init__(self, name: str, caller: _Frame, held: Optional[Held]) -> None:
        is_module = name.startswith(_MODULE)
        self.callsite, self.caller = _frame_of(name), caller
        self.module = _ModuleInfo(_class_of(name), held) if is_module else None
        self.optimizer = _OptimizerInfo(held) if held is not None and not is_module else None


class _PyCCall:
    """``_ExtraFields_PyCCall``."""

    __class__ = _theirs("_ExtraFields_PyCCall")

    def __init__(self, caller: _Frame) -> None:
        self.caller = caller


class _Kineto:
    """``_ExtraFields_Kineto``."""

    __class__ = _theirs("_ExtraFields_Kineto")


def _class_of(name: str) -> str:
    """ "Linear" of "nn.Module: Linear_0"."""
    return re.sub(r"_\d+$", "", name[len(_MODULE) :])


def _short(name: str) -> str:
    """ "file.py(12): forward" of "file.py(12): Net.forward", as torch.profiler names functions."""
    found = _PLACE.fullmatch(name)
    return f"{found[1]}({found[2]}): {found[3].rpartition('.')[2]}" if found else name


def _frame_of(name: str) -> _Frame:
    if name.startswith(_MODULE):
        return _Frame(_MODULE_FRAME[0], 0, _MODULE_FRAME[1])
    found = _PLACE.fullmatch(_short(name))
    return _Frame(found[1], int(found[2]), found[3]) if found else _Frame()


# ---- the tree ----


class Node:
    """``torch._C._profiler._ProfilerEvent``: an event of the tree."""

    __class__ = _theirs("_ProfilerEvent")
    __slots__ = (
        "_fields", "_make", "_tag", "children", "correlation_id", "end_time_ns", "id", "name", "overload_name", "parent",
        "start_tid", "start_time_ns",
    )  # fmt: skip

    def __init__(self, name: str, tid: int, start_ns: int, end_ns: int, tag: str, make: Callable[[], Any]) -> None:
        self.name, self.overload_name, self.start_tid, self.start_time_ns, self.end_time_ns = name, "", tid, start_ns, end_ns
        self.children: List[Node] = []
        self.parent: Optional[Node] = None
        self.correlation_id = 0
        self.id = id(self)
        self._tag, self._make, self._fields = tag, make, None

    @property
    def duration_time_ns(self) -> int:
        """Nanoseconds."""
        return self.end_time_ns - self.start_time_ns

    @property
    def tag(self) -> Any:
        """``_EventType``."""
        return getattr(_torch()._C._profiler._EventType, self._tag)

    @property
    def extra_fields(self) -> Any:
        """The fields of this event's type."""
        if self._fields is None:
            self._fields = self._make()
        return self._fields

    @property
    def typed(self) -> Tuple[Any, Any]:
        """Type and fields."""
        return self.tag, self.extra_fields

    def __repr__(self) -> str:
        return f"<{self._tag} {self.name!r}, {self.duration_time_ns} ns, {len(self.children)} children>"


class _Tree:
    """Builds the tree of a recording's events, including calls of Python functions."""

    def __init__(self, events: List[FunctionEvent], seen: Optional[Seen]) -> None:
        self._seen = seen
        self._events = [event for event in events if event.kind not in ("mark", "memory")]
        self._held = _held_by_call(self._events, seen) if seen else {}
        self._nodes: Dict[int, Node] = {}
        self._numbers: Dict[int, int] = {event.pid: 1 for event in self._events[:1]}
        self.roots: List[Node] = []

    def _number(self, tid: int) -> int:
        """PyTorch's number of a thread. 1 is the main thread, the only one that some tools read."""
        return self._numbers.setdefault(tid, len(self._numbers) + 1)

    def build(self) -> List[Node]:
        calls: Dict[Optional[int], Node] = {}
        for event in self._events:  # in the order in which they began: parents come first, calls before what they launch
            node = self._nodes[id(event)] = self._node(event)
            parent = self._nodes.get(id(event.cpu_parent))
            if event.device_type.name == "CUDA":
                parent = calls.get(event.correlation)
                node.start_tid = parent.start_tid if parent is not None else 0
            elif event.kind == "call":
                calls[event.correlation] = node
            self._place(node, parent)
        if self._seen:
            self._add_allocations(self._seen)
        for children in (self.roots, *(node.children for node in self._nodes.values())):
            children.sort(key=lambda one: one.start_time_ns)
        return self.roots

    def _place(self, node: Node, parent: Optional[Node]) -> None:
        node.parent = parent
        (self.roots if parent is None else parent.children).append(node)

    def _node(self, event: FunctionEvent) -> Node:
        name, tag = event.name, "Kineto"
        make: Callable[[], Any] = _Kineto
        if event.kind in ("range", "step"):
            tag, inputs = "TorchOp", self._seen.inputs.get(event.external_id, {}) if self._seen else {}
            make = lambda: _TorchOp(event, inputs)
        elif event.kind == "python":
            caller = self._caller(event)
            held = self._held.get(id(event))
            if name.startswith("<"):
                tag, make = "PyCCall", lambda: _PyCCall(caller)
            else:
                tag, name, make = "PyCall", _short(name), lambda: _PyCall(event.name, caller, held)
        tid = 0 if event.device_type.name == "CUDA" else self._number(event.thread)
        node = Node(name, tid, event.start_ns, end_ns(event), tag, make)
        node.overload_name = event.overload_name
        node.correlation_id = event.external_id if tag == "TorchOp" else event.correlation or 0
        return node

    def _caller(self, event: FunctionEvent) -> _Frame:
        around = event.cpu_parent
        while around is not None and (around.kind != "python" or around.name.startswith("<")):
            around = around.cpu_parent
        return _frame_of(around.name) if around is not None else _Frame()

    def _add_allocations(self, seen: Seen) -> None:
        """Puts each allocation into the operator that was innermost then, else into the innermost open event of the thread.
        The clocks of log and trace differ slightly, so the operators before and after limit an allocation's time.
        """
        operators = {event.external_id: self._nodes[id(event)] for event in self._events if event.external_id > 0}
        offsets = [operators[one].start_time_ns - seen.times_ns[one] for one in seen.exact if one in operators]
        offset = min(offsets, default=seen.offset_ns)
        threads: Dict[int, List[int]] = {}
        for handle, node in sorted(operators.items()):
            threads.setdefault(node.start_tid, []).append(handle)
        places = _Places(self._nodes[id(event)] for event in self._events if event.device_type.name == "CPU")
        for one in seen.allocations:
            tid = self._number(one.tid)
            around, handles = operators.get(one.handle), threads.get(tid, [])
            time_ns, at = one.time_ns + offset, bisect.bisect_right(handles, one.latest)
            if at > 0:
                time_ns = max(time_ns, _end_within(operators[handles[at - 1]], around))
            if at < len(handles):
                time_ns = min(time_ns, operators[handles[at]].start_time_ns - 1)
            if around is not None:
                time_ns = min(max(time_ns, around.start_time_ns), around.end_time_ns)
            make = functools.partial(_Allocation, one)
            node = Node("[memory]", tid, time_ns, time_ns, "Allocation", make)
            self._place(node, around or places.innermost(tid, time_ns))


def _end_within(node: Node, around: Optional[Node]) -> int:
    """End of the operator directly inside `around` that contains `node`; if `node` is `around`, its start."""
    while node.parent is not None and node.parent is not around and node.parent.correlation_id > 0:
        node = node.parent
    return node.start_time_ns if node is around else node.end_time_ns


class _Places:
    """Finds the open events of a thread at a given time. Queries for a thread must be in order of time."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._coming: Dict[int, List[Node]] = {}
        self._open: Dict[int, List[Node]] = {}
        for node in sorted(nodes, key=lambda one: (-one.start_time_ns, one.end_time_ns)):
            self._coming.setdefault(node.start_tid, []).append(node)

    def innermost(self, tid: int, time_ns: int) -> Optional[Node]:
        """The innermost open event; None if there is none."""
        coming, around = self._coming.get(tid, []), self._open.setdefault(tid, [])
        while coming and coming[-1].start_time_ns <= time_ns:
            around.append(coming.pop())
        while around and around[-1].end_time_ns < time_ns:
            around.pop()
        return around[-1] if around else None


def _held_by_call(events: List[FunctionEvent], seen: Seen) -> Dict[int, Held]:
    """The module or optimizer of each call event. Reports came in the same order as the calls, some more than once."""
    coming: Dict[int, List[Held]] = {}
    for tid, address in reversed(seen.calls):
        coming.setdefault(tid, []).append(seen.held[address])
    known: Dict[str, Held] = {}  # modules by name
    found: Dict[int, Held] = {}
    for event in events:
        is_module = event.name.startswith(_MODULE)
        if event.kind != "python" or not (is_module or event.name.endswith(_STEP)):
            continue
        calls, held = coming.get(event.thread, []), known.get(event.name)
        while held is None and calls:
            held = calls.pop()
            if held.is_module != is_module or (is_module and held.class_name != _class_of(event.name)):
                held = None
        if held is not None:
            found[id(event)] = held
            if is_module:
                known[event.name] = held
    return found


# ---- the list ----


def _field(name: str) -> Any:
    return lambda self: getattr(self.event, name)


class KinetoEvent:
    """``torch._C._autograd._KinetoEvent``. ``event`` is libprof's event."""

    __class__ = property(lambda self: _torch()._C._autograd._KinetoEvent)

    def __init__(self, event: FunctionEvent, linked: int) -> None:
        self.event, self._linked = event, linked

    name, overload_name = _field("name"), _field("overload_name")
    device_index, device_resource_id = _field("device_index"), _field("device_resource_id")
    start_ns, duration_ns, is_async = _field("start_ns"), _field("duration_ns"), _field("is_async")
    external_id, sequence_nr = _field("external_id"), _field("sequence_nr")
    shapes, structured_input_shapes = _field("input_shapes"), _field("structured_input_shapes")
    structured_input_strides, dtypes = _field("structured_input_strides"), _field("input_dtypes")
    concrete_inputs, kwinputs, stack = _field("concrete_inputs"), _field("kwinputs"), _field("stack")
    start_thread_id = end_thread_id = _field("thread")
    activity_type, is_user_annotation = _field("activity_type"), _field("is_user_annotation")
    is_python_function, flow_id, flow_type = _field("is_python_function"), _field("flow_id"), _field("flow_type")
    flow_start, python_id = _field("flow_start"), _field("python_id")
    python_parent_id, python_module_id = _field("python_parent_id"), _field("python_module_id")

    def end_ns(self) -> int:
        """Nanoseconds since the epoch."""
        return end_ns(self.event)

    def device_type(self) -> Any:
        """PyTorch's DeviceType."""
        return getattr(_torch()._C._autograd.DeviceType, self.event.device_type.name)

    def correlation_id(self) -> int:
        """CUPTI's correlation id; for an operator, PyTorch's number."""
        return self.event.external_id if self.event.correlation is None else self.event.correlation

    def linked_correlation_id(self) -> int:
        """For a CUDA call and what it launched: the enclosing operator; 0: none."""
        return self._linked

    def fwd_thread_id(self) -> int:
        """The thread of a backward function's forward operator, else 0."""
        return self.event.fwd_thread or 0

    def flops(self) -> int:
        """0: not counted."""
        return int(self.event.flops or 0)

    def scope(self) -> int:
        """Of at::RecordScope."""
        if self.event.kind not in ("range", "step"):
            return 0
        scopes = _torch()._C._profiler.RecordScope
        return int(scopes(_TorchOp(self.event, {}).scope).value)

    def nbytes(self) -> int:
        """Allocated bytes; 0 if memory is unknown."""
        return self.event.cpu_memory_usage or self.event.device_memory_usage or 0

    def cuda_elapsed_us(self) -> int:
        """-1: events are timed by CUPTI."""
        return -1

    privateuse1_elapsed_us = cuda_elapsed_us

    def is_hidden_event(self) -> bool:
        """False."""
        return False

    def metadata_json(self) -> str:
        """Other recorded attributes as JSON, without braces."""
        return json.dumps(self.event.attributes)[1:-1]

    def extra_meta(self) -> Dict[str, str]:
        """The same as texts."""
        return {key: str(value) for key, value in self.event.attributes.items()}

    def typed_metadata(self) -> Dict[str, Any]:
        """The same."""
        return dict(self.event.attributes)

    def __repr__(self) -> str:
        return f"<KinetoEvent {self.event.name!r}>"


def _linked(events: List[FunctionEvent]) -> Dict[int, int]:
    """By correlation id of a CUDA call: the number of its enclosing operator."""
    linked: Dict[int, int] = {}
    for event in events:
        around = event.cpu_parent if event.kind == "call" else None
        while around is not None and around.external_id == 0:
            around = around.cpu_parent
        if around is not None and event.correlation is not None:
            linked[event.correlation] = around.external_id
    return linked


class KinetoResults:
    """``torch._C._autograd._ProfilerResult`` of one cycle of a profile. Lists are built on request."""

    __class__ = property(lambda self: _torch()._C._autograd._ProfilerResult)

    def __init__(self, recording: Recording, events: List[FunctionEvent], export: Callable[[str, str], None]) -> None:
        self._recording, self._events, self._export = recording, events, export

    def save(self, path: str) -> None:
        """Writes a Chrome trace."""
        self._export(path, "chrome")

    def events(self) -> List[KinetoEvent]:
        """Every event, in the order in which they began."""
        linked = _linked(self._events)
        return [KinetoEvent(event, linked.get(event.correlation or 0, 0)) for event in self._events]

    def legacy_events(self) -> List[Any]:
        """None."""
        return []

    def trace_activities(self) -> List[Any]:
        """Raises ProfError: libprof has no Kineto objects. ``export_chrome_trace()`` writes traces without them."""
        raise ProfError("libprof has no Kineto activities: use export_chrome_trace(), or events() of kineto_results")

    def trace_start_ns(self) -> int:
        """When the cycle began, nanoseconds since the epoch."""
        window = self._recording.window
        return window.start_ns if window else min((event.start_ns for event in self._events), default=0)

    def experimental_event_tree(self) -> List[Node]:
        """The top-level events of all threads."""
        _torch()
        seen = self._recording.seen() if self._recording.seen is not None else None
        roots: List[Node] = self._recording.once("event tree", _Tree(self._events, seen).build)
        return list(roots)
