"""PyTorch's record_function() in coroutines of asyncio, while libprof records.

PyTorch has one stack of ranges per thread. Tasks take turns on a thread, so a range of one task would end those of others.
Therefore record_function() in a coroutine opens a range of libprof's, which does not nest with the thread's other ranges.
"""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from asyncio import _get_running_loop as _running_loop
from types import ModuleType
from typing import Any, Callable, Dict

from . import ranges

_RANGE = "_libprof_range"


class Ranges:
    """Replaces methods of record_function() while it has a user, and until the ranges that it opened have ended. While a
    profiler of PyTorch's own is on, its ranges remain PyTorch's.
    """

    def __init__(self, torch: ModuleType, is_place_held: Callable[[], bool]) -> None:
        self._kind = torch.autograd.profiler.record_function
        self._is_place_held = is_place_held
        self._users = 0
        self._lock = threading.Lock()
        self._open: "weakref.WeakSet[Any]" = weakref.WeakSet()
        self._theirs: Dict[str, Any] = {}
        self._ours: Dict[str, Any] = {}

    def begin(self) -> None:
        """For one user more."""
        with self._lock:
            self._users += 1
            if not self._theirs:
                names = ("__enter__", "__exit__", "_call_end_callbacks_on_future")
                self._theirs = {name: self._kind.__dict__[name] for name in names}
                self._ours = self._make(*self._theirs.values())
                self._put(self._ours)

    def end(self) -> None:
        """For one less."""
        with self._lock:
            self._users -= 1
        self._leave()

    def _leave(self) -> None:
        with self._lock:
            is_over = self._theirs and not self._users and not self._open
            if is_over and all(self._kind.__dict__[name] is one for name, one in self._ours.items()):
                self._put(self._theirs)
                self._theirs = {}

    def _put(self, methods: Dict[str, Any]) -> None:
        for name, method in methods.items():
            setattr(self._kind, name, method)

    def _make(self, enter: Any, leave: Any, call_end: Any) -> Dict[str, Any]:
        @functools.wraps(enter)
        def __enter__(self_: Any) -> Any:
            if _running_loop() is None or not ranges.is_coroutine(sys._getframe(1)):
                return enter(self_)
            if not (ranges.is_recording() and self._is_place_held()):
                return enter(self_)
            self._open.add(self_)
            self_.__dict__.setdefault(_RANGE, ranges.record_function(self_.name))._begin()
            return self_

        @functools.wraps(leave)
        def __exit__(self_: Any, *error: Any) -> Any:
            ours = self_.__dict__.get(_RANGE)
            if ours is None or not ours._begun:
                return leave(self_, *error)
            ours.__exit__(*error)
            if not ours._begun:
                self._open.discard(self_)
                self._leave()

        @functools.wraps(call_end)
        def _call_end_callbacks_on_future(self_: Any, future: Any) -> Any:
            """The range ends with its block: libprof's has no callbacks."""
            if _RANGE not in self_.__dict__ or self_.record is not None or not self_.run_callbacks_on_exit:
                return call_end(self_, future)
            self_.run_callbacks_on_exit = False
            return future

        return {one.__name__: one for one in (__enter__, __exit__, _call_end_callbacks_on_future)}
