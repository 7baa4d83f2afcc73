"""What a profile shows of what was recorded: the activities that were asked for, FLOPs, and memory where it is known."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, NamedTuple, Sequence, Tuple

from ._build_events import build_events
from ._event_store import EventStore
from ._lazy_list import LazyList
from ._recording import Recording
from ._table import Layout
from .averages import FunctionEventAvg, kind_of
from .event_list import EventList, Groups, averages_of
from .events import FunctionEvent


CPU_TYPES = frozenset({"cpu_op", "user_annotation", "cpu_instant_event", "python_function"})
DEVICE_TYPES = frozenset({"cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy", "gpu_memset", "gpu_graph"})


def types_of(activity: str) -> FrozenSet[str]:
    """Of the events that an activity of this name means."""
    return {"CPU": CPU_TYPES, "CUDA": DEVICE_TYPES}.get(activity, frozenset())


_TYPES_OF_KINDS = {
    "range": ("cpu_op", "user_annotation"),
    "step": ("user_annotation",),
    "mark": ("cpu_instant_event",),
    "python": ("python_function",),
    "call": ("cuda_runtime", "cuda_driver"),
    "kernel": ("kernel",),
    "memcpy": ("gpu_memcpy",),
    "memset": ("gpu_memset",),
    "graph": ("gpu_graph",),
}


class Shown(NamedTuple):
    """Activity types that results show. As in torch.profiler, calls of CUDA come with devices."""

    types: FrozenSet[str] = CPU_TYPES | DEVICE_TYPES

    def has_all_of(self, kind: str) -> bool:
        """Whether all events of a kind are."""
        return all(one in self.types for one in _TYPES_OF_KINDS[kind])


def _hide(events: Iterable[FunctionEvent], is_shown: Callable[[FunctionEvent], bool]) -> List[FunctionEvent]:
    """The events that are shown. A hidden event's time becomes its parent's own, and its children its parent's."""
    kept = [event for event in events if is_shown(event)]
    shown = set(map(id, kept))
    operations = {id(event.time_range) for event in kept if not event.is_on_cpu}
    for event in kept:
        event.cpu_children = []
    for event in kept:
        around = event.cpu_parent
        while around is not None and id(around) not in shown:
            around = around.cpu_parent
        event.cpu_parent = around
        if around is not None:
            around.cpu_children.append(event)
    for event in kept:
        if event.is_on_cpu:
            event.kernels = [kernel for kernel in event.kernels if id(kernel.interval) in operations]
            inside = sum(child.duration_ns for child in event.cpu_children)
            event.set_exact_times(0 if event.is_async else event.duration_ns - inside, None, None)
    return kept


def events_of(recording: Recording, shown: Shown, with_functions: bool = False) -> LazyList[FunctionEvent]:
    """A recording's events, in the order in which they began, perhaps with calls of Python functions."""

    def is_shown(event: FunctionEvent) -> bool:
        kind = event.activity_type
        is_off = any(kind in types and start <= event.start_ns < end for types, start, end in recording.off)
        return (kind in shown.types or kind is None) and not is_off

    def make() -> LazyList[FunctionEvent]:
        events = build_events(recording, with_functions)
        if isinstance(events.maker, EventStore) and not recording.off and all(map(shown.has_all_of, events.maker.kinds)):
            return events
        return events if all(map(is_shown, events)) else LazyList(_hide(events, is_shown))

    name = "events and functions" if with_functions else "events"
    events: LazyList[FunctionEvent] = recording.once(" ".join((name, *sorted(shown.types))), make)
    return events


def hides_something(recording: Recording, shown: Shown) -> bool:
    """Whether there may be anything in the recording that is not shown: files have it nevertheless."""
    kinds = recording.once("kinds", lambda: _kinds_of(recording)) if shown != Shown() else ()
    return bool(recording.off) or any(not shown.has_all_of(kind) for kind in kinds)


def _kinds_of(recording: Recording) -> FrozenSet[str]:
    """Kinds of the rows of averages."""
    return frozenset(map(kind_of, recording.rows().kinds()))


def _with_facts_of(averages: EventList[FunctionEventAvg], others: EventList[FunctionEventAvg]) -> EventList[FunctionEventAvg]:
    """The others, with profdump's further facts about each row."""
    known = {(row.key, row.kind, row.shape_text or "", tuple(row.stack), row.overload_name): row.row for row in averages}
    for row in others:
        row.row = known.get((row.key, row.kind, row.shape_text or "", tuple(row.stack), row.overload_name), {})
    return others


def _averages_of(recording: Recording, shown: Shown, by: Groups, layout: Layout) -> EventList[FunctionEventAvg]:
    is_hidden = hides_something(recording, shown)
    if not is_hidden and not recording.tasks:
        return averages_of(recording, by, layout)
    events = events_of(recording, shown, with_functions=by.functions)
    has_device = any(not event.is_on_cpu for event in events)
    added_up = EventList(events, layout=layout._replace(device=has_device)).key_averages(*by)
    if is_hidden:
        return added_up
    averages = averages_of(recording, by, layout)  # profdump does not assign events to tasks
    return _with_facts_of(averages, added_up)._comes_from(recording, *averages._options)


def _merged(lists: Sequence[EventList[FunctionEventAvg]]) -> EventList[FunctionEventAvg]:
    """Rows of several recordings added up."""
    groups: Dict[Tuple[Any, ...], FunctionEventAvg] = {}
    for row in (row for averages in lists for row in averages):
        key = (row.key, row.kind, row.shape_text, tuple(row.stack), row.overload_name)
        if key not in groups:
            groups[key] = FunctionEventAvg()
            groups[key].overload_name = row.overload_name
            groups[key].input_shapes, groups[key].shape_text = row.input_shapes, row.shape_text
            groups[key].stack = row.stack
        groups[key].add(row)
    device = any(averages._layout.device for averages in lists)
    return EventList(groups.values(), layout=lists[0]._layout._replace(device=device))


def averages_of_cycles(
    recordings: Sequence[Recording], shown: Shown, by: Groups, layout: Layout
) -> EventList[FunctionEventAvg]:
    """Averages of all of them."""
    lists = [_averages_of(recording, shown, by, layout) for recording in recordings]
    return lists[0] if len(lists) == 1 else _merged(lists)


def events_of_cycles(
    recordings: Sequence[Recording], shown: Shown, layout: Layout, with_functions: bool
) -> EventList[FunctionEvent]:
    """Events of all of them, as many lists after each other."""
    lists = [events_of(recording, shown, with_functions) for recording in recordings]
    listed: EventList[FunctionEvent] = EventList(layout=layout)
    maker = lists[0].maker if len(lists) == 1 else None
    if isinstance(maker, EventStore):
        listed.make_later(maker)
        has_device = maker.has_operations
    else:
        listed += itertools.chain.from_iterable(lists)
        has_device = any(not event.is_on_cpu for event in listed)
    listed._layout = layout._replace(device=has_device)
    whole = len(recordings) == 1 and not hides_something(recordings[0], shown)
    return listed._comes_from(recordings[0]) if whole else listed
