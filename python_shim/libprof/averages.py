"""What happened, added up by name: :class:`FunctionEventAvg`, with torch.profiler's fields."""

from __future__ import annotations

import functools
import json
import sys
from typing import Any, Callable, Collection, Dict, Iterable, List, Optional, Set, Union, cast

from ._recorded import Recorded, field, finish, kept
from .events import DeviceType, FunctionEvent, TimesMixin, scope_of

MEMORY = ("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage")
_SELF_MEMORY = tuple(name for name in MEMORY if name.startswith("self"))
DEVICE_KINDS = ("kernel", "memcpy", "memset", "graph")


def _us(name: str, what: str) -> Any:
    """An attribute in nanoseconds, as torch.profiler has it, in microseconds."""
    return property(lambda self: getattr(self, name) / 1000, doc=f"{what}, microseconds.")


_Find = Callable[[], Collection[str]]


class _Either:
    """Finds what one or the other function finds. Thousands of them may be nested."""

    def __init__(self, *both: _Find) -> None:
        self._both = both

    def __call__(self) -> Collection[str]:
        asked: Set[_Find] = set()
        found: Set[str] = set()
        left: List[_Find] = [self]
        while left:
            find = left.pop()
            if find in asked:
                continue
            asked.add(find)
            if isinstance(find, _Either):
                left += find._both
            else:
                found.update(find())
        return found


class FunctionEventAvg(Recorded, TimesMixin):
    """Calls of one name, added up. Exact nanoseconds are ``cpu_total_ns``, ``self_cpu_total_ns``,
    ``cuda_total_ns`` and ``self_cuda_total_ns``; the other times are microseconds.

    ``count`` is of all calls. Totals and averages cover the ``outer_count`` outermost ones only, whose time includes
    that of the calls nested in them.

    ``kind`` is range, call, mark, python, memory, kernel, memcpy, memset or graph. If requested, rows are also grouped
    by ``input_shapes``, ``stack`` (innermost function first) and ``overload_name``. Memory is net bytes, None if the
    allocators were not recorded. ``flops`` is 0 if unknown. ``row`` is the row of profdump's JSON.
    """

    key: Optional[str] = field(None)
    kind: str = field("range")
    count: int = field(0)
    outer_count: int = field(0)
    cpu_total_ns: float = field(0)
    self_cpu_total_ns: float = field(0)
    cuda_total_ns: float = field(0)
    self_cuda_total_ns: float = field(0)
    cpu_memory_usage: Optional[int] = field(0)
    self_cpu_memory_usage: Optional[int] = field(0)
    device_memory_usage: Optional[int] = field(0)
    self_device_memory_usage: Optional[int] = field(0)
    flops: int = field(0)
    overload_name: str = field("")
    shape_text: Optional[str] = field(None)
    first_ns: int = field(0)
    """Start of its first call, since the recording's base."""
    use_device: Optional[str] = field(None)
    find_annotations: _Find = field(frozenset)
    _json: Union[str, Dict[str, Any]] = field("{}")
    input_shapes: Any = kept(lambda: None)
    stack: List[str] = kept(list)
    cpu_children: List[FunctionEvent] = kept(list)
    node_id = -1
    is_async = is_remote = is_legacy = False
    cpu_parent: Optional[FunctionEvent] = None

    def __init__(self) -> None:
        for name in self._shown:
            setattr(self, name, getattr(self, name))

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
        if isinstance(self._json, str):
            self._json = cast(Dict[str, Any], json.loads(self._json))
        return self._json

    @row.setter
    def row(self, row: Dict[str, Any]) -> None:
        self._json = row

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
            self.find_annotations = _Either(former, other.find_annotations)

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


def kind_of(kind: str) -> str:
    """The kind of a row of profdump's JSON: cuda_api becomes call."""
    return sys.intern("call" if kind == "cuda_api" else kind)


def in_order(averages: Iterable[FunctionEventAvg]) -> List[FunctionEventAvg]:
    """Sorts by first call, as torch.profiler does."""
    return sorted(averages, key=lambda average: (average.first_ns, -average.cpu_total_ns))


DEFAULTS = finish(FunctionEventAvg, ())
"""Readers of the fields of averages that are of no recording."""
