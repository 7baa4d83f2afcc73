"""Runs inside a Python program started by 'python -m libprof run', before its first line.

``LIBPROF_STARTUP`` contains words separated by commas:

``torch``          record PyTorch's operators as ranges once the program imports PyTorch
``no-shapes``      without the shapes of their inputs
``python-calls``   record calls of Python functions, on all threads
``imports``        those within imports, too
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Callable, Optional, Sequence

from . import _native, _python_calls, _torch_operators
from ._guest import guarded


class _AfterImport(importlib.abc.MetaPathFinder):
    """Calls `then` with a module when it has been imported, and gets out of the way."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._then = then

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        loader = spec.loader if spec else None
        if spec is None or loader is None:
            return spec
        execute, then = loader.exec_module, self._then

        def exec_module(module: ModuleType) -> None:
            execute(module)
            guarded(then, module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def start(words: str) -> None:
    """Does what the words say; see the module's text. Unknown words are refused by name."""
    wanted = set(filter(None, words.split(",")))
    unknown = wanted - {"torch", "no-shapes", "python-calls", "imports"}
    if unknown:
        raise ValueError(f"LIBPROF_STARTUP: {', '.join(sorted(unknown))}?")
    if "torch" in wanted:
        _native.library()  # before PyTorch, which looks for who hears its annotations when it is loaded
        shapes = "no-shapes" not in wanted
        sys.meta_path.insert(0, _AfterImport("torch", lambda torch: _torch_operators.start(torch, shapes)))
    if "python-calls" in wanted:
        _python_calls.begin("imports" in wanted)
