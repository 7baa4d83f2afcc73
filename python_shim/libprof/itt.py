"""torch.profiler.itt's functions. They record libprof's ranges and marks and do not need an ITT tool."""

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
    """Begins a nested range on the thread. Returns the number of enclosing ranges."""
    _pushed.ranges.append(record_function(msg).__enter__())
    return len(_pushed.ranges) - 1


def range_pop() -> int:
    """Ends the innermost range of :func:`range_push`. Returns the number of enclosing ranges; -1 if no range was open."""
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
