"""``torch_observer.cc``: compiled once for each PyTorch, kept in the user's cache, and loaded.

It needs a C++ compiler (``CXX``, c++, g++ or clang++) the first time. ``LIBPROF_TORCH_OBSERVER=0`` does without it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import operator
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, List, NamedTuple, Optional, Tuple

from . import _native
from ._profdump import unrecorded_environment
from .errors import ProfError

OPERATORS, SHAPES, FLOPS, MEMORY, OVERLOADS, IDS, MODULES = 1, 2, 4, 8, 16, 32, 64
SOURCE = Path(__file__).with_name("torch_observer.cc")
VARIABLE = "LIBPROF_TORCH_OBSERVER"
_COMPILE_S = 300
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

    def place_begin(self, wanted: int) -> bool:
        """This thread's place for a profiler, with SHAPES and MEMORY of `wanted`; False if another profiler has it."""
        return bool(self._functions.libprof_torch_place_begin(wanted))

    def place_end(self) -> None:
        """Leaves it."""
        self._functions.libprof_torch_place_end()

    def device_reports(self) -> int:
        """How often memory of devices other than CUDA's was handed out or taken back so far: it is not recorded."""
        return int(self._functions.libprof_torch_device_reports())


class _Found(NamedTuple):
    observer: Optional[Observer]
    trouble: str


_found: Optional[_Found] = None


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "libprof"


def _compiler() -> List[str]:
    named = shlex.split(os.environ.get("CXX", ""))
    if named:
        return named
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name):
            return [name]
    raise ProfError("there is no C++ compiler (CXX, c++, g++, clang++)")


def _file_name(torch: ModuleType) -> str:
    build = (torch.__version__, torch.version.git_version, platform.machine(), str(torch.compiled_with_cxx11_abi()))
    sources = SOURCE.read_bytes() + Path(__file__).read_bytes()
    digest = hashlib.sha256(sources + "\0".join(build).encode()).hexdigest()[:16]
    return f"torch_observer-{torch.__version__}-{digest}.so"


def _compile(torch: ModuleType, path: Path) -> None:
    """Writes the library; ProfError with the compiler's first error."""
    home = Path(str(torch.__file__)).parent
    abi = int(torch.compiled_with_cxx11_abi())
    release = [] if torch.version.debug else ["-DNDEBUG"]  # classes have other members without it
    part = f"{path}.{os.getpid()}"
    command = [
        *_compiler(), "-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", f"-D_GLIBCXX_USE_CXX11_ABI={abi}",
        *release, "-isystem", str(home / "include"), "-o", part, str(SOURCE), f"-L{home / 'lib'}", "-lc10", "-ltorch_cpu",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, env=unrecorded_environment(), capture_output=True, text=True, timeout=_COMPILE_S, check=False
        )
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            raise ProfError(f"{command[0]}: {errors[0] if errors else done.returncode}")
        os.replace(part, path)
    except (OSError, subprocess.SubprocessError) as error:
        raise ProfError(f"{command[0]}: {error}") from error
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _load(torch: ModuleType) -> Observer:
    name = _file_name(torch)
    with contextlib.ExitStack() as stack:
        directory = _cache()
        if not _is_own(directory):  # this process compiles one of its own
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="libprof-")))
        path = directory / name
        if not path.exists():
            _compile(torch, path)
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
                    raise ProfError(f"{VARIABLE}=0")
                _found = _Found(_load(torch), "")
            except (ProfError, AttributeError, OSError) as error:
                _found = _Found(None, str(error))
        return _found


def _after_fork() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)
