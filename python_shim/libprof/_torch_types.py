"""Once PyTorch is imported, libprof's events are instances of ``torch.autograd.profiler_util.FunctionEvent``, too.

PyTorch's class becomes the last base of libprof's class. Names that both define remain libprof's, and pickles do not need
PyTorch.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ._torch_enum import is_same_member
from .averages import FunctionEventAvg
from .event_list import EventList
from .events import DeviceType, FunctionEvent


def adopt(profiler_util: ModuleType) -> None:
    """Makes this package's classes inherit from those of ``torch.autograd.profiler_util``."""
    from . import autograd  # most programs do not need it

    for ours in (FunctionEvent, FunctionEventAvg, EventList, autograd.EventList):
        theirs = getattr(profiler_util, ours.__name__)
        if theirs not in ours.__mro__:
            ours.__bases__ = (*ours.__bases__, theirs)
    _show_device_types(profiler_util.DeviceType)


def _show_device_types(theirs: Any) -> None:
    """Makes the device types of events instances of PyTorch's class that also equal libprof's members. Plain members of
    `theirs` would not equal those of another class.
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
