"""FlatBuffers, written front to back: as much as an ETDump needs."""

from __future__ import annotations

import struct
from typing import Any, Callable, Dict, List, Sequence, Tuple, Union

Write = Callable[[bytearray], int]
"""Appends something to the bytes and returns where it is."""

Field = Union[Tuple[str, Any], Write]
"""A number with its format in struct, or what the table refers to."""


def _refer(to: bytearray, place: int, write: Write) -> None:
    struct.pack_into("<I", to, place, write(to) - place)


def text(value: Union[str, bytes]) -> Write:
    """A string, or a vector of bytes: they are the same but for the NUL after."""

    def write(to: bytearray) -> int:
        raw = value.encode() if isinstance(value, str) else value
        at = len(to)
        to += struct.pack("<I", len(raw)) + raw + b"\0"
        return at

    return write


def numbers(code: str, values: Sequence[int]) -> Write:
    """A vector of numbers of the format."""

    def write(to: bytearray) -> int:
        at = len(to)
        to += struct.pack(f"<I{len(values)}{code}", len(values), *values)
        return at

    return write


def vector(items: Sequence[Write]) -> Write:
    """A vector of tables."""

    def write(to: bytearray) -> int:
        at = len(to)
        to += struct.pack("<I", len(items)) + bytes(4 * len(items))
        for i, item in enumerate(items):
            _refer(to, at + 4 + 4 * i, item)
        return at

    return write


def table(fields: Dict[int, Field]) -> Write:
    """A table; fields are by their number."""

    def write(to: bytearray) -> int:
        body, offsets = bytearray(4), [0] * (max(fields, default=-1) + 1)
        references: List[Tuple[int, Write]] = []
        for number, field in fields.items():
            offsets[number] = len(body)
            if isinstance(field, tuple):
                body += struct.pack("<" + field[0], field[1])
            else:
                references.append((len(body), field))
                body += bytes(4)
        vtable = struct.pack(f"<HH{len(offsets)}H", 4 + 2 * len(offsets), len(body), *offsets)
        struct.pack_into("<i", body, 0, len(vtable))
        to += vtable
        at = len(to)
        to += body
        for offset, child in references:
            _refer(to, at + offset, child)
        return at

    return write


def etdump(runs: Sequence[Write]) -> bytes:
    """An ETDump of version 0 with these tables RunData, the size in front."""
    to = bytearray(8) + b"ED00"
    _refer(to, 4, table({0: ("I", 0), 1: vector(runs)}))
    struct.pack_into("<I", to, 0, len(to) - 4)
    return bytes(to)
