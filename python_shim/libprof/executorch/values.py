"""Values that a run logged: numbers, and tensors whose elements are in the debug buffer."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

_TYPES = {
    0: ("uint8", "B"),
    1: ("int8", "b"),
    2: ("int16", "h"),
    3: ("int32", "i"),
    4: ("int64", "q"),
    5: ("float16", "e"),
    6: ("float32", "f"),
    7: ("float64", "d"),
    11: ("bool", "?"),
    15: ("bfloat16", "H"),
    22: ("bits16", "H"),
    27: ("uint16", "H"),
    28: ("uint32", "I"),
    29: ("uint64", "Q"),
}
"""Of PyTorch's ScalarType, by number: the name, and the format in struct of an element."""

_BFLOAT16 = 15


def element_bytes(scalar_type: int) -> int:
    """Bytes of an element; :class:`RuntimeError` for a type that has no numbers here (quantized, 8-bit
    floats)."""
    if scalar_type not in _TYPES:
        raise RuntimeError(f"elements of scalar type {scalar_type} cannot be read")
    return struct.calcsize("<" + _TYPES[scalar_type][1])


@dataclass(frozen=True)
class LoggedTensor:
    """A tensor of a run. ``data`` is the part of the debug buffer that holds it, None without such a buffer.

    Two are equal when their type, shape and elements are; without elements, when they lie at the same place.
    """

    scalar_type: int
    sizes: Tuple[int, ...]
    strides: Tuple[int, ...]
    offset: int
    data: Optional[bytes] = None

    @property
    def shape(self) -> Tuple[int, ...]:
        """Sizes of its dimensions."""
        return self.sizes

    @property
    def dtype(self) -> str:
        """Name of its elements' type, as PyTorch's."""
        return (
            _TYPES[self.scalar_type][0] if self.scalar_type in _TYPES else f"scalar type {self.scalar_type}"
        )

    def _all(self) -> List[Any]:
        if self.data is None:
            raise ValueError("the elements of the tensor are in a debug buffer that was not given")
        count = len(self.data) // element_bytes(self.scalar_type)
        elements = list(struct.unpack(f"<{count}{_TYPES[self.scalar_type][1]}", self.data))
        if self.scalar_type == _BFLOAT16:  # the upper half of a float32
            return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in elements]
        return elements

    def flat(self) -> List[Any]:
        """Its elements, the last dimension fastest. :class:`ValueError` without a debug buffer."""
        elements, places = self._all(), [0]
        if not elements:
            return []
        for size, stride in zip(self.sizes, element_strides(self.sizes, self.strides)):
            places = [place + stride * i for place in places for i in range(size)]
        return [elements[place] for place in places]

    def tolist(self) -> Any:
        """Its elements as nested lists; a number when it has no dimension."""
        nested: Any = self.flat()
        for size in self.sizes[:0:-1]:
            nested = [nested[i : i + size] for i in range(0, len(nested), size)] if size else []
        return nested if self.sizes else nested[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LoggedTensor):
            return NotImplemented
        if (self.scalar_type, self.sizes) != (other.scalar_type, other.sizes):
            return False
        if self.data is None or other.data is None:
            return self.data is other.data and (self.strides, self.offset) == (other.strides, other.offset)
        return same_numbers(self.flat(), other.flat())

    def __hash__(self) -> int:
        return hash((self.scalar_type, self.sizes))


Value = Union[None, bool, int, float, str, LoggedTensor, List[LoggedTensor]]
ProgramOutput = List[Value]
"""The values of an event, or all outputs of a run."""


def same_numbers(left: List[Any], right: List[Any]) -> bool:
    """Equal one by one, a NaN being equal to a NaN."""
    return len(left) == len(right) and all(a == b or (a != a and b != b) for a, b in zip(left, right))


def same_value(left: Value, right: Value) -> bool:
    """Of one kind and equal; numbers as by :func:`same_numbers`."""
    if isinstance(left, list) or isinstance(right, list):
        return left == right
    return type(left) is type(right) and same_numbers([left], [right])


def element_strides(sizes: Tuple[int, ...], strides: Tuple[int, ...]) -> Tuple[int, ...]:
    """The strides, in elements, of a tensor whose own are no use: none, or ones that reach outside of it."""
    dense, step = [], 1
    for size in reversed(sizes):
        dense.append(step)
        step *= size
    if len(strides) != len(sizes) or min(strides, default=0) < 0:
        return tuple(reversed(dense))
    reach = sum(stride * (size - 1) for stride, size in zip(strides, sizes))
    return strides if reach < math.prod(sizes) else tuple(reversed(dense))


# ---- from profdump's JSON ----


def _tensor(said: Dict[str, Any], buffer: Optional[bytes]) -> LoggedTensor:
    sizes, offset, data = tuple(said["sizes"]), said["offset"], None
    if min(sizes, default=0) < 0 or offset < 0:
        raise ValueError(f"a logged tensor of sizes {list(sizes)} at offset {offset}: the ETDump is damaged")
    if buffer is not None:
        count = math.prod(sizes)
        end = offset + count * element_bytes(said["type"])
        if end > len(buffer):
            raise ValueError(
                f"a logged tensor ends at {end}, the debug buffer at {len(buffer)}: is it of this ETDump?"
            )
        data = buffer[offset:end]
    return LoggedTensor(said["type"], sizes, tuple(said["strides"]), offset, data)


def value_from(said: Dict[str, Any], buffer: Optional[bytes]) -> Value:
    """The value that profdump described; `buffer` is the debug buffer, None where there is none."""
    kind = said["kind"]
    if kind in ("tensor", "tensor_list"):
        tensors = [_tensor(tensor, buffer) for tensor in said["tensors"]]
        return tensors[0] if kind == "tensor" and tensors else tensors
    if kind in ("float", "double"):
        return float(said["value"])
    value: Value = said.get("value")
    return value
