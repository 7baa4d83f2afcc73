"""PyTorch's operators and memory while a profile records, in a process that has imported it.

An observer built for the installed PyTorch (``_torch_observer.py``) records operators of all threads, even while a
profiler of PyTorch's own is on. Without it, PyTorch annotates the operators of one thread (``_torch_operators.py``). This
occupies the one profiler that a thread can have.

Nothing here imports torch.
"""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType
from typing import Any, Dict, FrozenSet, Iterator, List, Optional, Set

from . import _torch_observer, _torch_operators
from ._guest import thread_local
from ._recording import ALL_MEMORY
from ._tensors import Capture
from ._torch_observer import MEMORY, MODULES, OPERATORS, OVERLOADS, SHAPES, Observer
from ._torch_operators import ELSEWHERE, Place, announcement, place_of
from .errors import ProfError, warn

_ALONE = "PyTorch's operators are recorded on this thread only, without memory and input types: {}"
_BUSY = "PyTorch's operators are not recorded: PyTorch's own profiler is on"
_NO_SHAPES = "record_shapes, with_flops: builds of PyTorch for ROCm annotate operators without shapes, and the observer is missing: {}"
_NO_OVERLOADS = "experimental_config: names of overloads are not recorded, since the observer is missing: {}"
_NO_MODULES = "with_modules: modules of scripted operators are not recorded, since the observer is missing: {}"
_NO_MEMORY = "profile_memory: allocations by PyTorch are not recorded ({}) and shown as --"
_NO_DEVICE = "profile_memory: allocations by PyTorch on devices are not recorded and shown as --"
_warned: Set[str] = set()


def _warn_once(text: str) -> None:
    if text not in _warned:
        warn(text)
    _warned.add(text)


def imported() -> Optional[ModuleType]:
    """PyTorch, if the program has imported it. A module of that name may be another one."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "autograd") else None


def distributed_info() -> Optional[Dict[str, Any]]:
    """The job that this process is part of, as torch.profiler describes it in Chrome traces; None outside of a job."""
    dist = sys.modules.get("torch.distributed")
    torch = imported()
    if dist is None or torch is None or not dist.is_available() or not dist.is_initialized():
        return None
    info = {"backend": dist.get_backend(), "rank": dist.get_rank(), "world_size": dist.get_world_size()}
    with contextlib.suppress(AttributeError):  # not in every version
        info["pg_count"] = dist.get_pg_count()
        info["pg_config"] = dist.distributed_c10d._get_all_pg_configs()
    if info["backend"] == "nccl":
        with contextlib.suppress(AttributeError, RuntimeError):
            info["nccl_version"] = ".".join(str(part) for part in torch.cuda.nccl.version())
    return info


# ---- without the observer ----


class _Emitted(_torch_operators.Operators):
    """Operators through NVTX or ITT, for profiles that nest or overlap on a thread."""

    def __init__(self, torch: ModuleType) -> None:
        super().__init__(torch, False, _torch_operators.annotation_state(torch))
        self._users = thread_local()
        self.make_room(torch)

    def _wanted(self) -> List[bool]:
        """Whether each profile of the calling thread wants shapes."""
        if not hasattr(self._users, "wanted"):
            self._users.wanted = []
        wanted: List[bool] = self._users.wanted
        return wanted

    def enter(self, shapes: bool) -> bool:
        """One profile more; False if another profiler is on."""
        self._wanted().append(shapes)
        if len(self._wanted()) > 1 and (not shapes or self.shapes):
            return True
        self.end()
        return self.begin()

    def leave(self, shapes: bool) -> None:
        """One less."""
        if shapes not in self._wanted():
            warn(ELSEWHERE.format("PyTorch emits its operators"))
            return
        self._wanted().remove(shapes)
        if not self._wanted():
            self.end()

    def begin(self) -> bool:
        """Where a profile wants it."""
        self.shapes = any(self._wanted())
        return bool(self._wanted()) and super().begin()


_emitted: Optional[_Emitted] = None


@contextlib.contextmanager
def _emitting(torch: ModuleType, shapes: bool, why: str) -> Iterator[None]:
    """Without the observer; `why` says why there is none."""
    global _emitted
    try:
        _emitted = _emitted or _Emitted(torch)
    except ProfError as error:
        _warn_once(str(error))
        yield
        return
    if why != _torch_observer.SWITCHED_OFF:
        _warn_once(_ALONE.format(why))
    if shapes and not _emitted.has_shapes():
        _warn_once(_NO_SHAPES.format(why))
    if not _emitted.enter(shapes):
        _warn_once(_BUSY)
    try:
        yield
    finally:
        _emitted.leave(shapes)


# ---- memory ----


class Seen:
    """What of PyTorch's memory one profile sees, in a thread's place that is held already."""

    def __init__(self, torch: Optional[ModuleType], place: Optional[Place], why: str) -> None:
        self._is_late = torch is None
        self._place, self._why = place, why
        self._missing: List[str] = []
        if place is not None:
            self._was_on = place.is_on()
            self._times_left, self._reports = place.times_left(), place.observer.device_reports()

    def _trouble(self) -> str:
        if self._place is None:
            return "it was imported within the profile" if self._is_late else self._why
        complete = self._was_on and self._place.times_left() == self._times_left
        return "" if complete else "PyTorch's own profiler was on"

    def known_memory(self) -> FrozenSet[str]:
        """The sides ("cpu", "device") of which every allocator was seen so far; warn() tells of the others."""
        torch: Any = imported()
        if torch is None:
            return ALL_MEMORY
        known, trouble = set(ALL_MEMORY), self._trouble()
        if trouble:
            known.remove("cpu")
            self._missing.append(_NO_MEMORY.format(trouble))
        on_device = torch.cuda.is_initialized() if trouble else self._device_changed()
        if on_device:
            known.remove("device")
            self._missing.append(_NO_DEVICE)
        return frozenset(known)

    def warn(self) -> None:
        """About what known_memory() left out."""
        while self._missing:
            _warn_once(self._missing.pop(0))

    def _device_changed(self) -> bool:
        return self._place is not None and self._place.observer.device_reports() != self._reports


def capture(memory: bool, modules: bool) -> Optional[Capture]:
    """Starts capturing a window: with `memory`, tensors and allocations; with `modules`, the tensors of modules and
    optimizers. None if there is nothing to capture.
    """
    torch = imported()
    if torch is None or not (memory or modules):
        return None
    return Capture(_torch_observer.find(torch)[0] if memory else None, modules)


# ---- a profile ----


@contextlib.contextmanager
def _operators(torch: ModuleType, observer: Optional[Observer], why: str, wanted: int) -> Iterator[None]:
    """Through the observer, else as PyTorch emits them; `why` there is no observer."""
    if _torch_operators.is_on():
        yield
    elif observer is not None:
        observer.begin(wanted)
        try:
            yield
        finally:
            observer.end(wanted)
    else:
        for what, text in ((OVERLOADS, _NO_OVERLOADS), (MODULES, _NO_MODULES)):
            if wanted & what:
                _warn_once(text.format(why))
        with _emitting(torch, bool(wanted & SHAPES), why):
            yield


@contextlib.contextmanager
def recorded(wanted: int) -> Iterator[Optional[Seen]]:
    """PyTorch's operators are ranges meanwhile, with SHAPES, FLOPS, OVERLOADS, IDS and MODULES of `wanted`; with MEMORY,
    what its allocators hand out is recorded on this thread.

    Without PyTorch it does nothing. It warns once about what it cannot record.
    """
    torch, place, why = imported(), None, ""
    with contextlib.ExitStack() as stack:
        if torch is not None:
            observer, why = _torch_observer.find(torch)
            stack.enter_context(_operators(torch, observer, why, OPERATORS | (wanted & ~MEMORY)))
            announcement.begin(torch)
            stack.callback(announcement.end, torch)
            if observer is not None:
                place = place_of(torch, observer)
                stack.callback(place.leave, place.hold(wanted & (SHAPES | MEMORY)))
        yield Seen(torch, place, why) if wanted & MEMORY else None
