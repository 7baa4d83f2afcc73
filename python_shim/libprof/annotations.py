"""Annotations besides ranges: marks, counters, attributes, thread names, allocators.

All functions may be called from any thread, and do nothing while recording is off.
"""

from __future__ import annotations

import json
from typing import Any, Optional

from . import _native

_INT64 = range(-(1 << 63), 1 << 63)


def _encode(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


def mark(name: str) -> None:
    """Records an instant on the calling thread."""
    _native.library().prof_mark(_encode(name))


def counter(name: str, value: float) -> None:
    """Records one sample of a counter. Timelines show a counter as a curve."""
    _native.library().prof_counter(_encode(name), float(value))


def attr(key: str, value: Any) -> None:
    """Sets an attribute of the calling thread's innermost open range: flops, bytes, shapes ...

    64-bit integers, floats and strings are stored as such, other values as JSON (with str() for what JSON
    cannot represent). A later value for the same key replaces an earlier one. Outside any range, the
    attribute is counted as lost.
    """
    set_attribute(key, value)


def set_attribute(key: str, value: Any) -> None:
    """Like attr()."""
    library, name = _native.library(), _encode(key)
    if isinstance(value, int) and value in _INT64:
        library.prof_attr_int(name, value)
    elif isinstance(value, float):
        library.prof_attr_double(name, value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        library.prof_attr_string(name, _encode(text))


def thread_name(name: str) -> None:
    """Sets the calling thread's name in every output. Works while recording is off."""
    _native.library().prof_thread_name(_encode(name))


class Allocator:
    """One of the program's own allocators. Objects with the same name are the same allocator, in the whole process.

        pool = libprof.Allocator("page pool")
        pool.alloc(address, 4096)
        pool.free(address)

    Memory belongs to the innermost open range. Addresses are integers; with address None only the size is
    recorded. Call alloc() after the allocation, and free() before another thread can be given the address.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._number = int(_native.library().prof_alloc_track(_encode(name)))

    def __repr__(self) -> str:
        return f"<libprof.Allocator {self.name!r}>"

    def alloc(self, address: Optional[int], size_bytes: int) -> None:
        """Records that `size_bytes` bytes at `address` were allocated."""
        if size_bytes < 0:
            raise ValueError(f"size_bytes cannot be negative: {size_bytes}")
        _native.library().prof_alloc(self._number, address, size_bytes)

    def free(self, address: Optional[int]) -> None:
        """Records that the memory at `address` is freed."""
        _native.library().prof_free(self._number, address)
