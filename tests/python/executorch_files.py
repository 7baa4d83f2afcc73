"""Files of ExecuTorch, made from plain descriptions."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from libprof.executorch._flat import Field, Write, etdump, numbers, table, text, vector

NAME_BYTES = 32

ProfEvent = Tuple[str, int, int, int, int]
"""Name, chain, instruction, start, end."""


def _name(name: Union[str, bytes]) -> bytes:
    raw = name.encode() if isinstance(name, str) else name
    return raw[:NAME_BYTES].ljust(NAME_BYTES, b"\0")


def prof_block(
    name: str,
    events: Sequence[ProfEvent] = (),
    allocators: Sequence[Tuple[str, int]] = (),
    allocations: Sequence[Tuple[int, int]] = (),
    *,
    spare: int = 0,
    order: str = "<",
    version: int = 1,
) -> bytes:
    """A block of a prof buffer, with room for `spare` more of everything."""
    counts = [count for part in (events, allocators, allocations) for count in (len(part) + spare, len(part))]
    block = struct.pack(order + "32s8I", _name(name), version, *counts, 0)
    for event in events:
        block += struct.pack(order + "32siIQQ", _name(event[0]), *event[1:])
    block += bytes(56 * spare)
    for allocator in allocators:
        block += struct.pack(order + "32sQ", _name(allocator[0]), allocator[1])
    block += bytes(40 * spare)
    for allocation in allocations:
        block += struct.pack(order + "2I", *allocation)
    return block + bytes(8 * spare)


def _delegate(identifier: Union[None, int, str], number: int, name: int) -> Dict[int, Field]:
    if identifier is None:
        return {}
    return {number: ("i", identifier)} if isinstance(identifier, int) else {name: text(identifier)}


def profile(
    name: Optional[str],
    start: int,
    end: int,
    *,
    instruction: int = -1,
    chain: int = 0,
    delegate: Union[None, int, str] = None,
    metadata: Optional[bytes] = None,
) -> Write:
    """An event that was timed."""
    fields: Dict[int, Field] = {1: ("i", chain), 2: ("i", instruction), 6: ("Q", start), 7: ("Q", end)}
    if name is not None:
        fields[0] = text(name)
    if metadata is not None:
        fields[5] = text(metadata)
    return table({0: table({**fields, **_delegate(delegate, 3, 4)})})


def allocation(allocator: int, size_bytes: int) -> Write:
    """Of the n-th allocator of the run, from 1 on."""
    return table({1: table({0: ("i", allocator), 1: ("Q", size_bytes)})})


def tensor(
    scalar_type: int, sizes: Sequence[int], offset: int, strides: Sequence[int] = ()
) -> Dict[int, Field]:
    """A value: a tensor in the debug buffer."""
    fields: Dict[int, Field] = {0: ("b", scalar_type), 1: numbers("q", sizes), 3: ("q", offset)}
    if strides:
        fields[2] = numbers("q", strides)
    return {0: ("b", 5), 1: table(fields)}


def number(value: Union[bool, int, float]) -> Dict[int, Field]:
    """A value: a bool, an int or a double."""
    if isinstance(value, bool):
        return {0: ("b", 2), 6: table({0: ("B", int(value))})}
    if isinstance(value, int):
        return {0: ("b", 1), 3: table({0: ("q", value)})}
    return {0: ("b", 4), 5: table({0: ("d", value)})}


def logged(
    value: Dict[int, Field],
    *,
    name: Optional[str] = None,
    instruction: int = -1,
    delegate: Union[None, int, str] = None,
    output: bool = False,
) -> Write:
    """A value that was logged."""
    fields: Dict[int, Field] = {1: ("i", instruction)}
    fields[2] = table({**value, **({7: table({0: ("B", 1)})} if output else {})})
    if name is not None:
        fields[5] = text(name)
    return table({2: table({**fields, **_delegate(delegate, 3, 4)})})


def run(
    name: str, events: Sequence[Write], *, allocators: Sequence[str] = (), bundled_input: int = -1
) -> Write:
    """A run of an ETDump."""
    fields: Dict[int, Field] = {0: text(name), 3: vector(events)}
    if bundled_input != -1:
        fields[1] = ("i", bundled_input)
    if allocators:
        fields[2] = vector([table({0: text(allocator)}) for allocator in allocators])
    return table(fields)


def dump(*runs: Write) -> bytes:
    """An ETDump."""
    return etdump(runs)


def rows(tables: Sequence[Any]) -> List[List[List[Any]]]:
    """The rows of each table."""
    return [shown.rows for shown in tables]
