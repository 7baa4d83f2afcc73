"""From the tables of prof/arrow.h to events: parents, children, and who launched what."""

from __future__ import annotations

import ast
import functools
import json
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ._arrow import ArrowTable, Columns
from ._collector import collected_later
from ._recording import Recording
from .events import DeviceType, FunctionEvent, Interval, Kernel, interval_us
from ._memory_events import memory_events
from ._operator_events import DOMAIN, keywords_of, settle
from ._python_events import end_ns, functions_of, weave
from ._source_paths import Shortened
from ._task_events import put_into_tasks


def _parsed(text: str) -> List[Any]:
    try:
        listed = json.loads(text or "[]")
    except ValueError:
        listed = text
    return listed if isinstance(listed, list) else [listed]


def _without_lists(text: str) -> List[Any]:
    """Shapes as in torch.profiler: a list of tensors has no sizes."""
    return [[] if isinstance(one, list) and one and isinstance(one[0], list) else one for one in _parsed(text)]


def _values(text: str) -> List[Any]:
    return [_value_of(one) for one in _parsed(text)]


@functools.lru_cache(maxsize=4096)
def _value_of(text: str) -> Any:
    """What PyTorch wrote of an input that is no tensor; None of all others."""
    if text in ("nan", "inf", "-inf"):
        return float(text)
    try:
        return ast.literal_eval(text) if text else None
    except (ValueError, SyntaxError):
        return text


def _owner(call: FunctionEvent) -> FunctionEvent:
    """The innermost range around a call, as the table has it; outside of all the call."""
    event: Optional[FunctionEvent] = call
    while event is not None and event.kind == "call":
        event = event.cpu_parent
    return event if event is not None else call


def _sum(one: Optional[int], other: Optional[int]) -> Optional[int]:
    return None if one is None or other is None else one + other


def _extend(event: FunctionEvent, later: FunctionEvent) -> None:
    """Makes one event of a range that was cut: `later` is its next segment."""
    event.duration_ns = end_ns(later) - event.start_ns
    event.time_range = Interval(event.time_range.start, later.time_range.end)
    event.set_exact_times(
        _sum(event._self_ns, later._self_ns),
        _sum(event._device_ns, later._device_ns),
        _sum(event._self_device_ns, later._self_device_ns),
    )
    event.cpu_memory_usage = _sum(event.cpu_memory_usage, later.cpu_memory_usage)
    event.device_memory_usage = _sum(event.device_memory_usage, later.device_memory_usage)
    event.kernels += later.kernels
    event.cpu_children += later.cpu_children
    for child in later.cpu_children:
        child.cpu_parent = event


_COLUMNS = (
    "start", "duration_ns", "kind", "name", "tid", "pid", "domain", "continues",
    "correlation", "result", "thread_name", "flops", "forward_tid", "sequence",
    "host_bytes", "device_bytes", "self_ns", "device_ns", "self_device_ns",
)  # fmt: skip


class _Details:
    """Details that callers read from few events only: inputs, stacks and attributes. Parses each distinct text once."""

    def __init__(self, table: Columns, shortened: Shortened) -> None:
        self._columns = table["shapes"], table["stack"], table["attributes"]
        self._frames = lambda text: shortened.stack(text, ";")
        self._known: Dict[Tuple[Callable[[str], List[Any]], str], List[Any]] = {}

    def read(self, event: FunctionEvent, name: str) -> Any:
        """One detail of an event, whose id is its row number. None if it is empty."""
        shapes, stack, attributes = (column[event.id] for column in self._columns)
        if name in ("structured_input_shapes", "input_shapes"):
            return self._list_of(_parsed if name == "structured_input_shapes" else _without_lists, shapes) if shapes else None
        if name in ("shape_text", "stack"):
            return shapes if name == "shape_text" else self._list_of(self._frames, stack) if stack else None
        if name == "kwinputs":
            return keywords_of(event.attributes) if event.kind == "range" else None
        event.attributes = given = json.loads(attributes or "{}")
        event.input_dtypes = self._list_of(_parsed, given.pop("Input type", ""))
        event.structured_input_strides = self._list_of(_parsed, given.pop("Input Strides", ""))
        event.concrete_inputs = self._list_of(_values, given.pop("Concrete Inputs", ""))
        event.overload_name = given.pop("overload_name", "")
        return event.__dict__[name]

    def _list_of(self, read: Callable[[str], List[Any]], text: str) -> List[Any]:
        """A copy of the parsed list, which the caller may change."""
        known = self._known.get((read, text))
        if known is None:
            known = self._known[read, text] = read(text)
        return known.copy()


class _Builder:
    """Of one recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._events = recording.table(ArrowTable.EVENTS)
        self._kernels = recording.table(ArrowTable.KERNELS)
        self._use_device = "cuda" if self._kernels.get("start") else recording.use_device
        self._shortened = Shortened()
        starts = [*self._events.get("start", []), *self._kernels.get("start", [])]
        self._base_ns = recording.window.start_ns if recording.window else min(starts, default=0)

    def build(self, with_functions: bool) -> List[FunctionEvent]:
        events = list(self._rows())
        for event, parent in zip(events, self._events.get("parent", [])):
            if parent is not None:
                event.cpu_parent = events[parent]
                events[parent].cpu_children.append(event)
        settle(events, self._events.get("shapes", []), self._events.get("attributes", []))
        operations = [self._operation(row, events) for row in range(len(self._kernels.get("start", [])))]
        functions: List[FunctionEvent] = []
        if with_functions:
            functions = functions_of(self._recording, self._base_ns, len(events) + len(operations), self._shortened)
        if functions:
            weave(events, functions)
        events = self._joined(events)
        if self._recording.tasks:
            put_into_tasks(events + functions, self._recording.tasks)
        memory = memory_events(self._recording, self._base_ns, len(events) + len(operations) + len(functions))
        return sorted(events + operations + functions + memory, key=lambda event: (event.start_ns, event.id))

    def _joined(self, rows: List[FunctionEvent]) -> List[FunctionEvent]:
        """One event of each range that was cut. As in torch.profiler, it is not inside of what it outlives."""
        first, cut, later = list(rows), {}, set()
        for row, continues in enumerate(self._events.get("continues", [])):
            if continues is not None:
                first[row] = first[continues]
                _extend(first[row], rows[row])
                cut[id(first[row])] = first[row]
                later.add(id(rows[row]))
        parents = {id(event.cpu_parent): event.cpu_parent for event in rows if id(event) in later or id(event) in cut}
        for parent in parents.values():
            if parent is not None:
                parent.cpu_children = [one for one in parent.cpu_children if id(one) not in later and id(one) not in cut]
        for event in cut.values():
            around = event.cpu_parent
            while around is not None and end_ns(around) < end_ns(event):
                around = around.cpu_parent
            event.cpu_parent = around
            if around is not None:
                around.cpu_children.append(event)
        return [event for event in rows if id(event) not in later]

    def _rows(self) -> Iterator[FunctionEvent]:
        table, known = self._events, self._recording.known_memory
        details = _Details(table, self._shortened).read if table else None
        knows_host, knows_device = "cpu" in known, "device" in known
        columns = [table.get(name, []) for name in _COLUMNS]
        for row, (start, duration, kind, name, tid, pid, domain, continues, parts, memory, times) in enumerate(
            zip(*columns[:8], zip(*columns[8:14]), zip(*columns[14:16]), zip(*columns[16:]))
        ):
            event = FunctionEvent(row, name, tid, *interval_us(start - self._base_ns, duration))
            event.start_ns, event.duration_ns, event.pid = start, duration, pid
            event.kind, event.is_async = "range" if kind == "async" else kind, kind == "async"
            event.name, event.use_device, event._details = event.key, self._use_device, details
            event.is_user_annotation = event.kind in ("range", "step") and domain in (None, DOMAIN)
            event.domain = domain
            if continues is not None:
                event.count = event.outer_count = 0
            event.correlation, event.result, event.thread_name, flops, forward, sequence = parts
            event.flops = int(flops or 0) if self._recording.with_flops else 0
            event.fwd_thread, event.sequence_nr = forward or 0, -1 if sequence is None else sequence
            event.cpu_memory_usage = (memory[0] or 0) if knows_host else None
            event.device_memory_usage = (memory[1] or 0) if knows_device else None
            event.set_exact_times(*times)
            yield event

    def _operation(self, row: int, events: List[FunctionEvent]) -> FunctionEvent:
        table = self._kernels
        start, duration = table["start"][row], table["duration_ns"][row]
        event = FunctionEvent(
            len(events) + row,
            table["name"][row],
            table["stream"][row] or 0,
            *interval_us(start - self._base_ns, duration),
            kind=table["kind"][row],
            device_type=DeviceType.CUDA,
            device_index=-1 if table["device"][row] is None else table["device"][row],
        )
        event.start_ns, event.duration_ns, event.pid = start, duration, table["pid"][row]
        event.correlation = table["correlation"][row]
        if "device" not in self._recording.known_memory:
            event.device_memory_usage = None
        by = table["event"][row]
        if by is not None:
            _owner(events[by]).kernels.append(Kernel(event.name, event.device_index, event.time_range))
        return event


def build_events(recording: Recording, with_functions: bool = False) -> List[FunctionEvent]:
    """Events of a recording in the order in which they began, perhaps with calls of Python functions."""
    with collected_later():
        return _Builder(recording).build(with_functions)
