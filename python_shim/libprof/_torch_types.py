"""Makes libprof's events PyTorch's, too, once PyTorch is imported: ``isinstance(event, torch.autograd.profiler_util.FunctionEvent)``.

libprof's classes get PyTorch's as their last base. They stay what they are otherwise: every name that both have is
libprof's, and pickles need no PyTorch.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ._torch_enum import is_same_member
from .averages import FunctionEventAvg
from .event_list import EventList
from .events import DeviceType, FunctionEvent


def adopt(profiler_util: ModuleType) -> None:
    """Has the classes of this package inherit from those of ``torch.autograd.profiler_util``."""
    from . import autograd  # which most programs do without

    for ours in (FunctionEvent, FunctionEventAvg, EventList, autograd.EventList):
        theirs = getattr(profiler_util, ours.__name__)
        if theirs not in ours.__mro__:
            ours.__bases__ = (*ours.__bases__, theirs)
    _show_device_types(profiler_util.DeviceType)


def _show_device_types(theirs: Any) -> None:
    """Device types of events become PyTorch's, which equal libprof's and PyTorch's own: `theirs` alone would differ from
    every other class.
    """

    class Shown(theirs):  # type: ignore[misc]
        __eq__ = is_same_member
        __ne__ = lambda self, other: not self == other
        __hash__ = theirs.__hash__

        def __reduce__(self) -> Any:
            return (DeviceType, (self.value,))

    Shown.__name__ = Shown.__qualname__ = theirs.__name__
    for one in DeviceType:
        one.shown = Shown(one.value)
