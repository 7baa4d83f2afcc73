"""The events of a recording as columns. An event's object is made when something reads it."""

from __future__ import annotations

import array
import functools
import itertools
import operator
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Tuple

from ._arrow import ArrowTable, Column
from ._event_details import Details
from ._lazy_list import Maker
from ._memory_events import memory_events
from ._operator_events import Range, flops_of, is_annotation
from ._python_events import Spans, threads_of, weave
from ._recorded import Fields, seen_at
from ._recording import Recording
from ._source_paths import Shortened
from .events import DEFAULTS, STEPS, DeviceType, FunctionEvent, Interval, Kernel

_TABLES = (ArrowTable.EVENTS, ArrowTable.KERNELS, ArrowTable.FUNCTIONS)


class _Links:
    """The numbers that belong to each owner."""

    def __init__(self, owners: Sequence[int], count: int, members: Optional[Iterable[int]] = None) -> None:
        """`owners`: the owner of each number, -1: none. `count`: how many owners. `members`: numbers to link, last one first."""
        self._first, self._next = array.array("i", [-1]) * count, array.array("i", [-1]) * len(owners)
        first, following = self._first, self._next
        for number in range(len(owners) - 1, -1, -1) if members is None else members:
            owner = owners[number]
            if owner >= 0:
                following[number], first[owner] = first[owner], number

    def of(self, owner: int) -> Iterator[int]:
        """The numbers of an owner, in order."""
        number = self._first[owner]
        while number >= 0:
            yield number
            number = self._next[number]


class _Table:
    """Columns, by name."""

    def __init__(self, columns: Dict[str, Column]) -> None:
        self.columns = columns
        self.count = len(self.column("start"))

    def column(self, name: str) -> Column:
        """The column; an empty one if the table lacks it."""
        return self.columns.get(name) or Column("q")

    def __getitem__(self, name: str) -> Callable[[int], Any]:
        """Reads a value by row."""
        return self.column(name).reader()


class EventStore(Maker):
    """The events of one recording: the rows of prof/arrow.h's events, kernels and, with `with_functions`, functions, then the
    allocations outside all of these. An event's number is its index in this order. Makes each event once, on any thread.
    """

    def __init__(self, recording: Recording, with_functions: bool = False) -> None:
        self._recording = recording
        tables = recording.columns(*(_TABLES if with_functions else _TABLES[:2]))
        ranges, kernels, functions = map(_Table, (*tables, {})[:3])
        self.first_operation, self.first_function = ranges.count, ranges.count + kernels.count
        self._first_memory = self.first_function + functions.count
        starts = sum((table.column("start").numbers() for table in (ranges, kernels, functions)), array.array("q"))
        self._base_ns = recording.window.start_ns if recording.window else min(starts[: self.first_function], default=0)
        self._use_device = "cuda" if kernels.count else recording.use_device
        self._shortened = Shortened()
        found = ranges.column("kind").different() | kernels.column("kind").different() | ({"python"} if functions.count else set())
        self.kinds = frozenset("range" if kind == "async" else kind for kind in found)
        self.continues = ranges.column("continues").list
        self.is_cut = ranges.column("continues").different() > {None}
        self._parents = self._ranges_around = ranges.column("parent").numbers()
        self._by = kernels.column("event").numbers()
        self._fields = self._fields_of_ranges(ranges), self._fields_of_operations(kernels), self._fields_of_functions(functions)
        self._woven: Optional[List[List[int]]] = self._weave(ranges, functions, starts) if functions.count else None
        memory = memory_events(recording, self._base_ns, self._first_memory)
        self._order = _sorted(starts + array.array("q", [event.start_ns for event in memory]))
        super().__init__([*[None] * self._first_memory, *memory])

    def _weave(self, ranges: _Table, functions: _Table, starts: Sequence[int]) -> List[List[int]]:
        """Puts functions into the tree. Returns the numbers of each thread."""
        first, operations = self.first_function, self.first_function - self.first_operation
        durations = ranges.column("duration_ns").numbers() + array.array("q", bytes(8 * operations))
        durations += functions.column("duration_ns").numbers()
        self._durations, self._parents = durations, self._ranges_around + array.array("q", [-1]) * (len(starts) - self.first_operation)
        spans = Spans(starts, array.array("q", map(operator.add, starts, durations)), self._parents, first)
        pids, tids = (ranges["pid"], functions["pid"]), (ranges["tid"], functions["tid"])

        def thread_of(number: int) -> Tuple[int, int]:
            is_function, row = number >= first, number if number < first else number - first
            return pids[is_function](row), tids[is_function](row)

        kind = ranges["kind"]
        nested = (row for row in range(self.first_operation) if kind(row) != "async")
        threads = threads_of(itertools.chain(nested, range(first, len(starts))), thread_of, spans)
        weave(threads, spans)
        return threads

    # ---- answers that need no objects ----

    @property
    def has_operations(self) -> bool:
        """Whether anything ran on a device."""
        return self.first_function > self.first_operation

    def annotations(self) -> FrozenSet[str]:
        """Keys of ranges that the program named."""
        name = self._fields[0]["name"]
        return frozenset(name(row) for row in range(self.first_operation) if self._is_annotation(row))

    # ---- objects ----

    def items(self, places: Iterable[int]) -> List[FunctionEvent]:
        """The events at these places of the list, which is sorted by start."""
        return super().items([self._order[place] for place in places])

    def event(self, number: int) -> FunctionEvent:
        """The event with this number."""
        event: FunctionEvent = self._made[number] or super().items((number,))[0]
        return event

    def make(self, number: int) -> FunctionEvent:
        """See Maker; by number."""
        ranges, operations, functions = self._fields
        if number < self.first_operation:
            return seen_at(FunctionEvent, ranges, number)
        if number < self.first_function:
            return seen_at(FunctionEvent, operations, number - self.first_operation)
        return seen_at(FunctionEvent, functions, number - self.first_function)

    # ---- fields ----

    def _fields_of(self, table: _Table, first: int) -> Fields:
        start, duration, base, name = table["start"], table["duration_ns"], self._base_ns, table["name"]

        def time_range(event: FunctionEvent) -> Interval:
            row = event._row
            begin_ns = start(row) - base
            # An interval that begins at the nanosecond at which another ends has the same number there.
            return Interval(begin_ns / 1000, (begin_ns + duration(row)) / 1000)

        return {
            **DEFAULTS,
            "id": first.__add__,
            "name": name,
            "trace_name": name,
            "kind": table["kind"],
            "pid": table["pid"],
            "thread": table["tid"],
            "device_resource_id": table["tid"],
            "start_ns": start,
            "duration_ns": duration,
            "time_range": time_range,
            "cpu_parent": lambda row: self._parent(first + row),
            "cpu_children": lambda event: list(map(self.event, self._children.of(first + event._row))),
        }

    def _fields_of_ranges(self, table: _Table) -> Fields:
        kind, name, known = table["kind"], table["name"], self._recording.known_memory
        kinds = table.column("kind").different()
        forward, sequence, continues, attributes = map(table.__getitem__, ("forward_tid", "sequence", "continues", "attributes"))
        self._kind, self._name, self._flops, self._self_ns = kind, name, table["flops"], table["self_ns"]
        self._duration = table["duration_ns"]
        self._facts = (name, kind, table["domain"], sequence, table["shapes"], attributes)
        return {
            **self._fields_of(table, 0),
            "kind": kind if "async" not in kinds else lambda row: "range" if kind(row) == "async" else kind(row),
            "is_async": lambda row: kind(row) == "async",
            "name": name if "step" not in kinds else lambda row: STEPS if kind(row) == "step" else name(row),
            "use_device": lambda row: self._use_device,
            "is_user_annotation": lambda event: self._is_annotation(event._row),
            "flops": lambda event: self._flops_of(event._row),
            "count": lambda row: int(continues(row) is None),
            "outer_count": lambda row: int(continues(row) is None),
            "fwd_thread": lambda row: forward(row) or 0,
            "sequence_nr": lambda row: -1 if sequence(row) is None else sequence(row),
            "cpu_memory_usage": _memory(table["host_bytes"], "cpu" in known),
            "device_memory_usage": _memory(table["device_bytes"], "device" in known),
            "_self_ns": self._self_ns_of_range,
            "_device_ns": table["device_ns"],
            "_self_device_ns": table["self_device_ns"],
            **{same: table[same] for same in ("correlation", "result", "thread_name", "domain")},
            "kernels": self._kernels_of,
            **Details(table["shapes"], table["stack"], attributes, shortened=self._shortened).fields(),
        }

    def _fields_of_functions(self, table: _Table) -> Fields:
        call, parent, module, name = map(table.__getitem__, ("call", "parent", "module", "name"))
        return {
            **self._fields_of(table, self.first_function),
            "kind": lambda row: "python",
            "name": lambda row: self._shortened(name(row)),
            "trace_name": lambda row: self._shortened(name(row)),
            "python_id": lambda row: call(row) + 1,
            "python_parent_id": lambda row: -1 if parent(row) is None else parent(row) + 1,
            "python_module_id": lambda row: -1 if module(row) is None else module(row),
            "count": lambda row: int(call(row) == row),
            "outer_count": lambda row: int(call(row) == row),
            "_self_ns": lambda row: self._without_children(self.first_function + row, table["duration_ns"](row)),
            "_device_ns": lambda row: self._sums[0][row],
            "_self_device_ns": lambda row: 0,
            "cpu_memory_usage": lambda row: self._sums[1][row],
            "device_memory_usage": lambda row: self._sums[2][row],
        }

    # ---- the tree ----

    def _parent(self, number: int) -> Optional[FunctionEvent]:
        parent = self._parents[number]
        return self.event(parent) if parent >= 0 else None

    @functools.cached_property
    def _children(self) -> _Links:
        if self._woven is None:
            return _Links(self._parents, self._first_memory)
        return _Links(self._parents, self._first_memory, (number for thread in self._woven for number in reversed(thread)))

    def _self_ns_of_range(self, row: int) -> Optional[int]:
        """As in torch.profiler, the time of functions is subtracted from the ranges around them."""
        has_functions = self._woven is not None and any(number >= self.first_function for number in self._children.of(row))
        recorded: Optional[int] = self._self_ns(row)
        return self._without_children(row, self._duration(row)) if has_functions else recorded

    def _without_children(self, number: int, duration: int) -> int:
        return duration - sum(self._durations[child] for child in self._children.of(number))

    @functools.cached_property
    def _sums(self) -> Tuple[List[Optional[int]], ...]:
        """For each function: nanoseconds on devices, bytes of host memory and of devices, summed over what it called."""
        first, ranges = self.first_function, self._fields[0]
        sums: Tuple[List[Optional[int]], ...] = tuple([0] * (self._first_memory - first) for _ in range(3))
        columns = (self._device_ns_of_range, ranges["cpu_memory_usage"], ranges["device_memory_usage"])
        for number in (number for thread in self._woven or () for number in reversed(thread)):
            parent = self._parents[number] - first
            for column, of_range in zip(sums, columns) if parent >= 0 else ():
                before, value = column[parent], of_range(number) if number < first else column[number - first]
                column[parent] = None if before is None or value is None else before + value
        return sums

    def _device_ns_of_range(self, row: int) -> int:
        known: Optional[int] = self._fields[0]["_device_ns"](row)
        return round(1000.0 * self.event(row).device_time_total) if known is None else known

    # ---- facts of ranges and calls ----

    def _around(self, row: int) -> Iterator[int]:
        """Rows of the ranges and calls around, innermost first."""
        row = self._ranges_around[row]
        while row >= 0:
            yield row
            row = self._ranges_around[row]

    def _is_annotation(self, row: int) -> bool:
        name, kind, domain, sequence, shapes, attributes = (read(row) for read in self._facts)
        around = next((self._name(parent) for parent in self._around(row)), None)
        return is_annotation(Range(name, kind, domain, sequence, shapes, attributes, around))

    def _flops_of(self, row: int) -> int:
        around = ((self._name(other), self._flops(other)) for other in self._around(row))
        return flops_of(self._name(row), self._flops(row), around) if self._recording.with_flops else 0

    # ---- operations ----

    @functools.cached_property
    def _launched(self) -> _Links:
        """Operations by the innermost range around their call; outside of all ranges, by the call."""
        return _Links([self._owner(row) if row >= 0 else -1 for row in self._by], self.first_operation)

    def _owner(self, call: int) -> int:
        return next((row for row in itertools.chain([call], self._around(call)) if self._kind(row) != "call"), call)

    def _kernels_of(self, event: FunctionEvent) -> List[Kernel]:
        rows = self._launched.of(event._row) if self._by else ()
        operations = [self.event(self.first_operation + row) for row in rows]
        return [Kernel(one.name, one.device_index, one.time_range) for one in operations]

    def _fields_of_operations(self, table: _Table) -> Fields:
        stream, device = table["stream"], table["device"]
        return {
            **self._fields_of(table, self.first_operation),
            "thread": lambda row: stream(row) or 0,
            "device_resource_id": lambda row: stream(row) or 0,
            "device_index": lambda row: -1 if device(row) is None else device(row),
            "_device_type": lambda row: DeviceType.CUDA,
            "correlation": table["correlation"],
            "device_memory_usage": _memory(lambda row: 0, "device" in self._recording.known_memory),
            "cpu_parent": DEFAULTS["cpu_parent"],
            "cpu_children": DEFAULTS["cpu_children"],
        }


def _memory(size: Callable[[int], Any], is_known: bool) -> Callable[[int], Optional[int]]:
    return (lambda row: size(row) or 0) if is_known else lambda row: None


def _sorted(starts: Sequence[int]) -> Sequence[int]:
    """Numbers in the order in which events began."""
    if all(map(operator.le, starts, itertools.islice(starts, 1, None))):
        return range(len(starts))
    return array.array("I", sorted(range(len(starts)), key=starts.__getitem__))
