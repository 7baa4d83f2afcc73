"""Calls of Python functions as events, in the tree of the others: torch.profiler has them there, too."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from ._arrow import ArrowTable
from ._recording import Recording
from ._source_paths import Shortened
from .events import FunctionEvent, interval_us


def functions_of(recording: Recording, base_ns: int, first_id: int, shortened: Shortened) -> List[FunctionEvent]:
    """Those of a recording, without parents."""
    table = recording.table(ArrowTable.FUNCTIONS)
    functions: List[FunctionEvent] = []
    for row, start in enumerate(table.get("start", [])):
        duration = table["duration_ns"][row]
        event = FunctionEvent(
            first_id + row, shortened(table["name"][row]), table["tid"][row], *interval_us(start - base_ns, duration), kind="python"
        )
        event.start_ns, event.duration_ns, event.pid = start, duration, table["pid"][row]
        parent, module = table["parent"][row], table["module"][row]
        event.python_id = table["call"][row] + 1
        event.python_parent_id = -1 if parent is None else parent + 1
        event.python_module_id = -1 if module is None else module
        event.count = event.outer_count = 1 if table["call"][row] == row else 0
        functions.append(event)
    return functions


class _Open:
    """What is open on a thread, innermost last."""

    def __init__(self) -> None:
        self._events: List[Tuple[int, FunctionEvent]] = []

    def around(self, event: FunctionEvent) -> Tuple[int, Optional[FunctionEvent]]:
        """The innermost that is still open when the event begins, and its place; -1 if there is none."""
        while self._events and end_ns(self._events[-1][1]) <= event.start_ns:
            self._events.pop()
        return self._events[-1] if self._events else (-1, None)

    def push(self, place: int, event: FunctionEvent) -> None:
        self._events.append((place, event))


def end_ns(event: FunctionEvent) -> int:
    """When it ended, nanoseconds since the epoch."""
    return event.start_ns + event.duration_ns


def _order(event: FunctionEvent) -> Tuple[int, int, bool, int]:
    """Outer ones first. Events of a thread nest, functions too, so order and ends say what is in what."""
    return (event.start_ns, -end_ns(event), not event.is_python_function, event.id)


def _weave_thread(events: List[FunctionEvent]) -> None:
    functions, others = _Open(), _Open()
    places: Dict[int, int] = {}
    for place, event in enumerate(events):
        places[id(event)] = place
        outer_place, outer = functions.around(event)
        if event.is_python_function:
            range_place, around = others.around(event)
            event.cpu_parent = around if range_place > outer_place else outer
            functions.push(place, event)
        else:
            around = event.cpu_parent
            if outer is not None and outer_place > (-1 if around is None else places[id(around)]):
                event.cpu_parent = outer
            others.push(place, event)


def weave(events: List[FunctionEvent], functions: List[FunctionEvent]) -> None:
    """Puts functions and events into each other. As in torch.profiler, functions take their time from ranges around."""
    threads: Dict[Tuple[int, int], List[FunctionEvent]] = {}
    for event in (*events, *functions):
        if not event.is_async:
            threads.setdefault((event.pid, event.thread), []).append(event)
    for thread in threads.values():
        thread.sort(key=_order)
        _weave_thread(thread)
    for event in events:
        event.__dict__.pop("cpu_children", None)
    for thread in threads.values():
        for event in thread:
            if event.cpu_parent is not None:
                event.cpu_parent.cpu_children.append(event)
    for event in events:
        if any(child.kind == "python" for child in event.__dict__.get("cpu_children", ())):
            event.set_exact_times(_self_ns(event), event._device_ns, event._self_device_ns)
    for thread in threads.values():
        for event in reversed(thread):
            if event.kind == "python":
                _settle_function(event)


def _self_ns(event: FunctionEvent) -> int:
    return event.duration_ns - sum(child.duration_ns for child in event.cpu_children)


def _settle_function(function: FunctionEvent) -> None:
    """Device time and memory are sums over the children, which are settled first."""
    inside = function.cpu_children
    function.set_exact_times(_self_ns(function), round(sum(1000 * child.device_time_total for child in inside)), 0)
    for name in ("cpu_memory_usage", "device_memory_usage"):
        sizes = [getattr(child, name) for child in inside]
        setattr(function, name, None if None in sizes else sum(sizes))
