"""Enumerations that PyTorch has, too. Members of libprof's and PyTorch's compare equal."""

from __future__ import annotations

import enum
from typing import Any


def is_same_member(one: Any, other: object) -> bool:
    """Whether both have the same value, in classes of the same name."""
    return type(one).__name__ == type(other).__name__ and bool(one.value == getattr(other, "value", None))


class TorchEnum(enum.Enum):
    """Hashed by value, like PyTorch's enumerations that C++ defines."""

    __eq__ = is_same_member

    def __hash__(self) -> int:
        return hash(self.value)
