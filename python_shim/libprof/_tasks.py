"""Logs which ranges are open while a task of asyncio runs, so that events at that time can be moved into them.

Since tasks take turns, such ranges do not nest with a thread's other ranges in the trace. Their stack is a context
variable: each task has its own, and tasks that it starts inherit it. The log records when a thread's stack changes.
"""

from __future__ import annotations

import asyncio
import collections
import contextvars
import functools
import threading
import time
from asyncio import _get_running_loop as _running_loop
from typing import Any, Deque, List, NamedTuple, Optional, Tuple

_LOG_MAX = 1 << 20


class TaskRange:
    """A range that was opened in a task of asyncio. ``begun_ns`` is just after its beginning."""

    __slots__ = ("begun_ns", "name", "tid")

    def __init__(self, name: str) -> None:
        self.name, self.tid, self.begun_ns = name, threading.get_native_id(), time.time_ns()


Stack = Tuple[TaskRange, ...]


class Switch(NamedTuple):
    """From `time_ns` on (nanoseconds since the epoch), these ranges are open on the thread; innermost last."""

    time_ns: int
    tid: int
    stack: Stack


_stack: "contextvars.ContextVar[Stack]" = contextvars.ContextVar("libprof_stack", default=())
_log: Deque[Switch] = collections.deque(maxlen=_LOG_MAX)


def _note(stack: Stack) -> None:
    _log.append(Switch(time.time_ns(), threading.get_native_id(), stack))


def opened(name: str) -> Optional[TaskRange]:
    """Logs that a range begins in the running task. None if the event loop is not asyncio's own: its tasks cannot be tracked."""
    if not isinstance(_running_loop(), asyncio.BaseEventLoop):
        return None
    _watch_tasks()
    one = TaskRange(name)
    _stack.set((*_stack.get(), one))
    _note(_stack.get())
    return one


def closed(one: Optional[TaskRange]) -> None:
    """Logs that it ends."""
    if one is not None:
        _stack.set(tuple(other for other in _stack.get() if other is not one))
        _note(_stack.get())


@functools.lru_cache(maxsize=None)
def _watch_tasks() -> None:
    """Wraps the method through which event loops run each step of a task, in the task's context."""
    run = asyncio.Handle._run

    @functools.wraps(run)
    def _run(self: Any) -> None:
        before = self._context.get(_stack, ())
        if before:
            _note(before)
        try:
            run(self)
        finally:
            if before or self._context.get(_stack, ()):
                _note(())

    asyncio.Handle._run = _run  # type: ignore[method-assign]


def switches(start_ns: int, end_ns: int) -> List[Switch]:
    """Of all threads between two moments, and those of ranges that were open at the first."""
    return [switch for switch in list(_log) if start_ns <= switch.time_ns < end_ns]
