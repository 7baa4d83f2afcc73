"""The ranges that Python code has open, thread by thread: what lets them end in any order.

libprof.so closes the innermost range of a thread. Generators and tasks that take turns on one thread, and
objects that are handed to another thread, end ranges that are not innermost; these lists say which it is.

Each thread's list begins with None, so that it has a last element, and then has the ranges from the outside
in. Recording that stops ends all ranges, except those that _execution_trace.py opened in PyTorch; a forked child's
recording begins with none: both empty the lists.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from typing import Any, List, Optional

from ._guest import thread_local


class _Owner:
    """Dies with its thread."""

    __slots__ = ("__weakref__", "ranges", "through")

    def __init__(self) -> None:
        self.ranges: List[Any] = [None]
        self.through: List[Any] = []


_owners: "weakref.WeakSet[_Owner]" = weakref.WeakSet()
_lock = threading.Lock()


class _OfThread(thread_local):
    """``ranges`` is the calling thread's list. ``through`` is its list for _execution_trace.py."""

    def __init__(self) -> None:
        self.owner = _Owner()
        self.ranges, self.through = self.owner.ranges, self.owner.through
        with _lock:
            _owners.add(self.owner)


of_thread = _OfThread()

ENDED = object()
"""Stands for a range that another thread has ended. Only its own thread can close it: with the one around it.
"""


def _all_owners() -> List[_Owner]:
    with _lock:
        return list(_owners)


_NOTHING = contextlib.nullcontext()


def forget_all() -> None:
    """Every range has ended with the recording. PyTorch's go on: without these references to them, they would end, too."""
    for owner in _all_owners():
        through = owner.through
        if all(one is None for one in through):
            del owner.ranges[1:], through[:]
            continue
        del owner.ranges[1 : max(1, len(owner.ranges) - len(through))]  # from before the first one of `through`
        for place, one in enumerate(through):
            if one is None:
                through[place] = _NOTHING


def has_through() -> bool:
    """Whether any thread has such a range open. If none has, empties the lists."""
    if any(one is not None for owner in _all_owners() for one in owner.through):
        return True
    for owner in _all_owners():
        del owner.through[:]
    return False


def find_innermost(ranges: List[Any], wanted: object) -> Optional[int]:
    """Index of the innermost occurrence."""
    for index in range(len(ranges) - 1, 0, -1):
        if ranges[index] is wanted:
            return index
    return None


def mark_ended_elsewhere(wanted: object) -> bool:
    """Marks a range of another thread; False where no thread has it open."""
    for owner in _all_owners():
        index = find_innermost(owner.ranges, wanted)
        if index is not None:
            owner.ranges[index] = ENDED
            return True
    return False


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()
    for owner in _all_owners():
        del owner.ranges[1:], owner.through[:]


os.register_at_fork(after_in_child=_after_fork)
