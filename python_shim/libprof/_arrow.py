"""Tables in Arrow's C stream interface, read with nothing but ctypes: what prof/arrow.h gives, as lists.

Layouts are those of Arrow's columnar format: a bit per value that is not null, least significant first;
64-bit offsets for large strings and lists. Times come as integers of nanoseconds.
"""

from __future__ import annotations

import ctypes
import enum
import os
import struct
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _reader
from .errors import ProfError

Columns = Dict[str, List[Any]]


class ArrowTable(enum.IntEnum):
    """``enum prof_arrow_table``."""

    EVENTS = _reader.EVENTS
    LAUNCHES = _reader.LAUNCHES
    KERNELS = _reader.KERNELS
    COUNTERS = _reader.COUNTERS
    FUNCTIONS = _reader.FUNCTIONS


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


def _release_of(structure: Any) -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.POINTER(structure))


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _release_of(_Schema)),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", _release_of(_Array)),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", _release_of(_Stream)),
    ("private_data", ctypes.c_void_p),
]

_NUMBERS = {
    "c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d",
    "tdD": "i", "ttn": "q", "tDn": "q",
}  # fmt: skip


def _bytes_at(address: Optional[int], size: int) -> memoryview:
    if not address or not size:
        return memoryview(b"")
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def _numbers(array: Any, code: str, buffer: int, count: int) -> List[Any]:
    """`count` values from the array's offset on."""
    start = array.offset * struct.calcsize(f"={code}")
    seen = _bytes_at(array.buffers[buffer], start + count * struct.calcsize(f"={code}"))
    return list(struct.unpack(f"={count}{code}", seen[start:])) if len(seen) else [0] * count


def _present(array: Any) -> Optional[List[bool]]:
    """Which values are not null; None: all of them."""
    if array.null_count == 0 or not array.buffers[0]:
        return None
    first, end = array.offset, array.offset + array.length
    bits = _bytes_at(array.buffers[0], (end + 7) // 8)
    return [bool(bits[at >> 3] >> (at & 7) & 1) for at in range(first, end)]


def _strings(array: Any, offset_code: str) -> List[str]:
    ends = _numbers(array, offset_code, 1, array.length + 1)
    text = bytes(_bytes_at(array.buffers[2], ends[-1]))
    return [text[start:end].decode(errors="replace") for start, end in zip(ends, ends[1:])]


_Words = Dict[Tuple[Any, ...], List[Any]]
"""Dictionaries that were read, by where they lie: columns and batches of a stream share them."""


def _dictionary(schema: Any, array: Any, known: _Words) -> List[Any]:
    place = (array.offset, array.length, *array.buffers[: array.n_buffers])
    if place not in known:
        known[place] = _column(schema, array, known)
    return known[place]


def _values(schema: Any, array: Any, known: _Words) -> List[Any]:
    """A column without its nulls' being None."""
    kind = schema.format.decode()
    if array.dictionary:
        words = _dictionary(schema.dictionary.contents, array.dictionary.contents, known)
        indices = _numbers(array, _NUMBERS[kind], 1, array.length)
        return [words[index] if index < len(words) else None for index in indices]
    if kind in ("U", "u"):
        return _strings(array, "q" if kind == "U" else "i")
    code = "q" if kind.startswith("ts") else _NUMBERS.get(kind)
    if code is None:
        raise ProfError(
            f"the column {schema.name.decode()!r} has an unsupported Arrow type: {kind!r}"
        )
    return _numbers(array, code, 1, array.length)


def _column(schema: Any, array: Any, known: _Words) -> List[Any]:
    values, present = _values(schema, array, known), _present(array)
    if present is None:
        return values
    return [value if known else None for value, known in zip(values, present)]


def _released(structure: Any) -> None:
    if structure.release:
        structure.release(ctypes.byref(structure))


def _checked(stream: Any, ask: Callable[..., int], into: Any) -> None:
    code = ask(ctypes.byref(stream), ctypes.byref(into))
    if code:
        said = stream.get_last_error(ctypes.byref(stream))
        raise ProfError(said.decode(errors="replace") if said else os.strerror(code))


def _batches(stream: Any) -> Iterator[Any]:
    while True:
        batch = _Array()
        _checked(stream, stream.get_next, batch)
        if not batch.release:
            return
        try:
            yield batch
        finally:
            _released(batch)


def _read(stream: Any, columns: Optional[Sequence[str]]) -> Columns:
    schema = _Schema()
    _checked(stream, stream.get_schema, schema)
    try:
        fields: List[Tuple[int, str, Any]] = []
        for index in range(schema.n_children):
            field = schema.children[index].contents
            name = field.name.decode()
            if columns is None or name in columns:
                fields.append((index, name, field))
        table: Columns = {name: [] for _, name, _ in fields}
        known: _Words = {}
        for batch in _batches(stream):
            for index, name, field in fields:
                table[name] += _column(field, batch.children[index].contents, known)
        return table
    finally:
        _released(schema)


def read_stream(stream: _reader.ArrowArrayStream, columns: Optional[Sequence[str]] = None) -> Columns:
    """Columns of a stream by name, each a list of Python values, None where there is none; releases it.

    ``columns``: only these, as far as there are such. ProfError for types that are not read here.
    """
    seen = _Stream.from_buffer(stream)
    try:
        return _read(seen, columns)
    finally:
        _released(seen)


def read_table(
    paths: Sequence[str],
    table: ArrowTable,
    window: Optional[Tuple[int, int]] = None,
    columns: Optional[Sequence[str]] = None,
) -> Columns:
    """A table of prof/arrow.h, of traces in any format; ProfError with profdump's sentence."""
    with _reader.Reader(paths, window) as reader:
        stream = reader.stream(int(table))
    return read_stream(stream, columns)
