"""``libprof.so`` through ctypes: found, checked and described once.

The library is, in this order:

1. the file that the environment variable ``LIBPROF_LIBRARY`` names;
2. the one that is in the process already: preloaded (``profrun``, ``LD_PRELOAD``), injected or linked;
3. ``lib/libprof.so.0`` in this package, as wheels carry it;
4. what the loader finds as ``libprof.so.0``.

Functions that record are called through ``PyDLL``, which keeps the interpreter's lock: they take less time than
giving the lock away would. Those that wait or read files are called through ``CDLL``, which gives it away.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path
from typing import Any, Optional, Tuple

from .errors import LibraryError, ProfError
from .version import __version__

SONAME = "libprof.so.0"

OK, ABSENT, INVALID, NOTHING, BUSY, FAILED = range(6)
"""``enum prof_status`` of prof.h."""


class Options(ctypes.Structure):
    """``struct prof_options`` of prof.h."""

    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("output", ctypes.c_char_p),
        ("max_bytes", ctypes.c_uint64),
        ("ring", ctypes.c_bool),
        ("emit_nvtx", ctypes.c_uint64),
    ]


class LossCounts(ctypes.Structure):
    """``struct prof_loss_counts`` of prof.h."""

    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("total", ctypes.c_uint64),
        ("cause", ctypes.c_uint64 * 64),
    ]


BENCH_BEFORE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class BenchOptions(ctypes.Structure):
    """``struct prof_bench_options`` of bench.h."""

    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("warmup", ctypes.c_uint64),
        ("repeats", ctypes.c_uint64),
        ("min_time_ms", ctypes.c_uint64),
        ("cold_l2", ctypes.c_uint64),
        ("max_relative_error", ctypes.c_double),
        ("allow_varying", ctypes.c_uint64),
        ("flops", ctypes.c_double),
        ("bytes", ctypes.c_double),
        ("before_each", BENCH_BEFORE),
        ("user", ctypes.c_void_p),
    ]


class Instruction(ctypes.Structure):
    """``struct prof_instruction`` of block.h."""

    _fields_ = [("chain", ctypes.c_int32), ("index", ctypes.c_uint32)]


_text, _size, _status = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int

_RECORDING = {
    "prof_gate": (ctypes.POINTER(ctypes.c_uint32), []),
    "prof_range_push": (None, [_text]),
    "prof_range_push_n": (None, [_text, _size]),
    "prof_range_pop": (None, []),
    "prof_range_begin": (ctypes.c_uint64, [_text]),
    "prof_range_end": (None, [ctypes.c_uint64]),
    "prof_mark": (None, [_text]),
    "prof_step": (None, []),
    "prof_step_at": (None, [ctypes.c_uint64]),
    "prof_counter": (None, [_text, ctypes.c_double]),
    "prof_attr_int": (None, [_text, ctypes.c_int64]),
    "prof_attr_double": (None, [_text, ctypes.c_double]),
    "prof_attr_string": (None, [_text, _text]),
    "prof_thread_name": (None, [_text]),
    "prof_alloc_track": (ctypes.c_uint32, [_text]),
    "prof_alloc": (None, [ctypes.c_uint32, ctypes.c_void_p, _size]),
    "prof_free": (None, [ctypes.c_uint32, ctypes.c_void_p]),
    "prof_block_create": (None, [_text]),
    "prof_block_reset": (None, []),
    "prof_event_begin": (ctypes.c_uint64, [_text]),
    "prof_instruction_enter": (Instruction, [ctypes.c_int32, ctypes.c_uint32]),
    "prof_instruction_leave": (None, [Instruction]),
}

_CONTROL = {
    "prof_configure": (_status, [ctypes.POINTER(Options)]),
    "prof_start": (_status, []),
    "prof_stop": (_status, []),
    "prof_flush": (_status, []),
    "prof_bench_begin": (_status, [ctypes.POINTER(BenchOptions)]),
    "prof_bench_next": (ctypes.c_bool, []),
    "prof_bench_end": (_status, [ctypes.c_void_p]),
    "prof_dump": (_status, [_text]),
    "prof_dump_etprof": (_status, [_text]),
    "prof_export_chrome": (_status, [_text]),
    "prof_loss": (_status, [ctypes.POINTER(LossCounts)]),
    "prof_arrow": (_status, [_text, ctypes.c_int, ctypes.c_void_p]),
    "prof_output_path": (_text, []),
    "prof_version": (_text, []),
    "prof_status_text": (_text, [_status]),
}


class Library:
    """The functions of ``libprof.so``, each an attribute of this object under its own name.

    ``path`` is the file, or None for the one that was in the process already.
    """

    def __init__(self, path: Optional[str]) -> None:
        self.path = path
        self._quick, slow = _open(path)
        try:
            for library, functions in ((self._quick, _RECORDING), (slow, _CONTROL)):
                for name, (result, arguments) in functions.items():
                    function = getattr(library, name)
                    function.restype, function.argtypes = result, arguments
                    setattr(self, name, function)
        except AttributeError as error:
            raise LibraryError(
                f"{path or SONAME} is not libprof of version {__version__}: {error}"
            ) from error
        check_version(self.prof_version().decode(), path or "the libprof.so of this process")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def unchecked(self, name: str) -> Any:
        """A function without a result whose arguments are bytes: 20 ns less than with a check."""
        function = self._quick[name]
        function.restype = None
        return function

    def address(self, name: str) -> Optional[int]:
        """Where a function is, for code that calls it without Python."""
        return ctypes.cast(self._quick[name], ctypes.c_void_p).value

    def builtin(self, name: str) -> Any:
        """A function of libprof.so as the interpreter has functions of its own; None where that cannot be."""
        make = getattr(self._quick, "prof_python_function", None)
        if make is None:
            return None
        make.restype, make.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        address = make(name.encode())
        if not address:
            return None
        function = ctypes.cast(address, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(function))  # the reference that came with the address
        return function

    def optional(self, name: str) -> Any:
        """A function that this library may lack; None then. It takes an int, under the GIL; a status comes back."""
        function = getattr(self._quick, name, None)
        if function is not None:
            function.restype, function.argtypes = _status, [ctypes.c_int]
        return function

    def torch_stubs(self) -> Any:
        """The address of libprof's object through which PyTorch annotates operators."""
        make = self._quick.libprof_torch_stubs
        make.restype = ctypes.c_void_p
        return make()

    def check(self, status: int) -> None:
        """Raises :class:`ProfError` with the C layer's sentence unless `status` is ``PROF_OK``."""
        if status != OK:
            raise ProfError(self.prof_status_text(status).decode())


def check_interpreter() -> None:
    """:class:`LibraryError` for free-threaded builds: functions that record are called with the interpreter's lock held,
    and lists of open ranges rely on it."""
    if "t" in getattr(sys, "abiflags", ""):
        version = ".".join(map(str, sys.version_info[:2]))
        raise LibraryError(f"libprof does not record in free-threaded builds of Python ({version}t): use python{version}")


def _open(path: Optional[str]) -> Tuple[ctypes.CDLL, ctypes.CDLL]:
    """Opens the library twice, see above. :class:`LibraryError` has the loader's reason and a fix."""
    check_interpreter()
    try:
        return ctypes.PyDLL(path), ctypes.CDLL(path)
    except OSError as error:
        advice = ""
        if "static TLS" in str(error):
            advice = ". Import libprof before the libraries that took that memory, or run the program with profrun"
        elif path == SONAME:
            advice = ". Install the wheel, or set LIBPROF_LIBRARY to the file's path"
        raise LibraryError(f"libprof.so cannot be loaded: {error}{advice}") from error


def check_version(version: str, where: str) -> None:
    """The interface may change with the first number, and before 1.0 with the second."""
    ours, theirs = __version__.split("."), version.split(".")
    if ours[0] != theirs[0] or (ours[0] == "0" and ours[1] != theirs[1]):
        raise LibraryError(f"{where} is version {version}; this package needs {ours[0]}.{ours[1]}")


def _in_process() -> bool:
    return hasattr(ctypes.CDLL(None), "prof_gate")


def library_path() -> Optional[str]:
    """Path of the library that was asked for or comes with the package; None: whatever else there is."""
    named = os.environ.get("LIBPROF_LIBRARY")
    own = Path(__file__).parent / "lib" / SONAME
    return named or (str(own) if own.exists() else None)


def _find() -> Optional[str]:
    if _in_process() and not os.environ.get("LIBPROF_LIBRARY"):
        return None
    return library_path() or SONAME


_lock = threading.Lock()
_library: Optional[Library] = None


def library() -> Library:
    """The library, loaded on the first call; :class:`LibraryError` if that fails. Any thread."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = Library(_find())
    return _library


def load_if_there() -> None:
    """Loads the library at import, so that it comes before PyTorch, which looks for listeners when it is loaded. No
    error if that fails: traces can be read without it, and functions that need it raise the error."""
    try:
        library()
    except LibraryError:
        pass
