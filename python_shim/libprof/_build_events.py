"""From the tables of prof/arrow.h to events: parents, children, and who launched what."""

from __future__ import annotations

import ast
import functools
import json
from typing import Any, Dict, List, Optional

from ._arrow import ArrowTable
from ._recording import Recording
from .events import DeviceType, FunctionEvent, Interval, Kernel
from ._memory_events import memory_events
from ._operator_events import DOMAIN, settle
from ._python_events import end_ns, functions_of, weave
from ._source_paths import Shortened
from ._task_events import put_into_tasks


def _without_lists(shapes: List[Any]) -> List[Any]:
    """As torch.profiler has them: of a list of tensors no sizes."""
    return [[] if isinstance(one, list) and one and isinstance(one[0], list) else one for one in shapes]


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


class _Builder:
    """Of one recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._events = recording.table(ArrowTable.EVENTS)
        self._kernels = recording.table(ArrowTable.KERNELS)
        self._use_device = "cuda" if self._kernels.get("start") else recording.use_device
        self._shortened = Shortened()
        self._parsed: Dict[str, List[Any]] = {}
        starts = [*self._events.get("start", []), *self._kernels.get("start", [])]
        self._base_ns = recording.window.start_ns if recording.window else min(starts, default=0)

    def build(self, with_functions: bool) -> List[FunctionEvent]:
        events = [self._event(row) for row in range(len(self._events.get("start", [])))]
        for event, parent in zip(events, self._events.get("parent", [])):
            if parent is not None:
                event.cpu_parent = events[parent]
                events[parent].cpu_children.append(event)
        settle(events)
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

    def _list_of(self, text: Optional[str]) -> List[Any]:
        """A list of the caller's own; texts repeat, and are parsed once."""
        if not text:
            return []
        if text not in self._parsed:
            try:
                listed = json.loads(text)
            except ValueError:
                listed = [text]
            self._parsed[text] = listed if isinstance(listed, list) else [listed]
        return list(self._parsed[text])

    def _event(self, row: int) -> FunctionEvent:
        table = self._events
        start, duration, kind = table["start"][row], table["duration_ns"][row], table["kind"][row]
        start_us = (start - self._base_ns) / 1000
        event = FunctionEvent(
            row, table["name"][row], table["tid"][row], start_us, start_us + duration / 1000
        )
        event.start_ns, event.duration_ns, event.pid = start, duration, table["pid"][row]
        event.domain = table["domain"][row]
        event.kind, event.is_async = "range" if kind == "async" else kind, kind == "async"
        event.name, event.use_device = event.key, self._use_device
        event.is_user_annotation = event.kind in ("range", "step") and event.domain in (None, DOMAIN)
        event.count = event.outer_count = 0 if table["continues"][row] is not None else 1
        event.correlation, event.result = table["correlation"][row], table["result"][row]
        event.thread_name = table["thread_name"][row]
        event.flops = int(table["flops"][row] or 0) if self._recording.with_flops else 0
        event.structured_input_shapes = self._list_of(table["shapes"][row])
        event.input_shapes = _without_lists(event.structured_input_shapes)
        event.shape_text = table["shapes"][row] or ""
        event.stack = self._shortened.stack(table["stack"][row], ";")
        event.attributes = json.loads(table["attributes"][row] or "{}")
        event.input_dtypes = self._list_of(event.attributes.pop("Input type", None))
        event.structured_input_strides = self._list_of(event.attributes.pop("Input Strides", None))
        concrete = event.attributes.pop("Concrete Inputs", None)
        event.concrete_inputs = [_value_of(text) for text in self._list_of(concrete)]
        event.overload_name = event.attributes.pop("overload_name", "")
        event.fwd_thread, sequence = table["forward_tid"][row] or 0, table["sequence"][row]
        event.sequence_nr = -1 if sequence is None else sequence
        known = self._recording.known_memory
        event.cpu_memory_usage = (table["host_bytes"][row] or 0) if "cpu" in known else None
        event.device_memory_usage = (table["device_bytes"][row] or 0) if "device" in known else None
        event.set_exact_times(table["self_ns"][row], table["device_ns"][row], table["self_device_ns"][row])
        return event

    def _operation(self, row: int, events: List[FunctionEvent]) -> FunctionEvent:
        table = self._kernels
        start, duration = table["start"][row], table["duration_ns"][row]
        start_us = (start - self._base_ns) / 1000
        event = FunctionEvent(
            len(events) + row,
            table["name"][row],
            table["stream"][row] or 0,
            start_us,
            start_us + duration / 1000,
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
    return _Builder(recording).build(with_functions)
