"""``libprofdump.so`` through ctypes: profdump as a library, which gives traces of any format as Arrow streams.

It lies beside ``libprof.so``: in the directory of the file that ``LIBPROF_LIBRARY`` names, in ``lib`` of this package,
in ``lib`` beside the directory of the program ``profdump``, or where the loader finds ``libprofdump.so.0``.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _native
from ._profdump import find_program
from .errors import LibraryError, ProfError

SONAME = "libprofdump.so.0"

EVENTS, LAUNCHES, KERNELS, COUNTERS, FUNCTIONS = range(5)
"""``enum prof_arrow_table`` of arrow.h."""


class TraceOptions(ctypes.Structure):
    """``struct prof_trace_options`` of trace.h."""

    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("from_ns", ctypes.c_int64),
        ("to_ns", ctypes.c_int64),
        ("words", ctypes.c_void_p),
        ("say", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
    ]


class TableOptions(ctypes.Structure):
    """``struct prof_table_options`` of trace.h."""

    _fields_ = [
        ("size_bytes", ctypes.c_size_t),
        ("format", ctypes.c_char_p),
        ("sort", ctypes.c_char_p),
        ("group_by", ctypes.c_char_p),
        ("columns", ctypes.c_char_p),
        ("rows", ctypes.c_int64),
        ("words", ctypes.c_void_p),
    ]


class ArrowArrayStream(ctypes.Structure):
    """``struct ArrowArrayStream`` of Arrow's C stream interface."""

    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]

    def release_now(self) -> None:
        """Gives back what nobody has taken."""
        if self.release:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.release)(ctypes.addressof(self))


_FUNCTIONS = {
    "prof_trace_open": (
        ctypes.c_int,
        [ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.POINTER(TraceOptions), ctypes.POINTER(ctypes.c_void_p)],
    ),
    "prof_trace_arrow": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ArrowArrayStream)]),
    "prof_trace_query": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(TableOptions), ctypes.c_void_p]),
    "prof_trace_dataset_create": (ctypes.c_int, [ctypes.POINTER(ctypes.c_void_p)]),
    "prof_trace_dataset_add": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]),
    "prof_trace_dataset_arrow": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ArrowArrayStream)]),
    "prof_trace_dataset_destroy": (None, [ctypes.c_void_p]),
    "prof_trace_error": (ctypes.c_char_p, [ctypes.c_void_p]),
    "prof_trace_close": (None, [ctypes.c_void_p]),
}


def _path() -> str:
    beside = _native.library_path()
    places = [Path(beside).parent] if beside else []
    with contextlib.suppress(LibraryError):
        places.append(Path(find_program("profdump")).parent.parent / "lib")
    return next((str(place / SONAME) for place in places if (place / SONAME).exists()), SONAME)


_lock = threading.Lock()
_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The library, loaded by the first call; :class:`LibraryError` where it cannot be. Any thread."""
    global _library
    with _lock:
        if _library is None:
            path = _path()
            try:
                loaded = ctypes.CDLL(path)
                for name, (result, arguments) in _FUNCTIONS.items():
                    function = getattr(loaded, name)
                    function.restype, function.argtypes = result, arguments
            except (OSError, AttributeError) as error:
                raise LibraryError(f"{path}: {error}") from error
            _library = loaded
    return _library


class Reader:
    """A trace that was read, to ask for tables: `paths` are files of one timeline, or directories.

    `window`: only what began then, ``(from, to)`` in nanoseconds since the epoch; None is everything. `words`: options of
    profdump. Raises :class:`ProfError` with profdump's sentence. Threads: one at a time. The streams outlive it.
    """

    def __init__(self, paths: Sequence[str], window: Optional[Tuple[int, int]] = None, words: Sequence[str] = ()) -> None:
        self._handle: Any = ctypes.c_void_p()
        self._library = library()
        names = (ctypes.c_char_p * len(paths))(*(os.fsencode(path) for path in paths))
        options = TraceOptions(size_bytes=ctypes.sizeof(TraceOptions))
        if words:
            self._words = (ctypes.c_char_p * (len(words) + 1))(*(word.encode() for word in words), None)
            options.words = ctypes.cast(self._words, ctypes.c_void_p)
        if window:
            options.from_ns, options.to_ns = window
        status = self._library.prof_trace_open(names, len(paths), ctypes.byref(options), ctypes.byref(self._handle))
        self._check(status)

    def _check(self, status: int) -> None:
        if status != _native.OK:
            sentence: bytes = self._library.prof_trace_error(self._handle)
            raise ProfError(sentence.decode(errors="replace"))

    def stream(self, table: int) -> ArrowArrayStream:
        """One of ``EVENTS``, ``LAUNCHES``, ``KERNELS``, ``COUNTERS``, ``FUNCTIONS``; the caller's to release."""
        stream = ArrowArrayStream()
        self._check(self._library.prof_trace_arrow(self._handle, table, ctypes.byref(stream)))
        return stream

    def add_to(self, dataset: Any, name: str, identity: str, summaries: bool) -> None:
        """Adds the trace to a handle of :class:`DatasetRows`."""
        texts = os.fsencode(name), identity.encode()
        self._check(self._library.prof_trace_dataset_add(dataset, self._handle, *texts, int(summaries)))

    def query(self, sql: str) -> List[Dict[str, Any]]:
        """Runs one SQL statement, like ``profdump query``, and returns a dictionary for each row."""
        libc = ctypes.CDLL(None)
        libc.open_memstream.restype = ctypes.c_void_p
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        file = ctypes.c_void_p(libc.open_memstream(ctypes.byref(text), ctypes.byref(size)))
        if not file:
            raise MemoryError
        options = TableOptions(size_bytes=ctypes.sizeof(TableOptions), format=b"json")
        try:
            status = self._library.prof_trace_query(self._handle, sql.encode(), ctypes.byref(options), file)
        finally:
            libc.fclose(file)
        try:
            self._check(status)
            rows: List[Dict[str, Any]] = json.loads(ctypes.string_at(text, size.value))
            return rows
        finally:
            libc.free(text)

    def close(self) -> None:
        """Gives the memory back; the second call does nothing."""
        handle, self._handle = self._handle, None
        if handle:
            self._library.prof_trace_close(handle)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


class DatasetRows:
    """Recordings as rows of a dataset's tables: Arrow streams, which must be released before another one is added."""

    def __init__(self) -> None:
        self._handle: Any = ctypes.c_void_p()
        self._library = library()
        if self._library.prof_trace_dataset_create(ctypes.byref(self._handle)) != _native.OK:
            raise MemoryError

    def add(self, path: str, name: str, identity: str, summaries: bool = False) -> None:
        """All of a recording or nothing. `summaries`: only what PROF_SUMMARY wrote."""
        with Reader([path], words=["--no-events"] if summaries else []) as reader:
            reader.add_to(self._handle, name, identity, summaries)

    def stream(self, table: str) -> ArrowArrayStream:
        """The rows of a table; the caller's to release."""
        stream = ArrowArrayStream()
        if self._library.prof_trace_dataset_arrow(self._handle, table.encode(), ctypes.byref(stream)) != _native.OK:
            raise MemoryError
        return stream

    def close(self) -> None:
        """Gives the memory back, once the streams are released; the second call does nothing."""
        handle, self._handle = self._handle, None
        if handle:
            self._library.prof_trace_dataset_destroy(handle)

    def __enter__(self) -> "DatasetRows":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
