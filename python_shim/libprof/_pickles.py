"""Reads files that PyTorch pickled, without executing anything in them."""

from __future__ import annotations

import json
import pickle
from typing import IO, Any, NoReturn

from ._times import printable
from .errors import ProfError


class _Unpickler(pickle.Unpickler):
    """Creates only dicts, lists, tuples, texts and numbers; these files contain nothing else. Imports and calls nothing."""

    def find_class(self, module: str, name: str) -> NoReturn:
        """Refuses every class and function."""
        raise pickle.UnpicklingError(f"it contains {module}.{name}")


DAMAGE = (
    pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError,
    MemoryError,  # for a size that the file states
)  # fmt: skip


def load(file: IO[bytes], path: str, what: str) -> Any:
    """Reads a pickle or JSON; their first bytes differ. If it fails, ProfError reports that `path` is not `what`."""
    is_json = file.read(1) in (b"{", b"[")
    file.seek(0)
    try:
        return json.load(file) if is_json else _Unpickler(file).load()
    except DAMAGE as error:
        raise damaged(path, what, error) from error


def damaged(path: str, what: str, error: Exception) -> ProfError:
    """The error for a file that is not `what`, or is incomplete."""
    why = printable(" ".join(str(error).split())) or type(error).__name__
    return ProfError(f"{path}: not {what}, or incomplete: {why}")
