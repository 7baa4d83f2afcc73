"""PyTorch's record_function() in coroutines of asyncio, while libprof records.

PyTorch has one stack of ranges per thread. Tasks take turns on a thread, so a range of one task would end those of others.
Therefore record_function() in a coroutine opens a range of libprof's, which does not nest with the thread's other ranges.
"""

from __future__ import annotations

import functools
import sys
from asyncio import _get_running_loop as _running_loop
from types import ModuleType
from typing import Any, Callable

from . import ranges

_RANGE = "_libprof_range"


def watch(torch: ModuleType, is_place_held: Callable[[], bool]) -> None:
    """Installs this for record_function(). While a profiler of PyTorch's own is on, its ranges remain PyTorch's."""
    kind = torch.autograd.profiler.record_function
    enter, leave = kind.__enter__, kind.__exit__

    @functools.wraps(enter)
    def __enter__(self: Any) -> Any:
        if _running_loop() is None or not ranges.is_coroutine(sys._getframe(1)):
            return enter(self)
        if not (ranges.is_recording() and is_place_held()):
            return enter(self)
        setattr(self, _RANGE, ranges.record_function(self.name)._begin())
        return self

    @functools.wraps(leave)
    def __exit__(self: Any, *error: Any) -> Any:
        ours = self.__dict__.pop(_RANGE, None)
        return leave(self, *error) if ours is None else ours.__exit__(*error)

    kind.__enter__, kind.__exit__ = __enter__, __exit__
