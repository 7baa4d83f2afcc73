"""torch.profiler.itt's functions: ranges and marks of libprof's, recorded without an ITT tool."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List

from ._guest import thread_local
from .annotations import mark as _mark
from .ranges import record_function


class _Pushed(thread_local):
    """The calling thread's open ranges."""

    def __init__(self) -> None:
        self.ranges: List[record_function] = []


_pushed = _Pushed()


def is_available() -> bool:
    """Always True."""
    return True


def range_push(msg: str) -> int:
    """Begins a range inside the thread's others; returns how many such ranges are around it."""
    _pushed.ranges.append(record_function(msg).__enter__())
    return len(_pushed.ranges) - 1


def range_pop() -> int:
    """Ends the innermost range that :func:`range_push` began; returns how many were around it, -1 if there was none."""
    if _pushed.ranges:
        _pushed.ranges.pop().__exit__()
        return len(_pushed.ranges)
    return -1


def mark(msg: str) -> None:
    """Records an instant."""
    _mark(msg)


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range as a context manager; further arguments are for ``msg.format()``."""
    with record_function(msg.format(*args, **kwargs)):
        yield


__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]
