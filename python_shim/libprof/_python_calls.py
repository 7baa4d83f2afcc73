"""Calls of Python functions, of all threads: on while somebody wants them. See prof/python.h."""

from __future__ import annotations

import threading

from . import _native, _new_threads
from .errors import ProfError

_ALL_THREADS = 2
_IMPORTS = 4
_BUILTINS = 8

_lock = threading.Lock()
_wanted = 0
_how = _ALL_THREADS


def _switch(how: int) -> None:
    library = _native.library()
    switch = library.optional("prof_python_calls")
    if switch is None:
        raise ProfError("this libprof.so does not support recording calls of Python functions")
    library.check(switch(how))


def _begin_thread() -> None:
    """Of a thread that begins; where the interpreter tells of all threads it is known already."""
    if _wanted:
        _switch(_how)


def begin(imports: bool = False, builtins: bool = False) -> None:
    """Raises ProfError if recording is impossible. Every caller's options apply from then on, until the last end()."""
    global _wanted, _how
    how = _ALL_THREADS | (_IMPORTS if imports else 0) | (_BUILTINS if builtins else 0)
    with _lock:
        how |= _how if _wanted else 0
        if not _wanted or how != _how:
            _switch(how)
        if not _wanted:
            _new_threads.add(_begin_thread)
        _how = how
        _wanted += 1


def end() -> None:
    """Once for each begin()."""
    global _wanted
    with _lock:
        _wanted -= 1
        if not _wanted:
            _new_threads.remove(_begin_thread)
            _switch(0)
