"""From a recording to its events, in a list whose objects are made when something reads them."""

from __future__ import annotations

from typing import List, Optional

from ._collector import collected_later
from ._event_store import EventStore
from ._lazy_list import LazyList
from ._python_events import end_ns
from ._recording import Recording
from ._task_events import put_into_tasks
from .events import FunctionEvent, Interval


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


def _joined(rows: List[FunctionEvent], continues: List[Optional[int]]) -> List[FunctionEvent]:
    """Joins the rows of each range that was cut into one event. As in torch.profiler, it is not inside what it outlives."""
    first, cut, later = list(rows), {}, set()
    for row, former in enumerate(continues):
        if former is not None:
            first[row] = first[former]
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


def _rebuilt(store: EventStore, recording: Recording) -> List[FunctionEvent]:
    """All events of a recording that has ranges in several rows, or tasks."""
    events = list(map(store.event, range(len(store))))
    ranges, others = events[: store.first_operation], events[store.first_operation :]
    ranges = _joined(ranges, store.continues())
    if recording.tasks:
        put_into_tasks([*ranges, *(event for event in others if event.kind == "python")], recording.tasks)
    return sorted(ranges + others, key=lambda event: (event.start_ns, event.id))


def build_events(recording: Recording, with_functions: bool = False) -> LazyList[FunctionEvent]:
    """Events of a recording in the order in which they began, perhaps with calls of Python functions."""
    with collected_later():
        store = EventStore(recording, with_functions)
        if store.is_cut or recording.tasks:
            return LazyList(_rebuilt(store, recording))
        return LazyList[FunctionEvent].of(store)
