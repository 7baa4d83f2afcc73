"""Which ranges of asyncio's tasks are open while a task runs, so that what happens then can be put into them.

Such ranges lie beside a thread's others in the trace, since tasks take turns. Their stack is a context variable: each task
has one, and passes it on to tasks that it starts. The log says from when on which stack was a thread's.
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
    """A range that was opened in a task of asyncio; ``begun_ns`` is just after its begin."""

    __slots__ = ("begun_ns", "name", "tid")

    def __init__(self, name: str) -> None:
        self.name, self.tid, self.begun_ns = name, threading.get_native_id(), time.time_ns()


Stack = Tuple[TaskRange, ...]


class Switch(NamedTuple):
    """From `time_ns` on, nanoseconds since the epoch, these ranges are open on the thread, the innermost last."""

    time_ns: int
    tid: int
    stack: Stack


_stack: "contextvars.ContextVar[Stack]" = contextvars.ContextVar("libprof_stack", default=())
_log: Deque[Switch] = collections.deque(maxlen=_LOG_MAX)


def _note(stack: Stack) -> None:
    _log.append(Switch(time.time_ns(), threading.get_native_id(), stack))


def opened(name: str) -> Optional[TaskRange]:
    """A range begins in the running task; None where who runs when cannot be known."""
    if not isinstance(_running_loop(), asyncio.BaseEventLoop):
        return None
    _watch_tasks()
    one = TaskRange(name)
    _stack.set((*_stack.get(), one))
    _note(_stack.get())
    return one


def closed(one: Optional[TaskRange]) -> None:
    """It ends."""
    if one is not None:
        _stack.set(tuple(other for other in _stack.get() if other is not one))
        _note(_stack.get())


@functools.lru_cache(maxsize=None)
def _watch_tasks() -> None:
    """An event loop runs each step of a task through this method, in the context of the task."""
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
