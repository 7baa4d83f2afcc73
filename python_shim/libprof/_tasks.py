"""Logs which ranges are open while a task of asyncio runs, so that events at that time can be moved into them.

Since tasks take turns, such ranges do not nest with a thread's other ranges in the trace. Their stack is a context
variable: each task has its own, and tasks that it starts inherit it. While a profile's window is open, the log records when
a thread's stack changes.
"""

from __future__ import annotations

import asyncio
import collections
import contextvars
import functools
import os
import threading
import time
from asyncio import _get_running_loop as _running_loop
from typing import Any, Callable, Deque, List, NamedTuple, Optional, Tuple

_LOG_MAX = 1 << 20


class TaskRange:
    """A range that was opened in a task of asyncio. ``begun_ns`` is just after its beginning."""

    __slots__ = ("begun_ns", "has_ended", "name", "tid")

    def __init__(self, name: str) -> None:
        self.name, self.tid, self.begun_ns = name, threading.get_native_id(), time.time_ns()
        self.has_ended = False


Stack = Tuple[TaskRange, ...]


class Switch(NamedTuple):
    """From `time_ns` on (nanoseconds since the epoch), these ranges are open on the thread; innermost last."""

    time_ns: int
    tid: int
    stack: Stack


_stack: "contextvars.ContextVar[Stack]" = contextvars.ContextVar("libprof_stack", default=())
_log: Deque[Switch] = collections.deque(maxlen=_LOG_MAX)
_lock = threading.Lock()
_windows = 0  # of profiles, open now
_UNWATCHED: Callable[[Any], None] = asyncio.Handle._run
_run: Optional[Callable[[Any], None]] = None  # the method of asyncio, while it is replaced


def _note(stack: Stack) -> None:
    if _windows:
        _log.append(Switch(time.time_ns(), threading.get_native_id(), stack))


def opened(name: str) -> Optional[TaskRange]:
    """Logs that a range begins in the running task. None if no window is open, or if the event loop is not asyncio's own: its
    tasks cannot be tracked.
    """
    if not _windows or not isinstance(_running_loop(), asyncio.BaseEventLoop):
        return None
    one = TaskRange(name)
    _stack.set((*_stack.get(), one))
    _note(_stack.get())
    return one


def closed(one: Optional[TaskRange]) -> None:
    """Logs that it ends, also for tasks that inherited it."""
    if one is not None:
        one.has_ended = True
        _note(_without_ended())


def _without_ended() -> Stack:
    """Removes ranges that have ended from the context's stack, and returns it."""
    stack = tuple(one for one in _stack.get() if not one.has_ended)
    _stack.set(stack)
    return stack


@functools.wraps(asyncio.Handle._run)
def _watched_run(self: Any) -> None:
    """Replaces the method through which event loops run each step of a task, in the task's context."""
    before = self._context.get(_stack, ()) if _windows else ()
    if any(one.has_ended for one in before):
        before = self._context.run(_without_ended)
    if before:
        _note(before)
    try:
        (_run or _UNWATCHED)(self)
    finally:
        if before or (_windows and self._context.get(_stack, ())):
            _note(())


def begin_window() -> None:
    """Logs switches from now on. Windows may nest and overlap."""
    global _windows, _run
    with _lock:
        _windows += 1
        if _run is None:
            _run, asyncio.Handle._run = asyncio.Handle._run, _watched_run  # type: ignore[method-assign]
    loop = _running_loop()
    if isinstance(loop, asyncio.BaseEventLoop):  # the current step began before, so that its end is not seen
        loop.call_soon(_note, (), context=contextvars.Context())


def end_window(start_ns: int, end_ns: int) -> List[Switch]:
    """The switches of all threads between two moments. The last window's end clears the log and restores the method."""
    global _windows
    switches = [switch for switch in list(_log) if start_ns <= switch.time_ns < end_ns]
    with _lock:
        _windows = max(0, _windows - 1)
        if not _windows:
            _stop()
    return switches


def _stop() -> None:
    global _run
    _log.clear()
    if _run is not None and asyncio.Handle._run is _watched_run:  # nobody else has replaced it since
        asyncio.Handle._run, _run = _run, None  # type: ignore[assignment, method-assign]


def _after_fork() -> None:
    global _lock, _windows
    _lock, _windows = threading.Lock(), 0
    _stop()


os.register_at_fork(after_in_child=_after_fork)
