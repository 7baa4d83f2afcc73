"""What 'python -m libprof run' does inside of a Python program, before its first line.

Words of ``LIBPROF_STARTUP``, separated by commas:

``torch``          PyTorch's operators become ranges as soon as the program has imported it
``no-shapes``      without the sizes of their inputs
``python-calls``   calls of Python functions are recorded, of all threads
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import threading
from types import ModuleType
from typing import Any, Callable, List, Optional, Sequence

from . import _native, _torch_operators
from .errors import ProfError


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
            _guarded(then, module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _guarded(function: Callable[..., None], *arguments: Any) -> None:
    """A guest says what went wrong and lets the program go on."""
    try:
        function(*arguments)
    except Exception as error:
        print(f"libprof: {error}", file=sys.stderr)


class _ThreadStart:
    """Does things on each thread of :mod:`threading`, as a profile function that leaves at its first event."""

    def __init__(self, things: List[Callable[[], None]]) -> None:
        self._things = things

    def __call__(self, frame: object, event: str, argument: object) -> None:
        sys.setprofile(None)
        for thing in self._things:
            _guarded(thing)


def _record_calls() -> None:
    """Of the calling thread; see prof/python.h."""
    library = _native.library()
    begin = library.optional("prof_python_calls")
    if begin is None:
        raise ProfError("this libprof.so cannot record calls of Python functions")
    library.check(begin(1))


def start(words: str) -> None:
    """Does what the words say; see the module's text. Unknown words are refused by name."""
    wanted = set(filter(None, words.split(",")))
    unknown = wanted - {"torch", "no-shapes", "python-calls"}
    if unknown:
        raise ValueError(f"LIBPROF_STARTUP: {', '.join(sorted(unknown))}?")
    on_threads: List[Callable[[], None]] = []
    if "torch" in wanted:
        _native.library()  # before PyTorch, which looks for who hears its annotations when it is loaded
        shapes = "no-shapes" not in wanted
        sys.meta_path.insert(0, _AfterImport("torch", lambda torch: _torch_operators.start(torch, shapes)))
        on_threads.append(_torch_operators.begin_thread)
    if "python-calls" in wanted:
        _record_calls()
        on_threads.append(_record_calls)
    if on_threads:
        threading.setprofile(_ThreadStart(on_threads))
