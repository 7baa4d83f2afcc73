"""Ranges around Python's garbage collections, while a profile requests them. They have torch.profiler's name."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from typing import Any, Dict, Iterator, Optional

from .ranges import is_recording, record_function

_lock = threading.Lock()
_users = 0
_open: Optional[record_function] = None  # one thread collects at a time


def _collects(phase: str, info: Dict[str, Any]) -> None:
    """One of gc.callbacks, called on the thread that collects."""
    global _open
    if phase == "start":
        _open = record_function("Python GC").__enter__() if _users and is_recording() else None
    elif _open is not None:
        ended, _open = _open, None
        ended.__exit__()


@contextlib.contextmanager
def recorded(wanted: bool) -> Iterator[None]:
    """Records collections as ranges within the context, if `wanted`."""
    global _users
    if not wanted:
        yield
        return
    with _lock:
        _users += 1
        if _collects not in gc.callbacks:
            gc.callbacks.append(_collects)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users and _open is None:  # else it has a range to end, and stays for the next user
                gc.callbacks.remove(_collects)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
