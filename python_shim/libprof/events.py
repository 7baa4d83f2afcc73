"""What happened, one by one: :class:`FunctionEvent`, with torch.profiler's fields."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple, Type

from ._recorded import Recorded, field, finish, kept
from ._times import us_text
from ._torch_enum import TorchEnum


STEPS = "ProfilerStep*"
"""The key of all steps in averages."""


class DeviceType(TorchEnum):
    """Where an event happened, with torch's numbers."""

    CPU = 0
    CUDA = 1

    shown: Any
    """The member that programs get: PyTorch's if PyTorch is imported."""


for _one in DeviceType:
    _one.shown = _one
_CPU = DeviceType.CPU


class Interval:
    """From `start` to `end`, microseconds since the recording began."""

    __slots__ = ("end", "start")

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Its length in microseconds."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"Interval({self.start!r}, {self.end!r})"


class Kernel:
    """A device operation that an event launched: kernel, copy, set or graph."""

    __slots__ = ("device", "interval", "name")

    def __init__(self, name: str, device: int, interval: Interval) -> None:
        self.name = name
        self.device = device
        self.interval = interval

    @property
    def duration(self) -> float:
        """How long it took, microseconds."""
        return self.interval.elapsed_us()

    def __repr__(self) -> str:
        return f"<Kernel {self.name!r} device={self.device} duration={us_text(self.duration)}>"


def _same(name: str) -> Any:
    """An older name of an attribute."""
    return property(lambda self: getattr(self, name), doc=f"An older name of ``{name}``, in the same unit.")


def _text(name: str) -> Any:
    """A time as text."""
    return property(lambda self: us_text(getattr(self, name)), doc=f"``{name}`` with its unit, as text.")


class TimesMixin:
    """Times per call, and as text, of what has `*_time_total` in microseconds of `outer_count` calls."""

    outer_count: int

    def _average(self, total: float) -> float:
        return total / self.outer_count if self.outer_count else 0.0

    @property
    def cpu_time(self) -> float:
        """Microseconds per call."""
        return self._average(self.cpu_time_total)

    @property
    def device_time(self) -> float:
        """Microseconds per call."""
        return self._average(self.device_time_total)

    @property
    def cpu_time_total(self) -> float:
        """Time on the CPU, microseconds."""
        raise NotImplementedError

    @property
    def device_time_total(self) -> float:
        """Time on devices, microseconds."""
        raise NotImplementedError

    @property
    def self_cpu_time_total(self) -> float:
        """Time on the CPU without what is inside, microseconds."""
        raise NotImplementedError

    @property
    def self_device_time_total(self) -> float:
        """Time on devices without what is inside, microseconds."""
        raise NotImplementedError

    cuda_time: float = _same("device_time")
    cuda_time_total: float = _same("device_time_total")
    self_cuda_time_total: float = _same("self_device_time_total")
    cuda_memory_usage: Optional[int] = _same("device_memory_usage")
    self_cuda_memory_usage: Optional[int] = _same("self_device_memory_usage")

    cpu_time_str: str = _text("cpu_time")
    device_time_str: str = _text("device_time")
    cuda_time_str: str = _text("device_time")
    cpu_time_total_str: str = _text("cpu_time_total")
    device_time_total_str: str = _text("device_time_total")
    cuda_time_total_str: str = _text("device_time_total")
    self_cpu_time_total_str: str = _text("self_cpu_time_total")
    self_device_time_total_str: str = _text("self_device_time_total")
    self_cuda_time_total_str: str = _text("self_device_time_total")


_ACTIVITY_TYPES = {
    "mark": "cpu_instant_event",
    "python": "python_function",
    "kernel": "kernel",
    "memcpy": "gpu_memcpy",
    "memset": "gpu_memset",
    "graph": "gpu_graph",
}  # memory has no type


_BACKWARD = re.compile(r"torch::autograd::|(?!autograd::engine::).*Backward\d*$")


def scope_of(name: str, is_user_annotation: bool) -> int:
    """See :attr:`FunctionEvent.scope`."""
    return 7 if is_user_annotation else 1 if _BACKWARD.match(name) else 0


def _without(size: Optional[int], parts: List[Optional[int]]) -> Optional[int]:
    """None where memory is not known."""
    return None if size is None else size - sum(part or 0 for part in parts)


DETAILS = (
    "input_shapes", "shape_text", "input_dtypes", "structured_input_shapes", "structured_input_strides", "concrete_inputs", "kwinputs",
    "overload_name", "stack", "attributes",
)  # fmt: skip
"""Attributes that programs read from few of millions of events."""


class FunctionEvent(Recorded, TimesMixin):
    """A range, a step or a CUDA call on a thread, or an operation on a device (`device_type`).

    ``time_range`` is in microseconds since the recording began; ``start_ns`` (since the epoch) and
    ``duration_ns`` are exact. ``kind`` is range, step, call, mark, python, memory, kernel, memcpy, memset or graph.
    ``thread`` is the operating system's thread id; for a device operation, its stream. Children lie inside
    their parent on the same thread. The innermost range around the launch of an operation lists it in ``kernels``;
    outside all ranges, the call does. ``input_shapes`` and ``stack`` are lists. Unknown values are -1, None or empty.
    This includes bytes of memory if the allocators were not recorded.

    Steps are called "ProfilerStep*"; ``trace_name`` is "ProfilerStep#N". ``is_user_annotation`` is True for steps and for
    ranges that the program named, not for PyTorch's operators. ``flops`` is set on the same operators as in
    torch.profiler; it is 0 on others and without ``with_flops``. ``use_device`` is the kind of the profiled devices, None
    if none were profiled.
    """

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        *,
        kind: str = "range",
        device_type: DeviceType = DeviceType.CPU,
        device_index: int = -1,
    ) -> None:
        self.id, self.name, self.thread, self.kind = id, name, thread, kind
        self.trace_name = name
        self.time_range = Interval(start_us, end_us)
        self.start_ns, self.duration_ns = round(start_us * 1000), round((end_us - start_us) * 1000)
        self._device_type, self.device_index, self.device_resource_id = device_type, device_index, thread
        self.is_user_annotation = kind in ("range", "step")

    id: int = field()
    name: str = field()
    trace_name: Optional[str] = field()
    thread: int = field()
    device_resource_id: int = field()
    kind: str = field("range")
    start_ns: int = field()
    duration_ns: int = field()
    pid: int = field(0)
    is_async: bool = field(False)
    sequence_nr: int = field(-1)
    fwd_thread: int = field(0)
    count: int = field(1)
    outer_count: int = field(1)
    cpu_parent: Optional["FunctionEvent"] = field(None)
    correlation: Optional[int] = field(None)
    result: Optional[int] = field(None)
    cpu_memory_usage: Optional[int] = field(0)
    device_memory_usage: Optional[int] = field(0)
    use_device: Optional[str] = field("cuda")
    thread_name: Optional[str] = field(None)
    domain: Optional[str] = field(None)
    device_index: int = field(-1)
    python_id: int = field(-1)
    python_parent_id: int = field(-1)
    python_module_id: int = field(-1)
    _device_type: DeviceType = field(_CPU)
    _self_ns: Optional[int] = field(None)
    _device_ns: Optional[int] = field(None)
    _self_device_ns: Optional[int] = field(None)

    time_range: Interval = kept()
    is_user_annotation: bool = kept(bool)
    flops: int = kept(int)
    kernels: List[Kernel] = kept(list)
    cpu_children: List["FunctionEvent"] = kept(list)
    input_shapes: List[Any] = kept(list)
    shape_text: str = kept(str)  # input_shapes as recorded
    input_dtypes: List[str] = kept(list)
    structured_input_shapes: List[Any] = kept(list)
    structured_input_strides: List[Any] = kept(list)
    concrete_inputs: List[Any] = kept(list)
    kwinputs: Dict[str, Any] = kept(dict)
    overload_name: str = kept(str)
    stack: List[str] = kept(list)
    attributes: Dict[str, Any] = kept(dict)

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle and copy: without the recording."""
        for name in LATE:
            getattr(self, name)
        return self.__dict__

    node_id, is_remote, is_legacy = -1, False, False
    flow_start = False
    flow_id = flow_type = linked_correlation_id = 0
    self_cpu_percent = total_cpu_percent = total_device_percent = -1
    event_metadata: Optional[Dict[str, Any]] = None

    @property
    def scope(self) -> int:
        """PyTorch's number: 7 for ranges that the program named, 1 for backward functions, 0 for all others."""
        return scope_of(self.name, self.is_user_annotation)

    @property
    def external_id(self) -> int:
        """PyTorch's number of the operator, 0 where it is not recorded; its range in Chrome traces has another."""
        return int(self.attributes.get("rf_id") or self.attributes.get("user_rf_id") or self.attributes.get("op_id", 0))

    def set_cpu_parent(self, parent: "FunctionEvent") -> None:
        """Puts it inside another event."""
        self.cpu_parent = parent

    def append_cpu_child(self, child: "FunctionEvent") -> None:
        """Puts another event directly inside it."""
        self.cpu_children.append(child)

    @property
    def device_type(self) -> DeviceType:
        """Where it happened; of PyTorch's type if PyTorch is imported."""
        shown: DeviceType = self._device_type.shown
        return shown

    @property
    def key(self) -> str:
        """The key in averages: the name, or "ProfilerStep*" for every step."""
        return STEPS if self.kind == "step" else self.name

    @property
    def activity_type(self) -> Optional[str]:
        """The category that it has in a Chrome trace: cpu_op, user_annotation, cuda_runtime, kernel ..."""
        if self.kind in ("range", "step"):
            return "user_annotation" if self.is_user_annotation else "cpu_op"
        if self.kind == "call":
            return "cuda_runtime" if self.name.startswith("cuda") else "cuda_driver"
        return _ACTIVITY_TYPES.get(self.kind)

    @property
    def is_python_function(self) -> bool:
        """Whether it is a call of a Python function. Numbers of calls, ``python_id`` and ``python_parent_id``, are those in
        Chrome traces; ``python_module_id`` is the number in "nn.Module: Linear_0".
        """
        return self.kind == "python"

    @property
    def cpu_interval(self) -> Interval:
        """The older name of ``time_range``."""
        return self.time_range

    @property
    def metadata(self) -> Dict[str, Any]:
        """Its attributes."""
        return self.attributes

    metadata_json = metadata

    def set_exact_times(
        self, self_ns: Optional[int], device_ns: Optional[int], self_device_ns: Optional[int]
    ) -> None:
        """What a recording knows, in place of sums over children and kernels; None where it does not."""
        self._self_ns, self._device_ns, self._self_device_ns = self_ns, device_ns, self_device_ns

    def append_kernel(self, name: str, device: int, start: float, end: float) -> None:
        """Adds an operation that it launched; microseconds."""
        self.kernels.append(Kernel(name, device, Interval(start, end)))

    @property
    def is_on_cpu(self) -> bool:
        """Whether it happened on a thread, not on a device."""
        return self._device_type is _CPU

    @property
    def cpu_time_total(self) -> float:
        """How long it took, microseconds; 0 of a device operation."""
        return self.time_range.elapsed_us() if self.is_on_cpu else 0.0

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds without what its children took; 0 of a range that lies beside the thread's others."""
        if self._self_ns is not None:
            return self._self_ns / 1000
        if self.is_async or not self.is_on_cpu:
            return 0.0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self) -> float:
        """Microseconds of its own kernels; of a device operation its own."""
        if self._self_device_ns is not None:
            return self._self_device_ns / 1000
        if not self.is_on_cpu:
            return self.time_range.elapsed_us()
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def device_time_total(self) -> float:
        """Microseconds of its kernels, those of its children, theirs, and so on."""
        if self._device_ns is not None:
            return self._device_ns / 1000
        total, open_events = 0.0, [self]
        while open_events:
            event = open_events.pop()
            total += event.self_device_time_total
            open_events += event.cpu_children
        return total

    @property
    def self_cpu_memory_usage(self) -> Optional[int]:
        """Bytes that its allocators kept, without its children's."""
        return _without(self.cpu_memory_usage, [child.cpu_memory_usage for child in self.cpu_children])

    @property
    def self_device_memory_usage(self) -> Optional[int]:
        """The same on devices."""
        return _without(self.device_memory_usage, [child.device_memory_usage for child in self.cpu_children])

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} kind={self.kind} device_type={self.device_type} "
            f"cpu_time={self.cpu_time_str} start_us={self.time_range.start:.3f} "
            f"end_us={self.time_range.end:.3f} "
            f"cpu_children={[child.id for child in self.cpu_children]} cuda_time={self.device_time_str} "
            f"thread={self.thread} input_shapes={self.input_shapes} is_async={self.is_async} "
            f"seq_nr={self.sequence_nr}>"
        )


_LINKS = ("cpu_parent", "cpu_children")
LATE = ("kernels", "cpu_children", *DETAILS)
DEFAULTS = finish(FunctionEvent, LATE)
"""Readers of the fields of events that are of no recording."""
_Flat = Tuple[Type[FunctionEvent], Dict[str, Any], Optional[int], List[int]]


def flattened(events: List[FunctionEvent]) -> List[_Flat]:
    """The events, then those linked to them, each as: class, fields, parent's index, children's indices."""
    numbers: Dict[int, int] = {}
    found: List[FunctionEvent] = []

    def number(event: FunctionEvent) -> int:
        if id(event) not in numbers:
            numbers[id(event)] = len(found)
            found.append(event)
        return numbers[id(event)]

    for event in events:
        number(event)
    rows: List[_Flat] = []
    for event in found:  # the list grows in the loop
        fields = {name: value for name, value in event.__getstate__().items() if name not in _LINKS}
        parent = number(event.cpu_parent) if event.cpu_parent is not None else None
        rows.append((type(event), fields, parent, [number(child) for child in event.cpu_children]))
    return rows


def unflattened(rows: List[_Flat]) -> List[FunctionEvent]:
    """The events again."""
    events: List[FunctionEvent] = [kind.__new__(kind) for kind, *_ in rows]
    for event, (_, fields, parent, children) in zip(events, rows):
        event.__setstate__(fields)
        event.cpu_parent = None if parent is None else events[parent]
        event.cpu_children = [events[child] for child in children]
    return events
