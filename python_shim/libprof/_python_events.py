"""Calls of Python functions as events, in the tree of the others: torch.profiler has them there, too."""

from __future__ import annotations

import array
from typing import Callable, Dict, Iterable, List, MutableSequence, NamedTuple, Sequence, Tuple

from .events import FunctionEvent


def end_ns(event: FunctionEvent) -> int:
    """When it ended, nanoseconds since the epoch."""
    return event.start_ns + event.duration_ns


class Spans(NamedTuple):
    """Events by number: when they begin and end, and which number is the event around; -1: none. Numbers from
    `first_function` on are calls of Python functions.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    parents: MutableSequence[int]
    first_function: int


def threads_of(numbers: Iterable[int], thread_of: Callable[[int], Tuple[int, int]], spans: Spans) -> List[List[int]]:
    """The numbers of each thread, outer ones first. Events of a thread nest, functions too, so order and ends show what is
    inside what.
    """
    threads: Dict[Tuple[int, int], List[int]] = {}
    for number in numbers:
        threads.setdefault(thread_of(number), []).append(number)
    for thread in threads.values():
        thread.sort(key=lambda number: (spans.starts[number], -spans.ends[number], number < spans.first_function, number))
    return list(threads.values())


def weave(threads: Iterable[Sequence[int]], spans: Spans) -> None:
    """Nests functions and events in each other by changing `parents`. `threads`: from threads_of()."""
    places = array.array("i", [-1]) * len(spans.starts)
    for thread in threads:
        _weave_thread(thread, places, spans)


def _weave_thread(thread: Sequence[int], places: MutableSequence[int], spans: Spans) -> None:
    starts, ends, parents, first_function = spans
    functions: List[int] = []  # that are open, innermost last
    others: List[int] = []
    for place, number in enumerate(thread):
        places[number], start = place, starts[number]
        while functions and ends[functions[-1]] <= start:
            functions.pop()
        outer = functions[-1] if functions else -1
        outer_place = places[outer] if functions else -1
        if number >= first_function:
            while others and ends[others[-1]] <= start:
                others.pop()
            parents[number] = others[-1] if others and places[others[-1]] > outer_place else outer
            functions.append(number)
        else:
            around = parents[number]
            if outer_place > (places[around] if around >= 0 else -1):
                parents[number] = outer
            others.append(number)
