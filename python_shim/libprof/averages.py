"""What happened, added up by name: :class:`FunctionEventAvg`, with torch.profiler's fields."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any, Callable, Collection, Dict, Iterable, List, Optional, Union, cast

from ._source_paths import Shortened
from .events import DeviceType, FunctionEvent, TimesMixin, scope_of

MEMORY = ("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage")
_SELF_MEMORY = tuple(name for name in MEMORY if name.startswith("self"))
_MEMORY_COLUMNS = ("cpu_memory_bytes", "self_cpu_memory_bytes", "cuda_memory_bytes", "self_cuda_memory_bytes")  # as MEMORY
DEVICE_KINDS = ("kernel", "memcpy", "memset", "graph")


def _us(name: str, what: str) -> Any:
    """An attribute in nanoseconds, as torch.profiler has it, in microseconds."""
    return property(lambda self: getattr(self, name) / 1000, doc=f"{what}, microseconds.")


class FunctionEventAvg(TimesMixin):
    """Calls of one name, added up. Exact nanoseconds are ``cpu_total_ns``, ``self_cpu_total_ns``,
    ``cuda_total_ns`` and ``self_cuda_total_ns``; the other times are microseconds.

    ``count`` is of all calls. Totals and averages cover the ``outer_count`` outermost ones only, whose time includes
    that of the calls nested in them.

    ``kind`` is range, call, mark, python, memory, kernel, memcpy, memset or graph. If requested, rows are also grouped
    by ``input_shapes``, ``stack`` (innermost function first) and ``overload_name``. Memory is net bytes, None if the
    allocators were not recorded. ``flops`` is 0 if unknown. ``row`` is the row of profdump's JSON.
    """

    key: Optional[str]
    cpu_memory_usage: Optional[int]
    self_cpu_memory_usage: Optional[int]
    device_memory_usage: Optional[int]
    self_device_memory_usage: Optional[int]
    node_id = -1
    is_async = is_remote = is_legacy = False
    cpu_parent: Optional[FunctionEvent] = None

    def __init__(self) -> None:
        self.key, self.kind, self.count, self.outer_count = None, "range", 0, 0
        self.overload_name = ""
        self.cpu_total_ns = self.self_cpu_total_ns = self.cuda_total_ns = self.self_cuda_total_ns = 0.0
        for name in MEMORY:
            setattr(self, name, 0)
        self.input_shapes: Any = None
        self.stack: List[str] = []
        self.flops = 0
        self.use_device: Optional[str] = None
        self.shape_text: Optional[str] = None
        self._row: Union[str, Dict[str, Any]] = {}
        self.first_ns = 0  # start of its first call, since the recording's base
        self.find_annotations: Callable[[], Collection[str]] = frozenset
        self.cpu_children: List[FunctionEvent] = []

    cpu_time_total: float = _us("cpu_total_ns", "Time on the CPU")
    self_cpu_time_total: float = _us("self_cpu_total_ns", "Time on the CPU without ranges and calls inside")
    device_time_total: float = _us("cuda_total_ns", "Time on devices")
    self_device_time_total: float = _us(
        "self_cuda_total_ns", "Time on devices, of what was launched outside of ranges inside"
    )

    @property
    def is_on_cpu(self) -> bool:
        """Whether they happened on threads, not on devices."""
        return self.kind not in DEVICE_KINDS

    @property
    def row(self) -> Dict[str, Any]:
        """The row of profdump's JSON; empty if rows were added up in Python."""
        if isinstance(self._row, str):
            self._row = cast(Dict[str, Any], json.loads(self._row))
        return self._row

    @row.setter
    def row(self, row: Dict[str, Any]) -> None:
        self._row = row

    @property
    def device_type(self) -> DeviceType:
        """Where it happened."""
        shown: DeviceType = (DeviceType.CPU if self.is_on_cpu else DeviceType.CUDA).shown
        return shown

    @property
    def is_user_annotation(self) -> bool:
        """Whether the program named it, or at least one of its calls: a step, or a range that is none of PyTorch's
        operators.
        """
        return self.kind == "range" and self.key in self.find_annotations()

    @property
    def scope(self) -> int:
        """See :attr:`FunctionEvent.scope`."""
        return scope_of(str(self.key), self.is_user_annotation) if self.kind == "range" else 0

    def add(self, other: Union[FunctionEvent, "FunctionEventAvg"]) -> "FunctionEventAvg":
        """Adds an event, or an average, of the same key; the first one's becomes its own."""
        if self.key is None:
            self.key, self.kind = other.key, "range" if other.kind == "step" else other.kind
            self.use_device = other.use_device
        if other.key != self.key:
            raise AssertionError(f"{other.key!r} is not added to {self.key!r}")
        self._take_annotation(other)
        return self.add_any(other)

    def add_grouped(self, event: FunctionEvent, is_inner: bool) -> "FunctionEventAvg":
        """Adds an event. `is_inner`: it is inside another event of the same row."""
        self.key, self.kind, self.use_device = event.key, "range" if event.kind == "step" else event.kind, event.use_device
        self._take_annotation(event)
        self._add_event(event, is_inner)
        return self

    __iadd__ = add

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle and copy: without the recording, which says whether the program named it."""
        names = (self.key,) if self.is_user_annotation else ()
        return {**self.__dict__, "find_annotations": functools.partial(frozenset, names)}

    def _take_annotation(self, other: Union[FunctionEvent, "FunctionEventAvg"]) -> None:
        former = self.find_annotations
        if isinstance(other, FunctionEvent):
            if other.is_user_annotation:
                self.find_annotations = lambda: (other.key,)
        elif former is frozenset:
            self.find_annotations = other.find_annotations
        elif former is not other.find_annotations:
            self.find_annotations = lambda: {*former(), *other.find_annotations()}

    def add_any(self, other: Union[FunctionEvent, "FunctionEventAvg"]) -> "FunctionEventAvg":
        """The same for any key: sums of all."""
        if isinstance(other, FunctionEvent):
            self._add_event(other, is_inside_its_like(other))
            return self
        self.outer_count += other.outer_count
        for name in ("cpu_total_ns", "self_cpu_total_ns", "cuda_total_ns", "self_cuda_total_ns"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self._add_sizes(other, MEMORY)
        return self

    def _add_sizes(self, other: Union[FunctionEvent, "FunctionEventAvg"], memory: Collection[str]) -> None:
        self.count += other.count
        for name in MEMORY:
            mine, others = getattr(self, name), getattr(other, name)
            if mine is None or others is None:
                setattr(self, name, None)
            elif name in memory:
                setattr(self, name, mine + others)
        self.flops += other.flops

    def _add_event(self, event: FunctionEvent, is_inner: bool) -> None:
        self._add_sizes(event, _SELF_MEMORY if is_inner else MEMORY)
        self.self_cpu_total_ns += round(1000 * event.self_cpu_time_total)
        self.self_cuda_total_ns += round(1000 * event.self_device_time_total)
        if not is_inner:
            self.outer_count += event.outer_count
            self.cpu_total_ns += round(1000 * event.cpu_time_total)
            self.cuda_total_ns += round(1000 * event.device_time_total)

    def forget_memory(self, known: Collection[str]) -> None:
        """Bytes of allocators that were not seen are None."""
        for name in MEMORY:
            if ("device" if "device" in name else "cpu") not in known:
                setattr(self, name, None)

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} self_cuda_time={self.self_device_time_total_str} "
            f"cuda_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} cuda_memory_usage={self.device_memory_usage}>"
        )


def is_inside_its_like(event: FunctionEvent) -> bool:
    """A range inside one of its name counts, but its time is in the outer one's already."""
    around = event.cpu_parent
    while around is not None:
        if around.key == event.key and around.kind == event.kind:
            return True
        around = around.cpu_parent
    return False


def kind_of_row(row: Dict[str, Any]) -> str:
    """What profdump's JSON calls cuda_api are calls."""
    kind: str = row["kind"]
    return "call" if kind == "cuda_api" else kind


_decode = json.JSONDecoder().raw_decode


class RowReader:
    """Converts rows of profdump's JSON to averages. Parses each distinct text once."""

    def __init__(self) -> None:
        self._shortened = Shortened()
        self._parsed: Dict[Optional[str], Any] = {None: [], "": []}

    def averages(self, rows: Iterable[str]) -> List[FunctionEventAvg]:
        """The averages, in the order of their first calls."""
        return in_order(map(self._average, rows))

    def _average(self, text: str) -> FunctionEventAvg:
        average, (row, _) = FunctionEventAvg(), _decode(text)
        average.key, average.kind, average.count, average._row = row["name"], kind_of_row(row), row["count"], text
        average.first_ns = row["first_ns"]
        average.outer_count = row.get("outer_count", average.count)
        for name in ("cpu_total_ns", "self_cpu_total_ns", "cuda_total_ns", "self_cuda_total_ns"):
            setattr(average, name, row.get(name, 0))
        average.shape_text, average.overload_name = row.get("shape"), row.get("overload") or ""
        average.input_shapes = self._shapes(average.shape_text)
        average.stack = self._shortened.stack(row.get("stack"), ";")
        if average.kind == "python":  # as in torch.profiler, device operations belong to ranges and calls
            average.key, average.self_cuda_total_ns = self._shortened(row["name"]), 0
        average.flops = int(row.get("flops", 0))
        if "cpu_memory_bytes" in row:
            for name, column in zip(MEMORY, _MEMORY_COLUMNS):
                setattr(average, name, row[column])
        return average

    def _shapes(self, text: Optional[str]) -> Any:
        if text not in self._parsed:
            try:
                self._parsed[text] = json.loads(text or "[]")
            except ValueError:
                self._parsed[text] = text
        return copy.copy(self._parsed[text])


def in_order(averages: Iterable[FunctionEventAvg]) -> List[FunctionEventAvg]:
    """Sorts by first call, as torch.profiler does."""
    return sorted(averages, key=lambda average: (average.first_ns, -average.cpu_total_ns))
