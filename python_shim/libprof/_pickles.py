"""Files that PyTorch pickled, read without running anything in them."""

from __future__ import annotations

import json
import pickle
from typing import IO, Any, NoReturn

from ._times import printable
from .errors import ProfError


class _Unpickler(pickle.Unpickler):
    """Makes dicts, lists, tuples, texts and numbers, which is all that these files have. It imports and calls nothing."""

    def find_class(self, module: str, name: str) -> NoReturn:
        """Refuses every class and function."""
        raise pickle.UnpicklingError(f"it contains {module}.{name}")


DAMAGE = (
    pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError,
    MemoryError,  # for a size that it claims
)  # fmt: skip


def load(file: IO[bytes], path: str, what: str) -> Any:
    """What is in a pickle, or in JSON, which no pickle begins like. ProfError says that `path` is not `what`."""
    is_json = file.read(1) in (b"{", b"[")
    file.seek(0)
    try:
        return json.load(file) if is_json else _Unpickler(file).load()
    except DAMAGE as error:
        raise damaged(path, what, error) from error


def damaged(path: str, what: str, error: Exception) -> ProfError:
    """The error of a file that is not `what`, or not all of it."""
    why = printable(" ".join(str(error).split())) or type(error).__name__
    return ProfError(f"{path}: not {what}, or incomplete: {why}")
