"""Things that are to be done on each thread of :mod:`threading` when it begins."""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable, List, Optional

from ._guest import guarded

Thing = Callable[[], None]


def _hook_of_all() -> Any:
    """What ``threading.setprofile`` was given; it has a getter from 3.10 on."""
    return getattr(threading, "_profile_hook", None)


class _ThreadStart:
    """Does things as a profile function that leaves at its first event, to the one that was there before."""

    def __init__(self) -> None:
        self.things: List[Thing] = []
        self.before: Optional[Any] = None

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        before = self.before
        sys.setprofile(before)
        for thing in list(self.things):
            guarded(thing)
        if before is not None:
            before(frame, event, argument)


_start = _ThreadStart()
_lock = threading.Lock()


def add(thing: Thing) -> None:
    """From now on; what `thing` raises is said, and the thread goes on."""
    with _lock:
        _start.things.append(thing)
        if _hook_of_all() is not _start:
            _start.before = _hook_of_all()
            threading.setprofile(_start)


def remove(thing: Thing) -> None:
    """No more; a hook that the program has set since stays."""
    with _lock:
        _start.things.remove(thing)
        if not _start.things and _hook_of_all() is _start:
            threading.setprofile(_start.before)
            _start.before = None
