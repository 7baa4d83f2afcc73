"""What is said about a program beside its ranges: instants, steps, quantities, facts, names, memory.

All functions may be called from any thread, and do nothing while nothing is recorded.
"""

from __future__ import annotations

import json
from typing import Any, Optional

from . import _native

_INT64 = range(-(1 << 63), 1 << 63)


def _encode(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


def mark(name: str) -> None:
    """An instant on the calling thread."""
    _native.library().prof_mark(_encode(name))


def counter(name: str, value: float) -> None:
    """One sample of a quantity that is drawn as a curve."""
    _native.library().prof_counter(_encode(name), float(value))


def attr(key: str, value: Any) -> None:
    """A fact about the calling thread's innermost open range: flops, bytes, shapes ...

    Integers of 64 bits, floats and strings are kept as they are, all else as JSON (what has none, as str()).
    A later value of a key replaces an earlier one. Outside of all ranges it is counted as lost.
    """
    set_attribute(key, value)


def set_attribute(key: str, value: Any) -> None:
    """The same."""
    library, name = _native.library(), _encode(key)
    if isinstance(value, int) and value in _INT64:
        library.prof_attr_int(name, value)
    elif isinstance(value, float):
        library.prof_attr_double(name, value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        library.prof_attr_string(name, _encode(text))


def thread_name(name: str) -> None:
    """Names the calling thread in every output; also while nothing is recorded."""
    _native.library().prof_thread_name(_encode(name))


class Allocator:
    """One of the program's own allocators, known by its name: the same for the same name, in the whole
    process.

        pool = libprof.Allocator("page pool")
        pool.alloc(address, 4096)
        pool.free(address)

    Memory is the innermost open range's. Addresses are integers; of address None only the size counts.
    Tell of memory when it has been handed out, and before anyone else can be given it again.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._number = int(_native.library().prof_alloc_track(_encode(name)))

    def alloc(self, address: Optional[int], size_bytes: int) -> None:
        """`size_bytes` at `address` were handed out."""
        if size_bytes < 0:
            raise ValueError(f"size_bytes is {size_bytes}")
        _native.library().prof_alloc(self._number, address, size_bytes)

    def free(self, address: Optional[int]) -> None:
        """What is at `address` is taken back."""
        _native.library().prof_free(self._number, address)
