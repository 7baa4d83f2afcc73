"""The observer of PyTorch's operators, ``torch_observer.cc``: found in the wheel, or compiled, and loaded.

If no build in the wheel fits the installed PyTorch, the first use needs a C++ compiler (``CXX``, c++, g++ or clang++). The
result is kept in the user's cache. ``LIBPROF_TORCH_OBSERVER=0`` disables the observer.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import hashlib
import operator
import os
import platform
import sys
import tempfile
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, List, NamedTuple, Optional, Tuple

from . import _native, _observer_builds
from ._observer_builds import SOURCE, BuildError, Target
from ._profdump import unrecorded_environment
from .errors import ProfError

OPERATORS, SHAPES, FLOPS, MEMORY, OVERLOADS, IDS, MODULES, POINTERS, STEPS = (1 << bit for bit in range(9))  # enum request
TENSOR_ROW_BYTES = 72  # struct tensor_row
VARIABLE = "LIBPROF_TORCH_OBSERVER"
SWITCHED_OFF = f"{VARIABLE}=0"
_SECONDS = 10  # on one processor: 8 to 12 with GCC 12, five of them for PyTorch's headers
_lock = threading.RLock()


class _Recorder(ctypes.Structure):
    """``struct recorder`` of torch_observer.cc."""

    _fields_ = [
        ("gate", ctypes.c_void_p),
        ("range_push", ctypes.c_void_p),
        ("range_push_attrs", ctypes.c_void_p),
        ("range_pop", ctypes.c_void_p),
        ("alloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
        ("alloc_track", ctypes.c_void_p),
        ("counter", ctypes.c_void_p),
        ("mark", ctypes.c_void_p),
        ("attr_int", ctypes.c_void_p),
        ("attr_double", ctypes.c_void_p),
        ("attr_string", ctypes.c_void_p),
        ("allocator", ctypes.c_uint32),
    ]


def together(wanted: List[int]) -> int:
    """Whatever any of them wants."""
    return functools.reduce(operator.or_, wanted, 0)


class Observer:
    """The loaded library. It observes whatever any of its users wants."""

    def __init__(self, path: str) -> None:
        library = _native.library()
        self._functions = ctypes.CDLL(path)
        recorder = _Recorder(allocator=library.prof_alloc_track(b"PyTorch CPU"))
        recorder.gate = ctypes.cast(library.prof_gate(), ctypes.c_void_p)
        for name in (field[0] for field in _Recorder._fields_[1:-1]):
            setattr(recorder, name, library.address(f"prof_{name}"))
        self._functions.libprof_torch_place_begin.restype = ctypes.c_bool
        self._functions.libprof_torch_device_reports.restype = ctypes.c_uint64
        self._functions.libprof_torch_tensors.restype = ctypes.c_size_t
        self._functions.libprof_torch_tensors.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
        self._functions.libprof_torch_init(ctypes.byref(recorder))
        self._wanted: List[int] = []

    def begin(self, wanted: int) -> None:
        """Operators of all threads are ranges, with what else `wanted` has."""
        with _lock:
            self._change(self._wanted + [wanted])

    def end(self, wanted: int) -> None:
        """Takes one begin back."""
        with _lock:
            rest = list(self._wanted)
            rest.remove(wanted)
            self._change(rest)

    def _change(self, wanted: List[int]) -> None:
        before, self._wanted = together(self._wanted), wanted
        if together(wanted) != before:
            self._functions.libprof_torch_observe(together(wanted))
        if not together(wanted) & POINTERS:
            self.clear_tensors()

    def place_begin(self, wanted: int) -> bool:
        """This thread's place for a profiler, with SHAPES and MEMORY of `wanted`; False if another profiler has it."""
        return bool(self._functions.libprof_torch_place_begin(wanted))

    def place_end(self) -> None:
        """Leaves it."""
        self._functions.libprof_torch_place_end()

    def device_reports(self) -> int:
        """How often memory of devices other than CUDA's was handed out or taken back so far: it is not recorded."""
        return int(self._functions.libprof_torch_device_reports())

    def clear_tensors(self) -> None:
        """Forgets the rows of tensors()."""
        self._functions.libprof_torch_tensors_clear()

    def tensors(self, first: int, count: int) -> Tuple[int, memoryview]:
        """The number of rows of tensors and allocations, and at most `count` of these rows, starting with `first`."""
        rows = ctypes.create_string_buffer(max(1, count * TENSOR_ROW_BYTES))
        there = int(self._functions.libprof_torch_tensors(rows, first, count))
        return there, memoryview(rows).cast("B")[: max(0, min(count, there - first)) * TENSOR_ROW_BYTES]


class _Found(NamedTuple):
    observer: Optional[Observer]
    trouble: str


_found: Optional[_Found] = None


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "libprof"


def _target(torch: ModuleType) -> Target:
    include = Path(str(torch.__file__)).parent / "include"
    return Target(include, bool(torch.compiled_with_cxx11_abi()), bool(torch.version.debug))


def _file_name(torch: ModuleType) -> str:
    build = (torch.__version__, torch.version.git_version, platform.machine(), str(torch.compiled_with_cxx11_abi()))
    sources = SOURCE.read_bytes() + Path(__file__).read_bytes()
    digest = hashlib.sha256(sources + "\0".join(build).encode()).hexdigest()[:16]
    return f"torch_observer-{torch.__version__}-{digest}.so"


def _compile(torch: ModuleType, path: Path, how_often: str) -> None:
    """Writes the library, unless another process of this user has done so meanwhile."""
    environment = unrecorded_environment()
    part = f"{path}.{os.getpid()}"
    with open(f"{path}.lock", "w", encoding="utf-8") as lock:
        with contextlib.suppress(OSError):  # some file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return
        if _observer_builds.compiler(environment):
            text = f"libprof: compiling the observer for PyTorch {torch.__version__}, {how_often}: about {_SECONDS} s"
            print(text, file=sys.stderr, flush=True)
        try:
            libraries = Path(str(torch.__file__)).parent / "lib"
            _observer_builds.build(_target(torch), part, libraries, environment, "-O2", timeout_s=300)
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.unlink(part)


def _load(torch: ModuleType) -> Observer:
    ready = _observer_builds.find(_target(torch))
    if ready is not None:
        with contextlib.suppress(OSError):  # built for another processor, or PyTorch's libraries lack a function
            return Observer(str(ready))
    name = _file_name(torch)
    with contextlib.ExitStack() as stack:
        directory, how_often = _cache(), "once"
        if not _is_own(directory):
            directory, how_often = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="libprof-"))), "for this process"
        path = directory / name
        if not path.exists():
            try:
                _compile(torch, path, how_often)
            except BuildError as error:
                raise ProfError(f"this package has no observer for PyTorch {torch.__version__}; {error}") from error
        return Observer(str(path))


def _is_own(directory: Path) -> bool:
    """Whether the directory is this user's: what is in it is executed."""
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        return directory.stat().st_uid == os.geteuid() and os.access(directory, os.W_OK | os.X_OK)
    return False


def find(torch: Any) -> Tuple[Optional[Observer], str]:
    """The observer for this PyTorch, or None and why there is none. The first call may compile it."""
    global _found
    with _lock:
        if _found is None:
            try:
                if os.environ.get(VARIABLE) == "0":
                    raise ProfError(SWITCHED_OFF)
                _found = _Found(_load(torch), "")
            except (ProfError, AttributeError, OSError) as error:
                _found = _Found(None, str(error))
        return _found


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
