"""Tables in Arrow's C stream interface, read with nothing but ctypes: what prof/arrow.h gives, as columns or lists.

Layouts are those of Arrow's columnar format: a bit per value that is not null, least significant first;
64-bit offsets for large strings and lists. Times come as integers of nanoseconds.
"""

from __future__ import annotations

import array
import ctypes
import enum
import itertools
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

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


def _numbers(code: str, source: Any, buffer: int, count: int) -> "array.array[Any]":
    """`count` numbers from the Arrow array's offset on. Zeros if the buffer is missing."""
    numbers: array.array[Any] = array.array(code)
    start = source.offset * numbers.itemsize
    seen = _bytes_at(source.buffers[buffer], start + count * numbers.itemsize)[start:]
    numbers.frombytes(seen if len(seen) else bytes(count * numbers.itemsize))
    return numbers


_BITS = [bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256)]


def _present(source: Any) -> bytes:
    """A byte for each value: 0 for a null."""
    if source.null_count == 0 or not source.buffers[0]:
        return b"\1" * int(source.length)
    first, end = source.offset, source.offset + source.length
    bits: Iterable[int] = _bytes_at(source.buffers[0], (end + 7) // 8)
    return b"".join(_BITS[byte] for byte in bits)[int(first) : int(end)]


def _texts(code: str, source: Any) -> Tuple["array.array[Any]", bytes]:
    """Where each text ends and the next begins, and the bytes of all of them."""
    ends = _numbers(code, source, 1, source.length + 1)
    return ends, bytes(_bytes_at(source.buffers[2], ends[-1]))


class Column:
    """A column of a table. Its values take 1 to 9 bytes each until :meth:`reader` or :meth:`list` makes Python objects of them;
    a column of one value, or of nulls alone, takes none.
    """

    def __init__(self, code: str) -> None:
        self._values: array.array[Any] = array.array(code)
        self._present = bytearray()
        self._count = self._nulls = 0  # nulls: of a column without values so far
        self._words: Optional[List[Any]] = None  # of a dictionary, whose indices are the values

    def __len__(self) -> int:
        return self._count

    def append(self, source: Any, words: Optional[List[Any]] = None) -> None:
        """The values of a batch; with `words`, they are indices."""
        self._count += source.length
        if source.length and source.null_count == source.length and not self._values:
            self._nulls += source.length
            return
        if self._nulls:
            self._values.frombytes(bytes(self._nulls * self._values.itemsize))
            self._present += bytes(self._nulls)
            self._nulls = 0
        self._append_values(source, words)
        self._present += _present(source)

    def _append_values(self, source: Any, words: Optional[List[Any]]) -> None:
        values = _numbers(self._values.typecode, source, 1, source.length)
        if self._words is None or words is self._words:
            self._words = words
        elif words is not None:  # another dictionary
            values = array.array(values.typecode, (value + len(self._words) for value in values))
            self._words = [*self._words, *words]
        self._values += values

    def settle(self) -> None:
        """To call after the last batch. Drops what says which values are null if none is, and then stores equal values once."""
        if 0 not in self._present:
            self._present = bytearray()
            if len(self._values) > 1 and memoryview(self._values)[1:] == memoryview(self._values)[:-1]:
                self._values = self._values[:1]

    def reader(self) -> Callable[[int], Any]:
        """A function that returns the value of a row, None for a null."""
        if not self._values:
            return lambda row: None
        read, present, words = self._values.__getitem__, self._present, self._words
        if not present and len(self._values) == 1:
            value = read(0) if words is None else words[read(0)]
            return lambda row: value
        if words is None:
            return (lambda row: read(row) if present[row] else None) if present else read
        texts = words.__getitem__
        return (lambda row: texts(read(row)) if present[row] else None) if present else lambda row: texts(read(row))

    def numbers(self, null: int = -1) -> "array.array[Any]":
        """The values of a column of integers, `null` in place of nulls."""
        if not self._values:
            return array.array(self._values.typecode, [null]) * self._count
        if self._present:
            values = zip(self._values, self._present)
            return array.array(self._values.typecode, [value if present else null for value, present in values])
        return self._values if len(self._values) == self._count else self._values * self._count

    def list(self) -> List[Any]:
        """All values, None for a null."""
        return list(map(self.reader(), range(self._count)))

    def different(self) -> Set[Any]:
        """The distinct values."""
        values = set(self._values) if not self._present else set(itertools.compress(self._values, self._present))
        found = values if self._words is None else set(map(self._words.__getitem__, values))
        return found | ({None} if self._nulls or self._present else set())


class _Texts(Column):
    """Texts without a dictionary. Its values are the offsets at which they end."""

    def __init__(self, code: str) -> None:
        super().__init__("q")
        self._code, self._text = code, bytearray()

    def _append_values(self, source: Any, words: Optional[List[Any]]) -> None:
        ends, text = _texts(self._code, source)
        first = len(self._text) - ends[0]
        self._values.extend(end + first for end in ends[1:])
        self._text += text[ends[0] :]

    def settle(self) -> None:
        """Nothing."""

    def reader(self) -> Callable[[int], Any]:
        """See Column."""
        ends, present, text = self._values, self._present, self._text

        def read(row: int) -> Optional[str]:
            return text[ends[row - 1] if row else 0 : ends[row]].decode(errors="replace") if present[row] else None

        return read if ends else lambda row: None


_Words = Dict[Tuple[Any, ...], List[Any]]
"""Dictionaries that were read, by where they lie: columns and batches of a stream share them."""


def _dictionary(schema: Any, source: Any, known: _Words) -> List[Any]:
    place = (source.offset, source.length, *source.buffers[: source.n_buffers])
    if place not in known:
        words = _column_for(schema)
        words.append(source)
        known[place] = words.list()
    return known[place]


def _column_for(schema: Any) -> Column:
    """An empty column of this type."""
    kind = schema.format.decode()
    if kind in ("U", "u"):
        return _Texts("q" if kind == "U" else "i")
    code = "q" if kind.startswith("ts") else _NUMBERS.get(kind)
    if code is None:
        raise ProfError(f"the column {schema.name.decode()!r} has an unsupported Arrow type: {kind!r}")
    return Column(code)


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


def _read(stream: Any, columns: Optional[Sequence[str]]) -> Dict[str, Column]:
    schema = _Schema()
    _checked(stream, stream.get_schema, schema)
    try:
        fields: List[Tuple[int, str, Any]] = []
        for index in range(schema.n_children):
            field = schema.children[index].contents
            name = field.name.decode()
            if columns is None or name in columns:
                fields.append((index, name, field))
        table = {name: _column_for(field) for _, name, field in fields}
        known: _Words = {}
        for batch in _batches(stream):
            for index, name, field in fields:
                source = batch.children[index].contents
                has_words = bool(source.dictionary)
                words = _dictionary(field.dictionary.contents, source.dictionary.contents, known) if has_words else None
                table[name].append(source, words)
        for column in table.values():
            column.settle()
        return table
    finally:
        _released(schema)


def read_columns(stream: _reader.ArrowArrayStream, columns: Optional[Sequence[str]] = None) -> Dict[str, Column]:
    """Columns of a stream by name; releases it. `columns`: only these, if they exist. ProfError for unsupported types.
    """
    seen = _Stream.from_buffer(stream)
    try:
        return _read(seen, columns)
    finally:
        _released(seen)


def read_stream(stream: _reader.ArrowArrayStream, columns: Optional[Sequence[str]] = None) -> Columns:
    """The same as lists of Python values, None where there is none."""
    return {name: column.list() for name, column in read_columns(stream, columns).items()}


def read_tables(paths: Sequence[str], tables: Sequence[ArrowTable], window: Optional[Tuple[int, int]] = None) -> List[Dict[str, Column]]:
    """Tables of prof/arrow.h, of traces in any format. ProfError with profdump's message."""
    with _reader.Reader(paths, window) as reader:
        streams = [reader.stream(int(table)) for table in tables]
    return list(map(read_columns, streams))


def read_table(
    paths: Sequence[str],
    table: ArrowTable,
    window: Optional[Tuple[int, int]] = None,
    columns: Optional[Sequence[str]] = None,
) -> Columns:
    """A table as lists of Python values, None where there is none. `columns`: only these, if they exist."""
    with _reader.Reader(paths, window) as reader:
        stream = reader.stream(int(table))
    return read_stream(stream, columns)
