"""Ranges: named spans of time on a thread, as context managers and decorators."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import inspect
import sys
import threading
import warnings
from asyncio import _get_running_loop as _running_loop
from types import FrameType, TracebackType
from typing import Any, Dict, List, Optional, Tuple, Type

from . import _native, _open_ranges, _tasks
from ._compiled import ScriptName
from ._decorate import Function, decorate
from .annotations import set_attribute

_ExceptionType = Optional[Type[BaseException]]

_COROUTINE = inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _LoadsLibrary:
    """A placeholder for the gate that loads the library on first use."""

    def __getitem__(self, index: int) -> int:
        _bind()
        return int(_words[index])


_words: Any = _LoadsLibrary()  # the gate's
_gate: Any = _words  # what ranges read: the same, except while an execution trace is written
_push: Any = None
_pop: Any = None
_open = _open_ranges.of_thread


def _bind() -> None:
    global _gate, _words, _push, _pop
    library = _native.library()
    _push = library.builtin("range_push") or library.unchecked("prof_range_push")
    _pop = library.builtin("range_pop") or library.unchecked("prof_range_pop")
    words = ctypes.cast(library.prof_gate(), ctypes.POINTER(ctypes.c_uint32 * 2)).contents
    _gate = _words = memoryview(words).cast("B").cast("I")


def is_coroutine(frame: FrameType) -> bool:
    """Whether the frame is a coroutine's or an asynchronous generator's."""
    return bool(frame.f_code.co_flags & _COROUTINE)


def is_recording() -> bool:
    """Whether recording is on."""
    return bool(_words[0])


def _encode(name: Any) -> bytes:
    if not isinstance(name, str):
        raise TypeError(f"a range's name is a str, not {type(name).__name__}")
    return name.encode(errors="backslashreplace")


class record_function:
    """A range on the calling thread: context manager, asynchronous context manager and decorator.

        with record_function("load batch", bytes=1 << 20) as range:
            range.attr("file", path)

        @record_function("step")
        def step(): ...

    Of ``name``, the first 4,096 bytes of its UTF-8 encoding are kept. Keyword arguments and ``args`` become
    attributes: integers, floats and strings as such, lists and dicts as JSON. An object can be entered
    several times, also while it is open and on several threads at once. While recording is off, entering
    reads one word.

    Ranges of a thread nest. They may still end in any order:

    - In the body of a coroutine or an asynchronous generator, and with ``async with`` anywhere, other tasks may
      run on the thread before the range ends. Such a range does not nest with the thread's other ranges. Its
      time is exact, its device time covers all operations that the thread launched meanwhile, and its self
      CPU time is zero. With asyncio's own event loop, it contains only its own task's events in the results of a
      :class:`libprof.profile`, and its self CPU time is the time during which its task ran. It cannot have
      attributes: they cause a warning. Coroutines are recognized only in asyncio; with another framework use ``async with``.
    - Elsewhere a range may end while ranges inside it are still open, for example in a suspended generator.
      The inner ranges are cut there and continue outside as another call with the attribute ``continued``:
      times are exact, and each cut adds one to the count. The same holds for greenlets (gevent, eventlet).
    - A range that ends on another thread than it began on stays open until its own thread ends the range
      around it. Use :func:`range_start` and :func:`range_end` for ranges that move between threads. (If
      threads share an object, ending what was entered before recording began may end another thread's range.)
    - Ranges that were open when recording began are not recorded. Ranges open when recording stops end then.

    As a decorator it records every call of a function, every run of a coroutine function (as above), and every
    resumption of a generator, without the time that its consumer takes in between.

    torch.compile and torch.export omit ranges within the functions that they compile, like torch.profiler's: put ranges
    around calls of these functions. In scripts of TorchScript, it is torch.profiler's range.
    """

    _jit_override_qualname = ScriptName()
    _attributes: Optional[Dict[str, Any]] = None
    _begun: Optional[List[Tuple[Any, int, Optional[_tasks.TaskRange]]]] = None

    def __init__(self, name: str, args: Any = None, **attributes: Any) -> None:
        try:
            self._name = name.encode()
        except (AttributeError, UnicodeEncodeError):
            self._name = _encode(name)
        if args is not None:
            attributes["args"] = args
        if attributes:
            self._attributes = attributes

    @property
    def name(self) -> str:
        """The name; characters that UTF-8 cannot encode are escaped."""
        return self._name.decode()

    @property
    def args(self) -> Any:
        """What was given as ``args``."""
        return (self._attributes or {}).get("args")

    def __repr__(self) -> str:
        return f"<libprof.record_function {self.name!r}>"

    # ---- within a thread ----

    def __enter__(self) -> "record_function":
        if _gate[0]:
            if _running_loop() is not None and sys._getframe(1).f_code.co_flags & _COROUTINE:
                return self._begin()
            _push(self._name)
            _open.ranges.append(self)
            if self._attributes:
                self._set_attributes()
        return self

    def __exit__(
        self,
        kind: _ExceptionType = None,
        error: Optional[BaseException] = None,
        trace: Optional[TracebackType] = None,
    ) -> None:
        ranges = _open.ranges
        if ranges[-1] is self:
            del ranges[-1]
            _pop()
        elif self._begun or _gate[0]:
            self._exit_slow(ranges)

    def _exit_slow(self, ranges: List[Any]) -> None:
        if self._end(_task_or_thread()):
            return
        index = _open_ranges.find_innermost(ranges, self)
        if index is not None:
            _close_through(ranges, index)
        elif not self._end(None):
            _open_ranges.mark_ended_elsewhere(self)

    # ---- beside the thread's ranges ----

    async def __aenter__(self) -> "record_function":
        return self._begin() if _gate[0] else self

    async def __aexit__(
        self, kind: _ExceptionType, error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if not self._end(_task_or_thread()):
            self._end(None)

    def _begin(self) -> "record_function":
        if self._attributes:
            _warn_of_attributes(self.name)
        if self._begun is None:
            self._begun = []
        number = _native.library().prof_range_begin(self._name)
        self._begun.append((_task_or_thread(), number, _tasks.opened(self.name)))
        return self

    def _end(self, owner: Any) -> bool:
        """Ends the latest that `owner` began; with None, whoever's."""
        begun = self._begun or []
        for index in range(len(begun) - 1, -1, -1):
            if owner is None or begun[index][0] == owner:
                _, number, one = begun.pop(index)
                _native.library().prof_range_end(number)
                _tasks.closed(one)
                return True
        return False

    # ---- attributes ----

    def attr(self, key: str, value: Any) -> None:
        """Gives the range an attribute; while it is the thread's innermost open one, else this warns."""
        if not _gate[0]:
            return
        if _open.ranges[-1] is self:
            set_attribute(key, value)
        else:
            _warn_of_attributes(self.name)

    def _set_attributes(self) -> None:
        for key, value in (self._attributes or {}).items():
            set_attribute(key, value)

    # ---- decorator ----

    def __call__(self, function: Function) -> Function:
        name, attributes = self.name, self._attributes or {}
        return decorate(function, lambda: record_function(name, **attributes))


def _task_or_thread() -> Any:
    """Who runs on this thread: a task of asyncio or trio, else a greenlet."""
    trio, greenlet = sys.modules.get("trio"), sys.modules.get("greenlet")
    owner: Any = None
    if _running_loop() is not None:
        owner = asyncio.current_task()
    elif trio is not None:
        with contextlib.suppress(RuntimeError):  # no task of trio
            owner = trio.lowlevel.current_task()
    if owner is None and greenlet is not None:
        owner = greenlet.getcurrent()
    return (threading.get_ident(), id(owner))


def _close_through(ranges: List[Any], index: int) -> None:
    """Closes ranges[index], and those inside of it, which go on."""
    inside = [one for one in ranges[index + 1 :] if one is not _open_ranges.ENDED]
    for _ in ranges[index:]:
        _pop()
    del ranges[index:]
    for one in inside:
        _push(one._name)
        set_attribute("continued", 1)
        ranges.append(one)


def _warn_of_attributes(name: str) -> None:
    warnings.warn(
        f"attributes of the range {name!r} are not recorded: only a thread's innermost open range has some",
        RuntimeWarning,
        stacklevel=4,
    )


def range_start(name: str) -> int:
    """Begins a range that need not nest and that any thread may end with :func:`range_end`.

    Returns its id, or 0 while recording is off.
    """
    return int(_native.library().prof_range_begin(_encode(name))) if _gate[0] else 0


def range_end(number: int) -> None:
    """Ends a range that :func:`range_start` began; ignores 0."""
    if number and _gate[0]:
        _native.library().prof_range_end(number)
