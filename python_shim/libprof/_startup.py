"""Runs inside a Python program started by 'python -m libprof run', before its first line.

``LIBPROF_STARTUP`` contains words separated by commas:

``torch``          record PyTorch's operators as ranges once the program imports PyTorch
``no-shapes``      without the shapes of their inputs
``python-calls``   record calls of Python functions, on all threads
``imports``        those within imports, too
"""

from __future__ import annotations

from . import _native, _python_calls, _torch_operators
from ._after_import import after_import


def start(words: str) -> None:
    """Does what the words say; see the module's text. Unknown words are refused by name."""
    wanted = set(filter(None, words.split(",")))
    unknown = wanted - {"torch", "no-shapes", "python-calls", "imports"}
    if unknown:
        raise ValueError(f"LIBPROF_STARTUP: {', '.join(sorted(unknown))}?")
    if "torch" in wanted:
        _native.library()  # before PyTorch, which looks for who hears its annotations when it is loaded
        shapes = "no-shapes" not in wanted
        after_import("torch", lambda torch: _torch_operators.start(torch, shapes))
    if "python-calls" in wanted:
        _python_calls.begin("imports" in wanted)
