"""Moves events into the ranges of asyncio's tasks. An event belongs to the task that ran when the event began."""

from __future__ import annotations

import bisect
import collections
from typing import Deque, Dict, Iterator, List, Optional, Tuple

from ._python_events import end_ns
from ._tasks import Switch, TaskRange
from .events import FunctionEvent

_SKEW_NS = 20_000  # between the clocks of the trace and the log
_SLOW_NS = 100_000_000  # a thread's first range takes longer to begin


def _events_of(ranges: List[TaskRange], events: List[FunctionEvent]) -> Dict[int, FunctionEvent]:
    """Maps id() of a range to its event. For each name and thread, ranges and events are in the same order."""
    waiting: Dict[Tuple[int, str], Deque[FunctionEvent]] = {}
    for event in sorted((event for event in events if event.is_async), key=lambda event: event.start_ns):
        waiting.setdefault((event.thread, event.name), collections.deque()).append(event)
    found = {}
    for one in ranges:
        listed = waiting.get((one.tid, one.name), collections.deque())
        while listed and listed[0].start_ns < one.begun_ns - _SLOW_NS:
            listed.popleft()
        if listed and listed[0].start_ns <= one.begun_ns + _SKEW_NS:
            found[id(one)] = listed.popleft()
    return found


class _Running:
    """Which task ran on a thread at a given time."""

    def __init__(self, log: List[Switch], events: Dict[int, FunctionEvent]) -> None:
        self.times = [switch.time_ns for switch in log]
        self.stacks = [[events[id(one)] for one in switch.stack if id(one) in events] for switch in log]

    def around(self, event: FunctionEvent) -> Optional[FunctionEvent]:
        """The innermost range that contains the event, of the task that ran when the event began."""
        at = bisect.bisect_right(self.times, event.start_ns) - 1
        inside = (one for one in reversed(self.stacks[at]) if one is not event and lies_in(event, one)) if at >= 0 else iter(())
        return next(inside, None)

    def own_times(self) -> Iterator[Tuple[FunctionEvent, int]]:
        """How long each range was the innermost open one of the running task, which may outlive ranges that it inherited."""
        for at_ns, next_ns, stack in zip(self.times, self.times[1:], self.stacks):
            for one in reversed(stack):
                until_ns = min(next_ns, end_ns(one))
                if until_ns > at_ns:
                    yield one, until_ns - at_ns
                    at_ns = until_ns


def lies_in(event: FunctionEvent, other: FunctionEvent) -> bool:
    """Whether the other event is open throughout this one."""
    return other.start_ns <= event.start_ns and end_ns(event) <= end_ns(other)


def put_into_tasks(events: List[FunctionEvent], log: List[Switch]) -> None:
    """Moves events into their tasks' ranges. Sets the self time of these ranges: the time during which their task ran."""
    ranges = {id(one): one for switch in log for one in switch.stack}
    of_tasks = _events_of(sorted(ranges.values(), key=lambda one: one.begun_ns), events)
    threads = {tid: _Running([one for one in log if one.tid == tid], of_tasks) for tid in {one.tid for one in log}}
    chosen: Dict[int, Optional[FunctionEvent]] = {}
    left: Dict[int, FunctionEvent] = {}
    for event in sorted(events, key=lambda event: (event.start_ns, -end_ns(event))):
        running = threads.get(event.thread)
        around = running.around(event) if running and event.is_on_cpu else None
        chosen[id(event)] = around
        former = event.cpu_parent
        if around is None or (former is not None and chosen.get(id(former)) is around):
            continue
        if former is not None:
            left[id(former)] = former
            if around.cpu_parent is None and lies_in(around, former):
                around.cpu_parent = former
                former.cpu_children.append(around)
        event.cpu_parent = around
        around.cpu_children.append(event)
    for former in left.values():
        former.cpu_children = [child for child in former.cpu_children if child.cpu_parent is former]
    _settle_times({id(one): one for one in of_tasks.values()}, threads)


def _settle_times(of_tasks: Dict[int, FunctionEvent], threads: Dict[int, _Running]) -> None:
    own_ns: Dict[int, int] = dict.fromkeys(of_tasks, 0)
    for running in threads.values():
        for event, ns in running.own_times():
            own_ns[id(event)] += ns
    for key, event in sorted(of_tasks.items(), key=lambda item: -item[1].start_ns):
        others = [child for child in event.cpu_children if id(child) not in of_tasks]
        self_ns = max(0, own_ns[key] - sum(child.duration_ns for child in others))
        event.is_async = False
        event.set_exact_times(self_ns, None, None)
        for name in ("cpu_memory_usage", "device_memory_usage"):
            sizes = [getattr(child, name) for child in event.cpu_children]
            setattr(event, name, None if None in sizes else sum(sizes))
        around = event.cpu_parent
        while around is not None and id(around) in of_tasks:
            around = around.cpu_parent
        if around is not None and around._self_ns is not None:
            around.set_exact_times(max(0, around._self_ns - self_ns), around._device_ns, around._self_device_ns)
