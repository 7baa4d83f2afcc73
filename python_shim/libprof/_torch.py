"""PyTorch's operators as ranges while a profile records, in a process that has imported it.

PyTorch tells of its operators through NVTX where it was built with CUDA, else through ITT. ITT looks for who
listens when it is first called, and PyTorch calls it while it is imported: libprof.so has to be in the
process before. Nothing here imports torch.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import warnings
from types import ModuleType
from typing import Iterator, Optional, Set

from . import _native, _torch_operators
from .errors import ProfError

_LATE = (
    "PyTorch's operators are not recorded: it was imported before libprof. "
    "Put `import libprof` before `import torch`, or run the program with profrun"
)
_BUSY = "PyTorch's operators are not recorded: a profiler of PyTorch's own is on"
_NO_SHAPES = "PyTorch tells ITT of no input shapes: only builds with CUDA give them (record_shapes, with_flops)"
_warned: Set[str] = set()


def _in_c_environment(name: str) -> bool:
    """What libprof.so has set is not in os.environ, which is a copy of what there was at the start."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype, getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    return bool(getenv(name.encode()))


def _came_too_late() -> bool:
    library = _native.library()
    listens = library.loaded_before_torch and _in_c_environment("INTEL_LIBITTNOTIFY64")
    return library.path is not None and not listens


def _trouble(torch: ModuleType) -> Optional[str]:
    """Why its annotations cannot be heard."""
    try:
        state = _torch_operators.annotation_state(torch)
    except ProfError as error:
        return str(error)
    if torch.autograd._profiler_enabled():
        return _BUSY
    return _LATE if state == torch.autograd.ProfilerState.ITT and _came_too_late() else None


def _warn_once(text: str) -> None:
    if text not in _warned:
        warnings.warn(text, RuntimeWarning, stacklevel=8)
    _warned.add(text)


@contextlib.contextmanager
def operators(shapes: bool) -> Iterator[None]:
    """PyTorch's operators on this thread, and on those that its backward passes use, are ranges meanwhile.

    Without PyTorch, and where a whole program's are recorded already, it does nothing; where it cannot, it
    warns once.
    """
    torch = sys.modules.get("torch")
    if torch is None or _torch_operators.is_on():
        yield
        return
    trouble = _trouble(torch)
    if trouble:
        _warn_once(trouble)
        yield
        return
    if shapes and torch.version.cuda is None:
        _warn_once(_NO_SHAPES)
    own = _torch_operators.Operators(torch, shapes)
    own.begin()
    try:
        yield
    finally:
        own.end()
